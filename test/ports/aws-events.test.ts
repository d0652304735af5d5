/** What EventBridge sends, out of a queue of moto. */
import assert from 'node:assert/strict';
import { after, describe, test, type TestContext } from 'node:test';
import { SQSClient, CreateQueueCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { type OpenedAwsEvents, openAwsEvents } from '../../src/adapters/aws/events.ts';
import { testClock } from '../../src/adapters/aws/testing.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { awsEnvironment, type Moto, startMoto, unauthorized } from '../real/moto.ts';
import { missing } from '../real/parts.ts';

const skip = missing('moto');
let running: Promise<Moto> | null = null;

after(async () => {
  await (await running)?.stop();
});

interface Queue {
  readonly moto: Moto;
  readonly events: OpenedAwsEvents;
  readonly send: (body: string) => Promise<void>;
}

async function queue(t: TestContext, name = 'rollcall'): Promise<Queue> {
  running ??= startMoto();
  const moto = await running;
  await moto.reset();
  const env = awsEnvironment(moto.url);
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const client = new SQSClient({ region: moto.region, endpoint: moto.url, credentials });
  const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName: 'rollcall' }));
  const url = QueueUrl.replace(/rollcall$/, name);
  const options = { region: null, profile: null, env, clock: testClock() };
  const events = openAwsEvents(url, { ...options, random: { next: () => 0.5 } });
  t.after(() => {
    events.close();
    client.destroy();
  });
  const send = async (MessageBody: string): Promise<void> =>
    void (await client.send(new SendMessageCommand({ QueueUrl, MessageBody })));
  return { moto, events, send };
}

const SIGNAL = AbortSignal.timeout(50_000);

function failure(one: string, words: RegExp): (error: unknown) => boolean {
  return (error) =>
    error instanceof PortError && error.failure === one && words.test(error.message);
}

describe('a queue of events', { skip }, () => {
  test('gives what was sent, and once it is removed nothing more', async (t) => {
    const { moto, events, send } = await queue(t);
    await send('{"id":"one"}');
    await send('two');
    const first = await events.receive(SIGNAL);
    const second = first.length === 2 ? [] : await events.receive(SIGNAL);
    const all = [...first, ...second];
    assert.deepEqual(all.map(({ body }) => body).toSorted(), ['two', '{"id":"one"}']);
    await events.remove(all, SIGNAL);
    const asked = new AbortController();
    const waiting = events.receive(asked.signal);
    setTimeout(() => asked.abort(), 500);
    await assert.rejects(waiting);
    assert.ok(moto.count('DeleteMessageBatch') >= 1);
  });

  test('that is not there is named as a failure', async (t) => {
    const { events } = await queue(t, 'another');
    await assert.rejects(events.receive(SIGNAL), failure('not-found', /sqs:ReceiveMessage/));
  });

  test('that may not be read names the permission', async (t) => {
    const { moto, events } = await queue(t);
    moto.refuse('ReceiveMessage', unauthorized('ReceiveMessage'));
    await assert.rejects(
      events.receive(SIGNAL),
      failure('denied', /may not call \w+:ReceiveMessage/),
    );
  });
});
