import type { Headline } from '../../diagnosis/document.ts';
import type { RollCallDocument, RollCallRow } from '../../diagnosis/roll-call/document.ts';
import { verdictOfRollCall } from '../../diagnosis/roll-call/verdict.ts';
import type { Verdict } from '../../evidence/verdict.ts';
import { isPlain } from './plain.ts';
import { nextTool, type NextStep, type ToolAnswer } from './tool.ts';
import { titleOf } from './written.ts';

/** How many machines have each verdict. */
function countsOf(rows: readonly RollCallRow[]): Readonly<Record<Verdict, number>> {
  const count = (verdict: Verdict): number => rows.filter((row) => row.verdict === verdict).length;
  return {
    'not-usable': count('not-usable'),
    'cannot-tell': count('cannot-tell'),
    usable: count('usable'),
  };
}

/** Each cause that is a headline, with its machines counted, the most frequent first. */
function causesOf(headlines: readonly Headline[]): readonly object[] {
  return [...Map.groupBy(headlines, ({ cause }) => cause)]
    .toSorted(([, some], [, other]) => other.length - some.length)
    .map(([cause, own]) => ({
      cause,
      stage: own[0]?.stage,
      title: titleOf(cause),
      machines: own.length,
    }));
}

const WHY = 'Why are these machines not usable?';

function nextOf(rows: readonly RollCallRow[], paths: readonly string[]): NextStep | null {
  const open = rows.filter(({ verdict }) => verdict !== 'usable');
  if (open.length > 0 && paths.length > 0) return nextTool(WHY, 'diagnose', { paths });
  const first = open.find(({ name }) => isPlain(name));
  return first === undefined ? null : nextTool(WHY, 'diagnose', { machines: [first.name] });
}

/**
 * What a model reads of a roll call.
 *
 * @param rows those to list
 * @param paths the files that it comes from; none for the live cluster
 */
export function statusToolAnswer(
  document: RollCallDocument,
  rows: readonly RollCallRow[],
  paths: readonly string[],
): ToolAnswer {
  const { gaps, shared, cluster, notObservable, losses } = document;
  const verdict = verdictOfRollCall(document);
  const headlines = document.rows.flatMap(({ headline }) => headline ?? []);
  return {
    answer: { verdict, machines: countsOf(document.rows), causes: causesOf(headlines) },
    next: nextOf(document.rows, paths),
    untrusted: { rows, gaps, shared, cluster, notSeen: notObservable, losses },
  };
}
