import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Json } from '../../src/evidence/json.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { ConfigurationError } from '../../src/runtime/configuration/configuration.ts';
import { LiveConfiguration } from '../../src/runtime/configuration/live-configuration.ts';
import type { Settings } from '../../src/runtime/configuration/setting.ts';
import { type VirtualClock, virtualClock } from '../ports/fake/clock.ts';

const SETTINGS = {
  leaseMs: { kind: 'number', help: 'h', fallback: 15_000, least: 1000, most: 60_000 },
  groups: { kind: 'list', help: 'h', fallback: [], itemsMost: 3 },
  port: { kind: 'number', help: 'h', fallback: 80, least: 1, most: 65_535, isFixed: true },
} as const satisfies Settings;

interface Scene {
  readonly clock: VirtualClock;
  readonly live: LiveConfiguration<typeof SETTINGS>;
  readonly changes: string[];
  readonly troubles: string[];
  /** Text of the file; an error when it cannot be read. */
  content: string | Error;
}

async function scene(
  context: TestContext,
  content: string | Error,
  hasFile = true,
): Promise<Scene> {
  const clock = virtualClock();
  const changes: string[] = [];
  const troubles: string[] = [];
  const told = { content };
  const live = await LiveConfiguration.load({
    settings: SETTINGS,
    flags: {},
    environment: { ROLLCALL_GROUPS: 'a' },
    clock,
    file: hasFile
      ? {
          path: 'rollcall.json',
          read: async () => {
            if (typeof told.content === 'string') return told.content;
            throw told.content;
          },
          parse: (text) => JSON.parse(text) as Json,
        }
      : null,
    onChange: ({ leaseMs }, changed) => changes.push(`${changed.join(' ')} ${leaseMs}`),
    onTrouble: (line) => troubles.push(line),
  });
  const stop = new AbortController();
  const running = live.run(stop.signal);
  context.after(async () => {
    stop.abort();
    await running;
    assert.equal(clock.sleeping(), 0);
  });
  return Object.assign(told, { clock, live, changes, troubles });
}

const POLL_MS = 5_000;
const missing = new PortError({ failure: 'not-found', message: 'no such file: rollcall.json' });

test('a configuration is taken at the start, and none that is bad', async (context) => {
  const { live } = await scene(context, '{"leaseMs": 2000}');
  assert.deepEqual(live.current(), { leaseMs: 2000, groups: ['a'], port: 80 });
  await assert.rejects(scene(context, '{"leaseMs": 2}'), ConfigurationError);
  await assert.rejects(scene(context, '{"leaseMs'), /^Error: not readable: /);
  await assert.rejects(scene(context, missing), /no such file/);
});

test('without a file the rest is taken, and nothing reloaded', async (context) => {
  const { clock, live } = await scene(context, missing, false);
  await clock.advance(60_000);
  await live.reload();
  assert.equal(live.current().leaseMs, 15_000);
});

test('a change is taken within five seconds, and reported with its names', async (context) => {
  const told = await scene(context, '{"leaseMs": 2000}');
  await told.clock.advance(60_000);
  told.content = '{"leaseMs": 3000}';
  await told.clock.advance(POLL_MS);
  assert.deepEqual([told.changes, told.live.current().leaseMs], [['leaseMs 3000'], 3000]);
  told.content = '{"leaseMs": 3000, "groups": ["hidden by the variable"]}';
  await told.clock.advance(POLL_MS);
  assert.equal(told.changes.length, 1);
  told.content = ' ';
  await told.clock.advance(POLL_MS);
  assert.deepEqual(told.changes.slice(1), ['leaseMs 15000']);
  assert.deepEqual(told.troubles, []);
});

test('a bad one is refused in one line, once, and the old one kept', async (context) => {
  const told = await scene(context, '{"leaseMs": 2000}');
  const refused = 'configuration rollcall.json refused, the old one is kept';
  for (const [content, why] of [
    [
      '{"leaseMs": 5, "leaseM": 1}',
      'unknown setting "leaseM"; did you mean leaseMs?; leaseMs: 5 is below 1000',
    ],
    [missing, 'no such file: rollcall.json'],
  ] as const) {
    told.content = content;
    await told.clock.advance(10 * POLL_MS);
    assert.deepEqual(told.troubles.splice(0), [`${refused}: ${why}`]);
  }
  told.content = '{"leaseMs":\n\n2000';
  await told.clock.advance(10 * POLL_MS);
  assert.equal(told.troubles.length, 1);
  assert.match(told.troubles[0] ?? '', /refused, the old one is kept: not readable: [^\n]+$/);
  assert.deepEqual([told.changes, told.live.current().leaseMs], [[], 2000]);
  told.content = '{"leaseMs": 4000}';
  await told.clock.advance(POLL_MS);
  assert.deepEqual(told.changes, ['leaseMs 4000']);
});

test('a file that is away for the second time is reported again', async (context) => {
  const told = await scene(context, '{}');
  for (let time = 0; time < 2; time++) {
    told.content = missing;
    await told.clock.advance(2 * POLL_MS);
    told.content = '{}';
    await told.clock.advance(2 * POLL_MS);
  }
  assert.equal(told.troubles.length, 2);
});

test('a reload on request looks at once, and says again what is wrong', async (context) => {
  const told = await scene(context, '{}');
  told.content = '{"leaseMs": 5}';
  await told.live.reload();
  await told.live.reload();
  assert.equal(told.troubles.length, 2);
  told.content = '{"leaseMs": 5000}';
  await told.live.reload();
  assert.deepEqual(told.changes, ['leaseMs 5000']);
});

test('what is read once keeps its value until a restart', async (context) => {
  const told = await scene(context, '{}');
  told.content = '{"port": 81, "leaseMs": 5000}';
  await told.clock.advance(5 * POLL_MS);
  assert.deepEqual(told.troubles, [
    'configuration: port changed, which takes effect after a restart',
  ]);
  assert.deepEqual(told.live.current(), { leaseMs: 5000, groups: ['a'], port: 80 });
  assert.deepEqual(told.changes, ['leaseMs 5000']);
});

test('a file is refused until another is taken, however often it is looked at', async (context) => {
  const told = await scene(context, '{}');
  const refused: boolean[] = [];
  for (const content of ['{"leaseMs": 5}', missing, '{"leaseMs": 5}', '{"leaseMs": 5000}', '{}']) {
    told.content = content;
    await told.clock.advance(3 * POLL_MS);
    refused.push(told.live.isRefused());
  }
  assert.deepEqual(refused, [true, true, true, false, false]);
  assert.equal(told.troubles.length, 3);
});

test('a bug of the reader is thrown', async (context) => {
  const told = await scene(context, '{}');
  told.content = new TypeError('x is null');
  await assert.rejects(told.live.reload(), TypeError);
  told.content = '{}';
});
