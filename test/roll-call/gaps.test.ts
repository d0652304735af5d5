import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gapSentence } from '../../src/diagnosis/roll-call/gaps.ts';
import {
  finding,
  instance,
  instanceId,
  machine,
  node,
  rollCall,
  subject,
  tags,
} from './fixtures.ts';

const WORKERS = { 'eks:nodegroup-name': 'workers', 'aws:autoscaling:groupName': 'eks-workers-1' };

function scaling(desired: number, present: readonly number[]): Record<string, unknown> {
  return {
    AutoScalingGroupName: 'eks-workers-1',
    DesiredCapacity: desired,
    Instances: present.map((n) => ({ InstanceId: instanceId(n), LifecycleState: 'InService' })),
    ...tags({ 'eks:nodegroup-name': 'workers' }),
  };
}

const gone = (n: number, code: string, change: object = {}): Record<string, unknown> =>
  instance(n, {
    State: { Name: 'terminated' },
    StateReason: { Code: code, Message: `${code}: gone` },
    PrivateIpAddress: '',
    PrivateDnsName: '',
    ...change,
  });
const idsOf = async (...args: Parameters<typeof rollCall>): Promise<(string | null)[]> =>
  (await rollCall(...args)).rows.map((row) => row.instanceId);

describe('machines that are gone', () => {
  test('shows the newest missing machines of a group as rows and reports the gap', async () => {
    const terminated = [2, 3, 4].map((n) =>
      gone(n, 'Client.UserInitiatedShutdown', {
        ...tags(WORKERS),
        LaunchTime: `2026-03-01T0${n}:00:00Z`,
      }),
    );
    const document = await rollCall(
      { instances: [instance(1, tags(WORKERS)), ...terminated], scaling: [scaling(2, [1])] },
      [machine(1)],
    );
    assert.deepEqual(
      document.rows.map((row) => row.instanceId),
      [instanceId(4), instanceId(1)],
    );
    assert.deepEqual(document.gaps, [
      {
        group: { kind: 'NodeGroup', name: 'workers' },
        desired: 2,
        present: 1,
        verdict: 'cannot-tell',
        headline: null,
      },
    ]);
    assert.match(document.rows[0]?.note ?? '', /^EC2 reports it as terminated \(Client/);
  });
});

describe('gone machines that no group lacks', () => {
  test('without a gap or a Node, gives no row to a machine that was asked to go', async () => {
    assert.deepEqual(await idsOf({ instances: [gone(1, 'Client.UserInitiatedShutdown')] }, []), []);
    assert.deepEqual(await idsOf({ instances: [gone(1, 'Server.SpotInstanceTermination')] }, []), [
      instanceId(1),
    ]);
  });

  test('does not apply facts of a terminated instance to one with the same name', async () => {
    const past = machine(1, { instanceId: instanceId(99), verdict: 'not-usable' });
    const { rows } = await rollCall({ instances: [instance(1)] }, [past, machine(1)]);
    assert.deepEqual(
      rows.map((row) => [row.instanceId, row.verdict]),
      [
        [instanceId(99), 'not-usable'],
        [instanceId(1), 'usable'],
      ],
    );
  });

  test('one whose Node is left is a row', async () => {
    const sources = { instances: [gone(1, 'Client.UserInitiatedShutdown')], nodes: [node(1)] };
    assert.deepEqual(await idsOf(sources, []), [instanceId(1)]);
  });

  test('a subject in no complete list is a row only when something is known against it', async () => {
    const sources = { instances: [], nodes: [] };
    const known = machine(1, { verdict: 'not-usable', findings: [finding('node-deleted')] });
    assert.deepEqual(await idsOf(sources, [known]), [instanceId(1)]);
    assert.deepEqual(await idsOf(sources, [machine(1, { verdict: 'cannot-tell' })]), []);
    assert.deepEqual(await idsOf({}, [machine(1, { verdict: 'cannot-tell' })]), [instanceId(1)]);
  });
});

describe('gaps', () => {
  test('a group that has what it wants has none', async () => {
    const { gaps } = await rollCall({ scaling: [scaling(1, [1])] }, []);
    assert.deepEqual(gaps, []);
  });

  test('instances of a mixed instances policy count as their weights say', async () => {
    const weighed = (desired: number): Record<string, unknown> => ({
      ...scaling(desired, []),
      Instances: [
        { InstanceId: instanceId(1), LifecycleState: 'InService', WeightedCapacity: '4' },
        { InstanceId: instanceId(2), LifecycleState: 'Pending', WeightedCapacity: '8' },
      ],
    });
    assert.deepEqual((await rollCall({ scaling: [weighed(12)] }, [])).gaps, []);
    const [gap] = (await rollCall({ scaling: [weighed(16)] }, [])).gaps;
    assert.deepEqual([gap?.desired, gap?.present], [16, 12]);
  });

  test('reports no shortfall for a group that counts vCPUs or memory', async () => {
    const counted = { ...scaling(8, [1]), DesiredCapacityType: 'vcpu' };
    const nodeGroups = [
      { nodegroupName: 'workers', status: 'ACTIVE', scalingConfig: { desiredSize: 8 } },
    ];
    const instances = [instance(1, tags(WORKERS))];
    assert.deepEqual((await rollCall({ scaling: [counted], nodeGroups, instances }, [])).gaps, []);
  });

  test('what the diagnosis says of the group is its headline', async () => {
    const group = subject({
      kind: 'NodeGroup',
      name: 'workers',
      verdict: 'not-usable',
      findings: [finding('insufficient-capacity', { stage: 'launched' })],
    });
    const { gaps } = await rollCall({ scaling: [scaling(3, [])] }, [group]);
    assert.deepEqual(
      [gaps[0]?.verdict, gaps[0]?.headline?.cause],
      ['not-usable', 'insufficient-capacity'],
    );
  });

  test('a node group is counted by its instances only when they were listed', async () => {
    const nodeGroups = [
      { nodegroupName: 'workers', status: 'ACTIVE', scalingConfig: { desiredSize: 2 } },
    ];
    const unlisted = await rollCall({ nodeGroups }, []);
    const listed = await rollCall({ nodeGroups, instances: [instance(1, tags(WORKERS))] }, []);
    assert.deepEqual(unlisted.gaps, []);
    assert.deepEqual([listed.gaps[0]?.desired, listed.gaps[0]?.present], [2, 1]);
  });

  test('a node group is not counted twice when its Auto Scaling group was read', async () => {
    const nodeGroups = [
      {
        nodegroupName: 'managed',
        status: 'ACTIVE',
        scalingConfig: { desiredSize: 2 },
        resources: { autoScalingGroups: [{ name: 'eks-workers-1' }] },
      },
    ];
    const { gaps } = await rollCall(
      { nodeGroups, scaling: [scaling(1, [1])], instances: [instance(1, tags(WORKERS))] },
      [],
    );
    assert.deepEqual(gaps, []);
  });
});

const managed = (change: object = {}): object => ({
  nodegroupName: 'workers',
  status: 'ACTIVE',
  scalingConfig: { desiredSize: 2 },
  ...change,
});
const gapsIn = async (...args: Parameters<typeof rollCall>): Promise<readonly string[]> =>
  (await rollCall(...args)).gaps.map(gapSentence);
const words = 'NodeGroup workers has 1 of 2 machines';

describe('gaps of groups without a full description', () => {
  test('are not reported for a deleted node group, or one without a name or a desired size', async () => {
    const instances = [instance(1, tags(WORKERS))];
    const gapOf = async (change: object): Promise<readonly string[]> =>
      gapsIn({ nodeGroups: [managed(change)], instances }, []);
    assert.deepEqual(await gapOf({}), [words]);
    assert.deepEqual(await gapOf({ status: 'DELETING' }), []);
    assert.deepEqual(await gapOf({ scalingConfig: {} }), []);
    assert.deepEqual(await gapOf({ scalingConfig: { desiredSize: -1 } }), []);
    assert.deepEqual(await gapOf({ scalingConfig: { desiredSize: 1.5 } }), []);
    assert.deepEqual(await gapOf({ scalingConfig: { desiredSize: 0 } }), []);
  });

  test('are not reported for an Auto Scaling group without a name or a desired size', async () => {
    const { AutoScalingGroupName: _, ...nameless } = scaling(2, [1]);
    const { DesiredCapacity: __, ...wishless } = scaling(2, [1]);
    assert.deepEqual(await gapsIn({ scaling: [nameless] }, []), []);
    assert.deepEqual(await gapsIn({ scaling: [wishless] }, []), []);
    const { Tags: ___, ...plain } = scaling(2, [1]);
    assert.deepEqual(await gapsIn({ scaling: [plain] }, []), [
      'AutoScalingGroup eks-workers-1 has 1 of 2 machines',
    ]);
  });
});

describe('gaps of groups', () => {
  test('count instances that have not ended, of the group alone', async () => {
    const instances = [
      instance(1, tags(WORKERS)),
      gone(2, 'Server.InternalError', tags(WORKERS)),
      instance(3, tags({ 'eks:nodegroup-name': 'other' })),
      instance(4),
    ];
    const group = { 'eks.amazonaws.com/nodegroup': 'workers' };
    const sources = { nodeGroups: [managed()], instances, nodes: [node(9, { labels: group })] };
    assert.deepEqual(await gapsIn(sources, []), [words]);
  });

  test('are reported once for each group, in its newest state', async () => {
    const instances = [instance(1, tags(WORKERS))];
    const later = managed({ scalingConfig: { desiredSize: 5 } });
    const other = managed({ nodegroupName: 'other' });
    assert.deepEqual(await gapsIn({ nodeGroups: [managed(), other, later], instances }, []), [
      'NodeGroup workers has 1 of 5 machines',
      'NodeGroup other has 0 of 2 machines',
    ]);
    const twice = [scaling(3, [1]), scaling(1, [1])];
    assert.deepEqual(await gapsIn({ scaling: twice }, []), []);
  });

  test('have the headline of the group, by either of its names', async () => {
    const findings = [finding('insufficient-capacity', { stage: 'launched' })];
    const told = async (change: object): Promise<readonly string[]> =>
      gapsIn({ scaling: [scaling(2, [1])] }, [
        subject({ kind: 'NodeGroup', verdict: 'not-usable', findings, ...change }),
      ]);
    const explained = [`${words}: insufficient-capacity`];
    assert.deepEqual(await told({ name: 'workers' }), explained);
    assert.deepEqual(await told({ kind: 'AutoScalingGroup', name: 'eks-workers-1' }), explained);
    assert.deepEqual(await told({ name: 'other' }), [words]);
    assert.deepEqual(await told({ kind: 'Machine', name: 'workers' }), [words]);
    assert.deepEqual(await told({ kind: 'Cluster', name: 'workers' }), [words]);
  });
});
