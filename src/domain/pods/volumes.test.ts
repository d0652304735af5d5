import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { budgetWords, heldPod } from './budgets.ts';
import type { Json, JsonObject } from '../../evidence/json.ts';
import type { KubeObject } from '../../evidence/kube/object.ts';
import {
  asksForBranch,
  asksForTrunk,
  groupsOf,
  hasBranch,
  POD_ENI,
  policiesOf,
  policyWords,
  waitsForBranch,
} from './pod-security-groups.ts';
import { ecrImageWaiting } from './pulls.ts';
import { ago, fact, objectOf, podOf } from '../../evidence/testing.ts';
import { claimNames, claimWords, driverOf, driversOn, volumesOf, zonesOf } from './volumes.ts';
import type { Seen } from '../../evidence/fact.ts';
import type { Pod } from '../../evidence/kube/pod.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../evidence/kube/storage.ts';
import type { SecurityGroupPolicy, CniNode } from '../../evidence/kube/network.ts';
import type { ServiceAccount } from '../../evidence/kube/admission.ts';
import type { PodDisruptionBudget } from '../../evidence/kube/workloads.ts';

const MOUNTS = podOf({
  spec: {
    volumes: [{ emptyDir: {} }, { persistentVolumeClaim: { claimName: 'store' } }],
  },
});

function claim(
  volumeName: string | null,
  change: Partial<KubeObject> = {},
): Seen<PersistentVolumeClaim> {
  const spec = volumeName === null ? {} : { volumeName };
  return fact(objectOf('PersistentVolumeClaim', 'store', { spec }, change));
}

function volume(name: string, spec: JsonObject): Seen<PersistentVolume> {
  return fact(objectOf('PersistentVolume', name, { spec }, { namespace: null }));
}

describe('volumes of a pod', () => {
  const disk = volume('pv-1', { csi: { driver: 'ebs.csi.aws.com' } });

  test('are those of its claims in its namespace', () => {
    assert.deepEqual(claimNames(MOUNTS), ['store']);
    const own = claim('pv-1');
    const others = [claim('pv-1', { namespace: 'other' }), claim('pv-1', { name: 'other' })];
    const all = [volume('pv-0', {}), disk];
    assert.deepEqual(volumesOf(MOUNTS, [...others, own], all), [{ claim: own, volume: disk }]);
    assert.deepEqual(volumesOf(MOUNTS, [own], []), [{ claim: own, volume: null }]);
    assert.deepEqual(volumesOf(podOf(), [own], [disk]), []);
  });

  test('are served by the driver of the volume, else by the provisioner of the claim', () => {
    const annotated = claim(null, {
      annotations: { 'volume.beta.kubernetes.io/storage-provisioner': 'efs.csi.aws.com' },
    });
    assert.equal(driverOf({ claim: annotated, volume: disk }), 'ebs.csi.aws.com');
    assert.equal(driverOf({ claim: annotated, volume: volume('pv-2', {}) }), 'efs.csi.aws.com');
    const both = claim(null, {
      annotations: {
        'volume.beta.kubernetes.io/storage-provisioner': 'old',
        'volume.kubernetes.io/storage-provisioner': 'new',
      },
    });
    assert.equal(driverOf({ claim: both, volume: null }), 'new');
    assert.equal(driverOf({ claim: claim(null), volume: null }), null);
    assert.equal(
      claimWords({ claim: claim('pv-1'), volume: disk }),
      'PersistentVolumeClaim shop/store: pv-1, driver ebs.csi.aws.com',
    );
    assert.equal(
      claimWords({ claim: claim(null, { namespace: null }), volume: null }),
      'PersistentVolumeClaim /store: no volume yet, driver unknown',
    );
  });

  test('are used in the zones that any of their terms names, each once', () => {
    const zone = (key: string, values: readonly Json[], operator = 'In'): Json => ({
      matchExpressions: [
        { key: 'other', operator: 'In', values: ['no'] },
        { key, operator, values },
      ],
    });
    const zones = (...nodeSelectorTerms: readonly Json[]): readonly string[] =>
      zonesOf(volume('pv-1', { nodeAffinity: { required: { nodeSelectorTerms } } }));
    for (const key of [
      'topology.ebs.csi.aws.com/zone',
      'topology.kubernetes.io/zone',
      'failure-domain.beta.kubernetes.io/zone',
    ])
      assert.deepEqual(zones(zone(key, ['a', 'b']), zone(key, ['b'])), ['a', 'b'], key);
    assert.deepEqual(zones(zone('topology.kubernetes.io/zone', ['a'], 'NotIn')), []);
    for (const key of [
      'topology.kubernetes.io/region',
      'xtopology.kubernetes.io/zone',
      'topology.kubernetes.io/zones',
    ])
      assert.deepEqual(zones(zone(key, ['a'])), [], key);
    assert.deepEqual(zonesOf(volume('pv-1', {})), []);
  });

  test('drivers of a node are named by its CSINode', () => {
    const node = objectOf('CSINode', 'node00', { spec: { drivers: [{ name: 'a' }, {}] } });
    assert.deepEqual(driversOn(node), ['a', '']);
  });
});

