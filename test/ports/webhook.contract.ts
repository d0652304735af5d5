/** What every Webhook does. */
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { PortError, type PortFailure } from '../../src/ports/port-error.ts';
import type { Webhook } from '../../src/ports/webhook.ts';
import type { VirtualClock } from './fake/clock.ts';
import type { WebhookReply } from './fake/webhook.ts';

export interface OpenedWebhook {
  readonly webhook: Webhook;
  readonly clock: VirtualClock;
  /** Bodies that arrived. */
  readonly arrived: () => readonly string[];
  /** What the next message is answered. */
  readonly reply: (reply: WebhookReply) => void;
  /** Resolves once a message is there and is not answered. */
  readonly hanging: () => Promise<void>;
}

export type OpenWebhookScene = (context: TestContext) => Promise<OpenedWebhook>;

const MESSAGE = { id: 'a1', body: '{"happening":"deleted"}' };
const never = new AbortController().signal;

async function failureOf(sending: Promise<void>): Promise<PortFailure> {
  const error = await sending.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof PortError, String(error));
  return error.failure;
}

/** @param name of the implementation */
export function webhookContract(name: string, open: OpenWebhookScene): void {
  describe(`a webhook ${name}`, () => {
    test('sends a message once', async (context) => {
      const { webhook, arrived } = await open(context);
      await webhook.send(MESSAGE, never);
      assert.deepEqual(arrived(), [MESSAGE.body]);
    });

    for (const [reply, failure] of [
      [500, 'unavailable'],
      [503, 'unavailable'],
      [429, 'throttled'],
      [302, 'unsupported'],
      [401, 'denied'],
      [404, 'not-found'],
      [422, 'invalid'],
      ['refuse', 'unreachable'],
    ] as const)
      test(`reports ${reply} as ${failure}`, async (context) => {
        const { webhook, reply: set, arrived } = await open(context);
        set(reply);
        assert.equal(await failureOf(webhook.send(MESSAGE, never)), failure);
        assert.equal(arrived().length, reply === 'refuse' ? 0 : 1);
      });

    test('gives an answer that does not come up after its time', async (context) => {
      const { webhook, reply, hanging, clock } = await open(context);
      reply('hang');
      const failure = failureOf(webhook.send(MESSAGE, never));
      await hanging();
      await clock.advance(10_000);
      assert.equal(await failure, 'timeout');
      assert.equal(clock.sleeping(), 0);
    });

    test('ends with the signal, in its words', async (context) => {
      const { webhook, reply, hanging } = await open(context);
      reply('hang');
      const ending = new AbortController();
      const sending = assert.rejects(webhook.send(MESSAGE, ending.signal), /enough/);
      await hanging();
      ending.abort(new Error('enough'));
      await sending;
      await assert.rejects(webhook.send(MESSAGE, ending.signal), /enough/);
    });
  });
}
