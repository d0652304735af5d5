import {
  at,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  textAt,
} from '../../../evidence/json.ts';
import { readNodeReadinessRule, RULE_FINALIZER } from '../policies/node-readiness-rule.ts';
import type { PolicyReading } from '../policy.ts';

/** A condition as a rule asks for it. */
export interface RuleCondition {
  readonly type: string;
  readonly requiredStatus: string;
  /** `Unknown` where the rule gives none. */
  readonly defaultStatus: string;
}

/** A NodeReadinessRule as it is in the cluster, with what its status says. */
export interface KnownRule {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly finalizers: readonly string[];
  /** True while its deletion waits for finalizers. */
  readonly isLeaving: boolean;
  readonly isDryRun: boolean;
  readonly taint: { readonly key: string; readonly effect: string };
  readonly conditions: readonly RuleCondition[];
  readonly status: JsonObject;
  readonly reading: PolicyReading;
}

function conditionOf(entry: Json): RuleCondition {
  const text = (field: string): string | null => textAt(entry, field);
  return {
    type: text('type') ?? '',
    requiredStatus: text('requiredStatus') ?? '',
    defaultStatus: text('defaultStatus') ?? 'Unknown',
  };
}

/** Reads a rule of the cluster; null for an object without a name, UID or version. */
export function readRule(object: JsonObject): KnownRule | null {
  const name = textAt(object, 'metadata.name');
  const uid = textAt(object, 'metadata.uid');
  const resourceVersion = textAt(object, 'metadata.resourceVersion');
  if (name === null || uid === null || resourceVersion === null) return null;
  const status = at(object, 'status');
  const finalizers = listAt(object, 'metadata.finalizers');
  return {
    name,
    uid,
    resourceVersion,
    generation: Number(textAt(object, 'metadata.generation') ?? '1'),
    finalizers: finalizers.filter((one) => typeof one === 'string'),
    isLeaving: textAt(object, 'metadata.deletionTimestamp') !== null,
    isDryRun: at(object, 'spec.dryRun') === true,
    taint: {
      key: textAt(object, 'spec.taint.key') ?? '',
      effect: textAt(object, 'spec.taint.effect') ?? '',
    },
    conditions: listAt(object, 'spec.conditions').map(conditionOf),
    status: isObject(status) ? status : {},
    reading: readNodeReadinessRule(object),
  };
}

export function hasFinalizer({ finalizers }: KnownRule): boolean {
  return finalizers.includes(RULE_FINALIZER);
}
