import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { MachineNews } from '../../evidence/aws/machine-news.ts';
import type { AwsEventMessage, AwsEvents } from '../../ports/aws-events.ts';
import type { Clock } from '../../ports/clock.ts';
import { PortError } from '../../ports/port-error.ts';
import { receiveMachineNews } from './machine-news.ts';

const BODY = JSON.stringify({
  id: 'e-1',
  'detail-type': 'EC2 Instance State-change Notification',
  source: 'aws.ec2',
  detail: { 'instance-id': 'i-0123456789abcdef0', state: 'running' },
});
const AWAY = new PortError({ failure: 'unreachable', message: 'the queue is away' });

type Answer = readonly AwsEventMessage[] | PortError;

interface Run {
  readonly told: string[];
  readonly removed: string[];
  readonly slept: number[];
  readonly done: Promise<void>;
  readonly end: () => void;
}

/** Receives these answers one after the other, then waits for the end. */
function run(
  context: TestContext,
  answers: readonly Answer[],
  onNews: (news: readonly MachineNews[]) => Promise<void> = async () => undefined,
): Run {
  const left = [...answers];
  const ending = new AbortController();
  const [told, removed, slept]: [string[], string[], number[]] = [[], [], []];
  const events: AwsEvents = {
    async receive(signal) {
      const answer = left.shift();
      if (answer instanceof PortError) throw answer;
      if (answer !== undefined) return answer;
      const { promise, reject } = Promise.withResolvers<never>();
      signal.addEventListener('abort', () => reject(signal.reason));
      return promise;
    },
    remove: async (messages) => void removed.push(...messages.map(({ receipt }) => receipt)),
  };
  const clock = { sleep: async (ms: number) => void slept.push(ms) } as unknown as Clock;
  const done = receiveMachineNews(
    {
      events,
      clock,
      random: { next: () => 0.5 },
      onNews: async (news) => {
        told.push(...news.map(({ id }) => id));
        await onNews(news);
      },
      onTrouble: (error) => void told.push(error?.message ?? 'well again'),
    },
    ending.signal,
  );
  context.after(async () => {
    ending.abort();
    await done;
  });
  return { told, removed, slept, done, end: () => ending.abort() };
}

const turn = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('news are passed on and removed, and other messages are removed', async (context) => {
  const { told, removed } = run(context, [
    [
      { receipt: 'r1', body: BODY },
      { receipt: 'r2', body: 'hello' },
    ],
    [],
    [{ receipt: 'r3', body: 'hello' }],
  ]);
  await turn();
  assert.deepEqual(told, ['e-1']);
  assert.deepEqual(removed, ['r1', 'r2', 'r3']);
});

test('nothing is removed before it is kept', async (context) => {
  const kept = Promise.withResolvers<void>();
  const { told, removed } = run(context, [[{ receipt: 'r1', body: BODY }]], () => kept.promise);
  await turn();
  assert.deepEqual([told, removed], [['e-1'], []]);
  kept.resolve();
  await turn();
  assert.deepEqual(removed, ['r1']);
});

test('an end while news are being kept leaves them in the queue', async (context) => {
  const { promise } = Promise.withResolvers<void>();
  const { removed, end, done } = run(context, [[{ receipt: 'r1', body: BODY }]], () => promise);
  await turn();
  end();
  await done;
  assert.deepEqual(removed, []);
});

test('a queue that is away is asked again, later each time, and its return is reported', async (context) => {
  const { told, slept } = run(context, [AWAY, AWAY, []]);
  await turn();
  assert.deepEqual(told, [AWAY.message, AWAY.message, 'well again']);
  assert.deepEqual(slept, [2000, 3500]);
});
