import assert from 'node:assert/strict';
import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { setTimeout as plan } from 'node:timers';
import { settle } from './settle.ts';
import { overTripwires } from './tripwires.ts';

const nothing = (): void => undefined;

const TOUCHES: readonly (readonly [string, RegExp, () => unknown])[] = [
  ['Date.now', /Clock port/, () => Date.now()],
  ['Date', /Clock port/, () => new Date()],
  // oxlint-disable-next-line unicorn/new-for-builtins
  ['Date', /Clock port/, () => Date()],
  ['performance.now', /Clock port/, () => performance.now()],
  ['process.hrtime', /Clock port/, () => process.hrtime()],
  ['process.hrtime.bigint', /Clock port/, () => process.hrtime.bigint()],
  ['setTimeout', /wait on the Clock port/, () => setTimeout(nothing, 1)],
  ['setInterval', /wait on the Clock port/, () => setInterval(nothing, 1)],
  ['setImmediate', /wait on the Clock port/, () => setImmediate(nothing)],
  ['queueMicrotask', /wait on the Clock port/, () => queueMicrotask(nothing)],
  ['AbortSignal.timeout', /wait on the Clock port/, () => AbortSignal.timeout(1)],
  ['node:timers setTimeout', /wait on the Clock port/, () => plan(nothing, 1)],
  ['node:timers/promises setTimeout', /wait on the Clock port/, async () => pause(1)],
  ['Math.random', /Random port/, () => Math.random()],
  ['crypto.randomUUID', /Random port/, () => crypto.randomUUID()],
  ['crypto.getRandomValues', /Random port/, () => crypto.getRandomValues(new Uint8Array(1))],
  ['node:crypto randomUUID', /Random port/, () => randomUUID()],
  ['node:crypto randomBytes', /Random port/, () => randomBytes(1)],
  ['node:crypto randomInt', /Random port/, () => randomInt(2)],
  ['fetch', /ask through a port/, async () => fetch('http://127.0.0.1:1/')],
];

function touched(name: string, instead: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof Error);
    assert.ok(error.message.startsWith(`A simulated run touched ${name} in `), error.message);
    assert.match(error.message, /tripwires\.test\.ts:\d+:\d+/);
    assert.match(error.message, instead);
    return true;
  };
}

/** What a program reaches the machine by, as it is now. */
function reached(): readonly unknown[] {
  const own: readonly (readonly [object, readonly string[]])[] = [
    [globalThis, ['Date', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'fetch']],
    [Date, ['now']],
    [Math, ['random']],
    [performance, ['now']],
    [process, ['hrtime']],
    [process.hrtime, ['bigint']],
    [AbortSignal, ['timeout']],
    [crypto, ['randomUUID', 'getRandomValues']],
  ];
  const owned = own.flatMap(([owner, keys]) =>
    keys.map((key) => Object.getOwnPropertyDescriptor(owner, key)),
  );
  return [owned, plan, pause, randomUUID, randomBytes, randomInt];
}

describe('over tripwires', () => {
  for (const [name, instead, touch] of TOUCHES)
    test(`${name} trips: ${String(touch).replace(/\s+/g, ' ')}`, async () => {
      const task = async (): Promise<void> => {
        await Promise.resolve();
        await touch();
      };
      await assert.rejects(overTripwires(task), touched(name, instead));
    });

  test('reports a touch even if the code around it caught it', async () => {
    const careless = async (): Promise<string> => {
      try {
        return String(Math.random());
      } catch {
        return 'none';
      }
    };
    await assert.rejects(overTripwires(careless), touched('Math.random', /Random port/));
  });

  test('reports a touch instead of the error it caused', async () => {
    const wrapping = async (): Promise<void> => {
      try {
        Date.now();
      } catch (error) {
        throw new TypeError('it did not work', { cause: error });
      }
    };
    await assert.rejects(overTripwires(wrapping), touched('Date.now', /Clock port/));
  });

  test('reports a touch in work that nobody waits for', async () => {
    const started = async (): Promise<void> => {
      await settle();
      Date.now();
    };
    const task = async (): Promise<void> => {
      started().catch(nothing);
      await settle();
      await settle();
    };
    await assert.rejects(overTripwires(task), touched('Date.now', /Clock port/));
  });
});

describe('tripwires let pass', () => {
  test('what needs no machine', async () => {
    const answer = await overTripwires(async () => {
      await settle();
      const { systemRandom } = await import('./random.ts');
      class Day extends Date {}
      return [
        new Date(0).toISOString(),
        new Date(2026, 0, 2, 3).getHours(),
        new Date(0) instanceof Date,
        new Day(5) instanceof Day,
        new Day(5).getTime(),
        Date.UTC(1970, 0, 1),
        Date.parse('1970-01-01T00:00:01Z'),
        createHash('sha256').update('').digest('hex').slice(0, 4),
        typeof systemRandom.next,
        AbortSignal.any([AbortSignal.abort()]).aborted,
      ];
    });
    const date = ['1970-01-01T00:00:00.000Z', 3, true, true, 5, 0, 1000];
    assert.deepEqual(answer, [...date, 'e3b0', 'function', true]);
  });

  test('who only stands by', async () => {
    const gate = Promise.withResolvers<number>();
    const beside = (async () => {
      await settle();
      const ids = [randomUUID(), crypto.randomUUID(), String(Math.random())];
      await pause(1);
      await new Promise<void>((resolve) => setTimeout(resolve, 1));
      gate.resolve(new Set(ids).size);
      return Date.now() + performance.now() + new Date().getTime();
    })();
    assert.equal(await overTripwires(async () => gate.promise), 3);
    assert.ok((await beside) > 0);
  });
});

describe('removes tripwires', () => {
  const before = reached();

  test('after the task, and after its error', async () => {
    await overTripwires(async () => assert.notDeepEqual(reached(), before));
    assert.deepEqual(reached(), before);
    const failing = overTripwires(async () => {
      await settle();
      throw new TypeError('a bug');
    });
    await assert.rejects(failing, /^TypeError: a bug$/);
    assert.deepEqual(reached(), before);
  });

  test('with the last of several tasks', async () => {
    const gate = Promise.withResolvers<void>();
    const long = overTripwires(async () => {
      await gate.promise;
      return Math.random();
    });
    await overTripwires(async () => settle());
    gate.resolve();
    await assert.rejects(long, touched('Math.random', /Random port/));
    assert.deepEqual(reached(), before);
  });
});
