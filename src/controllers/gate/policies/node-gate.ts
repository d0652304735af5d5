import { at, isObject, type Json, type JsonObject, textAt } from '../../../evidence/json.ts';
import { isoMs } from '../../../evidence/time.ts';
import { KUBELET_CONDITION } from '../../../domain/nodes/kubelet-run.ts';
import type { KubeResource } from '../../../ports/kube-api.ts';
import {
  type GateMode,
  type GatePolicy,
  type GateTaint,
  type ObjectName,
  type OpeningMark,
  type PolicyReading,
  type PolicySource,
  type Proof,
  SLIP_INS_REPORTED,
  TAINT_EFFECTS,
  type SlipInPolicy,
  type TaintEffect,
} from '../policy.ts';
import { ADOPTABLE_TAINTS } from '../foreign-taints.ts';
import { Fields } from './fields.ts';
import { readProofs } from './node-gate-proofs.ts';
import {
  EPHEMERAL_TAINT_PREFIX,
  isQualifiedName,
  NO_TAINT,
  readSelector,
  readTaint,
} from './parts.ts';

export const NODE_GATES: KubeResource = {
  group: 'rollcall.dev',
  version: 'v1alpha1',
  plural: 'nodegates',
  kind: 'NodeGate',
  isNamespaced: false,
};

/** Keys of taints that shut nodes again, where a gate names none. */
export const REGRESS_PREFIX = 'regress.rollcall.dev/';

const DEFAULTS = {
  dwellMs: 5_000,
  regressAfterMs: 10_000,
  maxPercent: 20,
  expiryMs: 15 * 60_000,
};

const KUBELET_PROOF: Proof = {
  kind: 'condition',
  type: KUBELET_CONDITION,
  status: 'True',
  whenMissing: null,
};

const SPEC_FIELDS = [
  'nodeSelector',
  'taint',
  'proofs',
  'proofPolicy',
  'dwell',
  'freshness',
  'mode',
  'boundToBoot',
  'regress',
  'expiry',
  'dryRun',
  'placedBy',
  'openingAnnotations',
  'completedBy',
  'slipIns',
  'adoptTaints',
];

function sourceOf(object: JsonObject): PolicySource {
  const generation = at(object, 'metadata.generation');
  return {
    kind: 'NodeGate',
    name: textAt(object, 'metadata.name') ?? '',
    uid: textAt(object, 'metadata.uid'),
    generation: typeof generation === 'number' ? generation : null,
  };
}

/** The startup key without its domain, under a domain that no provisioner takes for a startup taint. */
function regressKey(startupKey: string): string {
  return `${REGRESS_PREFIX}${startupKey.split('/').at(-1) ?? startupKey}`;
}

const REGRESS_FIELDS = ['taint', 'after', 'maxPercent', 'kubeletRestart'];

function refuseRegress(regress: Fields, taint: GateTaint | null, startupKey: string): void {
  if (taint?.key === startupKey)
    regress.refuse('taint.key', 'is the startup key; name another, or leave it out');
  else if (taint?.key.startsWith(EPHEMERAL_TAINT_PREFIX) === true)
    regress.refuse(
      'taint.key',
      `begins with ${EPHEMERAL_TAINT_PREFIX}, which Karpenter takes for a startup taint; use a domain of yours`,
    );
  if (taint?.effect === 'NoExecute')
    regress.refuse('taint.effect', 'is NoExecute, which evicts every Pod; use NoSchedule');
}

type Regress = Pick<
  GatePolicy,
  'regressTaint' | 'regressAfterMs' | 'blastShareMax' | 'shutsOnKubeletRestart'
>;

/** What a restart of the kubelet does to a node that is open. */
export const KUBELET_RESTARTS = ['ignore', 'shut'] as const;

function readRegress(spec: Fields, startupKey: string): Regress {
  const regress = spec.inside('regress', REGRESS_FIELDS);
  const found = regress.value('taint');
  const taint =
    found === undefined
      ? { key: regressKey(startupKey), value: '', effect: 'NoSchedule' as const }
      : readTaint(regress, 'taint');
  refuseRegress(regress, taint, startupKey);
  const shuts = regress.choice('kubeletRestart', KUBELET_RESTARTS, 'ignore') === 'shut';
  return {
    regressTaint: taint,
    regressAfterMs: regress.duration('after', DEFAULTS.regressAfterMs),
    ...(shuts ? { shutsOnKubeletRestart: true } : {}),
    blastShareMax: regress.number('maxPercent', DEFAULTS.maxPercent, 0, 100) / 100,
  };
}

