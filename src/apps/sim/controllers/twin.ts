import type { Violation } from '../../../sim/invariants/contract.ts';
import type { ControllerResult } from './run.ts';

/** More requests than without faults, at the end of the calm, are a storm that feeds itself. */
const REQUESTS_SHARE = 1.5;
const REQUESTS_MORE = 40;

function violation(rule: string, subject: string, what: string): Violation {
  return { rule, atMs: 0, subject, what };
}

/** In what the end of a run differs from that of the same run without faults. */
export function twinDifference(
  { end, violations }: ControllerResult,
  { end: quiet }: ControllerResult,
): readonly Violation[] {
  if (end === null || quiet === null)
    return violations.length > 0 ? [] : [violation('twin', 'the run', 'did not end')];
  const found: Violation[] = [];
  if (JSON.stringify(end.reports) !== JSON.stringify(quiet.reports)) {
    const what = `ends with ${JSON.stringify(end.reports)}; without faults with ${JSON.stringify(quiet.reports)}`;
    found.push(violation('twin', 'reports', what));
  }
  const most = quiet.requests * REQUESTS_SHARE + REQUESTS_MORE;
  if (end.requests > most) {
    const what = `${end.requests} requests in the last seconds of the calm; without faults ${quiet.requests}`;
    found.push(violation('L-10', 'requests', what));
  }
  return found;
}
