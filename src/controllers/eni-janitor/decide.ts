import type { EniDecision, EniRules, EniScan, EniSights, JudgedInterface } from './facts.ts';
import { judge } from './proof.ts';

/** Which interfaces are to be deleted by two looks, and what has been seen for the next decision. */
export function decide(scan: EniScan, sights: EniSights, rules: EniRules): EniDecision {
  const { monotonicMs } = scan;
  let left = rules.most;
  const judged = scan.interfaces.map((network): JudgedInterface => {
    const { verdict, why } = judge(network, scan, rules.ageMs);
    if (verdict !== 'delete') return { network, verdict, why };
    const sinceMs = monotonicMs - (sights.get(network.id) ?? monotonicMs);
    if (sinceMs < rules.apartMs || !sights.has(network.id))
      return { network, verdict: 'seen-once', why };
    return { network, verdict: left-- > 0 ? 'delete' : 'over-budget', why };
  });
  const proven = judged.filter(({ verdict }) => verdict !== 'kept' && verdict !== 'unproven');
  const seen = proven.map(({ network: { id } }) => [id, sights.get(id) ?? monotonicMs] as const);
  return { judged, sights: new Map(seen) };
}
