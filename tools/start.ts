import { isTerminal } from '../src/apps/cli/output.ts';
import { run } from '../src/apps/cli/run.ts';

/** Faster than life, and slow enough to be read. */
const SPEED = '4';

/** A story in a simulated cluster of its own: beside real time for somebody who watches, at once for a pipe. */
const pace = isTerminal(1) ? ['--speed', SPEED] : ['--fast'];
process.exitCode = await run(['lab', ...pace, ...process.argv.slice(2)]);