describe('pods with their own security groups', () => {
  const asks = (kind: string): Json => ({ resources: { [kind]: { [POD_ENI]: '1' } } });
  const plain = { resources: { limits: { cpu: '1' } } };

  test('ask for a branch interface by a limit or a request of any container', () => {
    for (const kind of ['limits', 'requests']) {
      assert.equal(asksForBranch(podOf({ spec: { containers: [plain, asks(kind)] } })), true, kind);
      assert.equal(asksForBranch(podOf({ spec: { initContainers: [asks(kind)] } })), true, kind);
    }
    assert.equal(asksForBranch(podOf({ spec: { containers: [plain] } })), false);
    assert.equal(asksForBranch(podOf()), false);
  });

  test('have one when it is written onto them, and wait while no node takes them', () => {
    assert.equal(hasBranch(podOf({}, { annotations: { [POD_ENI]: '[]' } })), true);
    assert.equal(hasBranch(podOf()), false);
    const waits = (status: string, container: Json): boolean =>
      waitsForBranch(
        podOf({
          spec: { containers: [container] },
          status: { conditions: [{ type: 'PodScheduled', status }] },
        }),
      );
    assert.equal(waits('False', asks('limits')), true);
    assert.equal(waits('True', asks('limits')), false);
    assert.equal(waits('False', plain), false);
  });

  const policy = (spec: JsonObject, change: Partial<KubeObject> = {}): Seen<SecurityGroupPolicy> =>
    fact(objectOf('SecurityGroupPolicy', 'groups', { spec }, change));
  const account = (name: string, namespace = 'shop'): Seen<ServiceAccount> =>
    fact(objectOf('ServiceAccount', name, {}, { namespace, labels: { role: 'db' } }));
  const pod = podOf({}, { labels: { app: 'x' } });
  const byPod = (app: string): JsonObject => ({ podSelector: { matchLabels: { app } } });
  const byAccount = { serviceAccountSelector: { matchLabels: { role: 'db' } } };

  test('are selected by their labels, in their namespace', () => {
    const [own, other] = [policy(byPod('x')), policy(byPod('y'))];
    const foreign = policy(byPod('x'), { namespace: 'other' });
    assert.deepEqual(policiesOf(pod, [other, foreign, own], []), [own]);
  });

  test('are selected by their service account, which must be known', () => {
    const one = policy(byAccount);
    assert.deepEqual(policiesOf(pod, [one], [account('other'), account('default')]), [one]);
    assert.deepEqual(policiesOf(pod, [one], [account('default', 'other')]), []);
    assert.deepEqual(policiesOf(pod, [one], [account('other')]), []);
    assert.deepEqual(policiesOf(pod, [one], []), []);
    const both = policy({ ...byAccount, ...byPod('y') });
    assert.deepEqual(policiesOf(pod, [both], [account('default')]), []);
  });

  test('get the groups of the policy, through a trunk that the node asks for', () => {
    const one = policy({ securityGroups: { groupIds: ['sg-1', 'sg-2'] } });
    assert.deepEqual(groupsOf(one), ['sg-1', 'sg-2']);
    assert.equal(policyWords(one), 'SecurityGroupPolicy shop/groups gives sg-1, sg-2');
    assert.match(
      policyWords(policy({}, { namespace: null })),
      /^SecurityGroupPolicy \/groups gives/,
    );
    const node = (...names: readonly string[]): Seen<CniNode> =>
      fact(objectOf('CNINode', 'node00', { spec: { features: names.map((name) => ({ name })) } }));
    assert.equal(asksForTrunk(node('CustomNetworking', 'SecurityGroupsForPods')), true);
    assert.equal(asksForTrunk(node('CustomNetworking')), false);
  });
});

