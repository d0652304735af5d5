import type { KubeNode, KubeTaint } from '../../evidence/kinds.ts';
import type { NodeReadinessRule } from '../../evidence/kube/machines.ts';

/** A condition that a NodeReadinessRule wants and the Node does not have. */
export interface UnmetCondition {
  readonly type: string;
  readonly wanted: string;
  /** The status that the Node reports, `absent` when it reports none. */
  readonly is: string;
}

/** True for the taint that a NodeReadinessRule holds on Nodes (its key and effect). */
export function isTaintOfRule(rule: NodeReadinessRule, taint: KubeTaint): boolean {
  return rule.spec?.taint?.key === taint.key && rule.spec.taint.effect === taint.effect;
}

/** The first condition that is not as the rule wants it; absent ones count as their default. */
export function unmetCondition(rule: NodeReadinessRule, node: KubeNode): UnmetCondition | null {
  const wants = rule.spec?.conditions ?? [];
  const unmet = wants.flatMap((entry) => {
    const type = entry.type ?? '';
    const wanted = entry.requiredStatus ?? 'True';
    const reported = node.conditions.find((condition) => condition.type === type)?.status;
    const counts = reported ?? entry.defaultStatus ?? 'Unknown';
    return counts === wanted ? [] : [{ type, wanted, is: reported ?? 'absent' }];
  });
  const isAnyEnough = rule.spec?.conditionPolicy === 'anyOf';
  const isHeld = isAnyEnough ? unmet.length === wants.length : unmet.length > 0;
  return isHeld ? (unmet[0] ?? null) : null;
}

/** When the newest of the conditions that a rule names last changed; ms since the epoch. */
export function conditionsSinceMs(rule: NodeReadinessRule, node: KubeNode): number | null {
  const types = new Set((rule.spec?.conditions ?? []).map((entry) => entry.type ?? null));
  const changes = node.conditions
    .filter(({ type }) => types.has(type))
    .map(({ changedMs }) => changedMs);
  const known = changes.filter((ms) => ms !== null);
  return known.length === 0 || known.length < changes.length ? null : Math.max(...known);
}
