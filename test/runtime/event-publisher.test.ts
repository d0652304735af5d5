import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { at, type JsonObject, textAt } from '../../src/evidence/json.ts';
import type { KubeWrites } from '../../src/ports/kube-writes.ts';
import { PortError, type PortFailure } from '../../src/ports/port-error.ts';
import type { EventNote } from '../../src/runtime/events/event-correlator.ts';
import { EventPublisher } from '../../src/runtime/events/event-publisher.ts';
import { type VirtualClock, virtualClock } from '../ports/fake/clock.ts';

type Answer = PortFailure | 'hang' | 'lost' | Error;

interface Scene {
  readonly clock: VirtualClock;
  readonly publisher: EventPublisher;
  /** By name, as the server has them. */
  readonly events: Map<string, JsonObject>;
  readonly calls: string[];
  /** For the next writes; none is success. */
  readonly answers: Answer[];
  readonly stop: AbortController;
  readonly ended: Promise<string>;
}

/** `lost`: it takes effect, and nothing tells. */
async function meet(
  told: Scene,
  effect: () => JsonObject,
  signal?: AbortSignal,
): Promise<JsonObject> {
  const answer = told.answers.shift();
  if (answer === 'hang') await told.clock.sleep(1e9, signal);
  if (answer instanceof Error) throw answer;
  if (answer === undefined) return effect();
  if (answer === 'lost') effect();
  throw new PortError({
    failure: answer === 'lost' ? 'unclear' : (answer as PortFailure),
    message: 'm',
  });
}

function writesOf(told: () => Scene): Pick<KubeWrites, 'create' | 'patch'> {
  return {
    create: (_resource, object, options) => {
      const { events, calls } = told();
      const name = textAt(object, 'metadata.name') ?? '';
      calls.push('create');
      const effect = (): JsonObject => {
        if (events.has(name)) throw new PortError({ failure: 'already-exists', message: 'm' });
        events.set(name, object);
        return object;
      };
      return meet(told(), effect, options?.signal);
    },
    patch: (_resource, { name }, patch, options) => {
      const { events, calls } = told();
      calls.push('patch');
      const effect = (): JsonObject => {
        const found = events.get(name);
        if (found === undefined) throw new PortError({ failure: 'not-found', message: 'm' });
        const next = { ...found, ...(patch.type === 'merge' ? patch.change : {}) };
        events.set(name, next);
        return next;
      };
      return meet(told(), effect, options?.signal);
    },
  };
}

function scene(context: TestContext): Scene {
  const clock = virtualClock();
  let drawn = 0;
  const publisher = new EventPublisher({
    writes: writesOf(() => made),
    clock,
    random: { next: () => (drawn++ % 1000) / 1000 },
    source: { component: 'rollcall-controller', instance: 'pod-1' },
  });
  const stop = new AbortController();
  const made: Scene = {
    clock,
    publisher,
    events: new Map(),
    calls: [],
    answers: [],
    stop,
    ended: publisher.run(stop.signal).then(
      () => 'ended',
      (error: unknown) => String(error),
    ),
  };
  context.after(async () => {
    stop.abort();
    await clock.advance(120_000);
    await made.ended;
    assert.equal(clock.sleeping(), 0, 'a timer outlived the publisher');
  });
  return made;
}

function note(message: string, name = 'n1', namespace: string | null = null): EventNote {
  const about = { apiVersion: 'v1', kind: 'Node', namespace, name, uid: 'u' };
  return { about, type: 'Warning', reason: 'AwsAuthMissing', message };
}

function counts({ events }: Scene): readonly string[] {
  return [...events.values()].map(
    (event) => `${textAt(event, 'count')} ${textAt(event, 'message')}`,
  );
}

test('a note becomes an Event as kubectl describe finds it', async (context) => {
  const told = scene(context);
  told.publisher.publish(note('a'));
  await told.clock.settle();
  const [event] = told.events.values();
  assert.deepEqual(event, {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace: 'default', name: 'n1.19b76daa80000000000' },
    involvedObject: { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'u' },
    type: 'Warning',
    reason: 'AwsAuthMissing',
    message: 'a',
    count: 1,
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:00:00Z',
    source: { component: 'rollcall-controller' },
    reportingComponent: 'rollcall-controller',
    reportingInstance: 'pod-1',
  });
});

test('an Event of an object in a namespace is in that namespace', async (context) => {
  const told = scene(context);
  told.publisher.publish(note('a', 'p', 'shop'));
  await told.clock.settle();
  const [event] = told.events.values();
  assert.equal(textAt(event, 'metadata.namespace'), 'shop');
  assert.equal(textAt(event, 'involvedObject.namespace'), 'shop');
});

