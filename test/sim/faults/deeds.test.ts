import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, listAt, textAt } from '../../../src/evidence/json.ts';
import type { Injected } from '../../../src/sim/faults/contract.ts';
import { faultOf } from '../../../src/sim/faults/faults.ts';
import { randomStream } from '../../../src/sim/kernel/random.ts';
import type { ClusterSetting } from '../../../src/sim/stories/scenario.ts';
import { inject, nodeIn, pass, stageWith } from './stage.ts';

const isKubeadm = ({ kind, podNetwork }: ClusterSetting): boolean =>
  kind === 'kubeadm' && podNetwork === 'ready-made';
const isEks = ({ kind, isNodeRoleMapped }: ClusterSetting): boolean =>
  kind === 'eks' && isNodeRoleMapped;

describe('faults of objects', () => {
  const stage = stageWith(isKubeadm);
  const stormOf = (injected: Injected): unknown => {
    const found = at(nodeIn(stage, injected) ?? {}, 'metadata.annotations');
    return (found as Record<string, unknown> | undefined)?.['example.com/storm'];
  };

  test('F04 writes to a Node every second until it ends', () => {
    const injected = inject(stage, 'F04');
    pass(stage, 0.5);
    assert.equal(stormOf(injected), '30');
    injected.undo();
    pass(stage, 0.5);
    assert.equal(stormOf(injected), undefined);
  });

  test('F33 changes a Node three hundred times in one moment', () => {
    const version = (): number => Number(textAt(stage.people.list('Node')[0] ?? {}, PATH));
    const before = Math.max(version());
    const injected = inject(stage, 'F33');
    assert.equal(stormOf(injected), '299');
    assert.ok(Number(textAt(nodeIn(stage, injected) ?? {}, PATH)) >= before + 300);
    injected.undo();
    assert.equal(stormOf(injected), undefined);
  });

  test('F65 stops a drain by a budget, and lets it go', () => {
    const injected = inject(stage, 'F65');
    assert.equal(at(nodeIn(stage, injected) ?? {}, 'spec.unschedulable'), true);
    assert.equal(stage.people.list('PodDisruptionBudget').length, 1);
    injected.undo();
    assert.notEqual(at(nodeIn(stage, injected) ?? {}, 'spec.unschedulable'), true);
    assert.equal(stage.people.list('PodDisruptionBudget').length, 0);
  });

  test('F67 holds a pod that is deleted by a finalizer', () => {
    const injected = inject(stage, 'F67');
    const name = injected.what.slice(0, injected.what.indexOf(':'));
    pass(stage, 3);
    assert.ok(textAt(stage.people.get('Pod', name) ?? {}, 'metadata.deletionTimestamp') !== null);
    injected.undo();
    pass(stage, 1);
    assert.equal(stage.people.get('Pod', name), null);
  });

  test('F69 puts a pod past the scheduler onto a node, and takes it away', () => {
    const injected = inject(stage, 'F69');
    const bypassing = (): readonly unknown[] =>
      stage.people
        .list('Pod')
        .filter((pod) => (textAt(pod, 'metadata.name') ?? '').startsWith('bypass-'));
    assert.equal(bypassing().length, 1);
    injected.undo();
    pass(stage, 3);
    assert.equal(bypassing().length, 0);
  });
});

const PATH = 'metadata.resourceVersion';

