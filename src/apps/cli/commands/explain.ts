import { causeOf } from '../../../causes/catalogue.ts';
import { CAUSES } from '../../../causes/index.generated.ts';
import { renderCausePage } from '../../../diagnosis/report/cause-page.ts';
import { wrap } from '../../../diagnosis/report/wrap.ts';
import { type CliContext, UsageError } from '../context.ts';
import { nearest } from '../../../evidence/nearest.ts';

/** Prints the page of one cause. */
export async function explainCommand(
  args: readonly string[],
  context: CliContext,
): Promise<number> {
  const [name] = args;
  if (name === undefined)
    throw new UsageError('Say which cause: rollcall explain CAUSE. All of them: rollcall causes');
  const wanted = name.replace(/(?<=[a-z0-9])([A-Z])/g, '-$1').toLowerCase();
  const entry = CAUSES.find((cause) => cause.id === wanted || cause.formerly.includes(wanted));
  if (entry === undefined) {
    const close = nearest(
      wanted,
      CAUSES.map((cause) => cause.id),
    );
    throw new UsageError(
      `There is no cause "${name}"${close === null ? '' : `; did you mean ${close}?`} All of them: rollcall causes`,
    );
  }
  const page = renderCausePage(causeOf(await entry.load()));
  const lines = page.split('\n').flatMap((line) => fitted(line, context.columns));
  context.out(lines.join('\n'));
  return 0;
}

function fitted(line: string, columns: number): readonly string[] {
  return line.length <= columns || /^\s{4}|^```|\|/.test(line) ? [line] : wrap(line, columns);
}
