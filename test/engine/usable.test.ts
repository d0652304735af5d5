import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { diagnoseTexts } from '../../src/engine/diagnose.ts';
import { exitCodeOf } from '../../src/apps/cli/exit-code.ts';
import type { Json, JsonObject } from '../../src/evidence/json.ts';

const NAME = 'ip-10-0-0-1.eu-west-1.compute.internal';
const ID = 'i-0abc1234def567890';
const INSTANCE = {
  InstanceId: ID,
  PrivateDnsName: NAME,
  PrivateIpAddress: '10.0.0.1',
  State: { Name: 'running' },
};

function node(change: Readonly<Record<string, Json>> = {}): Json {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: NAME, uid: 'u' },
    spec: { providerID: `aws:///eu-west-1a/${ID}`, ...change },
    status: {
      conditions: [{ type: 'Ready', status: 'True' }],
      nodeInfo: { kubeletVersion: 'v1.31.2' },
    },
  };
}

function pod(env: readonly Json[] = []): Json {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-1', namespace: 'shop' },
    spec: { nodeName: NAME, containers: [{ name: 'web', env }] },
    status: { phase: 'Running', podIP: '10.0.0.77' },
  };
}

async function verdictOf(
  ...answers: readonly Json[]
): Promise<readonly [string | undefined, string | null | undefined, number]> {
  const document = await diagnoseTexts(
    answers.map((answer, index) => ({ name: `${index}.json`, text: JSON.stringify(answer) })),
  );
  const [subject] = document.subjects;
  return [subject?.verdict, subject?.stage, exitCodeOf(document)];
}

describe('a machine that works', () => {
  const ec2 = { Reservations: [{ Instances: [INSTANCE] }] };

  test('is usable when every stage was seen to hold', async () => {
    assert.deepEqual(await verdictOf(ec2, node(), pod()), ['usable', null, 0]);
  });

  test('is unknown without the EC2 name', async () => {
    assert.deepEqual(await verdictOf(node(), pod()), ['cannot-tell', 'identified', 2]);
  });

  test('is unknown while a pod asks for an identity without a sign that it uses it', async () => {
    const asking = pod([{ name: 'AWS_ROLE_ARN', value: 'arn:aws:iam::111122223333:role/web' }]);
    assert.deepEqual(await verdictOf(ec2, node(), asking), ['cannot-tell', 'credentialed', 2]);
  });

  test('is unknown when it is cordoned or tainted', async () => {
    assert.deepEqual(
      (await verdictOf(ec2, node({ unschedulable: true }), pod()))[0] === 'usable',
      false,
    );
    const tainted = node({ taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] });
    assert.deepEqual((await verdictOf(ec2, tainted, pod()))[0] === 'usable', false);
  });

  test('is registered when its Node is there, though it is not Ready', async () => {
    const found = node() as JsonObject;
    const conditions = [{ type: 'Ready', status: 'Unknown' }];
    const stateOf = async (change: JsonObject, nodeInfo: JsonObject) => {
      const status = { conditions, nodeInfo };
      const spec = { ...(found['spec'] as JsonObject), ...change };
      const text = JSON.stringify({ ...found, spec, status });
      const { subjects } = await diagnoseTexts([{ name: 'node.json', text }]);
      return subjects[0]?.ladder.find(({ stage }) => stage === 'registered')?.state;
    };
    const taint = { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true' };
    const taints = [{ ...taint, effect: 'NoSchedule' }];
    const nodeInfo = { kubeletVersion: 'v1.31.2' };
    assert.equal(await stateOf({}, nodeInfo), 'passed');
    assert.notEqual(await stateOf({}, {}), 'passed');
    assert.notEqual(await stateOf({ taints }, nodeInfo), 'passed');
  });

  test('is unknown from a table of Nodes alone', async () => {
    const text = `NAME   STATUS   ROLES    AGE   VERSION\n${NAME}   Ready   <none>   9d   v1.31.2\n`;
    const document = await diagnoseTexts([{ name: 'n.txt', text }]);
    assert.equal(document.subjects[0]?.verdict, 'cannot-tell');
  });
});

describe('the status checks of an instance', () => {
  /** How the rung of the launch stands, with these checks of EC2. */
  const launched = async (instance: string, system: string, state = 'running') => {
    const checks = {
      InstanceId: ID,
      InstanceState: { Name: state },
      InstanceStatus: { Status: instance },
      SystemStatus: { Status: system },
    };
    const text = JSON.stringify({ InstanceStatuses: [checks] });
    const { subjects } = await diagnoseTexts([{ name: 'status.json', text }]);
    return subjects[0]?.ladder.find(({ stage }) => stage === 'launched')?.state;
  };

  test('show that it was launched when both are passed', async () => {
    assert.equal(await launched('ok', 'ok'), 'passed');
  });

  for (const status of ['impaired', 'initializing', 'insufficient-data', 'not-applicable'])
    test(`show nothing passed while one of the two is ${status}`, async () => {
      assert.notEqual(await launched('ok', status), 'passed', 'of the system');
      assert.notEqual(await launched(status, 'ok'), 'passed', 'of the instance');
    });

  test('show nothing passed of an instance that does not run', async () => {
    assert.notEqual(await launched('ok', 'ok', 'stopping'), 'passed');
  });
});

