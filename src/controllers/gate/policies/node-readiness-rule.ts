import { at, isObject, type JsonObject, textAt, textsAt } from '../../../evidence/json.ts';
import type { KubeResource } from '../../../ports/kube-api.ts';
import type {
  ConditionStatus,
  GateMode,
  GatePolicy,
  GateTaint,
  OpeningMark,
  PolicyReading,
  PolicySource,
  Proof,
} from '../policy.ts';
import { Fields } from './fields.ts';
import { EPHEMERAL_TAINT_PREFIX, NO_TAINT, readSelector, readTaint } from './parts.ts';

/** A rule of the Node Readiness Controller (kubernetes-sigs), v0.5. */
export const NODE_READINESS_RULES: KubeResource = {
  group: 'readiness.node.x-k8s.io',
  version: 'v1alpha1',
  plural: 'nodereadinessrules',
  kind: 'NodeReadinessRule',
  isNamespaced: false,
};

/** Keeps a rule until its taint is gone from every node. */
export const RULE_FINALIZER = 'readiness.node.x-k8s.io/cleanup-taints';

const SPEC_FIELDS = [
  'conditions',
  'enforcementMode',
  'taint',
  'nodeSelector',
  'dryRun',
  'conditionPolicy',
];
const CONDITION_FIELDS = ['type', 'requiredStatus', 'defaultStatus'];
const CONDITIONS_MAX = 32;
const STATUSES: readonly ConditionStatus[] = ['True', 'False', 'Unknown'];
const MODES: readonly GateMode[] = ['bootstrap-only', 'continuous'];

/** Annotations of a rule with which its author asks for more than the rule can say. */
const AGE = 'rollcall.dev/max-condition-age';
const DWELL = 'rollcall.dev/dwell';
const BOOT = 'rollcall.dev/bound-to-boot';

function sourceOf(object: JsonObject): PolicySource {
  const generation = at(object, 'metadata.generation');
  return {
    kind: 'NodeReadinessRule',
    name: textAt(object, 'metadata.name') ?? '',
    uid: textAt(object, 'metadata.uid'),
    generation: typeof generation === 'number' ? generation : null,
  };
}

function readMode(spec: Fields): GateMode {
  return spec.choice('enforcementMode', MODES) as GateMode;
}

/**
 * A missing condition counts as its default. In bootstrap-only mode it never counts as met: a
 * reporter that has not started yet would open its node for good.
 */
function readCondition(fields: Fields, mode: GateMode): Proof {
  const status = fields.choice('requiredStatus', STATUSES) as ConditionStatus;
  const fallback = fields.choice('defaultStatus', STATUSES, 'Unknown') as ConditionStatus;
  const whenMissing = mode === 'bootstrap-only' ? null : fallback;
  return { kind: 'condition', type: fields.text('type'), status, whenMissing };
}

function readConditions(spec: Fields, mode: GateMode): readonly Proof[] {
  const items = spec.items('conditions', CONDITION_FIELDS, CONDITIONS_MAX);
  if (items.length === 0) spec.refuse('conditions', 'is empty; name at least one');
  return items.map((fields) => readCondition(fields, mode));
}

function readRuleTaint(spec: Fields): GateTaint {
  const taint = readTaint(spec, 'taint');
  if (taint === null) return NO_TAINT;
  if (!taint.key.startsWith(EPHEMERAL_TAINT_PREFIX))
    spec.refuse('taint.key', `must start with '${EPHEMERAL_TAINT_PREFIX}'`);
  return taint;
}

/** The annotation that a bootstrap-only rule leaves on a node it is done with. */
export function completionKey(uid: string): string {
  return `readiness.k8s.io/bootstrap-completed-${uid}`;
}

/** As the controller writes them; older versions had the rule's name in the key. */
function completions({ uid, name }: PolicySource, mode: GateMode): readonly OpeningMark[] {
  if (mode !== 'bootstrap-only' || uid === null) return [];
  return [{ key: completionKey(uid), value: JSON.stringify({ 'rule-name': name }) }];
}

function completedBy({ uid, name }: PolicySource, mode: GateMode): readonly string[] {
  if (mode !== 'bootstrap-only') return [];
  return [...(uid === null ? [] : [uid]), name].map(completionKey);
}

