import packageJson from '../../../package.json' with { type: 'json' };
import { writeAll } from './output.ts';

/**
 * Runs the program; its exit code is left to the process.
 *
 * @param prepare what the way in which it was started does before anything else is loaded
 */
export async function begin(argv: readonly string[], prepare: () => void): Promise<void> {
  const [first] = argv;
  if (first === '--version' || first === '-V' || first === 'version') {
    writeAll(1, `rollcall ${packageJson.version}\n`);
    return;
  }
  prepare();
  const { followStartedPrograms } = await import('../../adapters/system/started-programs.ts');
  const letGo = followStartedPrograms();
  const { run } = await import('./run.ts');
  process.exitCode = await run(argv);
  // A credential program that hangs would keep this one alive behind its last word.
  letGo();
}
