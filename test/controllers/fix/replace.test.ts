/** Machines that are replaced: by whom, what keeps them, and what came in their place. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  fixNodes,
  machinesNamedIn,
  type NodesEnd,
} from '../../../src/controllers/fix/node/fix-node.ts';
import { BUDGETS } from '../../../src/controllers/fix/node/replace-sights.ts';
import type { FixStep } from '../../../src/controllers/fix/fix.ts';
import { NODE_CLAIMS } from '../../../src/controllers/spot/actions.ts';
import type { DiagnosisDocument } from '../../../src/diagnosis/document.ts';
import type { MachineToReplace } from '../../../src/diagnosis/repair.ts';
import { findingOf } from '../../../src/diagnosis/testing.ts';
import { isEqual } from '../../../src/evidence/equal.ts';
import type { JsonObject } from '../../../src/evidence/json.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import { nodeScene, type NodeScene } from './node-scene.ts';

const ID = 'i-0123456789abcdef0';
const NEXT = 'i-0fedcba9876543210';
const NAME = 'n1';
const CAUSE = 'hardware-or-kernel-fault';

interface Machine {
  readonly node?: JsonObject | null;
  readonly member?: JsonObject;
  readonly group?: JsonObject;
  readonly state?: string;
  /** False where the group launches nothing. */
  readonly isFollowed?: boolean;
}

function providerOf(id: string): string {
  return `aws:///us-west-2a/${id}`;
}

/** A machine of a group that launches another once the machine has gone. */
function machine(parts: Machine = {}): NodeScene {
  const { node = {}, member = {}, group = {}, state = 'running', isFollowed = true } = parts;
  const at = nodeScene();
  for (const kind of [BUDGETS, NODE_CLAIMS]) at.api.serve(kind);
  if (node !== null) at.layNode(NAME, { providerID: providerOf(ID), ...node });
  const hasGone = (): boolean => at.calls.length > 0;
  at.aws.answer('ec2:DescribeInstances', () => {
    const Name = hasGone() ? 'shutting-down' : state;
    return [{ Reservations: [{ Instances: [{ InstanceId: ID, State: { Name } }] }] }];
  });
  at.aws.answer('autoscaling:DescribeAutoScalingInstances', () => {
    const own = { InstanceId: ID, AutoScalingGroupName: 'workers', LifecycleState: 'InService' };
    const isNone = member['AutoScalingGroupName'] === null;
    return [{ AutoScalingInstances: isNone ? [] : [{ ...own, ...member }] }];
  });
  at.aws.answer('autoscaling:DescribeAutoScalingGroups', () => {
    if (hasGone() && isFollowed) at.layNode('n2', { providerID: providerOf(NEXT) });
    const Instances = [{ InstanceId: hasGone() ? NEXT : ID }];
    return [{ AutoScalingGroups: [{ AutoScalingGroupName: 'workers', Instances, ...group }] }];
  });
  return at;
}

function layClaim(at: NodeScene, more: JsonObject = {}): void {
  const metadata = { name: 'claim-1', ...more };
  at.api.put(NODE_CLAIMS, { metadata, status: { providerID: providerOf(ID) } });
}

function layBudget(at: NodeScene, disruptionsAllowed: number): void {
  at.api.put(BUDGETS, {
    metadata: { namespace: 'shop', name: 'cart' },
    spec: { selector: { matchLabels: { app: 'cart' } } },
    status: { disruptionsAllowed },
  });
}

interface Asked {
  readonly change?: Partial<MachineToReplace>;
  readonly isDryRun?: boolean;
  readonly ids?: readonly string[];
}

async function fixed(at: NodeScene, asked: Asked = {}): Promise<NodesEnd> {
  const { change = {}, isDryRun = false, ids = [ID] } = asked;
  const targets = ids.map((instanceId) => {
    const own = { instanceId, node: NAME, isOverOnceReady: false, says: 'its kernel fails' };
    return { cause: CAUSE, repair: { kind: 'replace-machine', ...own, ...change } as const };
  });
  const order = { id: 'node-1', isDryRun, targets, most: 3, waitMs: 60_000 };
  return await fixNodes(order, at.tools(isDryRun));
}

