import { isNode } from '../../../diagnosis/namesakes.ts';
import type { RollCallDocument, RollCallRow } from '../../../diagnosis/roll-call/document.ts';
import { rollCallOf } from '../../../diagnosis/roll-call/roll-call.ts';
import { CATALOGUE_VERSION } from '../../../causes/index.generated.ts';
import type { Observations } from '../../../evidence/observations.ts';
import { clipLines } from './redraw.ts';
import { tableLines, type TableOptions } from './roll-call-table.ts';
import { cutTo } from './width.ts';

/** An empty line, the sentence, and the line of the cursor, where progress is told. */
const LINES_BELOW = 3;

/** How a Node's own word reads that is not proven yet. */
function kubeletsWord(ready: boolean | null): string {
  if (ready === null) return 'the kubelet has not reported Ready or NotReady';
  return ready ? 'the kubelet reports Ready' : 'the kubelet reports NotReady';
}

/**
 * The Nodes as rows while everything else is still on its way: what the kubelets say of themselves
 * and no verdict.
 *
 * @param observations those made so far
 */
export function firstRowsOf(
  observations: Observations,
  selects: ((labels: Readonly<Record<string, string>>) => boolean) | null,
): readonly RollCallRow[] {
  const document = {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'Diagnosis',
    catalogueVersion: CATALOGUE_VERSION,
    headline: null,
    subjects: [],
    recognized: [],
    losses: [],
  } as const;
  const nodes = observations.facts.filter(isNode).map(({ value }) => value);
  const words = new Map(nodes.map(({ name, ready }) => [name, kubeletsWord(ready)]));
  const { rows }: RollCallDocument = rollCallOf({
    document,
    observations,
    nowMs: null,
    expected: [],
    ...(selects === null ? {} : { selects }),
  });
  return rows.map((row) => ({ ...row, note: words.get(row.node ?? '') ?? null }));
}

/** The table of first rows, cut to the screen, with a last line that it is not the answer yet. */
export function firstRowsPage(
  rows: readonly RollCallRow[],
  options: TableOptions,
  height: number,
): readonly string[] {
  const { lines } = tableLines(rows, { ...options, isUnjudged: true });
  const table = clipLines(lines, Math.max(1, height - LINES_BELOW));
  const page = [...table, '', `${rows.length} machines so far, not judged yet`];
  return page.map((line) => cutTo(line, options.columns));
}

/** What takes a page away whose last line is above the cursor. */
export function wiped(page: readonly string[]): string {
  return page.length === 0 ? '' : `\r\u001b[${page.length}A\u001b[J`;
}
