import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { at, listAt, textAt } from '../../../src/evidence/json.ts';
import { startCloudController } from '../../../src/sim/platform/cloud-controller/cloud-controller.ts';
import type { CloudControllerVersion } from '../../../src/sim/platform/cloud-controller/dialect.ts';
import { verdictOf } from '../../../src/sim/platform/cloud-controller/cloud-node-lifecycle.ts';
import {
  CLUSTER,
  createCluster,
  eventTexts,
  nodeObject,
  readyCondition,
  type TestCluster,
} from './cluster.ts';
import { createFleet } from './machines.ts';

const UNINITIALIZED = {
  key: 'node.cloudprovider.kubernetes.io/uninitialized',
  value: 'true',
  effect: 'NoSchedule',
};

function setUp(version: CloudControllerVersion) {
  const cluster = createCluster();
  const controller = startCloudController(cluster.world, { clusterName: CLUSTER, version });
  const texts = (): string =>
    controller
      .log()
      .map(({ text }) => text)
      .join('\n');
  return { cluster, controller, texts, fleet: createFleet(cluster) };
}

function join(cluster: TestCluster, name: string, providerId = '', isReady = false): void {
  const options = {
    isReady,
    taints: [UNINITIALIZED],
    ...(providerId === '' ? {} : { providerId }),
  };
  const outcome = cluster.admin.create(nodeObject(name, cluster.kernel.nowMs(), options));
  assert.ok(outcome.ok);
}

function exists({ admin }: TestCluster, name: string): boolean {
  return admin.get('Node', name) !== null;
}

const UNKNOWN = 'ip-172-31-0-50';

describe('cloud controller: a name that EC2 does not know', () => {
  for (const version of ['1.29', '1.37'] as const)
    it(`${version} deletes the Node at its next look while it is not Ready`, () => {
      const { cluster, texts } = setUp(version);
      join(cluster, UNKNOWN);
      const deletedMs = cluster.until(() => !exists(cluster, UNKNOWN), 10_000);
      assert.ok(deletedMs <= 5500, `${deletedMs} ms`);
      assert.match(
        texts(),
        /deleting node since it is no longer present in cloud provider: ip-172/,
      );
      assert.ok(
        eventTexts(cluster.admin).includes(
          `DeletingNode Deleting node ${UNKNOWN} because it does not exist in the cloud provider`,
        ),
      );
    });

  it('1.34 keeps it for ever, with the taint and without an event', () => {
    const { cluster, texts } = setUp('1.34');
    join(cluster, UNKNOWN);
    cluster.pass(10 * 60_000);
    const node = cluster.admin.get('Node', UNKNOWN);
    assert.deepEqual(
      listAt(node ?? {}, 'spec.taints')
        .map((taint) => textAt(taint, 'key'))
        .filter((key) => key === UNINITIALIZED.key),
      [UNINITIALIZED.key],
    );
    assert.deepEqual(eventTexts(cluster.admin), []);
    assert.match(
      texts(),
      /E\d{4} [\d:.]{15} {7}1 node_lifecycle_controller\.go:156\] error checking if node ip-172-31-0-50 exists: instance not found/,
    );
    assert.match(
      texts(),
      /node_controller\.go:244\] "Unhandled Error" err="error syncing 'ip-172-31-0-50': failed to get instance metadata for node ip-172-31-0-50: instance not found, requeuing" logger="UnhandledError"/,
    );
  });

  it('none of them touches it while it is Ready', () => {
    const { cluster } = setUp('1.37');
    join(cluster, UNKNOWN, '', true);
    cluster.pass(60_000);
    assert.ok(exists(cluster, UNKNOWN));
  });

  it('an upgrade from 1.34 to 1.37 deletes what was kept', () => {
    const { cluster, controller } = setUp('1.34');
    join(cluster, UNKNOWN);
    cluster.pass(60_000);
    assert.ok(exists(cluster, UNKNOWN));
    controller.setVersion('1.37');
    cluster.until(() => !exists(cluster, UNKNOWN), 10_000);
  });

  it('waits twice as long before each next try to initialize', () => {
    const { cluster, controller } = setUp('1.34');
    join(cluster, UNKNOWN, '', true);
    cluster.pass(45_000);
    const tries = controller.log().filter(({ text }) => text.includes('Initializing node'));
    const gaps = tries.slice(1).map(({ atMs }, index) => atMs - (tries[index]?.atMs ?? 0));
    assert.ok(tries.length >= 11 && tries.length <= 15, `${tries.length} tries`);
    assert.ok((gaps.at(-1) ?? 0) > 8000, `${gaps.at(-1)} ms`);
  });
});