async function stepOf(at: NodeScene, asked: Asked = {}): Promise<FixStep> {
  return (await fixed(at, asked)).steps[0] ?? assert.fail('no step');
}

describe('a machine of an Auto Scaling group', () => {
  test('is ended without a smaller group, and the Node in its place awaited', async () => {
    const at = machine();
    at.layPod('cart-1', { node: NAME });
    const { steps, result } = await fixed(at);
    const step = steps[0] ?? assert.fail('no step');
    assert.equal(step.outcome, 'written', step.why);
    assert.match(step.why, /Node n2 of Auto Scaling group workers is Ready/);
    assert.deepEqual(step.diff, [
      `- ${ID} of Auto Scaling group workers, whose size stays`,
      '- Pod shop/cart-1 of ReplicaSet cart on n1',
    ]);
    assert.equal(result?.isReached, true);
    const input = { InstanceId: ID, ShouldDecrementDesiredCapacity: false };
    assert.deepEqual(
      at.calls.map((call) => call.input),
      [input],
    );
    assert.equal(at.notes[0]?.['does'], 'replace');
  });

  test('is shown in a dry run, and nothing is sent', async () => {
    const at = machine();
    const step = await stepOf(at, { isDryRun: true });
    assert.equal(step.outcome, 'would-write');
    assert.match(step.why, /AWS cannot check this beforehand; nothing was sent\.$/);
    assert.deepEqual([at.calls, at.notes], [[], []]);
  });

  test('whose end got no answer is looked for', async () => {
    const at = machine();
    at.lost.push(new PortError({ failure: 'unclear', message: 'no answer' }));
    assert.equal((await stepOf(at)).outcome, 'written');
    assert.equal(at.calls.length, 1);
  });

  test('that nothing follows keeps the next one', async () => {
    const at = machine({ isFollowed: false });
    at.aws.answer('ec2:DescribeInstances', ({ InstanceIds = [] }) => {
      const isLeaving = at.calls.length > 0 && isEqual(InstanceIds, [ID]);
      const State = { Name: isLeaving ? 'shutting-down' : 'running' };
      const Instances = [ID, NEXT].map((InstanceId) => ({ InstanceId, State }));
      return [{ Reservations: [{ Instances }] }];
    });
    const { steps, result } = await fixed(at, { ids: [ID, NEXT], change: { node: null } });
    assert.match(steps[0]?.why ?? '', /no other machine .* within 60 s/);
    assert.match(steps[1]?.why ?? '', /no Node is Ready in the place of i-0123456789abcdef0/);
    assert.equal(result?.isReached, false);
    assert.equal(at.calls.length, 1);
  });

  test('is ended where a budget allows it', async () => {
    const at = machine();
    at.layPod('cart-1', { node: NAME, labels: { app: 'cart' } });
    layBudget(at, 1);
    assert.equal((await stepOf(at)).outcome, 'written');
  });
});

describe('a machine of Karpenter', () => {
  test('has its NodeClaim deleted, as Karpenter empties it', async () => {
    const at = machine();
    layClaim(at);
    at.layPod('cart-1', { node: NAME, labels: { app: 'cart' } });
    layBudget(at, 0);
    const { steps, result } = await fixed(at);
    const step = steps[0] ?? assert.fail('no step');
    assert.equal(step.outcome, 'written', step.why);
    assert.match(step.why, /NodeClaim claim-1 is gone/);
    assert.equal(result?.isReached, true);
    assert.deepEqual([at.calls, at.api.objects(NODE_CLAIMS)], [[], []]);
  });

  test('is checked by the server in a dry run', async () => {
    const at = machine();
    layClaim(at);
    assert.equal((await stepOf(at, { isDryRun: true })).outcome, 'would-write');
    assert.equal(at.api.objects(NODE_CLAIMS).length, 1);
  });

  test('whose NodeClaim changed meanwhile stays', async () => {
    const at = machine();
    layClaim(at);
    at.before.push(() => layClaim(at, { labels: { a: 'b' } }));
    assert.equal((await stepOf(at)).outcome, 'conflict');
    assert.equal(at.api.objects(NODE_CLAIMS).length, 1);
  });

  test('that is being deleted needs nothing', async () => {
    const at = machine();
    layClaim(at, { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['karpenter.sh/t'] });
    assert.equal((await stepOf(at)).outcome, 'not-needed');
  });
});

