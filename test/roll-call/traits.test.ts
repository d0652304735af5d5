import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  attributesOf,
  currentNode,
  labelsOf,
  tagsOf,
  traitsOf,
  unmetCondition,
} from '../../src/diagnosis/roll-call/attributes.ts';
import { assembleRoll, type CalledMachine } from '../../src/diagnosis/roll-call/machines.ts';
import { isoMs } from '../../src/evidence/time.ts';
import { readTexts } from '../../src/engine/pile.ts';
import { diagnosis, instance, node, rollCall, type Sources, tags, textsOf } from './fixtures.ts';
import { awsOf, objectOf } from '../../src/evidence/testing.ts';
import type { JsonObject } from '../../src/evidence/json.ts';

async function machineOf(sources: Sources): Promise<CalledMachine> {
  const observations = await readTexts(textsOf(sources));
  const [machine] = assembleRoll(diagnosis([]), observations, [], true).machines;
  return machine ?? assert.fail('no machine');
}

async function attributes(change: object, nodes: readonly object[] = []) {
  const machine = await machineOf({ instances: [instance(1, { ...change })], nodes });
  return attributesOf(machine, traitsOf(machine, labelsOf(machine)));
}

describe('a stamp', () => {
  const AT = Date.UTC(2026, 2, 1, 9, 5, 7);
  for (const [text, ms] of [
    ['2026-03-01T09:05:07Z', AT],
    ['2026-03-01T09:05:07.250Z', AT + 250],
    ['2026-03-01T09:05:07.125000Z', AT + 125],
    ['2026-03-01T09:05:07+00:00', AT],
    ['2026-03-01T11:35:07+02:30', AT],
    ['2026-03-01T11:35:07+0230', AT],
    ['2026-03-01T06:35:07-02:30', AT],
    ['2026-03-01T09:05:07', null],
    ['2026-03-01 09:05:07Z', null],
    ['at 2026-03-01T09:05:07Z', null],
    ['2026-03-01T09:05:07Z sharp', null],
    ['', null],
  ] as const)
    test(`${text} is ${ms}`, () => assert.equal(isoMs(text), ms));

  test('that is empty is missing', () => {
    assert.equal(isoMs(undefined), null);
    assert.equal(isoMs(null), null);
  });
});

test('tags without a key are left out, and those without a value are empty', () => {
  const Tags = [{ Key: 'a', Value: 'x' }, { Key: 'b' }, { Value: 'y' }];
  assert.deepEqual(tagsOf(awsOf('aws/instance', { Tags })), { a: 'x', b: '' });
  assert.deepEqual(tagsOf(null), {});
});

describe('the Node of a machine that has several', () => {
  const named = (name: string, created: string, ready: 'True' | 'False' = 'False') =>
    node(1, { name, created, ready });
  const nameOf = async (...nodes: readonly object[]): Promise<string | undefined> =>
    currentNode(await machineOf({ nodes }))?.name;
  const [old, young] = ['2026-03-01T09:00:00Z', '2026-03-01T10:00:00Z'];

  test('is the Ready one, else the youngest', async () => {
    const nodes = [named('a', old), named('b', young), named('c', old)];
    assert.equal(await nameOf(...nodes), 'b');
    assert.equal(await nameOf(...nodes.toReversed()), 'b');
    assert.equal(await nameOf(...nodes, named('d', old, 'True')), 'd');
    assert.equal(await nameOf(named('d', old, 'True'), ...nodes), 'd');
  });

  test('is missing where the machine has none', async () => {
    assert.equal(currentNode(await machineOf({ instances: [instance(1)] })), null);
  });
});

