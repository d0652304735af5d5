import { SELECTOR } from '../../../evidence/kube/object.ts';
import { project } from '../../../evidence/project.ts';
import { at, type JsonObject, listAt, textAt } from '../../../evidence/json.ts';
import { selects } from '../../../domain/pods/label-selector.ts';
import { nameOf, uidOf } from '../objects/meta.ts';
import type { NodeView } from '../objects/node.ts';
import { isSameTaint, type Taint, taintOf } from '../objects/taints.ts';

/** A NodeReadinessRule as the controller reads it. */
export interface Rule {
  readonly name: string;
  readonly uid: string;
  readonly taint: Taint;
  readonly isBootstrapOnly: boolean;
  readonly isAnyOf: boolean;
  readonly isDryRun: boolean;
  readonly conditions: readonly {
    readonly type: string;
    readonly requiredStatus: string;
    readonly defaultStatus: string;
  }[];
  readonly object: JsonObject;
}

export function ruleOf(object: JsonObject): Rule {
  return {
    name: nameOf(object),
    uid: uidOf(object),
    taint: taintOf(at(object, 'spec.taint') ?? {}),
    isBootstrapOnly: textAt(object, 'spec.enforcementMode') === 'bootstrap-only',
    isAnyOf: textAt(object, 'spec.conditionPolicy') === 'anyOf',
    isDryRun: textAt(object, 'spec.dryRun') === 'true',
    conditions: listAt(object, 'spec.conditions').map((entry) => ({
      type: textAt(entry, 'type') ?? '',
      requiredStatus: textAt(entry, 'requiredStatus') ?? '',
      defaultStatus: textAt(entry, 'defaultStatus') ?? 'Unknown',
    })),
    object,
  };
}

export function appliesTo({ object }: Rule, node: NodeView): boolean {
  return selects(project(SELECTOR, at(object, 'spec.nodeSelector') ?? null), node.labels);
}

export interface ConditionResult {
  readonly type: string;
  readonly currentStatus: string;
  readonly requiredStatus: string;
  readonly defaultStatus: string;
}

/** A condition that is missing counts as its default, and is told as Unknown. */
export function resultsOf(rule: Rule, node: NodeView): readonly ConditionResult[] {
  return rule.conditions.map((wanted) => {
    const found = node.conditions.find(({ type }) => type === wanted.type);
    return { ...wanted, currentStatus: found?.status ?? 'Unknown' };
  });
}

function isSatisfied(rule: Rule, node: NodeView): boolean {
  const met = rule.conditions.map(({ type, requiredStatus, defaultStatus }) => {
    const found = node.conditions.find((condition) => condition.type === type);
    return (found?.status ?? defaultStatus) === requiredStatus;
  });
  return rule.isAnyOf ? met.some(Boolean) : met.every(Boolean);
}

export function completionKey({ uid }: Rule): string {
  return `readiness.k8s.io/bootstrap-completed-${uid}`;
}

/** What the controller does to a Node for one rule. */
export type RuleAction =
  | { readonly kind: 'none' }
  | { readonly kind: 'adopt' }
  | { readonly kind: 'add' }
  | { readonly kind: 'remove'; readonly completes: boolean }
  | { readonly kind: 'complete' };

export interface RuleState {
  readonly isCompleted: boolean;
  /** The rule has looked at this Node before. */
  readonly wasSeen: boolean;
}

/** It acts at the first moment at which the conditions agree: there is no dwell. */
export function ruleAction(rule: Rule, node: NodeView, state: RuleState): RuleAction {
  const { isBootstrapOnly, isDryRun, taint } = rule;
  if (isDryRun || (isBootstrapOnly && state.isCompleted)) return { kind: 'none' };
  const isHeld = node.taints.some((known) => isSameTaint(known, taint));
  if (isSatisfied(rule, node)) {
    if (isHeld) return { kind: 'remove', completes: isBootstrapOnly };
    return { kind: isBootstrapOnly ? 'complete' : 'none' };
  }
  if (!isHeld) return { kind: 'add' };
  return { kind: state.wasSeen ? 'none' : 'adopt' };
}
