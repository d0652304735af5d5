import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { describe } from 'node:test';
import { promisify } from 'node:util';
import { guardedRun } from '../../../src/apps/sim/guarded-run.ts';
import { lookEveryWay } from '../../../src/apps/sim/look.ts';
import { runSeed } from '../../../src/apps/sim/one-seed.ts';
import type { PlantedBug } from '../../../src/sim/planted/contract.ts';
import type { LookRequest, Said } from '../../../src/sim/run/run.ts';
import { drawSwarm, type Wishes } from '../../../src/sim/swarm/swarm.ts';
import { missing, partPath } from '../../real/parts.ts';
import { sharedTests } from '../../share.ts';

const WISHES: Wishes = { nodes: 2, hours: 0.3, faults: 'all' };
const SEED = 5;
const LIMIT_MS = 240_000;
const MAIN = resolve(import.meta.dirname, '../../../src/apps/cli/main.ts');

const seeded = sharedTests(2);
const here = runSeed({ seed: SEED, wishes: WISHES, bug: null });

/** The hash that a program of its own comes to, in a place and an hour of its own. */
async function hashOf(node: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { nodes, hours } = WISHES;
  const asked = ['--seed', String(SEED), '--nodes', String(nodes), '--hours', String(hours)];
  const { stdout } = await promisify(execFile)(
    node,
    ['--disable-warning=ExperimentalWarning', MAIN, 'sim', ...asked, '-o', 'json'],
    { env: { PATH: process.env['PATH'], ...env }, maxBuffer: 64 * 1024 * 1024 },
  );
  const { seeds } = JSON.parse(stdout) as { readonly seeds: readonly { readonly hash: string }[] };
  return seeds[0]?.hash ?? assert.fail('no seed was run');
}

describe('the same seed', { timeout: LIMIT_MS }, () => {
  seeded.test('comes to the same SHA-256 twice in one process', async () => {
    const [{ hash }, again] = [
      await here,
      await runSeed({ seed: SEED, wishes: WISHES, bug: null }),
    ];
    assert.match(hash, /^[0-9a-f]{64}$/);
    assert.equal(again.hash, hash);
  });

  seeded.test('comes to the same in two runs that take turns', async () => {
    const both = await Promise.all(
      [SEED, SEED].map(async (seed) => runSeed({ seed, wishes: WISHES, bug: null })),
    );
    assert.deepEqual(
      both.map(({ hash }) => hash),
      [(await here).hash, (await here).hash],
    );
  });

  seeded.test('comes to the same in another process, time zone and language', async () => {
    const env = { TZ: 'Pacific/Auckland', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' };
    assert.equal(await hashOf(process.execPath, env), (await here).hash);
  });

  seeded.test(
    'comes to the same by another major version of Node.js',
    {
      skip: missing('node-22'),
    },
    async () => {
      const major = /^v22\./;
      const { stdout } = await promisify(execFile)(partPath('node-22'), ['--version']);
      assert.match(stdout, major);
      assert.doesNotMatch(process.version, major);
      assert.equal(await hashOf(partPath('node-22')), (await here).hash);
    },
  );
});

async function looked(request: LookRequest): Promise<readonly Said[]> {
  return lookEveryWay(request, { bug: null, gapShare: 0 });
}

/** A mistake in the product: it looks at the machine that it runs on. */
function touching(touch: () => unknown): PlantedBug {
  return {
    id: 'touching',
    caughtBy: [],
    document: (document) => {
      touch();
      return document;
    },
  };
}

describe('a simulated run', { timeout: LIMIT_MS }, () => {
  seeded.test('is ended by product code that reads the clock or draws by itself', async () => {
    for (const [name, touch] of [
      ['Date.now', () => Date.now()],
      ['Math.random', () => Math.random()],
      ['setTimeout', () => setTimeout(() => undefined, 1)],
    ] as const) {
      const run = runSeed({ seed: SEED, wishes: WISHES, bug: touching(touch) });
      await assert.rejects(run, { message: new RegExp(`touched ${name} in .*determinism`) });
    }
    assert.ok(Date.now() > 0 && Math.random() < 1);
  });

  seeded.test('is ended by product code that touches them while the world runs', async () => {
    const swarm = drawSwarm(SEED, WISHES, []);
    const run = guardedRun({
      swarm,
      injections: [],
      look: looked,
      begin: ({ simulated: { kernel } }) =>
        kernel.spawn('careless', async () => {
          await kernel.clock().sleep(60_000);
          await new Promise((done) => setImmediate(done));
        }),
    });
    await assert.rejects(run, { message: /touched setImmediate in .*determinism/ });
  });
});

seeded.tell('tests of determinism');
