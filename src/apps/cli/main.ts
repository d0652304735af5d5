import { enableCompileCache } from 'node:module';
import packageJson from '../../../package.json' with { type: 'json' };

const [first] = process.argv.slice(2);

if (first === '--version' || first === '-V' || first === 'version') {
  process.stdout.write(`rollcall ${packageJson.version}\n`);
} else {
  enableCompileCache();
  const { run } = await import('./run.ts');
  process.exitCode = await run(process.argv.slice(2));
}
