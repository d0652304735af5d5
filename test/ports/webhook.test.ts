import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { openWebhook } from '../../src/adapters/webhook/webhook.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { type VirtualClock, virtualClock } from './fake/clock.ts';
import { createFakeWebhook, type WebhookReply } from './fake/webhook.ts';
import { type OpenedWebhook, webhookContract } from './webhook.contract.ts';

const TOKEN = 'T0KEN-in-the-path';
const SECRET = 'k'.repeat(24);
const NOW_MS = Date.UTC(2026, 4, 1);
const never = new AbortController().signal;

webhookContract('in memory', async () => {
  const clock = virtualClock(NOW_MS);
  const webhook = createFakeWebhook(clock);
  return {
    webhook,
    clock,
    arrived: () => webhook.received.map(({ body }) => body),
    reply: (reply) => void webhook.replies.push(reply),
    hanging: async () => undefined,
  };
});

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Scene extends OpenedWebhook {
  readonly received: readonly Received[];
  readonly server: Server;
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const part of stream) text += part.toString();
  return text;
}

/** A receiver on loopback; what it answers is not read beyond its status. */
async function scene(context: TestContext, secret: string | null = SECRET): Promise<Scene> {
  const received: Received[] = [];
  const replies: WebhookReply[] = [];
  const hangs = Promise.withResolvers<void>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url: path = '', headers } = request;
    received.push({ path, headers, body: await textOf(request) });
    const reply = replies.shift() ?? 200;
    if (typeof reply !== 'number') return hangs.resolve();
    response.writeHead(reply, { location: '/elsewhere', 'retry-after': '7' });
    response.write('an answer whose end never comes');
  };
  const server = createServer((request, response) => void answer(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const clock: VirtualClock = virtualClock(NOW_MS);
  let { port } = server.address() as AddressInfo;
  const target = () => ({ url: `http://127.0.0.1:${port}/hooks/${TOKEN}`, secret });
  return {
    webhook: openWebhook({ target, clock }),
    clock,
    received,
    server,
    arrived: () => received.map(({ body }) => body),
    reply(reply) {
      if (reply === 'refuse') port = 1;
      else replies.push(reply);
    },
    hanging: async () => hangs.promise,
  };
}

webhookContract('over HTTP', scene);

test('a message is signed with its time, and names its try', async (context) => {
  const { webhook, received } = await scene(context);
  const body = '{"words":"é"}';
  await webhook.send({ id: 'a1', body }, never);
  const [message] = received;
  assert.equal(message?.path, `/hooks/${TOKEN}`);
  assert.equal(message.body, body);
  assert.equal(message.headers['rollcall-delivery'], 'a1');
  assert.equal(message.headers['rollcall-time'], String(NOW_MS / 1000));
  const sum = createHmac('sha256', SECRET)
    .update(`${NOW_MS / 1000}.${body}`)
    .digest('hex');
  assert.equal(message.headers['rollcall-signature'], `v1=${sum}`);
  assert.equal(message.headers['content-type'], 'application/json');
});

test('without a secret nothing is signed', async (context) => {
  const { webhook, received } = await scene(context, null);
  await webhook.send({ id: 'a1', body: '{}' }, never);
  assert.equal(received[0]?.headers['rollcall-signature'], undefined);
});

test('a redirect is not followed, and Retry-After is reported', async (context) => {
  const { webhook, received, reply } = await scene(context);
  reply(307);
  await assert.rejects(webhook.send({ id: 'a1', body: '{}' }, never), /redirects \(307\)/);
  assert.equal(received.length, 1);
  reply(503);
  await assert.rejects(
    webhook.send({ id: 'a1', body: '{}' }, never),
    (error: unknown) => error instanceof PortError && error.retryAfterMs === 7000,
  );
});

test('no failure names the secret part of the URL', async (context) => {
  const { webhook, reply } = await scene(context);
  for (const one of [500, 302, 404, 'refuse'] as const) {
    reply(one);
    await assert.rejects(webhook.send({ id: 'a1', body: '{}' }, never), (error: unknown) => {
      assert.ok(error instanceof PortError);
      assert.match(error.message, /^The webhook at 127\.0\.0\.1 .*\.$/);
      assert.ok(!error.message.includes(TOKEN));
      return true;
    });
  }
});
