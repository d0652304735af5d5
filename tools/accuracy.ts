/**
 * `node tools/accuracy.ts`: asks Rollcall about every case of test/accuracy, raises the floors to
 * what is reached, and writes docs/accuracy.md, the whole answers beside the cases and what is read
 * of each pile of test/readers. Ends with 1, and writes nothing, where a cause is named wrongly or a
 * group has sunk below its floor.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerTo, answerToLive, record } from '../test/accuracy/answers.ts';
import { loadCases, loadPastes } from '../test/accuracy/cases.ts';
import { examineAll } from '../test/accuracy/examine.ts';
import {
  betterThan,
  figureLine,
  figuresOf,
  type Floors,
  FLOORS_PATH,
  groupsOf,
  isBelow,
  outcomesOf,
  readFloors,
  stageLine,
  stagesOf,
  worseThan,
} from '../test/accuracy/figures.ts';
import { LIVE_STATES } from '../test/accuracy/live/states.ts';
import { readClosedLoop } from '../test/accuracy/closed-loop.ts';
import { readFirstContacts } from '../test/accuracy/first-contact.ts';
import { readPasteLosses } from '../test/metamorphic/pastes.ts';
import { pileNames, readingOf } from '../test/readers/recorded.ts';
import { accuracyPage } from './accuracy-page.ts';

const PAGE = join(import.meta.dirname, '../docs/accuracy.md');

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
}

const [cases, pastes] = [loadCases(), loadPastes()];
const floors = readFloors();
const judged = await examineAll();
const outcomes = outcomesOf(judged);
const groups = groupsOf(cases, pastes, LIVE_STATES);

for (const group of groups) print(figureLine(group, figuresOf(group, outcomes)));
print(stageLine(judged));
for (const { text } of [...worseThan(floors, judged), ...betterThan(floors, judged)]) print(text);

const isWorse = groups.some((group) => {
  const now = figuresOf(group, outcomes);
  return now.wrong > 0 || isBelow(now, figuresOf(group, floors.outcomes));
});
const stagesRight = stagesOf(judged).right;
if (isWorse || stagesRight < floors.stagesRight) {
  print('not recorded: floors are only raised, and nothing may be wrong');
  process.exitCode = 1;
} else {
  const date = new Date().toISOString().slice(0, 10);
  const commit = git('rev-parse', '--short', 'HEAD');
  const raised: Floors = { date, commit, outcomes, stagesRight };
  writeFileSync(FLOORS_PATH, `${JSON.stringify(raised, null, 2)}\n`);
  const records = {
    floors: raised,
    losses: readPasteLosses(),
    contacts: readFirstContacts(),
    loop: readClosedLoop(),
  };
  writeFileSync(PAGE, accuracyPage(records, cases, pastes, LIVE_STATES));
  for (const one of cases) record(await answerTo(one));
  for (const state of LIVE_STATES) record(await answerToLive(state));
  for (const name of pileNames()) record(await readingOf(name));
}
