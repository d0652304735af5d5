import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../evidence/json.ts';
import type { AwsApi, AwsCall } from '../../ports/aws-api.ts';
import type { Clock } from '../../ports/clock.ts';
import { PortError } from '../../ports/port-error.ts';
import { rememberedAws } from './remembered.ts';

const LEAST_MS = 5000;
const DESCRIBE: AwsCall = { service: 'ec2', operation: 'DescribeInstances', input: {} };

interface Counted {
  readonly aws: AwsApi;
  readonly asked: () => number;
}

/** Answers two pages, each with the number of the call, and then fails where it is told to. */
function counted(failure: PortError | null = null): Counted {
  let calls = 0;
  const aws: AwsApi = {
    region: 'eu-west-1',
    partition: 'aws',
    requests: () => new Map(),
    async *pages(_call, signal) {
      const call = ++calls;
      yield { call, page: 1 };
      signal?.throwIfAborted();
      yield { call, page: 2 };
      if (failure !== null) throw failure;
    },
  };
  return { aws, asked: () => calls };
}

function clockAt(): { readonly clock: Clock; readonly pass: (ms: number) => void } {
  let nowMs = 0;
  const clock: Clock = { nowMs: () => nowMs, monotonicMs: () => nowMs, sleep: async () => {} };
  return {
    clock,
    pass: (ms) => {
      nowMs += ms;
    },
  };
}

async function all(pages: AsyncIterable<JsonObject>): Promise<readonly JsonObject[]> {
  const seen: JsonObject[] = [];
  for await (const page of pages) seen.push(page);
  return seen;
}

test('a call is answered from memory until the time is over and a look begins', async () => {
  const { aws, asked } = counted();
  const { clock, pass } = clockAt();
  const remembered = rememberedAws(aws, clock, LEAST_MS);
  assert.equal(remembered.nextAskMs(), null);
  const first = await all(remembered.pages(DESCRIBE));
  assert.equal(remembered.nextAskMs(), LEAST_MS);
  pass(LEAST_MS - 1);
  remembered.beginLook();
  assert.deepEqual(await all(remembered.pages(DESCRIBE)), first);
  pass(1);
  assert.deepEqual(await all(remembered.pages(DESCRIBE)), first, 'one look is of one time');
  remembered.beginLook();
  assert.deepEqual(await all(remembered.pages(DESCRIBE)), [
    { call: 2, page: 1 },
    { call: 2, page: 2 },
  ]);
  assert.equal(asked(), 2);
});

test('another input is another call', async () => {
  const { aws, asked } = counted();
  const remembered = rememberedAws(aws, clockAt().clock, LEAST_MS);
  await all(remembered.pages(DESCRIBE));
  await all(remembered.pages({ ...DESCRIBE, input: { InstanceIds: ['i-1'] } }));
  assert.equal(asked(), 2);
});

test('a refusal is remembered with the pages before it', async () => {
  const refusal = new PortError({ failure: 'throttled', message: 'too many requests' });
  const { aws, asked } = counted(refusal);
  const remembered = rememberedAws(aws, clockAt().clock, LEAST_MS);
  for (let round = 0; round < 2; round++) {
    const pages: JsonObject[] = [];
    await assert.rejects(async () => {
      for await (const page of remembered.pages(DESCRIBE)) pages.push(page);
    }, refusal);
    assert.equal(pages.length, 2);
  }
  assert.equal(asked(), 1);
});

test('what the caller cut off is asked again', async () => {
  const { aws, asked } = counted();
  const remembered = rememberedAws(aws, clockAt().clock, LEAST_MS);
  for await (const page of remembered.pages(DESCRIBE)) {
    assert.equal(page['page'], 1);
    break;
  }
  const limit = new AbortController();
  await assert.rejects(async () => {
    for await (const page of remembered.pages(DESCRIBE, limit.signal)) {
      assert.equal(page['page'], 1);
      limit.abort(new PortError({ failure: 'timeout', message: 'the time is over' }));
    }
  }, PortError);
  assert.equal((await all(remembered.pages(DESCRIBE))).length, 2);
  assert.equal(asked(), 3);
});
