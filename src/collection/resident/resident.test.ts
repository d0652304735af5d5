import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AwsApi } from '../../ports/aws-api.ts';
import type { Clock } from '../../ports/clock.ts';
import { Resident } from './resident.ts';

/** Never ends by itself. */
async function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  return await promise;
}

const clock: Clock = {
  nowMs: () => 0,
  monotonicMs: () => 0,
  sleep: async (_, signal) => untilAborted(signal),
};

function residentBeside(pages: AwsApi['pages']): Resident {
  const aws: AwsApi = { region: 'us-west-2', partition: 'aws', pages, requests: () => new Map() };
  return new Resident({
    clients: { kube: null, aws, described: null, refusals: [], clock },
    random: { next: () => 0 },
    cluster: 'shop',
    onStanding: () => undefined,
  });
}

describe('a resident', () => {
  test('ends with its signal while AWS is asked', async () => {
    const asked = Promise.withResolvers<void>();
    const ending = new AbortController();
    const resident = residentBeside(async function* (_, signal) {
      asked.resolve();
      yield await untilAborted(signal);
    });
    const running = resident.run(ending.signal);
    await asked.promise;
    ending.abort();
    await running;
  });

  test('throws what is a bug', async () => {
    const resident = residentBeside(() => {
      throw new TypeError('a bug');
    });
    await assert.rejects(resident.run(new AbortController().signal), /a bug/);
  });
});