describe('what machines are compared by', () => {
  test('comes from EC2 for the instance and from the Node for its kubelet', async () => {
    const change = {
      IamInstanceProfile: { Arn: 'arn:aws:iam::123456789012:instance-profile/path/nodes' },
      ...tags({
        'aws:ec2launchtemplate:id': 'lt-1',
        'aws:ec2launchtemplate:version': '7',
        'eks:nodegroup-name': 'workers',
      }),
    };
    assert.deepEqual(await attributes(change, [node(1)]), {
      subnet: 'subnet-0aaaaaaaaaaaaaaa1',
      image: 'ami-0aaaaaaaaaaaaaaa1',
      launchTemplate: 'lt-1:7',
      zone: 'eu-west-1a',
      instanceType: 'm5.large',
      role: 'nodes',
      kubeletVersion: 'v1.31.2',
      group: 'workers',
    });
  });

  test('leaves out what no source shows', async () => {
    const bare = {
      SubnetId: undefined,
      ImageId: undefined,
      Placement: undefined,
      InstanceType: undefined,
    };
    assert.deepEqual(await attributes(bare), {});
  });

  test('takes the subnet of the first interface, and a template without its version', async () => {
    const change = {
      SubnetId: undefined,
      NetworkInterfaces: [{ SubnetId: 'subnet-b' }, { SubnetId: 'subnet-c' }],
      ...tags({ 'aws:ec2launchtemplate:id': 'lt-1' }),
    };
    const { subnet, launchTemplate } = await attributes(change);
    assert.deepEqual([subnet, launchTemplate], ['subnet-b', 'lt-1']);
    const versionAlone = tags({ 'aws:ec2launchtemplate:version': '7' });
    assert.equal((await attributes(versionAlone)).launchTemplate, undefined);
  });
});

describe('the traits of a row', () => {
  test('come from old labels without new ones', async () => {
    const labels = {
      'beta.kubernetes.io/instance-type': 'c5.large',
      'failure-domain.beta.kubernetes.io/zone': 'eu-west-1b',
      'karpenter.sh/provisioner-name': 'default',
    };
    const [row] = (await rollCall({ nodes: [node(1, { labels })] }, [])).rows;
    assert.deepEqual(
      [row?.instanceType, row?.zone, row?.group, row?.launchedAt],
      ['c5.large', 'eu-west-1b', { kind: 'NodePool', name: 'default' }, null],
    );
  });

  test('name the most particular group, and none where the name is empty', async () => {
    const groupOf = async (texts: Readonly<Record<string, string>>) =>
      (await rollCall({ instances: [instance(1, tags(texts))] }, [])).rows[0]?.group;
    const asg = { 'aws:autoscaling:groupName': 'asg' };
    assert.deepEqual(await groupOf({ ...asg, 'eks:nodegroup-name': 'ng' }), {
      kind: 'NodeGroup',
      name: 'ng',
    });
    assert.deepEqual(await groupOf({ ...asg, 'eks:nodegroup-name': '' }), {
      kind: 'AutoScalingGroup',
      name: 'asg',
    });
    assert.deepEqual(await groupOf({}), { kind: 'none', name: null });
  });

  test('show the image of a claim until EC2 answers, and the time of launch when it is one', async () => {
    const claim = {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { name: 'spot-x1' },
      status: { imageID: 'ami-claim' },
    };
    const [row] = (await rollCall({ objects: [claim] }, [])).rows;
    assert.equal(row?.image, 'ami-claim');
    const odd = { instances: [instance(1, { LaunchTime: 'yesterday' })] };
    assert.equal((await rollCall(odd, [])).rows[0]?.launchedAt, null);
  });
});

test('a condition that is not met says its reason and message, and one that is met nothing', () => {
  const unmet = (...conditions: readonly JsonObject[]): string | null =>
    unmetCondition(
      objectOf('NodeClaim', 'spot-x1', { status: { conditions: [...conditions] } }),
      'Launched',
    );
  const other = { type: 'Ready', status: 'False', reason: 'Other' };
  const launched = { type: 'Launched', status: 'False' };
  assert.equal(unmet(other, { ...launched, reason: 'R', message: 'm' }), 'R: m');
  assert.equal(unmet({ ...launched, reason: '', message: 'm' }), 'm');
  assert.equal(unmet({ ...launched, reason: 'R' }), 'R');
  assert.equal(unmet(launched), null);
  assert.equal(unmet({ ...launched, status: 'True', reason: 'R' }), null);
  assert.equal(unmet(other), null);
});
