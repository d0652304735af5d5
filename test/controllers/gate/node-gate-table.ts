/** NodeGates that are valid, and such as are not: each with who refuses it and the words. */
import type { Json, JsonObject } from '../../../src/evidence/json.ts';

export const VALID_SPEC: JsonObject = {
  nodeSelector: { matchLabels: { role: 'worker' } },
  taint: { key: 'readiness.k8s.io/network', effect: 'NoSchedule' },
  proofs: [{ daemonSet: { namespace: 'kube-system', name: 'aws-node' } }],
};

export interface BadGate {
  readonly what: string;
  /** Fields of `VALID_SPEC` that it has otherwise; null for one that it does not have. */
  readonly spec: JsonObject;
  /** Words of the API server; null for what only the reader refuses. */
  readonly server: RegExp | null;
  /** Words of the reader; null for what never gets past the API server. */
  readonly reader: RegExp | null;
}

const PROOF = { condition: { type: 'example.com/Ready' } };

function regressTaint(key: string, effect = 'NoSchedule'): JsonObject {
  return { regress: { taint: { key, effect } } };
}

function expressions(...matchExpressions: readonly JsonObject[]): JsonObject {
  return { nodeSelector: { matchExpressions } };
}

/** Every gate that nobody can follow. */
export const BAD_GATES: readonly BadGate[] = [
  {
    what: 'no selector',
    spec: { nodeSelector: null },
    server: /spec\.nodeSelector: Required value/,
    reader: /^spec\.nodeSelector is missing; write \{\} to select every node\.$/,
  },
  {
    what: 'no taint',
    spec: { taint: null },
    server: /spec\.taint: Required value/,
    reader: /^spec\.taint is missing/,
  },
  {
    what: 'no proofs',
    spec: { proofs: [] },
    server: /spec\.proofs.* should have at least 1 items/,
    reader: /^spec\.proofs is empty; name at least one\.$/,
  },
  {
    what: 'a taint to adopt whose owner nobody can show to be gone',
    spec: { adoptTaints: [{ key: 'agent.datadoghq.com/not-ready', effect: 'NoSchedule' }] },
    server: /spec\.adoptTaints\[0\]\.key: Unsupported value/,
    reader: /^spec\.adoptTaints\[0\]\.key is .*; use ebs\.csi\.aws\.com/,
  },
  {
    what: 'more than 32 proofs',
    spec: { proofs: Array.from({ length: 33 }, () => PROOF) },
    server: /spec\.proofs: Too many: 33: must have at most 32 items/,
    reader: /^spec\.proofs has 33 entries; 32 are allowed\.$/,
  },
  {
    what: 'two kinds in one proof',
    spec: { proofs: [{ ...PROOF, csiDriver: { name: 'ebs.csi.aws.com' } }] },
    server: /each proof has exactly one of daemonSet, condition/,
    reader: /must be there exactly once/,
  },
  {
    what: 'a proof without a kind',
    spec: { proofs: [{}] },
    server: /each proof has exactly one of daemonSet, condition/,
    reader: /must be there exactly once/,
  },
  {
    what: 'a DaemonSet without its namespace',
    spec: { proofs: [{ daemonSet: { name: 'aws-node' } }] },
    server: /daemonSet\.namespace: Required value/,
    reader: /daemonSet\.namespace is missing\.$/,
  },
  {
    what: 'a condition with another status',
    spec: { proofs: [{ condition: { type: 'example.com/Ready', status: 'Yes' } }] },
    server: /condition\.status: Unsupported value: "Yes"/,
    reader: /condition\.status is "Yes"; use True or False or Unknown\.$/,
  },
  {
    what: 'a taint of Kubernetes',
    spec: { taint: { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' } },
    server: /this taint belongs to another program/,
    reader: /^spec\.taint\.key belongs to another program; use a domain of yours\.$/,
  },
  {
    what: 'a taint of Karpenter',
    spec: { taint: { key: 'karpenter.sh/unregistered', effect: 'NoExecute' } },
    server: /this taint belongs to another program/,
    reader: /^spec\.taint\.key belongs to another program/,
  },
  {
    what: 'a taint key that is no key',
    spec: { taint: { key: 'a b/c', effect: 'NoSchedule' } },
    server: /spec\.taint\.key in body should match/,
    reader: /^spec\.taint\.key is no qualified name/,
  },
  {
    what: 'a taint key with a name of 64 characters',
    spec: { taint: { key: `readiness.k8s.io/${'x'.repeat(64)}`, effect: 'NoSchedule' } },
    server: /spec\.taint\.key in body should match/,
    reader: /^spec\.taint\.key is no qualified name/,
  },
  {
    what: 'an unknown effect',
    spec: { taint: { key: 'readiness.k8s.io/network', effect: 'Never' } },
    server: /spec\.taint\.effect: Unsupported value: "Never"/,
    reader: /^spec\.taint\.effect is "Never"; use NoSchedule or/,
  },
  {
    what: 'a taint value that is no label value',
    spec: { taint: { key: 'readiness.k8s.io/network', value: 'a b', effect: 'NoSchedule' } },
    server: /spec\.taint\.value in body should match/,
    reader: /^spec\.taint\.value is no label value\.$/,
  },
  {
    what: 'the startup key as the regress key',
    spec: {
      taint: { key: 'example.com/network', effect: 'NoSchedule' },
      ...regressTaint('example.com/network'),
    },
    server: /regress\.taint needs another key than taint/,
    reader: /^spec\.regress\.taint\.key is the startup key/,
  },
  {
    what: 'a regress key that Karpenter takes for a startup taint',
    spec: regressTaint('readiness.k8s.io/lost'),
    server: /Karpenter takes readiness\.k8s\.io\/ for a startup taint/,
    reader: /^spec\.regress\.taint\.key begins with readiness\.k8s\.io\//,
  },
  {
    what: 'a regress taint that evicts',
    spec: regressTaint('example.com/lost', 'NoExecute'),
    server: /spec\.regress\.taint\.effect: Unsupported value: "NoExecute"/,
    reader: /^spec\.regress\.taint\.effect is NoExecute, which evicts every Pod/,
  },
  {
    what: 'a share above 100 %',
    spec: { regress: { maxPercent: 101 } },
    server: /spec\.regress\.maxPercent.* should be less than or equal to 100/,
    reader: /^spec\.regress\.maxPercent is 101; use a number from 0 to 100\.$/,
  },
  {
    what: 'a restart of the kubelet that does what nobody knows',
    spec: { regress: { kubeletRestart: 'evict' } },
    server: /spec\.regress\.kubeletRestart: Unsupported value: "evict"/,
    reader: /^spec\.regress\.kubeletRestart is "evict"; use ignore or shut\.$/,
  },
  ...[
    ['once opened stays open', { mode: 'bootstrap-only' }],
    ['outlives a boot', { boundToBoot: false }],
    ['is proven by any proof', { proofPolicy: 'Any' }],
  ].map(([what, spec]) => ({
    what: `a restart of the kubelet that shuts what ${what as string}`,
    spec: { regress: { kubeletRestart: 'shut' }, ...(spec as JsonObject) },
    server: /regress\.kubeletRestart shut needs mode continuous, boundToBoot true and proofPolicy/,
    reader: /^spec\.regress\.kubeletRestart is shut, which needs mode continuous, boundToBoot true/,
  })),
  {
    what: 'an unknown mode',
    spec: { mode: 'once' },
    server: /spec\.mode: Unsupported value: "once"/,
    reader: /^spec\.mode is "once"; use continuous or bootstrap-only\.$/,
  },
  {
    what: 'an unknown proof policy',
    spec: { proofPolicy: 'anyOf' },
    server: /spec\.proofPolicy: Unsupported value: "anyOf"/,
    reader: /^spec\.proofPolicy is "anyOf"; use All or Any\.$/,
  },
  {
    what: 'a dwell without a unit',
    spec: { dwell: '5' },
    server: /spec\.dwell in body should match/,
    reader: /^spec\.dwell is "5"; use a duration such as 30s or 5m\.$/,
  },
  {
    what: 'a dwell of more than 30 days',
    spec: { dwell: '721h', expiry: '720h' },
    server: /spec\.dwell: .*must not be longer than 720h/,
    reader: /^spec\.dwell is "721h"/,
  },
  {
    what: 'an expiry before the dwell ends',
    spec: { dwell: '10m', expiry: '10m' },
    server: /expiry must be longer than dwell/,
    reader: /^spec\.expiry must be longer than the dwell\.$/,
  },
  {
    what: 'In without values',
    spec: expressions({ key: 'role', operator: 'In', values: [] }),
    server: /In and NotIn need values/,
    reader: /matchExpressions\[0\]\.values is empty, and In needs some\.$/,
  },
  {
    what: 'Exists with values',
    spec: expressions({ key: 'role', operator: 'Exists', values: ['worker'] }),
    server: /Exists and DoesNotExist take none/,
    reader: /matchExpressions\[0\]\.values is not empty, and Exists takes none\.$/,
  },
  {
    what: 'an unknown operator',
    spec: expressions({ key: 'cores', operator: 'Gt', values: ['4'] }),
    server: /operator: Unsupported value: "Gt"/,
    reader: /matchExpressions\[0\]\.operator is "Gt"; use In or NotIn/,
  },
  {
    what: 'labels and expressions that contradict each other',
    spec: {
      nodeSelector: {
        matchLabels: { role: 'worker' },
        matchExpressions: [{ key: 'role', operator: 'DoesNotExist' }],
      },
    },
    server: /matchLabels and matchExpressions contradict each other/,
    reader: /^spec\.nodeSelector selects no node: no value of role meets all of it\.$/,
  },
  {
    what: 'expressions that contradict each other',
    spec: expressions(
      { key: 'role', operator: 'In', values: ['worker', 'gpu'] },
      { key: 'role', operator: 'NotIn', values: ['gpu', 'worker'] },
    ),
    server: null,
    reader: /^spec\.nodeSelector selects no node: no value of role meets all of it\.$/,
  },
  {
    what: 'annotations that end a continuous gate',
    spec: { completedBy: ['example.com/done'] },
    server: /completedBy needs mode bootstrap-only/,
    reader: /^spec\.completedBy needs mode bootstrap-only\.$/,
  },
  {
    what: 'an opening annotation twice',
    spec: { openingAnnotations: [{ key: 'example.com/a' }, { key: 'example.com/a' }] },
    server: /spec\.openingAnnotations\[1\]: Duplicate value/,
    reader: null,
  },
];

/** Gates that both accept. */
export const GOOD_GATES: readonly (readonly [string, JsonObject])[] = [
  ['the least that there is', {}],
  ['every node', { nodeSelector: {} }],
  [
    'every field',
    {
      nodeSelector: {
        matchLabels: { role: 'worker' },
        matchExpressions: [
          { key: 'example.com/pool', operator: 'In', values: ['a', 'b'] },
          { key: 'example.com/old', operator: 'DoesNotExist' },
        ],
      },
      placedBy: { namespace: 'kube-system', name: 'aws-node' },
      taint: { key: 'readiness.k8s.io/example.com_network', value: 'wait', effect: 'NoExecute' },
      proofs: [
        { daemonSet: { namespace: 'kube-system', name: 'aws-node' } },
        { condition: { type: 'rollcall.dev/DnsWorks', status: 'True', whenMissing: 'False' } },
        { csiDriver: { name: 'ebs.csi.aws.com' } },
        { label: { key: 'example.com/ready', value: 'yes' } },
        { annotation: { key: 'example.com/ready' } },
        { resource: { name: 'nvidia.com/gpu' } },
      ],
      proofPolicy: 'Any',
      dwell: '1m30s',
      freshness: '2m',
      mode: 'bootstrap-only',
      boundToBoot: false,
      regress: {
        taint: { key: 'example.com/lost', effect: 'PreferNoSchedule' },
        after: '500ms',
        maxPercent: 50,
      },
      expiry: '1h',
      dryRun: true,
      openingAnnotations: [
        { key: 'example.com/ready-since' },
        { key: 'example.com/by', value: 'me' },
      ],
      completedBy: ['example.com/done'],
      adoptTaints: [{ key: 'efs.csi.aws.com/agent-not-ready', effect: 'NoExecute' }],
    },
  ],
];

/** A whole object of a spec that differs from the valid one. */
export function nodeGate(name: string, change: JsonObject): JsonObject {
  const fields = Object.entries({ ...VALID_SPEC, ...change }).filter(([, value]) => value !== null);
  const spec: Json = Object.fromEntries(fields);
  return { apiVersion: 'rollcall.dev/v1alpha1', kind: 'NodeGate', metadata: { name }, spec };
}
