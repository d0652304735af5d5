import { type CauseEntry, causeOf } from '../../../causes/catalogue.ts';
import { CAUSES } from '../../../causes/index.generated.ts';
import { renderCausePage } from '../../../diagnosis/report/cause-page.ts';
import { wrap } from '../../../diagnosis/report/wrap.ts';
import { type CliContext, UsageError } from '../context.ts';
import { EXPLAIN } from '../declared/causes.ts';
import { parseCommandLine } from '../options/parse.ts';
import { quoted } from '../options/quoted.ts';
import { nearest } from '../../../evidence/nearest.ts';

/** Prints the page of one cause. */
export async function explainCommand(
  args: readonly string[],
  context: CliContext,
): Promise<number> {
  const [name] = parseCommandLine(EXPLAIN, args).words;
  if (name === undefined)
    throw new UsageError(
      'explain needs a cause: rollcall explain CAUSE; list them: rollcall causes',
    );
  const entry = causeNamed(name);
  if (entry === null) throw unknownCause(name, idOf(name));
  const page = renderCausePage(causeOf(await entry.load()));
  const lines = page.split('\n').flatMap((line) => fitted(line, context.columns));
  context.out(lines.join('\n'));
  return 0;
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