test('a machine is unknown while EC2 shows no address that the VPC CNI could assign', async () => {
  const verdictWith = async (one: JsonObject): Promise<string | undefined> => {
    const shownWhole = { NetworkInterfaceId: 'eni-0a1b2c3d4e5f60718', ...one };
    const instance = { ...INSTANCE, NetworkInterfaces: [shownWhole] };
    const shown = { Reservations: [{ Instances: [instance] }] };
    return (await verdictOf(shown, node(), awsNode))[0];
  };
  const awsNode: Json = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'aws-node-x7k2p', namespace: 'kube-system' },
    spec: { nodeName: NAME, hostNetwork: true, containers: [{ name: 'aws-node' }] },
    status: {
      phase: 'Running',
      podIP: '10.0.0.1',
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  };
  const own = { PrivateIpAddress: '10.0.0.1', Primary: true };
  assert.equal(await verdictWith({ PrivateIpAddresses: [own] }), 'cannot-tell');
  const second = { PrivateIpAddress: '10.0.0.78', Primary: false };
  assert.equal(await verdictWith({ PrivateIpAddresses: [own, second] }), 'usable');
  const prefixed = { PrivateIpAddresses: [own], Ipv4Prefixes: [{ Ipv4Prefix: '10.0.0.16/28' }] };
  assert.equal(await verdictWith(prefixed), 'usable');
  assert.equal(await verdictWith({}), 'usable', 'nobody said which addresses it has');
});

describe('sandboxes that were not created while the pod network came up', () => {
  const event = (reason: string, name: string, message: string, at: string): Json => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name}.${reason}`, namespace: 'shop' },
    type: reason === 'Started' ? 'Normal' : 'Warning',
    reason,
    message,
    lastTimestamp: at,
    source: { component: 'kubelet', host: NAME },
    involvedObject: { kind: 'Pod', namespace: 'shop', name },
  });
  const failed = event(
    'FailedCreatePodSandBox',
    'web-1',
    'Failed to create pod sandbox: plugin type="aws-cni" name="aws-cni" failed (add)',
    '2026-03-01T09:00:10Z',
  );
  const started = (name: string): Json =>
    event('Started', name, 'Started container web', '2026-03-01T09:00:40Z');
  const ec2 = { Reservations: [{ Instances: [INSTANCE] }] };
  const answers = [node(), pod(), ec2, failed];

  test('do not count once a pod has started there', async () => {
    assert.equal((await verdictOf(...answers, started('web-1')))[0], 'usable');
  });

  test('stand while only programs of the host network have', async () => {
    const [verdict, stage] = await verdictOf(...answers, started('aws-node-x7k2p'));
    assert.deepEqual([verdict, stage], ['not-usable', 'networked']);
  });
});

describe('a Node under a name that EC2 does not give', () => {
  const ec2 = { Reservations: [{ Instances: [INSTANCE] }] };
  const named = (addresses: readonly Json[], taints: readonly Json[] = []): Json => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'worker-1', uid: 'u' },
    spec: { providerID: `aws:///eu-west-1a/${ID}`, taints },
    status: {
      addresses,
      conditions: [{ type: 'Ready', status: 'True' }],
      nodeInfo: { kubeletVersion: 'v1.31.2' },
    },
  });
  const onIt = { ...(pod() as JsonObject), spec: { nodeName: 'worker-1', containers: [] } };
  const initialised = [
    { type: 'InternalIP', address: '10.0.0.1' },
    { type: 'InternalDNS', address: NAME },
  ];

  test('is identified when the cloud controller wrote whose it is', async () => {
    assert.equal((await verdictOf(named(initialised), onIt, ec2))[0], 'usable');
  });

  test('is not initialized before the cloud controller has done so', async () => {
    assert.deepEqual(await verdictOf(named([]), onIt, ec2), ['cannot-tell', 'identified', 2]);
    const waiting = {
      key: 'node.cloudprovider.kubernetes.io/uninitialized',
      value: 'true',
      effect: 'NoSchedule',
    };
    assert.notEqual((await verdictOf(named(initialised, [waiting]), onIt, ec2))[0], 'usable');
  });
});
