import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { queueTrouble } from '../../src/apps/cli/live/open-queue.ts';
import { WatchEvents } from '../../src/apps/cli/live/watch-events.ts';
import { PortError } from '../../src/ports/port-error.ts';
import type { AwsEventMessage } from '../../src/ports/aws-events.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { whenAborted } from '../../src/runtime/abort.ts';
import { capture } from './capture.ts';

const ACCOUNT = 'https://sqs.eu-west-1.amazonaws.com/111122223333';

describe('a queue', () => {
  for (const [name, watch, controller] of [
    ['rollcall', /does not end in -watch/, null],
    ['watch', /does not end in -watch/, null],
    ['rollcall-watch', null, /is the queue of a watch/],
    ['rollcall-watch.fifo', null, /is the queue of a watch/],
    ['rollcall-watch-2', /does not end in -watch/, null],
    ['', /is not the URL of a queue/, /is not the URL of a queue/],
    ['a/b-watch', /is not the URL of a queue/, /is not the URL of a queue/],
  ] as const)
    test(`named ${JSON.stringify(name)} is of one reader at most`, () => {
      for (const [reader, words] of [
        ['watch', watch],
        ['controller', controller],
      ] as const) {
        const trouble = queueTrouble(`${ACCOUNT}/${name}`, reader);
        if (words === null) assert.equal(trouble, null);
        else assert.match(trouble ?? '', words);
      }
    });
});

for (const [args, words] of [
  [['status', '--aws-events', `${ACCOUNT}/a-watch`], /--aws-events is for a watch; add --watch/],
  [
    ['status', '--watch', '--aws-events', `${ACCOUNT}/rollcall`],
    /--aws-events "https:\/\/sqs.*\/rollcall" is a queue whose name does not end in -watch/,
  ],
  [
    ['status', '-w', '--aws-events', 'https://me:word@sqs.eu-west-1.amazonaws.com/1/a-watch'],
    /is not the URL of a queue; list them: aws sqs list-queues/,
  ],
  [
    ['controller', '--aws-events', `${ACCOUNT}/rollcall-watch`],
    /is the queue of a watch, as its name ends in -watch; make another/,
  ],
] as const)
  test(`rollcall ${args.slice(0, -1).join(' ')} refuses a queue that is not for it`, async () => {
    const { code, err } = await capture(args);
    assert.equal(code, 64);
    assert.match(err, words);
    assert.doesNotMatch(err, /me:word/);
  });

const BODY = JSON.stringify({
  id: 'e-1',
  'detail-type': 'EC2 Spot Instance Interruption Warning',
  source: 'aws.ec2',
  time: '2026-11-29T10:00:00Z',
  detail: { 'instance-id': 'i-0123456789abcdef0', 'instance-action': 'terminate' },
});
const RANDOM = { next: () => 0.5 };

test('a message is removed once a standing with it was shown', async () => {
  const ending = new AbortController();
  const queue: AwsEventMessage[] = [{ receipt: 'r', body: BODY }];
  const reported = Promise.withResolvers<void>();
  const removed = Promise.withResolvers<void>();
  const events = new WatchEvents({
    receive: async (signal) => {
      if (queue.length > 0) return [...queue];
      await whenAborted(signal);
      return [];
    },
    remove: async () => {
      queue.length = 0;
      removed.resolve();
    },
  });
  const report = (): void => reported.resolve();
  const running = events.run({ clock: systemClock, random: RANDOM, report }, ending.signal);
  await reported.promise;
  const taken = events.taking();
  assert.equal(queue.length, 1);
  taken();
  await removed.promise;
  assert.deepEqual(events.notices(), []);
  ending.abort();
  await running;
});

test('a queue that cannot be read is one notice, until it can', async () => {
  const ending = new AbortController();
  const again = Promise.withResolvers<void>();
  const seen: number[] = [];
  const message = 'This identity may not call sqs:ReceiveMessage.';
  const events: WatchEvents = new WatchEvents({
    receive: async (signal) => {
      seen.push(events.notices().length);
      if (seen.length === 1) throw new PortError({ failure: 'denied', message });
      if (seen.length === 3) {
        again.resolve();
        await whenAborted(signal);
      }
      return [];
    },
    remove: async () => undefined,
  });
  const clock = { ...systemClock, sleep: async () => undefined };
  const tools = { clock, random: RANDOM, report: () => undefined };
  const running = events.run(tools, ending.signal);
  await again.promise;
  assert.deepEqual(seen, [0, 1, 0]);
  ending.abort();
  await running;
});
