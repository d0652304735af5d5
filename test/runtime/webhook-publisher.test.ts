import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../src/evidence/json.ts';
import type { Webhook } from '../../src/ports/webhook.ts';
import { type Delivery, WebhookPublisher } from '../../src/runtime/webhook/webhook-publisher.ts';
import { type VirtualClock, virtualClock } from '../ports/fake/clock.ts';
import { createFakeWebhook, type FakeWebhook } from '../ports/fake/webhook.ts';

interface Scene {
  readonly clock: VirtualClock;
  readonly webhook: FakeWebhook;
  readonly publisher: WebhookPublisher;
  /** How messages ended, with why. */
  readonly ended: string[];
  readonly stop: () => Promise<void>;
}

function scene(context: TestContext): Scene {
  const clock = virtualClock();
  const webhook = createFakeWebhook(clock);
  const ended: string[] = [];
  const publisher = new WebhookPublisher({
    webhook,
    clock,
    random: { next: () => 0.5 },
    onDelivery: (delivery: Delivery, error) =>
      ended.push(error === null ? delivery : `${delivery} ${error.failure}`),
  });
  const ending = new AbortController();
  const running = publisher.run(ending.signal);
  const stop = async (): Promise<void> => {
    ending.abort(new Error('the end'));
    await running;
  };
  context.after(stop);
  return { clock, webhook, publisher, ended, stop };
}

function message(n: number): JsonObject {
  return { happening: 'deleted', n };
}

const HOUR_MS = 3_600_000;

test('messages are sent in their order, one that failed before the next', async (context) => {
  const { clock, webhook, publisher, ended } = scene(context);
  webhook.replies.push(500, 'refuse', 'hang', 429, 200);
  publisher.publish(message(1));
  publisher.publish(message(2));
  await clock.advance(HOUR_MS);
  assert.deepEqual(ended, ['sent', 'sent']);
  const bodies = webhook.received.map(({ body }) => (JSON.parse(body) as { n: number }).n);
  assert.deepEqual(bodies, [1, 1, 1, 1, 2]);
  const ids = webhook.received.map(({ id }) => id);
  assert.equal(new Set(ids.slice(0, 4)).size, 1, 'each try has the id of the first');
});

test('a message is given up after five tries, the next one not', async (context) => {
  const { clock, webhook, publisher, ended } = scene(context);
  webhook.replies.push(500, 500, 500, 500, 500);
  publisher.publish(message(1));
  publisher.publish(message(2));
  await clock.advance(HOUR_MS);
  assert.deepEqual(ended, ['failed unavailable', 'sent']);
  assert.equal(webhook.received.length, 6);
});

for (const [status, failure] of [
  [302, 'unsupported'],
  [401, 'denied'],
  [422, 'invalid'],
] as const)
  test(`an answer of ${status} is not asked for again`, async (context) => {
    const { clock, webhook, publisher, ended } = scene(context);
    webhook.replies.push(status);
    publisher.publish(message(1));
    await clock.advance(HOUR_MS);
    assert.deepEqual(ended, [`failed ${failure}`]);
    assert.equal(webhook.received.length, 1);
  });

test('what finds the queue full is dropped, and what waits at the end', async (context) => {
  const { clock, webhook, publisher, ended, stop } = scene(context);
  webhook.replies.push('hang');
  publisher.publish(message(0));
  await clock.advance(0);
  for (let n = 1; n <= 1001; n++) publisher.publish(message(n));
  assert.deepEqual(ended, ['dropped']);
  await stop();
  assert.equal(ended.length, 1002);
  assert.deepEqual([...new Set(ended)], ['dropped', 'failed timeout']);
  publisher.publish(message(2000));
  assert.equal(ended.at(-1), 'dropped');
});

test('no secret is in a message', async (context) => {
  const { clock, webhook, publisher } = scene(context);
  publisher.publish({ message: 'token abcdef.0123456789abcdef', password: 'hunter2-hunter2' });
  await clock.advance(0);
  assert.doesNotMatch(webhook.received[0]?.body ?? '', /0123456789abcdef|hunter2/);
});

test('a bug of the port ends the program', async () => {
  const webhook: Webhook = { send: async () => Promise.reject(new TypeError('x is null')) };
  const publisher = new WebhookPublisher({
    webhook,
    clock: virtualClock(),
    random: { next: () => 0.5 },
    onDelivery: () => assert.fail(),
  });
  publisher.publish(message(1));
  await assert.rejects(publisher.run(new AbortController().signal), TypeError);
});
