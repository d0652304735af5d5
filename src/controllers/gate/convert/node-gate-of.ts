import type { Json, JsonObject } from '../../../evidence/json.ts';
import { proofsOf } from '../judge.ts';
import { durationText } from '../policies/names.ts';
import { NODE_GATES } from '../policies/node-gate.ts';
import type { GatePolicy, GateTaint, LabelRequirement, OpeningMark, Proof } from '../policy.ts';

function taintObject({ key, value, effect }: GateTaint): JsonObject {
  return value === '' ? { key, effect } : { key, value, effect };
}

function isLabel(one: LabelRequirement): one is LabelRequirement & { values: readonly string[] } {
  return one.operator === 'In' && one.values.length === 1;
}

function expression(one: LabelRequirement): JsonObject {
  const { key, operator } = one;
  return 'values' in one ? { key, operator, values: one.values } : { key, operator };
}

/** Requirements of one value are labels, as people write them; a second one of a key is none. */
function selectorObject(requirements: readonly LabelRequirement[]): JsonObject {
  const labels = new Map<string, string>();
  const expressions: JsonObject[] = [];
  for (const one of requirements) {
    if (isLabel(one) && !labels.has(one.key)) labels.set(one.key, one.values[0] ?? '');
    else expressions.push(expression(one));
  }
  return {
    ...(labels.size === 0 ? {} : { matchLabels: Object.fromEntries(labels) }),
    ...(expressions.length === 0 ? {} : { matchExpressions: expressions }),
  };
}

function valued(key: string, value: string | null): JsonObject {
  return value === null ? { key } : { key, value };
}

function proofObject(proof: Proof): JsonObject {
  switch (proof.kind) {
    case 'daemonset':
      return { daemonSet: { namespace: proof.namespace, name: proof.name } };
    case 'condition': {
      const { type, status, whenMissing } = proof;
      return { condition: whenMissing === null ? { type, status } : { type, status, whenMissing } };
    }
    case 'csi-driver':
      return { csiDriver: { name: proof.name } };
    case 'resource':
      return { resource: { name: proof.name } };
    default:
      return { [proof.kind]: valued(proof.key, proof.value) };
  }
}

/** Only what is there. */
function present(fields: Readonly<Record<string, Json | null>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

function listed<T>(all: readonly T[], object: (one: T) => Json): Json | null {
  return all.length === 0 ? null : all.map(object);
}

function regressObject({ regressTaint, regressAfterMs, blastShareMax }: GatePolicy): JsonObject {
  return present({
    taint: regressTaint === null ? null : taintObject(regressTaint),
    after: durationText(regressAfterMs),
    maxPercent: Math.round(blastShareMax * 100),
  });
}

function specOf(policy: GatePolicy): JsonObject {
  const { selects, freshnessMs, expiryMs, mode, completedBy } = policy;
  const { placedBy, requirements } = selects;
  return present({
    nodeSelector: selectorObject(requirements),
    placedBy: placedBy === null ? null : { ...placedBy },
    taint: taintObject(policy.taint),
    proofs: proofsOf(policy).map(proofObject),
    proofPolicy: 'any' in policy.needs ? 'Any' : 'All',
    dwell: durationText(policy.dwellMs),
    freshness: freshnessMs === null ? null : durationText(freshnessMs),
    mode,
    boundToBoot: policy.isBoundToBoot,
    regress: regressObject(policy),
    expiry: expiryMs === null ? null : durationText(expiryMs),
    dryRun: policy.isDryRun,
    openingAnnotations: listed(policy.openingMarks, ({ key, value }: OpeningMark) =>
      valued(key, value),
    ),
    completedBy: mode === 'bootstrap-only' ? listed(completedBy, (key) => key) : null,
  });
}

/** A NodeGate that asks for what a policy asks for, every field written out. */
export function nodeGateOf(policy: GatePolicy, name: string): JsonObject {
  const { group, version, kind } = NODE_GATES;
  return {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name },
    spec: specOf(policy),
  };
}
