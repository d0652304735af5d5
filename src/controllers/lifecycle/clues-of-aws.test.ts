import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '../../evidence/json.ts';
import type { MachineNews } from '../../evidence/aws/machine-news.ts';
import { ago, awsOf, NOW_MS } from '../../evidence/testing.ts';
import { cluesIn } from './clues.ts';
import { complete } from './facts.ts';
import { cluesTold as told, excerptsOf as excerpts, listed, lookOf } from './testing.ts';

const ID = 'i-0123456789abcdef0';
const ID2 = 'i-0123456789abcdef1';

function instance(body: JsonObject) {
  return { instances: complete([listed(awsOf('aws/instance', { InstanceId: ID, ...body }))]) };
}

describe('EC2 tells whether the machine of a Node runs', () => {
  test('as running, at the time of the look', () => {
    const running = instance({
      State: { Name: 'running' },
      StateReason: { Code: 'c', Message: 'm' },
      StateTransitionReason: 't',
    });
    assert.deepEqual(told(running), [`instanceId ${ID}: instance-running "" by id 0`]);
    assert.deepEqual(excerpts(running), [`${ID} running`]);
  });

  for (const state of ['terminated', 'shutting-down'])
    test(`as ended when it is ${state}, with the code and words of the reason`, () => {
      const ended = instance({
        State: { Name: state },
        StateReason: { Code: 'Client.UserInitiatedShutdown', Message: 'User initiated' },
        StateTransitionReason: 'User initiated (2026-05-01)',
      });
      assert.deepEqual(told(ended), [
        `instanceId ${ID}: instance-ended "Client.UserInitiatedShutdown" by id 0`,
      ]);
      assert.deepEqual(excerpts(ended), [
        `${ID} ${state} User initiated User initiated (2026-05-01)`,
      ]);
    });

  test('as ended without a reason', () => {
    const ended = instance({ State: { Name: 'terminated' } });
    assert.deepEqual(told(ended), [`instanceId ${ID}: instance-ended "" by id 0`]);
    assert.deepEqual(excerpts(ended), [`${ID} terminated`]);
  });

  test('not while it is stopped, starts, or has no state or id', () => {
    for (const name of ['stopped', 'pending', null])
      assert.deepEqual(told(instance({ State: { Name: name } })), []);
    assert.deepEqual(told(instance({})), []);
  });
});

function activity(body: JsonObject) {
  const plain = { Description: `Terminating EC2 instance: ${ID}`, StartTime: ago(30) };
  return {
    activities: complete([listed(awsOf('aws/scaling-activity', { ...plain, ...body }))]),
  };
}

describe('Auto Scaling tells why it terminates an instance', () => {
  const causes: readonly (readonly [string, string])[] = [
    ['taken out of service in response to an EC2 Spot interruption', 'spot ""'],
    ['taken out of service in response to a spot notice', 'spot ""'],
    ['a Spot Instance interruption notice', 'spot ""'],
    ['an EC2 instance rebalance recommendation', 'rebalance ""'],
    ['replaced in response to an instance refresh', 'node-group "instance refresh"'],
    ['scheduled for retirement', 'maintenance "activity"'],
    ['scheduled maintenance', 'maintenance "activity"'],
  ];
  for (const [cause, clue] of causes)
    test(`in the words "${cause}"`, () => {
      const found = activity({ Cause: `At 12:00 an instance was ${cause}.` });
      assert.deepEqual(told(found), [`instanceId ${ID}: ${clue} by id 30000`]);
      assert.deepEqual(excerpts(found), [
        `Terminating EC2 instance: ${ID}: At 12:00 an instance was ${cause}.`,
      ]);
    });

  test('and not for a launch, another cause or an instance that is not named', () => {
    const Cause = 'instance refresh';
    assert.deepEqual(told(activity({ Cause, Description: `Launching a new one: ${ID}` })), []);
    assert.deepEqual(told(activity({ Cause: 'a user request' })), []);
    assert.deepEqual(told(activity({})), []);
    assert.deepEqual(told(activity({ Cause, Description: 'Terminating an instance' })), []);
    assert.deepEqual(told(activity({ Cause, Description: null })), []);
  });
});

function status(id: string | null, ...events: readonly Json[]) {
  const item = { InstanceId: id, Events: [...events] };
  return { statuses: complete([listed(awsOf('aws/instance-status', item))]) };
}

const RETIREMENT = { Code: 'instance-retirement', Description: 'degraded', NotBefore: ago(-60) };