describe('budgets that hold a drain', () => {
  const budget = (
    status: JsonObject,
    spec: JsonObject = { selector: {} },
  ): Seen<PodDisruptionBudget> => fact(objectOf('PodDisruptionBudget', 'web', { spec, status }));
  const tight = budget({ disruptionsAllowed: 0, expectedPods: 1 });
  const pod = fact(podOf({}, { labels: { app: 'x' } }));

  function isHeld(one: Seen<PodDisruptionBudget>, held: Seen<Pod> = pod, node = 'node00'): boolean {
    return heldPod(node, [held], [one]) !== null;
  }

  test('the first pod of the Node that may not go is held', () => {
    const elsewhere = fact(podOf({ spec: { nodeName: 'node01' } }));
    assert.deepEqual(heldPod('node00', [elsewhere, pod, fact(podOf())], [tight]), {
      pod,
      budget: tight,
    });
    assert.equal(isHeld(tight, pod, 'node01'), false);
  });

  test('a budget that allows a disruption, or expects no pod, holds none', () => {
    assert.equal(isHeld(budget({ disruptionsAllowed: 1, expectedPods: 1 })), false);
    assert.equal(isHeld(budget({ disruptionsAllowed: 0, expectedPods: 0 })), false);
    assert.equal(isHeld(budget({})), false);
    assert.equal(isHeld(budget({ disruptionsAllowed: 0 })), true);
  });

  test('pods of DaemonSets and such as are being deleted are held by none', () => {
    const owned = (kind: string): Seen<Pod> =>
      fact(podOf({ metadata: { ownerReferences: [{ kind: 'Other' }, { kind }] } }));
    assert.equal(isHeld(tight, owned('DaemonSet')), false);
    assert.equal(isHeld(tight, owned('ReplicaSet')), true);
    assert.equal(isHeld(tight, fact(podOf({ metadata: { deletionTimestamp: ago(1) } }))), false);
  });

  test('a budget covers what it selects in its namespace, and without a selector nothing', () => {
    const status = { disruptionsAllowed: 0 };
    const selector = (app: string): JsonObject => ({ selector: { matchLabels: { app } } });
    assert.equal(isHeld(budget(status, selector('x'))), true);
    assert.equal(isHeld(budget(status, selector('y'))), false);
    assert.equal(isHeld(budget(status, {})), false);
    const foreign = fact(podOf({}, { namespace: 'other' }));
    assert.equal(isHeld(tight, foreign), false);
  });

  test('is reported with what it allows and has', () => {
    const status = { disruptionsAllowed: 0, currentHealthy: 1 };
    assert.equal(budgetWords(budget(status)), 'disruptionsAllowed 0, 1 healthy of ? that must be');
  });
});

test('reports the first ECR image that cannot be pulled with its error', () => {
  const image = '111122223333.dkr.ecr.eu-west-1.amazonaws.com/web:1';
  const waits = (reason: string, change: JsonObject = {}): Json => ({
    image,
    state: { waiting: { reason, message: 'no' } },
    ...change,
  });
  const found = (...containerStatuses: readonly Json[]) =>
    ecrImageWaiting(podOf({ status: { containerStatuses } }));
  for (const reason of ['ErrImagePull', 'ImagePullBackOff'])
    assert.deepEqual(found({}, waits(reason)), { image, message: 'no' }, reason);
  for (const reason of ['CrashLoopBackOff', 'NotErrImagePull', 'ErrImagePullx'])
    assert.equal(found(waits(reason)), null, reason);
  assert.equal(found(waits('ErrImagePull', { image: 'docker.io/web' })), null);
  assert.equal(found(waits('ErrImagePull', { image: 'xdkr.ecr.x' })), null);
  const silent = { image, state: { waiting: { reason: 'ErrImagePull' } } };
  const init = podOf({ status: { initContainerStatuses: [silent] } });
  assert.deepEqual(ecrImageWaiting(init), { image, message: '' });
});
