import { injectionName } from '../faults/contract.ts';
import type { RunCase } from './shrink.ts';

/** The one line that runs a case again. */
export function reproLine(
  { seed, nodes, hours, injections }: RunCase,
  { planted, isTwinned }: { readonly planted: string | null; readonly isTwinned: boolean },
): string {
  const faults = injections.map(injectionName).join(',');
  const bug = planted === null ? '' : ` --planted ${planted}`;
  const twin = isTwinned ? ' --twin' : '';
  return `rollcall sim --seed ${seed} --nodes ${nodes} --hours ${hours} --faults ${faults === '' ? 'none' : faults}${bug}${twin}`;
}
