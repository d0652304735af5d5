import type { JsonObject } from '../../../evidence/json.ts';
import type { Action, ActionWrite } from '../../../ports/action.ts';
import { NODE_READINESS_RULES, RULE_FINALIZER } from '../policies/node-readiness-rule.ts';
import { hasFinalizer, type KnownRule } from './rule.ts';
import { isSameStatus } from './status.ts';

export interface RuleView {
  readonly rule: KnownRule;
  /** What its status is to say. */
  readonly status: JsonObject;
  /** True while a node carries its taint and no policy wants it there. */
  readonly isLeft: boolean;
}

const CONTROLLER = 'node-readiness-rules';

function actionOf(rule: KnownRule, write: ActionWrite, text: string): Action {
  const { name, uid, resourceVersion } = rule;
  return {
    id: `${CONTROLLER}/${name}/${resourceVersion}`,
    object: {
      resource: NODE_READINESS_RULES,
      namespace: null,
      name,
      seen: { uid, resourceVersion },
    },
    write,
    why: { kind: 'rule', name: CONTROLLER, text },
    askedBy: CONTROLLER,
    undo: null,
  };
}

function withFinalizers(rule: KnownRule, finalizers: readonly string[], text: string): Action {
  const change: JsonObject = { metadata: { finalizers } };
  const patch = { type: 'merge', change } as const;
  return actionOf(rule, { verb: 'patch', patch, requires: 'same-version' }, text);
}

function withStatus(rule: KnownRule, status: JsonObject): Action {
  // A merge patch keeps what it does not name.
  const change: JsonObject = {
    status: { ...status, dryRunResults: status['dryRunResults'] ?? null },
  };
  const patch = { type: 'merge', change } as const;
  const write = { verb: 'patch', patch, requires: 'same-version', subresource: 'status' } as const;
  return actionOf(rule, write, `what rule ${rule.name} found on its nodes`);
}

/** A rule that is deleted goes when its taint is gone from every node that carried it. */
function ofLeaving({ rule, isLeft }: RuleView): Action | null {
  if (!hasFinalizer(rule) || (isLeft && !rule.isDryRun)) return null;
  const others = rule.finalizers.filter((one) => one !== RULE_FINALIZER);
  return withFinalizers(rule, others, `the taint of rule ${rule.name} is gone from every node`);
}

/** The one write that a rule needs now: its finalizer first, then its status. null for none. */
export function decideRule(view: RuleView): Action | null {
  const { rule, status } = view;
  if (rule.isLeaving) return ofLeaving(view);
  if (!hasFinalizer(rule)) {
    const finalizers = [...rule.finalizers, RULE_FINALIZER];
    return withFinalizers(rule, finalizers, `rule ${rule.name} stays until its taint is gone`);
  }
  return isSameStatus(rule.status, status) ? null : withStatus(rule, status);
}
