/**
 * `node tools/decide-loop.ts [--record] [CAUSE…]`: runs the command that decides each cause with the
 * real kubectl and aws, in each form in which people ask, on servers that hold what an example of
 * the cause holds, and reads back what it prints. With `--record` writes
 * test/accuracy/decide-loop.json and docs/closed-loop.md. It needs kubectl and aws.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sequence } from '../src/diagnosis/report/shell-words.ts';
import { causeOf } from '../src/causes/catalogue.ts';
import { CAUSES } from '../src/causes/index.generated.ts';
import {
  type Answer,
  DECIDE_LOOPS_PATH,
  type DecideLoop,
  MOODS,
  namedBy,
  outcomeOf,
  readDecideLoops,
} from '../test/accuracy/decide-loop.ts';
import { type Example, loadExamples } from '../test/causes/example.ts';
import { closeClients, filledFrom, runOn } from './closed-loop/clients.ts';
import { heldIn } from './closed-loop/evidence.ts';
import { closedLoopPage } from './closed-loop/page.ts';
import { formsOf, kindOf } from './closed-loop/parts.ts';
import { closeDoor } from './closed-loop/world.ts';

const PAGE = join(import.meta.dirname, '../docs/closed-loop.md');
const EXAMPLES_TRIED = 4;
const TEXT_MAX = 30_000;

function isFound(answer: Answer | undefined): boolean {
  return answer?.outcome.startsWith('found') === true;
}

/** What one form prints on an example; null where the example holds nothing of it. */
async function answerOn(
  { cause, files }: Example,
  [form, command]: readonly [form: string, command: string],
): Promise<Answer | null> {
  const typed = filledFrom(command, heldIn(files));
  const asItIs = await runOn(command, files, 'as it is');
  if (!asItIs.isPlayed || asItIs.text.length > TEXT_MAX) return null;
  const { text } = asItIs;
  return { form, typed, text, outcome: await outcomeOf(cause, { typed, text }, files) };
}

/** The first example whose answer decides, else the first that has an answer. */
async function bestOf(
  command: string,
  examples: readonly Example[],
): Promise<{ readonly example: Example; readonly answer: Answer } | null> {
  let best: { readonly example: Example; readonly answer: Answer } | null = null;
  let tried = 0;
  for (const example of examples) {
    if (tried === EXAMPLES_TRIED) break;
    const answer = await answerOn(example, ['as printed', command]);
    if (answer === null) continue;
    tried += 1;
    best ??= { example, answer };
    if (isFound(answer)) return { example, answer };
  }
  return best;
}

/** What the command prints where nothing is there, and where the servers refuse it. */
async function moodsOf(
  command: string,
  example: Example | undefined,
): Promise<DecideLoop['moods']> {
  const [first = ''] = sequence(command);
  if (example === undefined || kindOf(first) === 'machine') return [];
  const typed = filledFrom(command, heldIn(example.files));
  const answers: DecideLoop['moods'][number][] = [];
  for (const mood of MOODS) {
    const { text } = await runOn(command, example.files, mood);
    answers.push({ mood, typed, text, named: await namedBy({ typed, text }) });
  }
  return answers;
}

async function loopOf(cause: string, command: string): Promise<DecideLoop> {
  const examples = loadExamples([cause]).filter(({ expect }) => expect === 'found');
  const best = await bestOf(command, examples);
  const moods = await moodsOf(command, best?.example ?? examples[0]);
  if (best === null) return { cause, command, example: null, answers: [], moods };
  const answers = [best.answer];
  for (const form of formsOf(command).slice(1)) {
    const answer = await answerOn(best.example, form);
    if (answer !== null) answers.push(answer);
  }
  return { cause, command, example: best.example.name, answers, moods };
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { record: { type: 'boolean', default: false } },
});
const loops: DecideLoop[] = [];
for (const entry of CAUSES) {
  if (positionals.length > 0 && !positionals.includes(entry.id)) continue;
  const loop = await loopOf(entry.id, causeOf(await entry.load()).decide.command ?? '');
  loops.push(loop);
  const outcomes = loop.answers.map(({ form, outcome }) => `${form}: ${outcome}`);
  console.log(`${loop.cause}: ${outcomes.join(', ') || 'not played'}  ${loop.command}`);
}
closeClients();
await closeDoor();
if (values.record) {
  const kept = positionals.length === 0 ? [] : readDecideLoops();
  const all = CAUSES.flatMap(({ id }) =>
    [...loops, ...kept].filter(({ cause }) => cause === id).slice(0, 1),
  );
  writeFileSync(DECIDE_LOOPS_PATH, `${JSON.stringify(all, null, 2)}\n`);
  writeFileSync(PAGE, closedLoopPage(all));
}
