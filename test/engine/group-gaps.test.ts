import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnoseTexts } from '../../src/engine/diagnose.ts';
import type { JsonObject } from '../../src/evidence/json.ts';

const COLLECTION = {
  apiVersion: 'evidence.rollcall.dev/v1alpha1',
  kind: 'Collection',
  at: '2026-11-20T09:02:44Z',
  cluster: 'shop',
  refusals: [],
};

function group(desired: number, states: readonly string[], more: JsonObject = {}): JsonObject {
  const Instances = states.map((LifecycleState, index) => {
    return { InstanceId: `i-0aaaaaaaaaaaaaa0${index}`, LifecycleState };
  });
  return { AutoScalingGroupName: 'workers-1', DesiredCapacity: desired, Instances, ...more };
}

function activity(StatusCode: string, StatusMessage: string): JsonObject {
  return {
    AutoScalingGroupName: 'workers-1',
    StatusCode,
    StatusMessage,
    StartTime: '2026-11-20T09:00:00Z',
  };
}

/** Subjects that are groups, by what the diagnosis says of them. */
async function groupsOf(groups: readonly JsonObject[], activities: readonly JsonObject[]) {
  const text = (value: JsonObject): string => JSON.stringify(value);
  const { subjects } = await diagnoseTexts([
    { name: 'collection.json', text: text(COLLECTION) },
    { name: 'groups.json', text: text({ AutoScalingGroups: [...groups] }) },
    { name: 'activities.json', text: text({ Activities: [...activities] }) },
  ]);
  return subjects
    .filter(({ kind }) => kind !== 'Machine')
    .map(({ kind, name, verdict, ladder, findings }) => ({
      subject: `${kind} ${name} ${verdict}`,
      said: ladder.flatMap(({ evidence }) => evidence).map(({ excerpt }) => excerpt),
      findings: findings.map(({ cause, confidence }) => `${cause} ${confidence}`),
    }));
}

test('a gap that nothing explains is open, with the reason that was given', async () => {
  const why = 'Something that nobody has written down yet. Launching EC2 instance failed.';
  const tags = { Tags: [{ Key: 'eks:nodegroup-name', Value: 'workers' }] };
  assert.deepEqual(await groupsOf([group(2, ['InService'], tags)], [activity('Failed', why)]), [
    {
      subject: 'AutoScalingGroup workers-1 not-usable',
      said: [
        `Auto Scaling group workers-1 (node group workers) has 1 of 2 machines; its last activity Failed: ${why}`,
      ],
      findings: ['insufficient-instance-capacity possible'],
    },
  ]);
});

test('a gap that a cause explains is that cause alone', async () => {
  const suspended = { SuspendedProcesses: [{ ProcessName: 'Launch', SuspensionReason: 'User' }] };
  const told = await groupsOf([group(2, ['InService'], suspended)], []);
  assert.deepEqual(
    told.map(({ findings }) => findings),
    [['asg-suspended-or-hook-pending definite']],
  );
});

const quiet = [
  { title: 'a full group', groups: [group(1, ['InService'])], activities: [] },
  { title: 'a machine that starts', groups: [group(1, ['Pending'])], activities: [] },
  {
    title: 'a launch under way',
    groups: [group(2, ['InService'])],
    activities: [activity('PreInService', '')],
  },
  {
    title: 'instances that count as their weights say',
    groups: [
      {
        ...group(8, []),
        Instances: [{ LifecycleState: 'InService', WeightedCapacity: '8' }],
      },
    ],
    activities: [],
  },
  {
    title: 'a group that counts vCPUs',
    groups: [group(8, ['InService'], { DesiredCapacityType: 'vcpu' })],
    activities: [],
  },
  {
    title: 'a group that is being deleted',
    groups: [group(2, ['InService'], { Status: 'Delete in progress' })],
    activities: [],
  },
];

for (const { title, groups, activities } of quiet) {
  test(`no gap: ${title}`, async () => {
    assert.deepEqual(await groupsOf(groups, activities), []);
  });
}

test('counts a node group without its Auto Scaling group by its instances', async () => {
  const nodegroup = {
    nodegroupName: 'workers',
    clusterName: 'shop',
    status: 'DEGRADED',
    scalingConfig: { desiredSize: 2 },
    health: { issues: [{ code: 'SomethingNew', message: 'nobody has written this down yet' }] },
  };
  const { subjects } = await diagnoseTexts([
    { name: 'collection.json', text: JSON.stringify(COLLECTION) },
    { name: 'nodegroup.json', text: JSON.stringify({ nodegroup }) },
    { name: 'instances.json', text: JSON.stringify({ Reservations: [] }) },
  ]);
  const said = subjects.flatMap(({ kind, ladder }) =>
    ladder.flatMap(({ evidence }) => evidence.map(({ excerpt }) => `${kind}: ${excerpt}`)),
  );
  assert.deepEqual(said, [
    'NodeGroup: node group workers has 0 of 2 machines; EKS says SomethingNew: nobody has written this down yet',
  ]);
});
