import { rollCallOf } from '../../diagnosis/roll-call/roll-call.ts';
import type { LiveEvidence } from '../observe.ts';
import type { EvidencePile } from './pile.ts';
import type { RecordedLook } from './recording.ts';
import type { SeenObjects } from './seen.ts';

const LISTS = { 'kube/Node': 'Node', 'kube/NodeClaim': 'NodeClaim' } as const;

/** Of a cluster that nothing names, AWS is asked about the machines of its Nodes alone. */
function wholeIn({ observations, cluster }: LiveEvidence): ReadonlySet<string> {
  const kinds = observations.listings.flatMap(({ kind }) =>
    kind === 'kube/Node' || kind === 'kube/NodeClaim' ? [LISTS[kind]] : [],
  );
  return new Set([...kinds, ...(cluster === null ? [] : ['Instance'])]);
}

/**
 * What is recorded of a judgement.
 *
 * @param seen what came since the judgement before
 * @param name under which the cluster is recorded
 * @param pile what was heard; null where it is not kept
 */
export function lookOf(
  standing: LiveEvidence,
  seen: SeenObjects,
  name: string,
  pile: EvidencePile | null = null,
): RecordedLook {
  const { observations, document, nowMs, skewMs } = standing;
  const whole = new Set(wholeIn(standing));
  if (seen.instances === null) whole.delete('Instance');
  return {
    cluster: name,
    nowMs,
    // Its clock is as far ahead of this one as this one is behind it.
    skewMs: skewMs === null ? null : -skewMs,
    seen,
    document,
    roll: rollCallOf({ observations, document, nowMs, expected: [] }),
    refusals: observations.collection?.refusals ?? [],
    whole,
    ...(pile === null ? {} : { pile: () => pile.at(observations) }),
  };
}
