/** What random programs say of the objects that they write. */
import fc from 'fast-check';
import type { Json, JsonObject } from '../../src/evidence/json.ts';

/** Mostly one name, so that requests meet what others made. */
export const NAME = fc.constantFrom('a', 'a', 'a', 'a', 'b', 'c');

/** A value that the server takes, and one time in ten one that it refuses. */
function mostly<T>(good: readonly T[], bad: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...good) },
    { weight: 1, arbitrary: fc.constantFrom(...bad) },
  );
}

const LABELS = mostly<JsonObject | undefined>(
  [undefined, undefined, { app: 'x' }, { app: 'y', tier: 'one' }],
  [{ 'bad key!': 'x' }, { app: 'bad value!' }],
);
const FINALIZERS = mostly<readonly string[] | undefined>(
  [undefined, undefined, undefined, undefined, ['rollcall.test/held']],
  [['plain']],
);
const OWNERS = fc.constantFrom<readonly JsonObject[] | undefined>(undefined, undefined, undefined, [
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: 'owner',
    uid: '00000000-0000-4000-a000-000000000000',
  },
]);

function defined(entries: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(entries).filter((pair): pair is [string, Json] => pair[1] !== undefined),
  );
}

export const METADATA = fc
  .tuple(LABELS, FINALIZERS, OWNERS)
  .map(([labels, finalizers, ownerReferences]) => defined({ labels, finalizers, ownerReferences }));

export const TEXT = fc.constantFrom('', '1', 'two', 'ü');
export const COUNT = fc.constantFrom(0, 1, 3);

const CONTAINER = fc
  .record({
    image: mostly(['i', 'i:1', 'r/i:latest'], ['']),
    name: mostly(['c', 'd'], ['Bad_Name']),
    resources: fc.constantFrom<JsonObject | undefined>(
      undefined,
      { requests: { cpu: '100m' } },
      { limits: { cpu: '1', memory: '1Gi' } },
    ),
    ports: mostly<readonly JsonObject[] | undefined>(
      [undefined, undefined, [{ containerPort: 80 }], [{ containerPort: 80, hostPort: 80 }]],
      [[{ containerPort: 0, hostPort: 70_000 }]],
    ),
  })
  .map(defined);

const POD_SPEC = fc
  .record({
    containers: fc.oneof(
      { weight: 9, arbitrary: fc.array(CONTAINER, { minLength: 1, maxLength: 2 }) },
      { weight: 1, arbitrary: fc.constant([]) },
    ),
    nodeName: fc.constantFrom(undefined, '~n'),
    restartPolicy: mostly([undefined, 'Always', 'Never'], ['Sometimes']),
    terminationGracePeriodSeconds: fc.constantFrom(undefined, 0, 5),
    tolerations: mostly<readonly JsonObject[] | undefined>(
      [
        undefined,
        [{ operator: 'Exists' }],
        [{ key: 'k', operator: 'Equal', value: 'v', effect: 'NoSchedule' }],
      ],
      [[{ key: 'k', operator: 'Nope' }]],
    ),
    priorityClassName: mostly([undefined, undefined, 'system-node-critical'], ['none']),
    serviceAccountName: mostly([undefined], ['nobody']),
    hostNetwork: fc.constantFrom(undefined, true),
  })
  .map(defined);

const TEMPLATE_SPEC = fc
  .record({
    labels: mostly([{ app: 'x' }], [{ app: 'y' }]),
    image: mostly(['i:1', 'i:2'], ['']),
    replicas: fc.constantFrom(undefined, 0, 2),
  })
  .map(({ labels, image, replicas }) =>
    defined({
      replicas,
      selector: { matchLabels: { app: 'x' } },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image }] } },
    }),
  );

const TAINTS = mostly<readonly JsonObject[] | undefined>(
  [
    undefined,
    [],
    [{ key: 'a', effect: 'NoSchedule' }],
    [
      { key: 'a', value: 'v', effect: 'NoExecute' },
      { key: 'b', effect: 'NoSchedule' },
    ],
  ],
  [[{ key: 'a', effect: 'Bad' }]],
);

export const CONDITIONS = fc
  .subarray(['Ready', 'MemoryPressure', 'DiskPressure'])
  .chain((types) =>
    fc
      .tuple(fc.constant(types), fc.constantFrom('True', 'False', 'Unknown'))
      .map(([all, status]) =>
        all.map((type) => ({ type, status, lastTransitionTime: '2026-01-01T00:00:00Z' })),
      ),
  );

/** What is said of an object besides its name, for each resource. */
export const BODIES: Readonly<Record<string, fc.Arbitrary<JsonObject>>> = {
  configmaps: fc
    .record({
      data: mostly<Json | undefined>(
        [undefined, { k: 'v' }, { k: 'w', l: '' }],
        [{ 'k!': 'v' }, { k: 1 }],
      ),
      immutable: mostly<boolean | undefined>([undefined], [true]),
    })
    .map(defined),
  secrets: fc
    .record({
      stringData: fc.constantFrom<JsonObject | undefined>(undefined, { k: 'ü' }),
      data: mostly<JsonObject | undefined>([undefined, { l: 'dg==' }], [{ l: '!' }]),
      type: fc.constantFrom(undefined, undefined, 'Other'),
    })
    .map(defined),
  pods: POD_SPEC.map((spec) => ({ spec })),
  'daemonsets.apps': TEMPLATE_SPEC.filter(({ replicas }) => replicas === undefined).map((spec) => ({
    spec,
  })),
  'deployments.apps': TEMPLATE_SPEC.map((spec) => ({ spec })),
  'replicasets.apps': TEMPLATE_SPEC.map((spec) => ({ spec })),
  'leases.coordination.k8s.io': fc
    .record({
      holderIdentity: fc.constantFrom(undefined, 'x', 'y'),
      leaseDurationSeconds: fc.constantFrom(undefined, 40),
      renewTime: fc.constantFrom(undefined, '2026-01-01T00:00:00.000000Z'),
    })
    .map((spec) => ({ spec: defined(spec) })),
  'poddisruptionbudgets.policy': fc
    .record({
      minAvailable: fc.constantFrom<Json | undefined>(undefined, 0, 1, '50%'),
      maxUnavailable: fc.constantFrom<Json | undefined>(undefined, undefined, 1),
      selector: fc.constantFrom<JsonObject | undefined>(
        undefined,
        {},
        { matchLabels: { app: 'x' } },
      ),
    })
    .map((spec) => ({ spec: defined(spec) })),
  nodes: fc
    .record({
      taints: TAINTS,
      unschedulable: fc.constantFrom(undefined, true),
      conditions: CONDITIONS,
    })
    .map(({ taints, unschedulable, conditions }) => ({
      spec: defined({ taints, unschedulable }),
      status: { conditions },
    })),
  'rules.rollcall.test': fc
    .record({
      key: mostly<Json | undefined>(['abc', 'abd'], [undefined, 'A', 'abcdefghij', 5]),
      mode: mostly([undefined, 'A'], ['C']),
      count: mostly([undefined, 0, 3], [9]),
      extra: fc.constantFrom(undefined, 1),
    })
    .map((spec) => ({ apiVersion: 'rollcall.test/v1', kind: 'Rule', spec: defined(spec) })),
};
