import { injectionName } from '../faults/contract.ts';
import type { RunCase } from './shrink.ts';

/** The one line that runs a case again. */
export function reproLine(
  { seed, nodes, hours, injections }: RunCase,
  planted: string | null,
): string {
  const faults = injections.map(injectionName).join(',');
  const bug = planted === null ? '' : ` --planted ${planted}`;
  return `rollcall sim --seed ${seed} --nodes ${nodes} --hours ${hours} --faults ${faults === '' ? 'none' : faults}${bug}`;
}
