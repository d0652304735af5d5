import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PortError } from '../../ports/port-error.ts';
import { attempt, type Trial, unlessAborted } from './attempts.ts';
import { nameError } from './errors.ts';
import { type NoAnswer, NoAnswerError } from './no-answer.ts';
import { RetryBudget } from './retry-budget.ts';
import { type TestClock, testClock } from './testing.ts';

const ASKED = {
  service: 'ec2',
  permission: 'ec2:DescribeInstances',
  region: 'eu-west-1',
  profile: { name: 'default', chosen: false, region: null, caBundle: null },
} as unknown as Parameters<typeof nameError>[1];

interface Tried {
  /** What the caller got. */
  readonly error: unknown;
  readonly tries: number;
  readonly clock: TestClock;
}

/** A request that always ends with this error. */
async function tried(thrown: unknown, options: Partial<Trial<never>> = {}): Promise<Tried> {
  const clock = testClock();
  let tries = 0;
  const trial: Trial<never> = {
    clock,
    budget: new RetryBudget(clock),
    attemptsMax: 3,
    timeoutMs: 30_000,
    random: { next: () => 0 },
    signal: new AbortController().signal,
    send: async () => {
      tries++;
      throw thrown;
    },
    nameError: (error) => nameError(error, ASKED),
    ...options,
  };
  const error: unknown = await attempt(trial).catch((caught: unknown) => caught);
  return { error, tries, clock };
}

function coded(code: string): Error {
  return Object.assign(new Error('of Node'), { code });
}

const CERTIFICATES = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
];

for (const code of [...CERTIFICATES, 'ENOTFOUND'])
  test(`${code} is the same a second later and is not tried again`, async () => {
    const { error, tries } = await tried(coded(code));
    assert.ok(error instanceof PortError && error.failure === 'unreachable', String(error));
    assert.equal(tries, 1);
  });

for (const code of ['ECONNRESET', 'ECONNREFUSED', 'EAI_AGAIN', 'ETIMEDOUT', 'HPE_INVALID_CONSTANT'])
  test(`${code} is tried again`, async () => {
    assert.equal((await tried(coded(code))).tries, 3);
  });

const PASSING: readonly NoAnswer[] = [
  { kind: 'cut' },
  { kind: 'late', afterMs: 1 },
  { kind: 'html', status: 500 },
];
const LASTING: readonly NoAnswer[] = [
  { kind: 'html', status: 499 },
  { kind: 'redirect', status: 302, to: null },
  { kind: 'too-long' },
  { kind: 'other-document', lacks: 'Reservations' },
];

for (const what of PASSING)
  test(`no answer, ${JSON.stringify(what)}, is tried again`, async () => {
    assert.equal((await tried(new NoAnswerError(what))).tries, 3);
  });

for (const what of LASTING)
  test(`no answer, ${JSON.stringify(what)}, is not tried again`, async () => {
    assert.equal((await tried(new NoAnswerError(what))).tries, 1);
  });

test('a bug is thrown as it came, at once', async () => {
  const bug = new TypeError('of ours');
  const { error, tries } = await tried(bug);
  assert.equal(error, bug);
  assert.equal(tries, 1);
});

test('a refusal is not tried again unless the SDK has learned the time from it', async () => {
  const refusal = (more: object): Error =>
    Object.assign(new Error('no'), {
      name: 'AuthFailure',
      $metadata: { httpStatusCode: 401, ...more },
    });
  assert.equal((await tried(refusal({}))).tries, 1);
  assert.equal((await tried(refusal({ clockSkewCorrected: true }))).tries, 3);
});

test('the wait doubles with each try, half of it random', async () => {
  const least = await tried(coded('ECONNRESET'), { attemptsMax: 10 });
  assert.deepEqual(least.clock.pauses, [200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000]);
  const most = await tried(coded('ECONNRESET'), { random: { next: () => 1 } });
  assert.deepEqual(most.clock.pauses, [400, 800]);
});

test('a service may ask for a longer wait, within a limit', async () => {
  const failure = (retryAfterMs: number): PortError =>
    new PortError({ failure: 'unavailable', message: 'busy', retryAfterMs });
  assert.deepEqual((await tried(failure(7000))).clock.pauses, [7000, 7000]);
  assert.deepEqual((await tried(failure(3_600_000))).clock.pauses, [20_000, 20_000]);
  assert.deepEqual((await tried(failure(1))).clock.pauses, [200, 400]);
});

test('only throttled requests spread those after them out, until one is answered', async () => {
  const clock = testClock();
  const budget = new RetryBudget(clock);
  const once = { clock, budget, attemptsMax: 1 };
  await tried(coded('ECONNRESET'), once);
  await tried(coded('ECONNRESET'), once);
  assert.deepEqual(clock.pauses, []);
  await tried(new PortError({ failure: 'throttled', message: 'slow down' }), once);
  await tried(coded('ECONNRESET'), once);
  await tried(null, { ...once, send: async () => Promise.resolve(null as never) });
  assert.deepEqual(clock.pauses, [200, 200]);
  await tried(null, { ...once, send: async () => Promise.resolve(null as never) });
  await tried(coded('ECONNRESET'), once);
  assert.deepEqual(clock.pauses, [200, 200, 100]);
});

test('without a retry left the first failure is the last word, and says so when throttled', async () => {
  const clock = testClock();
  const limits = { retriesMax: 0, refillMs: 1000, gapMs: 1, gapMaxMs: 1 };
  const budget = new RetryBudget(clock, limits);
  const throttled = new PortError({ failure: 'throttled', message: 'slow down', retryAfterMs: 5 });
  const { error, tries } = await tried(throttled, { clock, budget });
  assert.equal(tries, 1);
  assert.ok(error instanceof PortError);
  assert.equal(error.message, 'slow down; the retries of this run are used up');
  assert.deepEqual([error.failure, error.retryAfterMs], ['throttled', 5]);
  const reset = await tried(coded('ECONNRESET'), { clock, budget });
  assert.ok(reset.error instanceof PortError);
  assert.doesNotMatch(reset.error.message, /used up/);
});

test('a request without an answer in time is cut off and tried again', async () => {
  const clock = testClock();
  const signals: AbortSignal[] = [];
  const send = async (signal: AbortSignal): Promise<never> => {
    signals.push(signal);
    clock.expire(30_000);
    return new Promise(() => {});
  };
  const { error } = await tried(null, { clock, send });
  assert.ok(error instanceof PortError && error.failure === 'timeout', String(error));
  assert.match(error.message, /gave no answer in 30 s/);
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true, true, true],
  );
});

test('what the caller cuts off ends with the reason, and is not tried again', async () => {
  const stop = new AbortController();
  const reason = new Error('asked to stop');
  const seen: boolean[] = [];
  const send = async (signal: AbortSignal): Promise<never> => {
    stop.abort(reason);
    seen.push(signal.aborted);
    throw coded('ECONNRESET');
  };
  const { error } = await tried(null, { send, signal: stop.signal });
  assert.equal(error, reason);
  assert.deepEqual(seen, [true]);
});

test('a value is waited for unless the signal comes first', async () => {
  const stop = new AbortController();
  assert.equal(await unlessAborted(Promise.resolve(7), stop.signal), 7);
  const waiting = unlessAborted(new Promise<number>(() => {}), stop.signal);
  const reason = new Error('asked to stop');
  stop.abort(reason);
  await assert.rejects(waiting, reason);
});
