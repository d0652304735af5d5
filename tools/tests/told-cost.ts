/** Loaded first into each process of tests: at its end it tells what processor time it took. */
import { appendFileSync, readFileSync } from 'node:fs';
import { COSTS_VARIABLE } from './costs.ts';

const MS_PER_TICK = 10;

/** Of the process and of all programs that it started and that ended; elsewhere than on Linux of itself alone. */
function processorMs(): number {
  try {
    // Behind the name of the program, which may hold blanks.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return ticks * MS_PER_TICK;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
}

const path = process.env[COSTS_VARIABLE];
if (path !== undefined)
  process.on('exit', () => {
    appendFileSync(path, `${processorMs()}\t${process.argv[1] ?? ''}\n`);
  });
