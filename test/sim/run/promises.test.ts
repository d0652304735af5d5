import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Reflector } from '../../../src/runtime/reflector/reflector.ts';
import { settle } from '../../../src/adapters/system/settle.ts';
import { overTripwires } from '../../../src/adapters/system/tripwires.ts';
import type { KubeResource } from '../../../src/ports/kube-api.ts';
import type { FaultScene } from '../../../src/sim/faults/contract.ts';
import { FAULT_IDS, FAULTS } from '../../../src/sim/faults/faults.ts';
import { kubePort } from '../../../src/sim/kube/port.ts';
import { run } from '../../../src/sim/run/run.ts';
import { planInjections } from '../../../src/sim/swarm/plan.ts';
import { drawSwarm, type Wishes } from '../../../src/sim/swarm/swarm.ts';

const WISHES: Wishes = { nodes: 2, hours: 0.2, faults: 'all' };
const core = { group: '', version: 'v1' };
const NODES: KubeResource = { ...core, plural: 'nodes', kind: 'Node', isNamespaced: false };
const PODS: KubeResource = { ...core, plural: 'pods', kind: 'Pod', isNamespaced: true };

interface Heard {
  readonly atMs: number;
  readonly line: string;
}

/** Two reflectors of the same Nodes and one of Pods, each of which writes down what it is told. */
function reflect({ simulated }: FaultScene, heard: Heard[]): void {
  const { kernel } = simulated;
  const delays = kernel.random('wire');
  for (const [name, resource] of [
    ['first', NODES],
    ['second', NODES],
    ['pods', PODS],
  ] as const) {
    const clock = kernel.clock();
    const api = kubePort({
      server: simulated.api,
      user: simulated.admin.user,
      clock,
      delayMs: () => delays.below(40),
    });
    const reflector = new Reflector<string>({
      api,
      clock,
      random: kernel.random(name),
      resource,
      project: (object) => JSON.stringify(object['metadata']),
      onChange: ({ type, key }) => {
        heard.push({ atMs: kernel.nowMs(), line: `${name} ${type} ${key}` });
        kernel.log(name, `${type} ${key}`);
      },
    });
    kernel.spawn(name, async () => reflector.run(new AbortController().signal));
  }
}

/** What happened and what the reflectors were told, while the event loop turns in some way. */
async function play(seed: number, turn: () => Promise<void>): Promise<readonly string[]> {
  const swarm = drawSwarm(seed, WISHES, FAULT_IDS);
  const lines: string[] = [];
  const heard: Heard[] = [];
  await overTripwires(async () =>
    run({
      swarm,
      injections: planInjections(swarm, WISHES, FAULTS),
      onLine: ({ atMs, actor, what }) => lines.push(`${atMs} ${actor} ${what}`),
      begin: (stage) => reflect(stage, heard),
      settle: turn,
      look: async () => [],
    }),
  );
  assert.ok(heard.length > 20, `only ${heard.length} changes were told`);
  return [...lines, ...heard.map(({ atMs, line }) => `${atMs} ${line}`)];
}

/** Many more turns than are needed, in which waiting code could overtake the kernel. */
async function slowly(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    for (let hop = 0; hop < 7; hop++) await Promise.resolve();
    await settle();
  }
}

describe('product code that waits in the simulated world', { timeout: 120_000 }, () => {
  test('runs in the order of the kernel, however the event loop turns', async () => {
    const plain = await play(3, settle);
    assert.deepEqual(await play(3, slowly), plain);
    let beside = 0;
    const stop = new AbortController();
    const busy = (async () => {
      while (!stop.signal.aborted) {
        await pause(1);
        beside++;
      }
    })();
    assert.deepEqual(await play(3, slowly), plain);
    stop.abort();
    await busy;
    assert.ok(beside > 0, 'nothing ran beside the world');
  });

  test('hears of the same change at another time for another seed', async () => {
    assert.notDeepEqual(await play(4, settle), await play(3, settle));
  });
});