function readPlacedBy(spec: Fields): ObjectName | null {
  if (spec.value('placedBy') === undefined) return null;
  const fields = spec.inside('placedBy', ['namespace', 'name']);
  return { namespace: fields.text('namespace'), name: fields.text('name') };
}

const ANNOTATIONS_MAX = 8;

function readMarks(spec: Fields): readonly OpeningMark[] {
  return spec.items('openingAnnotations', ['key', 'value'], ANNOTATIONS_MAX).map((fields) => {
    const key = fields.text('key');
    if (!isQualifiedName(key)) fields.refuse('key', 'is no annotation key');
    return { key, value: fields.value('value') === undefined ? null : fields.text('value') };
  });
}

function readCompletedBy(spec: Fields): readonly string[] {
  const keys = spec.texts('completedBy');
  if (keys.length > 0 && spec.value('mode') !== 'bootstrap-only')
    spec.refuse('completedBy', 'needs mode bootstrap-only');
  if (keys.length > ANNOTATIONS_MAX || !keys.every(isQualifiedName))
    spec.refuse('completedBy', `takes up to ${ANNOTATIONS_MAX} annotation keys`);
  return keys;
}

/** The most evictions that a gate can allow an hour. */
export const EVICTIONS_MAX = 1_000;
/** `off` is a boolean to many readers of YAML, so it is no mode. */
export const SLIP_IN_MODES = ['ignore', 'report', 'evict'] as const;

function readSlipIns(spec: Fields): SlipInPolicy {
  const { mode, perHour, perWorkload } = SLIP_INS_REPORTED;
  const fields = spec.inside('slipIns', ['mode', 'perHour', 'perWorkload']);
  return {
    mode: fields.choice('mode', SLIP_IN_MODES, mode) as SlipInPolicy['mode'],
    perHour: fields.number('perHour', perHour, 1, EVICTIONS_MAX),
    perWorkload: fields.number('perWorkload', perWorkload, 1, EVICTIONS_MAX),
  };
}

/** The most taints that a gate can adopt: each key with each effect. */
export const ADOPTED_MAX = ADOPTABLE_TAINTS.length * TAINT_EFFECTS.length;

function readAdopted(spec: Fields): GatePolicy['adoptTaints'] & object {
  return spec.items('adoptTaints', ['key', 'effect'], ADOPTED_MAX).map((fields) => ({
    key: fields.choice('key', ADOPTABLE_TAINTS),
    effect: fields.choice('effect', TAINT_EFFECTS) as TaintEffect,
  }));
}

function policyOf(spec: Fields, object: JsonObject, source: PolicySource): GatePolicy {
  const taint = readTaint(spec, 'taint') ?? NO_TAINT;
  const proofs = readProofs(spec, 'proofs');
  const isAny = spec.choice('proofPolicy', ['All', 'Any'], 'All') === 'Any';
  return {
    source,
    createdMs: isoMs(textAt(object, 'metadata.creationTimestamp')),
    selects: { requirements: readSelector(spec, 'nodeSelector'), placedBy: readPlacedBy(spec) },
    taint,
    needs: isAny ? { any: proofs } : { all: proofs },
    dwellMs: spec.duration('dwell', DEFAULTS.dwellMs),
    freshnessMs: spec.value('freshness') === undefined ? null : spec.duration('freshness', 0),
    mode: spec.choice('mode', ['continuous', 'bootstrap-only'], 'continuous') as GateMode,
    ...readRegress(spec, taint.key),
    expiryMs: spec.duration('expiry', DEFAULTS.expiryMs),
    isDryRun: spec.flag('dryRun'),
    isBoundToBoot: spec.value('boundToBoot') === undefined || spec.flag('boundToBoot'),
    openingMarks: readMarks(spec),
    completedBy: readCompletedBy(spec),
    ...(spec.value('slipIns') === undefined ? {} : { slipIns: readSlipIns(spec) }),
    ...(spec.value('adoptTaints') === undefined ? {} : { adoptTaints: readAdopted(spec) }),
    refusedWhy: null,
  };
}

