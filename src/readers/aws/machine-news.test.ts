import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../evidence/json.ts';
import { readMachineNews } from './machine-news.ts';

const ID = 'i-0123456789abcdef0';

function event(type: string, detail: JsonObject, more: JsonObject = {}): string {
  const source = type.startsWith('AWS Health') ? 'aws.health' : 'aws.ec2';
  const envelope = { version: '0', id: 'e-1', 'detail-type': type, source };
  return JSON.stringify({ ...envelope, time: '2026-05-01T10:00:00Z', detail, ...more });
}

describe('news of machines', () => {
  test('names the machine, the time and what AWS does', () => {
    const detail = { 'instance-id': ID, 'instance-action': 'terminate' };
    assert.deepEqual(readMachineNews(event('EC2 Spot Instance Interruption Warning', detail)), {
      id: 'e-1',
      atMs: Date.UTC(2026, 4, 1, 10),
      kind: 'spot',
      instanceIds: [ID],
      text: 'EC2 takes this spot instance back in two minutes: terminate',
    });
  });

  const kinds: readonly (readonly [string, JsonObject, string, string])[] = [
    [
      'EC2 Instance State-change Notification',
      { 'instance-id': ID, state: 'stopping' },
      'state',
      'instance is stopping',
    ],
    [
      'EC2 Instance Rebalance Recommendation',
      { 'instance-id': ID },
      'rebalance',
      'EC2 is likely to take this spot instance back soon',
    ],
    [
      'AWS Health Event',
      { eventTypeCode: 'AWS_EC2_PERSISTENT_RETIREMENT', affectedEntities: [{ entityValue: ID }] },
      'maintenance',
      'AWS Health announces AWS_EC2_PERSISTENT_RETIREMENT',
    ],
    [
      'EC2 Instance-terminate Lifecycle Action',
      { EC2InstanceId: ID, LifecycleHookName: 'drain' },
      'hook',
      'Auto Scaling waits for lifecycle hook drain before it ends the machine',
    ],
    [
      'EC2 Instance Terminate Successful',
      { EC2InstanceId: ID, Cause: 'At 10:00 an instance was taken out of service' },
      'scaling',
      'Auto Scaling ended the machine: At 10:00 an instance was taken out of service',
    ],
  ];
  for (const [type, detail, kind, text] of kinds)
    test(`reads ${type}`, () => {
      const news = readMachineNews(event(type, detail));
      assert.equal(news?.kind, kind);
      assert.equal(news.text, text);
      assert.deepEqual(news.instanceIds, [ID]);
    });

  test('a launch that failed names no machine, but why', () => {
    const detail = { EC2InstanceId: '', StatusMessage: 'no capacity in eu-west-1a' };
    const news = readMachineNews(event('EC2 Instance Launch Unsuccessful', detail));
    assert.deepEqual(news?.instanceIds, []);
    assert.equal(news.text, 'Auto Scaling could not start a machine: no capacity in eu-west-1a');
  });
});

describe('a message of another kind', () => {
  const type = 'EC2 Instance State-change Notification';
  const detail = { 'instance-id': ID, state: 'running' };
  const bodies: Readonly<Record<string, string>> = {
    'a text': 'hello',
    'no JSON': '{"detail-type": ',
    nothing: '',
    'a list': '[1]',
    'another event': event('EBS Snapshot Notification', detail),
    'a member of all objects': event('constructor', detail),
    'an event that somebody else put on the bus': event(type, detail, { source: 'my.app' }),
    'an event without id': event(type, detail, { id: null }),
    'a message longer than SQS takes': event(type, { ...detail, pad: 'x'.repeat(1024 * 1024) }),
  };
  for (const [name, body] of Object.entries(bodies))
    test(`is left out: ${name}`, () => {
      assert.equal(readMachineNews(body), null);
    });

  test('details of other types count as nothing', () => {
    const news = readMachineNews(event(type, { 'instance-id': 7, state: ['running'] }));
    assert.deepEqual([news?.instanceIds, news?.text], [[], 'instance is']);
  });

  test('secrets are cut, and at most a thousand machines are named', () => {
    const affectedEntities = Array.from({ length: 5000 }, (_, index) => ({
      entityValue: `i-${index.toString(16).padStart(17, '0')}`,
    }));
    const eventTypeCode = `password=hunter2-hunter2 ${'x'.repeat(9000)}`;
    const news = readMachineNews(event('AWS Health Event', { eventTypeCode, affectedEntities }));
    assert.equal(news?.instanceIds.length, 998);
    assert.doesNotMatch(news.text, /hunter2/);
    assert.ok(news.text.length <= 400);
  });
});
