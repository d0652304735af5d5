import { type CauseEntry, causeOf } from '../../../causes/catalogue.ts';
import { CAUSES } from '../../../causes/index.generated.ts';
import { renderCausePage } from '../../../diagnosis/report/cause-page.ts';
import { wrap } from '../../../diagnosis/report/wrap.ts';
import { type CliContext, UsageError } from '../context.ts';
import { EXPLAIN } from '../declared/causes.ts';
import { searchCauses } from '../../../engine/search.ts';
import { parseCommandLine } from '../options/parse.ts';
import { quoted } from '../options/quoted.ts';
import { nearest } from '../../../evidence/nearest.ts';

const INDENT = '  ';

/** Prints the page of one cause, or the causes that words are about. */
export async function explainCommand(
  args: readonly string[],
  context: CliContext,
): Promise<number> {
  const { words } = parseCommandLine(EXPLAIN, args);
  const [name] = words;
  if (name === undefined)
    throw new UsageError(
      'explain needs a cause: rollcall explain CAUSE; list them: rollcall causes',
    );
  const entry = words.length === 1 ? causeNamed(name) : null;
  if (entry === null) {
    context.out(await matchesOf(words.join(' '), context.columns));
    return 0;
  }
  const page = renderCausePage(causeOf(await entry.load()));
  const lines = page.split('\n').flatMap((line) => fitted(line, context.columns));
  context.out(lines.join('\n'));
  return 0;
}

/**
 * The causes that words are about, the likeliest first.
 *
 * @throws UsageError where the words are nearly an id, or resemble nothing
 */
async function matchesOf(text: string, columns: number): Promise<string> {
  const wanted = idOf(text);
  const ids = CAUSES.map(({ id }) => id);
  const isPart = ids.some((id) => id.includes(wanted));
  if (!isPart && nearest(wanted, ids) !== null) throw unknownCause(text, wanted);
  const found = await searchCauses(text);
  if (found.length === 0) throw unknownCause(text, wanted);
  const blocks = found.flatMap(({ entry: { id, stage, title } }) => [
    `${id} (${stage})`,
    ...wrap(title, columns - INDENT.length).map((line) => `${INDENT}${line}`),
  ]);
  const first = found[0]?.entry.id ?? '';
  return `${['Most likely about:', '', ...blocks, '', `Read one: rollcall explain ${first}`].join('\n')}\n`;
}

/** Conditions of Kubernetes write an id in capitals: `AwsAuthMissing`. */
function idOf(name: string): string {
  return name.replace(/(?<=[a-z0-9])([A-Z])/g, '-$1').toLowerCase();
}

/** The cause with this id, today or formerly; null when there is none. */
export function causeNamed(name: string): CauseEntry | null {
  const wanted = idOf(name);
  return CAUSES.find((cause) => cause.id === wanted || cause.formerly.includes(wanted)) ?? null;
}

function unknownCause(name: string, wanted: string): UsageError {
  const close = nearest(
    wanted,
    CAUSES.map((cause) => cause.id),
  );
  const what = `unknown cause ${quoted(name)}`;
  return new UsageError(
    close === null
      ? `${what}; list them: rollcall causes`
      : `${what}; did you mean ${close}? List them: rollcall causes`,
  );
}

function fitted(line: string, columns: number): readonly string[] {
  return line.length <= columns || /^\s{4}|^```|\|/.test(line) ? [line] : wrap(line, columns);
}
