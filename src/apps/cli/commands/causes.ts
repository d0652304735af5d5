import { parseArgs } from 'node:util';
import { CATALOGUE_VERSION, CAUSES } from '../../../causes/index.generated.ts';
import { isStage, STAGES } from '../../../evidence/stage.ts';
import { type CliContext, UsageError } from '../context.ts';
import { structured } from '../structured.ts';

/** Lists the catalogue. */
export async function causesCommand(args: readonly string[], context: CliContext): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { stage: { type: 'string' }, output: { type: 'string', short: 'o', default: 'text' } },
  });
  if (values.stage !== undefined && !isStage(values.stage)) {
    throw new UsageError(
      `There is no stage "${values.stage}"${await suggestion(values.stage)} The stages are ${STAGES.join(', ')}.`,
    );
  }
  const chosen = CAUSES.filter(
    (cause) => values.stage === undefined || cause.stage === values.stage,
  );
  const items = chosen.map(({ id, stage, title }) => ({ id, stage, title }));
  const list = {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'CauseList',
    catalogueVersion: CATALOGUE_VERSION,
    items,
  };
  switch (values.output) {
    case 'json':
    case 'yaml':
      context.out(await structured(list, values.output));
      return 0;
    case 'text':
      context.out(table(items));
      return 0;
    default:
      throw new UsageError(`-o takes text, json or yaml; "${values.output}" is none of them.`);
  }
}

async function suggestion(word: string): Promise<string> {
  const close = (await import('../../../evidence/nearest.ts')).nearest(word, STAGES);
  return close === null ? '.' : `; did you mean ${close}?`;
}

function table(
  items: readonly { readonly id: string; readonly stage: string; readonly title: string }[],
): string {
  const width = Math.max(5, ...items.map((item) => item.id.length));
  const rows = items.map(
    (item) => `${item.stage.padEnd(14)}${item.id.padEnd(width + 2)}${item.title}`,
  );
  return `${['STAGE'.padEnd(14) + 'CAUSE'.padEnd(width + 2) + 'TITLE', ...rows].join('\n')}\n`;
}
