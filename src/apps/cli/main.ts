import { enableCompileCache } from 'node:module';
import packageJson from '../../../package.json' with { type: 'json' };
import { writeAll } from './output.ts';

const [first] = process.argv.slice(2);

if (first === '--version' || first === '-V' || first === 'version') {
  writeAll(1, `rollcall ${packageJson.version}\n`);
} else {
  enableCompileCache();
  const { followStartedPrograms } = await import('../../adapters/system/started-programs.ts');
  const letGo = followStartedPrograms();
  const { run } = await import('./run.ts');
  process.exitCode = await run(process.argv.slice(2));
  // A credential program that hangs would keep this one alive behind its last word.
  letGo();
}