/** What its annotations ask for beyond the rule; nothing unless they are there. */
function optionsOf(object: JsonObject): Fields {
  const annotations = textsAt(object, 'metadata.annotations');
  const own = [AGE, DWELL, BOOT].filter((key) => Object.hasOwn(annotations, key));
  const given = Object.fromEntries(own.map((key) => [key, annotations[key] ?? '']));
  return new Fields(given, 'metadata.annotations', own);
}

function policyOf(spec: Fields, options: Fields, source: PolicySource): GatePolicy {
  const mode = readMode(spec);
  const conditions = readConditions(spec, mode);
  const isAny = spec.choice('conditionPolicy', ['allOf', 'anyOf'], 'allOf') === 'anyOf';
  return {
    source,
    createdMs: null,
    selects: { requirements: readSelector(spec, 'nodeSelector'), placedBy: null },
    taint: readRuleTaint(spec),
    needs: isAny ? { any: conditions } : { all: conditions },
    dwellMs: options.duration(DWELL, 0),
    freshnessMs: options.value(AGE) === undefined ? null : options.duration(AGE, 0),
    mode,
    regressTaint: null,
    regressAfterMs: 0,
    blastShareMax: 1,
    expiryMs: null,
    isDryRun: spec.flag('dryRun'),
    isBoundToBoot: options.choice(BOOT, ['true', 'false'], 'false') === 'true',
    openingMarks: completions(source, mode),
    completedBy: completedBy(source, mode),
    refusedWhy: null,
  };
}

function hasDefaults(object: JsonObject): boolean {
  const conditions = at(object, 'spec.conditions');
  const entries = Array.isArray(conditions) ? conditions : [];
  return entries.some((entry) => (textAt(entry, 'defaultStatus') ?? 'Unknown') !== 'Unknown');
}

/** What the controller's webhook rejects or warns of; it is off by default, so such rules exist. */
function warningsOf(policy: GatePolicy, object: JsonObject): readonly string[] {
  const isOnce = policy.mode === 'bootstrap-only';
  const all: readonly (readonly [boolean, string])[] = [
    [policy.selects.requirements.length === 0, 'spec.nodeSelector selects every node.'],
    [
      policy.taint.effect === 'NoExecute',
      'spec.taint.effect is NoExecute: a node that is shut loses its Pods.',
    ],
    [
      isOnce && 'any' in policy.needs,
      'spec.conditionPolicy is anyOf in bootstrap-only mode: one condition opens a node for good.',
    ],
    [
      isOnce && hasDefaults(object),
      'spec.conditions have a defaultStatus, which bootstrap-only mode does not use: a missing condition opens nothing.',
    ],
  ];
  return all.flatMap(([isSo, why]) => (isSo ? [why] : []));
}

function refusedPolicy(policy: GatePolicy, spec: Fields, why: string): readonly GatePolicy[] {
  if (policy.taint === NO_TAINT || spec.isRefused('nodeSelector')) return [];
  return [{ ...policy, refusedWhy: why }];
}

/** True for a rule that waits for its end. */
function isLeaving(object: JsonObject): boolean {
  return textAt(object, 'metadata.deletionTimestamp') !== null;
}

/**
 * Reads a NodeReadinessRule of readiness.node.x-k8s.io/v1alpha1, as the Node Readiness Controller
 * v0.5 and later follow it. One that is being deleted asks for nothing any more; its taint goes.
 */
export function readNodeReadinessRule(object: JsonObject): PolicyReading {
  const source = sourceOf(object);
  const found = object['spec'];
  const spec = new Fields(isObject(found) ? found : {}, 'spec', SPEC_FIELDS);
  const options = optionsOf(object);
  const policy = policyOf(spec, options, source);
  const { taint, isDryRun } = policy;
  if (isLeaving(object)) {
    const { key, effect } = taint;
    const isOurs = taint !== NO_TAINT && !isDryRun;
    return { ...NOTHING, releases: isOurs ? [{ key, isPrefix: false, effect }] : [] };
  }
  const whys = [...spec.whys(), ...options.whys()];
  const refusals = whys.map((why) => ({ source, why }));
  const warnings = warningsOf(policy, object).map((why) => ({ source, why }));
  const policies = whys.length === 0 ? [policy] : refusedPolicy(policy, spec, whys.join(' '));
  return { policies, refusals, warnings, releases: [] };
}

const NOTHING: PolicyReading = { policies: [], refusals: [], warnings: [], releases: [] };
