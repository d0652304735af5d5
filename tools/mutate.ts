/**
 * `npm run mutate -- ROOM [--only PATH]… [--since REF] [--tests PATH]… [--every N] [--workers N]
 * [--json FILE]`: changes the sources of a room one small thing at a time, and lists the changes
 * that no test notices.
 *
 * `--only` takes the beginning of paths below `src/ROOM/`; `--since` only files that differ from
 * that commit; `--tests` files or folders instead of those of the room; `--every 4` each fourth
 * change, for an estimate. Text with blanks is wording and is left alone. docs/mutation.md has the
 * figures. Exit code 64 when there is nothing to do, 1 when a test fails without a mutant.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { reportLines } from './mutate/report.ts';
import { filesOf, type RoomFiles } from './mutate/rooms.ts';
import { mutate } from './mutate/run.ts';

const OPTIONS = {
  only: { type: 'string', multiple: true, default: [] as string[] },
  since: { type: 'string' },
  tests: { type: 'string', multiple: true, default: [] as string[] },
  every: { type: 'string', default: '1' },
  workers: { type: 'string', default: String(availableParallelism()) },
  json: { type: 'string' },
  root: { type: 'string', default: resolve(import.meta.dirname, '..') },
} as const;

interface Wish {
  readonly room: string;
  readonly root: string;
  readonly files: RoomFiles;
  readonly every: number;
  readonly workers: number;
  readonly json: string | null;
}

function wishIn(args: readonly string[]): Wish {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: OPTIONS,
    allowPositionals: true,
  });
  const [room, ...more] = positionals;
  if (room === undefined || more.length > 0) throw new Error('name one room, such as evidence');
  return {
    room,
    root: values.root,
    files: filesOf(values.root, room, { ...values, since: values.since ?? null }),
    every: Number(values.every),
    workers: Number(values.workers),
    json: values.json ?? null,
  };
}

function complain(error: unknown): void {
  process.stderr.write(`npm run mutate: ${error instanceof Error ? error.message : 'failed'}\n`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function run({ room, json, ...wish }: Wish): Promise<number> {
  try {
    const say = (text: string): void => void process.stderr.write(`${text}\n`);
    const { judged, wordings } = await mutate({ ...wish, say });
    reportLines(room, judged).forEach(print);
    print(`${wordings} changes of wording were left out`);
    if (json !== null) writeFileSync(json, JSON.stringify(judged, null, 1));
    return 0;
  } catch (error) {
    complain(error);
    return 1;
  }
}

async function main(args: readonly string[]): Promise<number> {
  let wish: Wish;
  try {
    wish = wishIn(args);
  } catch (error) {
    complain(error);
    return 64;
  }
  return run(wish);
}

process.exitCode = await main(process.argv.slice(2));
