import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import type { KubeObject } from '../../../src/sim/kube/contract.ts';
import { ask, done, node, pod, refusal, type Scene, scene } from './scene.ts';

const READY = [{ type: 'Ready', status: 'True' }];

function running(world: Scene, name: string, conditions: readonly JsonObject[] = READY): void {
  done(world.admin.create(pod(name, { nodeName: 'n1' }, { labels: { app: 'x' } })));
  const status = { phase: 'Running', conditions };
  done(world.admin.patch('Pod', `default/${name}`, 'merge', { status }, 'status'));
}

function budget(world: Scene, name: string, status: JsonObject): void {
  const spec = { minAvailable: 1, selector: { matchLabels: { app: 'x' } } };
  const object: KubeObject = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name },
    spec,
  };
  done(world.admin.create(object));
  const whole = { observedGeneration: 1, desiredHealthy: 1, currentHealthy: 1, ...status };
  done(
    world.admin.patch(
      'PodDisruptionBudget',
      `default/${name}`,
      'merge',
      { status: whole },
      'status',
    ),
  );
}

test('an eviction spends what a budget allows, and is refused when nothing is left', () => {
  const world = scene();
  running(world, 'a');
  running(world, 'b');
  budget(world, 'x', { disruptionsAllowed: 1 });
  done(world.admin.evict('default/a'));
  const after = world.admin.get('PodDisruptionBudget', 'default/x') ?? {};
  assert.equal(at(after, 'status.disruptionsAllowed'), 0);
  assert.ok(textAt(after, 'status.disruptedPods.a') !== null);
  assert.equal(
    refusal(world.admin.evict('default/b')),
    `429 TooManyRequests: Cannot evict pod as it would violate the pod's disruption budget.`,
  );
  const evicted = world.admin.get('Pod', 'default/a') ?? {};
  assert.ok(textAt(evicted, 'metadata.deletionTimestamp') !== null);
  assert.deepEqual(
    listAt(evicted, 'status.conditions').map((one) => textAt(one, 'reason')),
    [null, 'EvictionByEvictionAPI'],
  );
});

test('a budget that its controller has not seen yet makes the client wait', () => {
  const world = scene();
  running(world, 'a');
  budget(world, 'x', { observedGeneration: 0, disruptionsAllowed: 5 });
  const raw = { verb: 'create', plural: 'pods', name: 'a', subresource: 'eviction' } as const;
  const { code, object } = ask(world, { ...raw, body: { metadata: { name: 'a' } } });
  assert.equal(code, 429);
  assert.equal(at(object, 'details.retryAfterSeconds'), 10);
});

test('a pod without a service needs no budget, and two budgets are an error', () => {
  const world = scene();
  running(world, 'sick', []);
  budget(world, 'x', { disruptionsAllowed: 0 });
  done(world.admin.evict('default/sick'));
  running(world, 'a');
  budget(world, 'y', { disruptionsAllowed: 0 });
  assert.match(refusal(world.admin.evict('default/a')), /^500 .*more than one PodDisruptionBudget/);
});

test('a pod is bound once', () => {
  const { admin } = scene();
  done(admin.create(pod('p')));
  done(admin.bind('default/p', 'n1'));
  assert.equal(
    refusal(admin.bind('default/p', 'n2')),
    '409 Conflict: Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
  );
});