describe('faults of joining', () => {
  test('F48 leaves half a join behind, and joins again at its end', () => {
    const stage = stageWith(isKubeadm);
    const { what, breaks = [], undo } = inject(stage, 'F48');
    const machine = stage.simulated.hypervisor.machine(breaks[0] ?? '');
    pass(stage, 1);
    assert.notEqual(machine?.unit('kubelet'), 'running', what);
    undo();
    pass(stage, 3);
    assert.equal(machine?.unit('kubelet'), 'running');
    const node = stage.people.get('Node', machine.nodeName() ?? '') ?? {};
    const ready = listAt(node, 'status.conditions').find((one) => textAt(one, 'type') === 'Ready');
    assert.equal(textAt(ready, 'status'), 'True');
  });

  test('F66 puts the taint of the gate back, and takes it off again', () => {
    const stage = stageWith(({ gate }) => gate === 'nidhogg');
    const injected = inject(stage, 'F66');
    const keys = (): readonly (string | null)[] =>
      listAt(nodeIn(stage, injected) ?? {}, 'spec.taints').map((one) => textAt(one, 'key'));
    assert.ok(keys().some((key) => key?.startsWith('nidhogg.uswitch.com/')));
    injected.undo();
    assert.ok(!keys().some((key) => key?.startsWith('nidhogg.uswitch.com/')));
  });

  test('F39 lets the agent of kiam end again and again', () => {
    const stage = stageWith(({ podIdentity }) => podIdentity === 'kiam');
    const restarts = (): number =>
      stage.people
        .list('Pod', { namespace: 'kube-system' })
        .filter((pod) => (textAt(pod, 'metadata.name') ?? '').startsWith('kiam-agent'))
        .flatMap((pod) => listAt(pod, 'status.containerStatuses'))
        .reduce((sum: number, one) => sum + Number(at(one, 'restartCount') ?? 0), 0);
    const injected = inject(stage, 'F39');
    pass(stage, 4);
    assert.ok(restarts() > 0);
    injected.undo();
  });
});

describe('faults of AWS', () => {
  const stage = stageWith(isEks);
  const { simulated } = stage;
  const ask = (
    service: 'ec2' | 'eks',
    operation: string,
    input: Record<string, string[] | string>,
  ) => simulated.cloud.answer(simulated.admin.identity, { service, operation, input });

  test('F54 hides the private DNS name of an instance, and shows it again', () => {
    const { truths, undo } = inject(stage, 'F54');
    const [id = ''] = truths[0]?.machines ?? [];
    const nameOf = (): string | null => {
      const answer = ask('ec2', 'DescribeInstances', { InstanceIds: [id] });
      if (!answer.ok) return assert.fail(answer.refusal.message);
      const [reservation] = listAt(answer.output, 'Reservations');
      return textAt(listAt(reservation, 'Instances')[0], 'PrivateDnsName');
    };
    assert.equal(nameOf() ?? '', '');
    undo();
    assert.match(nameOf() ?? '', /^ip-/);
  });

  test('F57 takes the addresses of a subnet, or breaks its blocks, and gives them back', () => {
    for (const [words, least] of [
      ['no addresses', 3],
      ['no whole prefix', Infinity],
    ] as const) {
      const books = simulated.infrastructure.groups.map(({ subnetId }) => ({
        subnetId,
        free: simulated.cloud.controls.account.books.get(subnetId)?.free,
      }));
      const { undo } = inject(stage, 'F57', (what) => what.includes(words));
      const after = books.map(
        ({ subnetId }) => simulated.cloud.controls.account.books.get(subnetId)?.free ?? 0,
      );
      assert.ok(after.some((free, index) => free < (books[index]?.free ?? 0) && free < least));
      undo();
      for (const { subnetId, free } of books)
        assert.equal(simulated.cloud.controls.account.books.get(subnetId)?.free, free);
    }
  });

  test('F59 leaves an interface free, and attaches it to a machine with room at its end', () => {
    const roomy = stageWith(isKubeadm);
    const { what, undo } = inject(roomy, 'F59');
    const id = /eni-\w+/.exec(what)?.[0] ?? '';
    const { account } = roomy.simulated.cloud.controls;
    const statusOf = (): string | undefined => account.interfaces.get(id)?.status;
    assert.equal(statusOf(), 'available');
    undo();
    pass(roomy, 1);
    assert.equal(statusOf(), 'in-use');
  });

  test('F60 makes an access entry that the cluster does not read, and deletes it', () => {
    const { undo } = inject(stage, 'F60');
    const asked = {
      clusterName: simulated.setting.cluster.name,
      principalArn: simulated.infrastructure.nodeRoleArn,
    };
    assert.ok(ask('eks', 'DescribeAccessEntry', asked).ok);
    assert.equal(faultOf('F60')?.inject(stage, randomStream(1, 'again')), null);
    undo();
    assert.ok(!ask('eks', 'DescribeAccessEntry', asked).ok);
  });
});
