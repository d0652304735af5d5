/**
 * `npm run census [-- [--list | --unjudged] [--write] [PROGRAM…]]`: which messages the programs can
 * print, over the releases in use, and what Rollcall knows of each.
 *
 * Sources come through the Go module proxy into the cache of the go command. Ends with 1 when a
 * release brings messages that nobody has judged or a judgement fits nothing, with 69 when a source
 * cannot be had, and with 64 when an argument names no program.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CAUSES } from '../src/causes/index.generated.ts';
import { type Census, censusOf, type Entry, faultsOf } from './census/census-of.ts';
import { readable } from './census/fold.ts';
import { readJudgements } from './census/judged.ts';
import { ModuleNotServed } from './census/modules.ts';
import { censusPage, coverageLine } from './census/page.ts';
import { type Program, PROGRAMS } from './census/programs.ts';

const PAGE = join(import.meta.dirname, '../docs/census.md');
const OPTIONS = ['--list', '--unjudged', '--write'];

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function fail(text: string, code: number): void {
  process.stderr.write(`${text}\n`);
  process.exitCode = code;
}

function programsOf(names: readonly string[]): readonly Program[] {
  return names.length === 0 ? PROGRAMS : PROGRAMS.filter(({ name }) => names.includes(name));
}

/** The message with where it is printed, by which releases, and what is known of it. */
function entryLine({ message, verdict, owners, judged }: Entry): string {
  const causes = judged?.causes ?? owners;
  const releases = [...message.releases].join(',');
  const fields = [verdict, causes.join(',') || '-', releases, [...message.files].join(',')];
  return [...fields, readable(message.text)].join('\t');
}

function list({ entries }: Census, isUnjudgedOnly: boolean): void {
  for (const entry of entries)
    if (!isUnjudgedOnly || entry.verdict === 'unjudged') print(entryLine(entry));
}

/** The census, or null when a source of the program cannot be had. */
async function tryCensus(program: Program): Promise<Census | null> {
  try {
    return await censusOf(program, readJudgements(program.name));
  } catch (error) {
    if (!(error instanceof ModuleNotServed)) throw error;
    fail(`${program.name}: ${error.message}`, 69);
    return null;
  }
}

async function run(programs: readonly Program[], options: ReadonlySet<string>): Promise<void> {
  const known = new Set(CAUSES.map(({ id }) => id));
  const censuses: Census[] = [];
  for (const program of programs) {
    const census = await tryCensus(program);
    if (census === null) continue;
    censuses.push(census);
    if (options.has('--list') || options.has('--unjudged')) list(census, options.has('--unjudged'));
    else print(coverageLine(census));
    for (const fault of faultsOf(census, known)) fail(fault, 1);
  }
  const isWhole = censuses.length === PROGRAMS.length;
  if (options.has('--write') && isWhole) writeFileSync(PAGE, censusPage(censuses));
}

const given = process.argv.slice(2);
const names = given.filter((one) => !one.startsWith('--'));
const wrong = given.find((one) =>
  one.startsWith('--') ? !OPTIONS.includes(one) : programsOf([one]).length === 0,
);
const isPartPage = given.includes('--write') && names.length > 0;
if (wrong !== undefined)
  fail(
    `unknown "${wrong}"; use ${[...OPTIONS, ...PROGRAMS.map(({ name }) => name)].join(', ')}`,
    64,
  );
else if (isPartPage) fail('--write needs all programs; leave their names out', 64);
else await run(programsOf(names), new Set(given));