describe('cloud controller: a Node with a providerID', () => {
  for (const version of ['1.29', '1.34', '1.37'] as const)
    it(`${version} deletes it when EC2 does not show the instance yet`, () => {
      const { cluster, fleet } = setUp(version);
      const { id, name, providerId } = fleet.launch();
      cluster.world.aws.controls.hideInstance(id, 30_000);
      join(cluster, name, providerId);
      const deletedMs = cluster.until(() => !exists(cluster, name), 10_000);
      assert.ok(deletedMs <= 5500, `${deletedMs} ms`);
    });

  it('tells of it in a Normal event of the namespace default that names the dead UID', () => {
    const { cluster } = setUp('1.34');
    join(cluster, UNKNOWN, 'aws:///us-west-2a/i-0123456789abcdef0');
    const uid = textAt(cluster.admin.get('Node', UNKNOWN) ?? {}, 'metadata.uid');
    cluster.until(() => !exists(cluster, UNKNOWN), 10_000);
    const event = cluster.admin
      .list('Event')
      .find((found) => textAt(found, 'reason') === 'DeletingNode');
    assert.equal(textAt(event, 'metadata.namespace'), 'default');
    assert.equal(textAt(event, 'type'), 'Normal');
    assert.equal(textAt(event, 'source.component'), 'cloud-node-lifecycle-controller');
    assert.equal(textAt(event, 'involvedObject.uid'), uid);
    assert.equal(textAt(event, 'involvedObject.apiVersion'), null);
    assert.match(textAt(event, 'metadata.name') ?? '', /^ip-172-31-0-50\.[0-9a-f]{16}$/);
  });

  it('leaves it alone when it was Ready in time', () => {
    const { cluster, fleet } = setUp('1.34');
    const { id, name, providerId } = fleet.launch();
    cluster.world.aws.controls.hideInstance(id, 60_000);
    join(cluster, name, providerId, true);
    cluster.pass(30_000);
    assert.ok(exists(cluster, name));
  });

  it('a stopped instance gets the shutdown taint, which goes when the Node is Ready again', () => {
    const { cluster, fleet } = setUp('1.34');
    const { id, name, providerId } = fleet.launch();
    cluster.pass(60_000);
    join(cluster, name, providerId, true);
    const user = cluster.world.aws.controls.createUser('operator');
    const input = { InstanceIds: [id] };
    cluster.world.aws.answer(user, { service: 'ec2', operation: 'StopInstances', input });
    cluster.until(() => cluster.world.aws.instance(id)?.state === 'stopped', 10 * 60_000);
    setReady(cluster, name, false);
    const hasTaint = (): boolean =>
      listAt(cluster.admin.get('Node', name) ?? {}, 'spec.taints').some(
        (taint) => textAt(taint, 'key') === 'node.cloudprovider.kubernetes.io/shutdown',
      );
    cluster.until(hasTaint, 10_000);
    assert.ok(exists(cluster, name));
    setReady(cluster, name, true);
    cluster.until(() => !hasTaint(), 10_000);
  });

  it('a terminated one goes as soon as it is not Ready', () => {
    const { cluster, fleet } = setUp('1.34');
    const { id, name, providerId } = fleet.launch();
    cluster.pass(60_000);
    join(cluster, name, providerId, true);
    cluster.world.aws.controls.terminate(id);
    cluster.until(() => cluster.world.aws.instance(id)?.state === 'terminated', 20 * 60_000);
    cluster.pass(30_000);
    assert.ok(exists(cluster, name));
    setReady(cluster, name, false);
    cluster.until(() => !exists(cluster, name), 10_000);
  });
});