/** A restart is known by the condition of the agent, so that a gate asks for that too. */
function withKubelet(policy: GatePolicy): GatePolicy {
  const { needs } = policy;
  if (policy.shutsOnKubeletRestart !== true || !('all' in needs)) return policy;
  const isAsked = needs.all.some(
    (proof) => proof.kind === 'condition' && proof.type === KUBELET_CONDITION,
  );
  return isAsked ? policy : { ...policy, needs: { all: [...needs.all, KUBELET_PROOF] } };
}

function refuseRestarts(spec: Fields, policy: GatePolicy): void {
  const { shutsOnKubeletRestart, mode, isBoundToBoot, needs } = policy;
  const isFollowed = mode === 'continuous' && isBoundToBoot && 'all' in needs;
  if (shutsOnKubeletRestart === true && !isFollowed)
    spec.refuse(
      'regress.kubeletRestart',
      'is shut, which needs mode continuous, boundToBoot true and proofPolicy All',
    );
}

function refuseTimes(spec: Fields, { dwellMs, expiryMs }: GatePolicy): void {
  if (expiryMs !== null && expiryMs <= dwellMs)
    spec.refuse('expiry', 'must be longer than the dwell');
}

/** One whose nodes or taint cannot be read holds nothing shut: there is nothing to hold. */
function refusedPolicy(policy: GatePolicy, spec: Fields): readonly GatePolicy[] {
  if (policy.taint === NO_TAINT || spec.isRefused('nodeSelector')) return [];
  return [{ ...policy, refusedWhy: spec.whys().join(' ') }];
}

/** A gate that is being deleted asks for nothing any more; its taints go. */
function leaving({ taint, regressTaint, isDryRun }: GatePolicy): PolicyReading {
  const taints = [taint, regressTaint]
    .filter((one) => one !== null)
    .filter((one) => one !== NO_TAINT);
  const releases = isDryRun
    ? []
    : taints.map(({ key, effect }) => ({ key, effect, isPrefix: false }));
  return { policies: [], refusals: [], warnings: [], releases };
}

/**
 * Reads a NodeGate of rollcall.dev/v1alpha1:
 *
 * ```yaml
 * spec:
 *   nodeSelector: {matchLabels: {…}, matchExpressions: […]}    # required; {} selects every node
 *   taint: {key: readiness.k8s.io/workers, value: "", effect: NoSchedule}       # required
 *   proofs:                                                     # required, 1 to 32, one key each
 *   - daemonSet: {namespace: kube-system, name: aws-node}
 *   - condition: {type: rollcall.dev/DnsWorks, status: "True"}  # status "True" when left out
 *   - csiDriver: {name: ebs.csi.aws.com}
 *   - label: {key: …, value: …}                                 # any value when left out
 *   - annotation: {key: …, value: …}
 *   - resource: {name: nvidia.com/gpu}
 *   proofPolicy: All                                            # or Any
 *   dwell: 5s
 *   freshness: 5m                                               # conditions; not looked at by default
 *   mode: continuous                                            # or bootstrap-only
 *   regress: {taint: {key, value, effect}, after: 10s, maxPercent: 20, kubeletRestart: ignore}
 *   expiry: 15m
 *   dryRun: false
 *   boundToBoot: true                                           # proofs of the present boot only
 *   placedBy: {namespace: kube-system, name: aws-node}          # nodes that this DaemonSet is for
 *   openingAnnotations: [{key: …, value: …}]                    # the time when left out
 *   completedBy: [example.com/done]                             # bootstrap-only
 *   slipIns: {mode: report, perHour: 20, perWorkload: 6}        # or ignore, or evict
 *   adoptTaints: [{key: ebs.csi.aws.com/agent-not-ready, effect: NoExecute}]
 * ```
 */
export function readNodeGate(object: JsonObject): PolicyReading {
  const source = sourceOf(object);
  const found: Json | undefined = object['spec'];
  const spec = new Fields(isObject(found) ? found : {}, 'spec', SPEC_FIELDS);
  const policy = withKubelet(policyOf(spec, object, source));
  refuseTimes(spec, policy);
  refuseRestarts(spec, policy);
  if (textAt(object, 'metadata.deletionTimestamp') !== null) return leaving(policy);
  const refusals = spec.whys().map((why) => ({ source, why }));
  const isAll = policy.selects.requirements.length === 0;
  const why = 'spec.nodeSelector selects every node.';
  const warnings = isAll ? [{ source, why }] : [];
  const policies = refusals.length === 0 ? [policy] : refusedPolicy(policy, spec);
  return { policies, refusals, warnings };
}
