import { type Verdict, worstOf } from '../../evidence/verdict.ts';
import type { RollCallDocument } from './document.ts';

/**
 * The verdict over a whole roll call: a cause of the cluster counts as a machine that is not usable,
 * also where only machines at risk from it are shown.
 */
export function verdictOfRollCall({
  rows,
  gaps,
  cluster,
}: Pick<RollCallDocument, 'rows' | 'gaps' | 'cluster'>): Verdict {
  if (cluster.length > 0 || rows.some(({ risks }) => risks.length > 0)) return 'not-usable';
  return worstOf([...rows, ...gaps].map(({ verdict }) => verdict));
}