test('admission completes a pod: account, token, tolerations, priority', () => {
  const { admin } = scene();
  const made = done(admin.create(pod('p', { priorityClassName: 'system-node-critical' })));
  assert.equal(textAt(made, 'spec.serviceAccountName'), 'default');
  assert.equal(at(made, 'spec.priority'), 2_000_001_000);
  assert.deepEqual(
    listAt(made, 'spec.tolerations').map((one) => [
      textAt(one, 'key'),
      at(one, 'tolerationSeconds'),
    ]),
    [
      ['node.kubernetes.io/not-ready', 300],
      ['node.kubernetes.io/unreachable', 300],
    ],
  );
  const [volume] = listAt(made, 'spec.volumes');
  assert.equal(
    at(listAt(volume, 'projected.sources')[0], 'serviceAccountToken.expirationSeconds'),
    3607,
  );
  assert.match(
    refusal(admin.create(pod('q', { serviceAccountName: 'nobody' }))),
    /^403 Forbidden: .*error looking up service account default\/nobody/,
  );
  assert.match(
    refusal(admin.create(pod('q', { priorityClassName: 'none' }))),
    /no PriorityClass with name none was found$/,
  );
});

test('a pod that tolerates everything forever does not get five minutes', () => {
  const { admin } = scene();
  const made = done(admin.create(pod('p', { tolerations: [{ operator: 'Exists' }] })));
  assert.equal(listAt(made, 'spec.tolerations').length, 1);
});

test('reports everything that is wrong with a pod at once', () => {
  const world = scene();
  const containers = [
    { name: 'A', image: '' },
    { name: 'b', image: 'i' },
    { name: 'b', image: 'i' },
  ];
  const body = pod('p', { containers, restartPolicy: 'Sometimes' });
  const { code, object } = ask(world, { verb: 'create', plural: 'pods', body });
  assert.equal(code, 422);
  assert.deepEqual(
    listAt(object, 'details.causes').map(
      (one) => `${textAt(one, 'reason')} ${textAt(one, 'field')}`,
    ),
    [
      'FieldValueInvalid spec.containers[0].name',
      'FieldValueRequired spec.containers[0].image',
      'FieldValueDuplicate spec.containers[2].name',
      'FieldValueNotSupported spec.restartPolicy',
    ],
  );
});

test('logs come from the kubelet of the pod, of the container that is named', () => {
  const asked: string[] = [];
  const world = scene({
    podLog: (_, { container, tailLines }) => {
      asked.push(`${container} ${tailLines}`);
      return { ok: true, text: 'line\n' };
    },
  });
  done(world.admin.create(node('n1')));
  const containers = [
    { name: 'a', image: 'i' },
    { name: 'b', image: 'i' },
  ];
  done(world.admin.create(pod('p', { containers, nodeName: 'n1' })));
  const raw = { verb: 'get', plural: 'pods', name: 'p', subresource: 'log' } as const;
  const unnamed = ask(world, raw);
  assert.equal(unnamed.code, 400);
  assert.match(textAt(unnamed.object, 'message') ?? '', /choose one of: \[a b\]$/);
  const answer = ask(world, { ...raw, query: { container: 'b', tailLines: '5' } });
  assert.deepEqual(answer.object, { text: 'line\n' });
  assert.deepEqual(asked, ['b 5']);
});

test('a port of the host is for one container, and that of the container on its network', () => {
  const world = scene();
  const container = (name: string, ports: readonly JsonObject[]): JsonObject => ({
    name,
    image: 'i:1',
    ports,
  });
  const web = { containerPort: 80 };
  const containers = [container('a', [web]), container('b', [web, { ...web, protocol: 'UDP' }])];
  assert.equal(
    refusal(world.admin.create(pod('p', { hostNetwork: true, containers }))),
    '422 Invalid: Pod "p" is invalid: spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//80"',
  );
  done(world.admin.create(pod('q', { containers })));
  const other = [container('a', [{ ...web, hostPort: 81 }])];
  assert.match(
    refusal(world.admin.create(pod('p', { hostNetwork: true, containers: other }))),
    /hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true$/,
  );
  const odd = [container('a', [{ containerPort: 0 }, { containerPort: 1, hostPort: 70_000 }])];
  assert.match(
    refusal(world.admin.create(pod('p', { containers: odd }))),
    /ports\[0\]\.containerPort: Required value, .*ports\[1\]\.hostPort: Invalid value: 70000: must be between 1 and 65535, inclusive/,
  );
});