test('the same note counts up in the same Event', async (context) => {
  const told = scene(context);
  for (let minute = 0; minute < 3; minute++) {
    told.publisher.publish(note('a'));
    await told.clock.advance(60_000);
  }
  assert.deepEqual(counts(told), ['3 a']);
  const [event] = told.events.values();
  assert.equal(at(event, 'firstTimestamp'), '2026-01-01T00:00:00Z');
  assert.equal(at(event, 'lastTimestamp'), '2026-01-01T00:02:00Z');
  await told.clock.advance(600_000);
  told.publisher.publish(note('a'));
  await told.clock.settle();
  assert.deepEqual(counts(told), ['3 a', '1 a']);
});

test('counts that were not written yet are one write', async (context) => {
  const told = scene(context);
  for (let time = 0; time < 20; time++) told.publisher.publish(note('a'));
  await told.clock.settle();
  assert.deepEqual([told.calls, counts(told)], [['create'], ['20 a']]);
});

test('a message is one line without secrets, and has a limit', async (context) => {
  const told = scene(context);
  told.publisher.publish(note(`token abcdef.0123456789abcdef\n${'long '.repeat(400)}`));
  await told.clock.settle();
  const [event] = told.events.values();
  const message = textAt(event, 'message') ?? '';
  assert.doesNotMatch(message, /0123456789abcdef|\n/);
  assert.equal(message.length, 1000);
});

test('an Event that the server forgot is made again', async (context) => {
  const told = scene(context);
  told.publisher.publish(note('a'));
  await told.clock.settle();
  told.events.clear();
  told.publisher.publish(note('a'));
  await told.clock.settle();
  assert.deepEqual([told.calls, counts(told)], [['create', 'patch', 'create'], ['2 a']]);
});

test('a lost answer makes no second Event', async (context) => {
  const told = scene(context);
  told.answers.push('lost');
  told.publisher.publish(note('a'));
  await told.clock.advance(10_000);
  assert.deepEqual([told.calls, counts(told)], [['create', 'create'], ['1 a']]);
  assert.equal(told.publisher.counts().written, 1);
});

test('a failure that may pass is tried four times, another one once', async (context) => {
  const told = scene(context);
  told.answers.push('unavailable', 'throttled', 'timeout', 'unreachable', 'denied');
  told.publisher.publish(note('a'));
  await told.clock.advance(60_000);
  assert.equal(told.calls.length, 4);
  told.publisher.publish(note('b'));
  await told.clock.advance(60_000);
  assert.equal(told.calls.length, 5);
  told.publisher.publish(note('c'));
  await told.clock.settle();
  assert.deepEqual(counts(told), ['1 c']);
  assert.deepEqual(told.publisher.counts(), { written: 1, filtered: 0, dropped: 0, failed: 2 });
});

test('a server that hangs does not hold up the next Event for long', async (context) => {
  const told = scene(context);
  told.answers.push('hang');
  told.publisher.publish(note('a'));
  told.publisher.publish(note('b', 'n2'));
  await told.clock.advance(10_000);
  assert.deepEqual(counts(told), ['1 a', '1 b']);
});

test('no more wait than the queue holds, and an object has its share', async (context) => {
  const told = scene(context);
  for (let n = 0; n < 1010; n++) told.publisher.publish(note('a', `n${n}`));
  for (let n = 0; n < 30; n++) told.publisher.publish(note('a', 'n1'));
  await told.clock.settle();
  assert.equal(told.events.size, 1000);
  assert.deepEqual(told.publisher.counts(), { written: 1000, filtered: 6, dropped: 10, failed: 0 });
});

test('what is left at the stop is written in a short time, and the rest dropped', async (context) => {
  const told = scene(context);
  for (const name of ['n1', 'n2', 'n3']) told.publisher.publish(note('a', name));
  told.answers.push('hang');
  await told.clock.settle();
  told.stop.abort();
  told.answers.push('hang');
  await told.clock.advance(20_000);
  assert.equal(await told.ended, 'ended');
  told.publisher.publish(note('late', 'n4'));
  const { written, dropped, failed } = told.publisher.counts();
  assert.deepEqual([written, dropped, failed], [0, 2, 2]);
});

test('a bug of a port ends the publisher', async (context) => {
  const told = scene(context);
  told.answers.push(new TypeError('x is null'));
  told.publisher.publish(note('a'));
  assert.equal(await told.ended, 'TypeError: x is null');
});
