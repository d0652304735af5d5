import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planted } from './sources.ts';
import { REAL, throughPorts } from './through-ports.ts';

function found(texts: Readonly<Record<string, string>>): readonly string[] {
  return throughPorts.run(planted(texts)).map(({ where, what }) => `${where} ${what}`);
}

const TOUCHES: readonly (readonly [string, RegExp])[] = [
  ['const a = Date.now();', /Date reads the clock; .*Clock port/],
  ['const a = { nowMs: Date.now };', /Date reads the clock/],
  ['const a = new Date();', /Date reads the clock/],
  ['const a = performance.now();', /performance reads the clock/],
  ['const a = process.hrtime.bigint();', /process reads the clock/],
  ['const a = setTimeout(b, 1);', /setTimeout waits; .*Clock port/],
  ['setInterval(b, 1);', /setInterval waits/],
  ['await new Promise(setImmediate);', /setImmediate waits/],
  ['queueMicrotask(b);', /queueMicrotask waits/],
  ['process.nextTick(b);', /process waits/],
  ['process.exit(1);', /process may hang .*process\.exitCode/],
  ['const a = AbortSignal.timeout(1);', /AbortSignal waits/],
  ['const a = b ?? Math.random;', /Math draws by chance; .*Random port/],
  ['crypto.getRandomValues(a);', /crypto draws by chance/],
  ["import { setTimeout as wait } from 'node:timers/promises';", /setTimeout waits/],
  [
    "const { setTimeout: wait } = await import('node:timers');",
    /setTimeout waits|node:timers waits/,
  ],
  ["import * as wait from 'node:timers/promises';", /node:timers\/promises waits/],
  ["import { performance as p } from 'node:perf_hooks';", /reads the clock/],
  ["import { createHash, randomUUID } from 'node:crypto';", /randomUUID draws by chance/],
];

test('what touches the machine is seen in every room', () => {
  for (const room of ['adapters/aws', 'apps/cli', 'doors/aws', 'sim/run', 'readers'])
    for (const [text, message] of TOUCHES) {
      const all = found({ [`src/${room}/a.ts`]: `\n${text}` });
      assert.ok(all.length >= 1, `${room} ${text}`);
      assert.match(all[0] ?? '', message);
      assert.match(all[0] ?? '', /a\.ts:2 /);
    }
});

test('ignores text that only looks like it', () => {
  const text = `
    import { createHash } from 'node:crypto';
    // Date.now()
    const a = 'setTimeout'; const b = socket.setTimeout(0);
    const c = new Date(0).toISOString() + Date.parse(a) + Math.max(1, process.pid);
    const d = { performance: 1, setTimeout: 2 };
    const e = AbortSignal.any([]); const f = crypto.subtle;`;
  assert.deepEqual(found({ 'src/adapters/a/b.ts': text }), []);
});

test('tests may touch it, and so may the places on the list while they do', () => {
  assert.deepEqual(found({ 'src/adapters/a/b.test.ts': 'setTimeout(a, 1);' }), []);
  const touching = Object.keys(REAL).map((place) => [
    place.endsWith('/') ? `${place}a.ts` : place,
    'const a = Math.random();',
  ]);
  assert.deepEqual(found(Object.fromEntries(touching)), []);
  const one = 'src/apps/lab/doors.ts';
  const calm = found({ ...Object.fromEntries(touching), [one]: 'const a = 1;' });
  assert.deepEqual(calm, [`${one} touches the machine no more; take it off the list`]);
});