function setReady({ admin, kernel }: TestCluster, name: string, isReady: boolean): void {
  const status = { conditions: [readyCondition(isReady, kernel.nowMs())] };
  assert.ok(admin.patch('Node', name, 'strategic', { status }, 'status').ok);
}

describe('cloud controller: initialization', () => {
  it('sets labels, addresses and the providerID, and takes the taint away', () => {
    const { cluster, fleet, texts } = setUp('1.34');
    const { id, name, providerId } = fleet.launch();
    cluster.pass(60_000);
    join(cluster, name, '', true);
    cluster.until(() => texts().includes('Successfully initialized'), 2000);
    const node = cluster.admin.get('Node', name) ?? {};
    assert.equal(textAt(node, 'spec.providerID'), providerId);
    const labels = at(node, 'metadata.labels') as Record<string, string>;
    assert.equal(labels['node.kubernetes.io/instance-type'], 'm6i.large');
    assert.equal(labels['topology.kubernetes.io/zone'], 'us-west-2a');
    assert.ok(!JSON.stringify(at(node, 'spec.taints') ?? []).includes('uninitialized'));
    assert.deepEqual(
      listAt(node, 'status.addresses').map((entry) => textAt(entry, 'type')),
      ['InternalIP', 'InternalDNS', 'Hostname'],
    );
    assert.ok(eventTexts(cluster.admin).includes('Synced Node synced successfully'));
    assert.ok(id.startsWith('i-'));
  });

  it('needs the tag of the cluster to find an instance by its name', () => {
    const { cluster, fleet } = setUp('1.34');
    const { id, name } = fleet.launch({});
    cluster.pass(60_000);
    join(cluster, name, '', true);
    cluster.pass(30_000);
    const isInitialised = (): boolean =>
      textAt(cluster.admin.get('Node', name) ?? {}, 'spec.providerID') !== null;
    assert.equal(isInitialised(), false);
    cluster.world.aws.controls.setTags(id, { [`kubernetes.io/cluster/${CLUSTER}`]: 'owned' });
    cluster.until(isInitialised, 45_000);
  });

  it('a role that may not ask keeps Node and taint, and says so in the log only', () => {
    const { cluster, fleet, texts } = setUp('1.37');
    cluster.world.aws.controls.denyRole('cloud-controller-manager', 'ec2:DescribeInstances');
    const { name, providerId } = fleet.launch();
    join(cluster, name, providerId);
    cluster.pass(30_000);
    assert.ok(exists(cluster, name));
    assert.deepEqual(eventTexts(cluster.admin), []);
    assert.match(
      texts(),
      /error checking if node \S+ exists: error listing AWS instances: "operation error EC2: DescribeInstances, https response error StatusCode: 403, RequestID: [0-9a-f-]{36}, api error UnauthorizedOperation: /,
    );
  });

  it('a stopped controller deletes and initializes nothing, and a started one continues', () => {
    const { cluster, controller } = setUp('1.29');
    controller.stop();
    join(cluster, UNKNOWN);
    cluster.pass(60_000);
    assert.ok(exists(cluster, UNKNOWN));
    controller.start();
    cluster.until(() => !exists(cluster, UNKNOWN), 10_000);
  });
});

describe('verdictOf', () => {
  it('keeps a running instance and an answer that is not one', () => {
    const instance = { State: { Name: 'running' } };
    assert.deepEqual(verdictOf({ kind: 'found', instance }, true), { kind: 'keep' });
    const refused = { kind: 'refused', message: 'throttled', isThrottled: true } as const;
    assert.deepEqual(verdictOf(refused, true), { kind: 'error', message: 'throttled' });
  });
});
