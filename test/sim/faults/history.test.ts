import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import type { Injected, FaultScene } from '../../../src/sim/faults/contract.ts';
import { faultOf } from '../../../src/sim/faults/faults.ts';
import { randomStream } from '../../../src/sim/kernel/random.ts';
import type { ApiRequest } from '../../../src/sim/kube/contract.ts';
import { takesPods } from '../../../src/sim/oracle/states.ts';
import { type PodView, podView } from '../../../src/sim/platform/objects/pod.ts';
import { ADMIN } from '../../../src/sim/cluster/simulated-cluster.ts';
import { inject, pass, stageWith } from './stage.ts';

const VERSION = 'metadata.resourceVersion';

/** Nodes by their names with what somebody last wrote to them, as a list with this query has them. */
function listed(
  { simulated }: FaultScene,
  query: ApiRequest['query'],
): ReadonlyMap<string, string | null> {
  const path = { group: '', version: 'v1', plural: 'nodes', namespace: null, name: null };
  const { code, object } = simulated.api.answer({
    user: ADMIN,
    verb: 'list',
    path: { ...path, subresource: null },
    query,
    body: null,
    patchType: null,
  });
  assert.equal(code, 200);
  return new Map(
    listAt(object, 'items').map((node) => [
      textAt(node, 'metadata.name') ?? '',
      textAt(node, 'metadata.labels.round'),
    ]),
  );
}

function label(stage: FaultScene, round: string): void {
  for (const node of stage.people.list('Node'))
    stage.people.patch('Node', textAt(node, 'metadata.name') ?? '', 'merge', {
      metadata: { labels: { round } },
    });
}

/** Another draw would change the world too. */
function restore(stage: FaultScene, seconds: number): Injected {
  let seed = 1;
  while (randomStream(seed, 'F13').pick([30, 60, 120, 240]) !== seconds) seed++;
  const injected = faultOf('F13')?.inject(stage, randomStream(seed, 'F13')) ?? null;
  assert.ok(injected !== null);
  return injected;
}

function rounds(all: ReadonlyMap<string, string | null>): ReadonlySet<string | null> {
  return new Set(all.values());
}

const isKubeadm = ({ kind }: { readonly kind: string }): boolean => kind === 'kubeadm';

describe('F11', () => {
  const stage = stageWith(isKubeadm);

  test('lets the cache of Nodes fall behind, which only reads of version 0 see', () => {
    label(stage, 'first');
    pass(stage, 1);
    const { undo } = inject(stage, 'F11', (what) => what.includes('Node of 40 s'));
    label(stage, 'second');
    assert.deepEqual(rounds(listed(stage, { resourceVersion: '0' })), new Set(['first']));
    assert.deepEqual(rounds(listed(stage, {})), new Set(['second']));
    pass(stage, 1);
    assert.deepEqual(rounds(listed(stage, { resourceVersion: '0' })), new Set(['second']));
    undo();
    label(stage, 'third');
    assert.deepEqual(rounds(listed(stage, { resourceVersion: '0' })), new Set(['third']));
  });
});

describe('F13', () => {
  const stage = stageWith(isKubeadm);
  const { people, simulated } = stage;

  test('brings back what was and takes what came, under versions of that time', () => {
    const [gone = '', kept = ''] = people
      .list('Node')
      .map((node) => textAt(node, 'metadata.name') ?? '');
    label(stage, 'before');
    const before = Number(textAt(people.get('Node', kept), VERSION));
    pass(stage, 2);
    people.delete('Node', gone);
    label(stage, 'after');
    let ended = 0;
    const watcher = { onEvent: () => undefined, onEnd: () => ended++ };
    const path = { group: '', version: 'v1', plural: 'nodes', namespace: null, name: null };
    simulated.api.watch(
      {
        user: ADMIN,
        verb: 'watch',
        path: { ...path, subresource: null },
        query: {},
        body: null,
        patchType: null,
      },
      watcher,
    );
    const latest = Number(textAt(people.get('Node', kept), VERSION));
    restore(stage, 60);
    assert.equal(ended, 1);
    assert.equal(textAt(people.get('Node', kept), 'metadata.labels.round'), 'before');
    const version = Number(textAt(people.get('Node', kept), VERSION));
    assert.ok(version >= before && version < latest);
    assert.notEqual(people.get('Node', gone), null);
  });

  test('loses the Node of a machine that came later, which is back after its end', () => {
    const [member = ''] = people.list('Node').map((node) => textAt(node, 'metadata.name') ?? '');
    const machine = simulated.hypervisor.machineOfNode(member);
    people.delete('Node', member);
    pass(stage, 1);
    machine?.restartKubelet();
    pass(stage, 0.4);
    assert.notEqual(people.get('Node', member), null);
    const { truths, undo } = restore(stage, 30);
    assert.equal(people.get('Node', member), null);
    const lost = truths.find(({ machines }) => machines?.includes(machine?.instanceId ?? ''));
    assert.ok(lost?.causes.includes('no-reregistration-after-deletion'));
    undo();
    pass(stage, 1);
    assert.notEqual(people.get('Node', member), null);
  });
});

describe('the kubelets after F13', () => {
  const stage = stageWith(isKubeadm);
  const { people, simulated } = stage;

  test('write again what their pods are', () => {
    const calico = stageWith(({ podNetwork }) => podNetwork === 'calico');
    const agents = (): readonly PodView[] =>
      calico.people
        .list('Pod')
        .map(podView)
        .filter(({ owner }) => owner?.name === 'calico-node');
    const first = agents().find(({ isReady }) => isReady);
    assert.ok(first !== undefined);
    calico.people.delete('Pod', first.key);
    pass(calico, 0.5);
    const successor = agents().find(({ spec, isReady }) => {
      return spec.nodeName === first.spec.nodeName && !isReady;
    });
    assert.ok(successor !== undefined);
    const isReady = (): boolean =>
      agents().find(({ key }) => key === successor.key)?.isReady === true;
    for (let round = 0; round < 40 && !isReady(); round++) pass(calico, 0.1);
    assert.ok(isReady());
    restore(calico, 30);
    assert.ok(!isReady());
    pass(calico, 0.2);
    assert.ok(isReady());
  });

  test('let go of a pod that was not given to them yet', () => {
    const name = 'late';
    const key = `default/${name}`;
    const spec = { schedulerName: 'nobody', containers: [{ name: 'app', image: 'app:1' }] };
    const metadata = { name, namespace: 'default' };
    const made = people.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
    assert.ok(made.ok, JSON.stringify(made));
    pass(stage, 1);
    const node = people.list('Node').find(takesPods);
    const nodeName = textAt(node, 'metadata.name') ?? '';
    simulated.api.overwrite('Pod', key, (pod) => ({
      ...pod,
      spec: { ...(pod['spec'] as JsonObject), nodeName },
    }));
    pass(stage, 0.3);
    const journal = (): string => simulated.hypervisor.machineOfNode(nodeName)?.journalText() ?? '';
    assert.match(journal(), /SyncLoop ADD.*default\/late/);
    restore(stage, 30);
    pass(stage, 0.1);
    assert.match(journal(), /SyncLoop REMOVE.*default\/late/);
  });
});