describe('EC2 tells of scheduled maintenance', () => {
  test('with its code, from the time at which it may begin', () => {
    const planned = status(ID, RETIREMENT);
    assert.deepEqual(told(planned), [
      `instanceId ${ID}: maintenance "instance-retirement" by id -60000`,
    ]);
    assert.deepEqual(excerpts(planned), [
      `${ID} instance-retirement not before ${ago(-60)}: degraded`,
    ]);
  });

  test('from the look on where it names no time', () => {
    const planned = status(ID, { ...RETIREMENT, NotBefore: null, Description: null });
    assert.deepEqual(told(planned), [
      `instanceId ${ID}: maintenance "instance-retirement" by id 0`,
    ]);
    assert.deepEqual(excerpts(planned), [`${ID} instance-retirement not before an unknown time:`]);
  });

  test('and not of what is completed or canceled, has no code or no instance', () => {
    for (const Description of ['[Completed] degraded', '[Canceled] degraded'])
      assert.deepEqual(told(status(ID, { ...RETIREMENT, Description })), []);
    assert.deepEqual(told(status(ID, { ...RETIREMENT, Code: null })), []);
    assert.deepEqual(told(status(null, RETIREMENT)), []);
    assert.deepEqual(told(status(ID)), []);
  });
});

describe('EventBridge reports', () => {
  const about = { id: 'e-1', atMs: NOW_MS - 90_000, instanceIds: [ID, ID2], text: 'EC2 takes it' };
  const news = (kind: MachineNews['kind']) => ({ news: [listed({ ...about, kind })] });

  test('that EC2 takes a spot instance back, or is likely to, for each instance', () => {
    for (const kind of ['spot', 'rebalance'] as const)
      assert.deepEqual(told(news(kind)), [
        `instanceId ${ID}: ${kind} "" by id 90000`,
        `instanceId ${ID2}: ${kind} "" by id 90000`,
      ]);
    assert.deepEqual(excerpts(news('spot')), ['EC2 takes it', 'EC2 takes it']);
  });

  test('and other things that tell nothing of the reason', () => {
    for (const kind of ['state', 'hook', 'scaling', 'maintenance'] as const)
      assert.deepEqual(told(news(kind)), []);
  });
});

function call(body: JsonObject) {
  const plain = {
    EventName: 'TerminateInstances',
    Username: 'jane',
    EventTime: ago(90),
    Resources: [{ ResourceName: ID }],
  };
  return { trail: complete([listed(awsOf('aws/trail-event', { ...plain, ...body }))]) };
}

describe('CloudTrail tells who ended an instance', () => {
  for (const EventName of ['TerminateInstances', 'TerminateInstanceInAutoScalingGroup'])
    test(`by ${EventName}`, () => {
      assert.deepEqual(told(call({ EventName })), [
        `instanceId ${ID}: terminated-by "jane" by id 90000`,
      ]);
      assert.deepEqual(excerpts(call({ EventName })), [`${EventName} by jane`]);
    });

  test('as Spot when EC2 evicts it', () => {
    const EventName = 'BidEvictedEvent';
    assert.deepEqual(told(call({ EventName })), [`instanceId ${ID}: spot "" by id 90000`]);
  });

  test('for each instance of the call, once', () => {
    const Resources = [ID, 'vol-1', ID2, ID].map((ResourceName) => ({ ResourceName }));
    assert.deepEqual(
      cluesIn(lookOf(call({ Resources }))).map(({ instanceId }) => instanceId),
      [ID, ID2],
    );
  });

  test('without a user', () => {
    assert.deepEqual(told(call({ Username: null })), [
      `instanceId ${ID}: terminated-by "" by id 90000`,
    ]);
    assert.deepEqual(excerpts(call({ Username: null })), ['TerminateInstances by an unknown user']);
  });

  test('by no other call, and by none without instances', () => {
    assert.deepEqual(told(call({ EventName: 'StopInstances' })), []);
    assert.deepEqual(told(call({ EventName: null })), []);
    assert.deepEqual(told(call({ Resources: null })), []);
    assert.deepEqual(told(call({ Resources: [{ ResourceName: null }] })), []);
  });
});

function update(body: JsonObject, nodegroupName: string | null = 'workers') {
  const plain = { id: 'u1', type: 'VersionUpdate', status: 'InProgress', createdAt: ago(600) };
  const item = { nodegroupName, update: { ...plain, ...body } };
  return { updates: complete([listed(awsOf('aws/update', item))]) };
}

describe('an update of a node group tells that its Nodes are replaced', () => {
  test('while the version is updated', () => {
    assert.deepEqual(told(update({})), ['group workers: node-group "version update" by id 0']);
    assert.deepEqual(excerpts(update({})), [
      `update u1 of node group workers since ${ago(600)}: InProgress`,
    ]);
  });

  test('and not when it is over, of another type or of the cluster', () => {
    assert.deepEqual(told(update({ status: 'Successful' })), []);
    assert.deepEqual(told(update({ status: null })), []);
    assert.deepEqual(told(update({ type: 'ConfigUpdate' })), []);
    assert.deepEqual(told(update({}, null)), []);
    assert.deepEqual(told(update({}, '')), []);
  });
});

test('a clue shows no control characters of what others wrote', () => {
  assert.deepEqual(told(call({ Username: 'ja\u001Bne' })), [
    `instanceId ${ID}: terminated-by "jane" by id 90000`,
  ]);
});