describe('a machine stays', () => {
  const STAYING: readonly (readonly [string, Machine, FixStep['outcome'], RegExp])[] = [
    ['that EC2 has ended', { state: 'terminated' }, 'not-needed', /shows \S+ as terminated/],
    ['of nobody', { member: { AutoScalingGroupName: null } }, 'refused', /nobody would launch/],
    [
      'that its group ends',
      { member: { LifecycleState: 'Terminating:Wait' } },
      'not-needed',
      /ends it already/,
    ],
    ['that stands by', { member: { LifecycleState: 'Standby' } }, 'refused', /It is Standby/],
    ['that is protected', { member: { ProtectedFromScaleIn: true } }, 'refused', /scale-in/],
    [
      'whose group launches nothing',
      { group: { SuspendedProcesses: [{ ProcessName: 'Launch' }] } },
      'refused',
      /Launch suspended/,
    ],
    [
      'whose Node names another instance',
      { node: { providerID: providerOf(NEXT) } },
      'refused',
      /names another instance/,
    ],
    [
      'of the control plane',
      { node: { labels: { 'node-role.kubernetes.io/control-plane': '' } } },
      'refused',
      /control plane/,
    ],
  ];
  for (const [what, parts, outcome, why] of STAYING)
    test(what, async () => {
      const at = machine(parts);
      const step = await stepOf(at);
      assert.equal(step.outcome, outcome, step.why);
      assert.match(step.why, why);
      assert.deepEqual([at.calls, at.notes], [[], []]);
    });
});

describe('a machine stays because of its Node or its Pods', () => {
  test('whose Node is Ready, where that shows that it is over', async () => {
    const at = machine();
    const change = { isOverOnceReady: true };
    assert.equal((await stepOf(at, { change })).outcome, 'not-needed');
    assert.deepEqual(at.calls, []);
  });

  test('with a Pod that nobody makes again', async () => {
    const at = machine();
    at.layPod('by-hand', { node: NAME, owner: null });
    assert.match((await stepOf(at)).why, /no controller makes another/);
  });

  test('with a Pod that asks not to be disrupted', async () => {
    const at = machine();
    at.layPod('job', { node: NAME, annotations: { 'karpenter.sh/do-not-disrupt': 'true' } });
    assert.match((await stepOf(at)).why, /asks not to be disrupted/);
  });

  test('whose Pods a PodDisruptionBudget keeps, with the command that empties it', async () => {
    const at = machine();
    at.layPod('cart-1', { node: NAME, labels: { app: 'cart' } });
    layBudget(at, 0);
    const step = await stepOf(at);
    assert.equal(step.outcome, 'forbidden-by-budget');
    assert.match(step.commands[0] ?? '', /^kubectl drain n1 /);
    assert.deepEqual(at.calls, []);
  });

  test('where its Pods cannot be read', async () => {
    const at = machine();
    at.api.failNext('list', new PortError({ failure: 'denied', message: 'not allowed' }));
    assert.equal((await stepOf(at)).outcome, 'refused');
    assert.deepEqual(at.calls, []);
  });
});

test('a machine whose kubelet only has to be restarted is not replaced', () => {
  const shared = { instanceId: ID, says: '' };
  const repairs = [
    { kind: 'restart-kubelet', node: NAME, ...shared },
    { kind: 'replace-machine', node: NAME, isOverOnceReady: false, ...shared },
  ] as const;
  const findings = [findingOf(CAUSE, 'usable', { repairs })];
  const named = machinesNamedIn({ subjects: [{ findings }] } as unknown as DiagnosisDocument);
  assert.deepEqual(
    named.map(({ repair }) => repair.kind),
    ['restart-kubelet'],
  );
});
