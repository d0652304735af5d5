import { type Json, listAt, textAt } from '../../evidence/json.ts';
import type { KubeNode, KubeTaint } from '../../evidence/kinds.ts';

/** A condition that a NodeReadinessRule wants and the Node does not have. */
export interface UnmetCondition {
  readonly type: string;
  readonly wanted: string;
  /** The status that the Node reports, `absent` when it reports none. */
  readonly is: string;
}

/** True for the taint that a NodeReadinessRule holds on Nodes (its key and effect). */
export function isTaintOfRule(rule: Json, taint: KubeTaint): boolean {
  return (
    textAt(rule, 'spec.taint.key') === taint.key &&
    textAt(rule, 'spec.taint.effect') === taint.effect
  );
}

/** The first condition that is not as the rule wants it; absent ones count as their default. */
export function unmetCondition(rule: Json, node: KubeNode): UnmetCondition | null {
  const wants = listAt(rule, 'spec.conditions');
  const unmet = wants.flatMap((entry) => {
    const type = textAt(entry, 'type') ?? '';
    const wanted = textAt(entry, 'requiredStatus') ?? 'True';
    const reported = node.conditions.find((condition) => condition.type === type)?.status;
    const counts = reported ?? textAt(entry, 'defaultStatus') ?? 'Unknown';
    return counts === wanted ? [] : [{ type, wanted, is: reported ?? 'absent' }];
  });
  const isAnyEnough = textAt(rule, 'spec.conditionPolicy') === 'anyOf';
  const isHeld = isAnyEnough ? unmet.length === wants.length : unmet.length > 0;
  return isHeld ? (unmet[0] ?? null) : null;
}

/** When the newest of the conditions that a rule names last changed; ms since the epoch. */
export function conditionsSinceMs(rule: Json, node: KubeNode): number | null {
  const types = new Set(listAt(rule, 'spec.conditions').map((entry) => textAt(entry, 'type')));
  const changes = node.conditions
    .filter(({ type }) => types.has(type))
    .map(({ changedMs }) => changedMs);
  const known = changes.filter((ms) => ms !== null);
  return known.length === 0 || known.length < changes.length ? null : Math.max(...known);
}
