import { CATALOGUE_VERSION, CAUSES } from '../../../causes/index.generated.ts';
import type { CliContext } from '../context.ts';
import { CAUSES_COMMAND } from '../declared/causes.ts';
import { EXIT } from '../exit-code.ts';
import { parseCommandLine } from '../options/parse.ts';
import { structured } from '../structured.ts';

/** Lists the catalogue. */
export async function causesCommand(args: readonly string[], context: CliContext): Promise<number> {
  const { values } = parseCommandLine(CAUSES_COMMAND, args);
  const chosen = CAUSES.filter((cause) => values.stage === null || cause.stage === values.stage);
  const items = chosen.map(({ id, stage, title }) => ({ id, stage, title }));
  const list = {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'CauseList',
    catalogueVersion: CATALOGUE_VERSION,
    items,
  };
  context.out(values.output === 'text' ? table(items) : await structured(list, values.output));
  return EXIT.usable;
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
