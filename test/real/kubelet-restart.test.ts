/** A kubelet restarts: the agent sees it, and the gate shuts its node on a real API server. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { loadAll } from 'js-yaml';
import { at, type JsonObject } from '../../src/evidence/json.ts';
import { startRollcall } from '../live/rollcall.ts';
import { nodeGate } from '../controllers/gate/node-gate-table.ts';
import { until } from './bench.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { GateSite } from './gate-site.ts';
import { CONTROL_PLANE, missing } from './parts.ts';

const MANIFEST = join(import.meta.dirname, '../../deploy/node-gates.yaml');
const GATES = '/apis/rollcall.dev/v1alpha1/nodegates';
const STARTUP = 'example.com/kubelets:NoSchedule';
const NODE = 'restarts';
const skip = missing(...CONTROL_PLANE);
const WITH_PARTS = { skip, timeout: 180_000 };

let plane: ControlPlane;
let site: GateSite;

before(async () => {
  if (skip !== false) return;
  plane = await startControlPlane();
  site = new GateSite(plane);
  for (const object of loadAll(readFileSync(MANIFEST, 'utf8')) as JsonObject[])
    await site.define(object, GATES);
  await site.create('/api/v1/namespaces', { metadata: { name: 'rollcall' } });
});
after(async () => {
  if (skip === false) await plane.stop();
});

/** What the machine half writes, again and again as it does. */
class Machine {
  readonly path = join(plane.dir, 'machine.json');
  #startedMs = 41_870;

  constructor(t: Pick<TestContext, 'after'>) {
    this.#write();
    const timer = setInterval(() => this.#write(), 1_000);
    t.after(() => clearInterval(timer));
  }

  restart(startedMs: number): void {
    this.#startedMs = startedMs;
    this.#write();
  }

  #write(): void {
    const path = { rules: null, flows: null, ownAddresses: [] };
    const state = { atMs: Date.now(), path, nodeRole: null, notices: null };
    writeFileSync(this.path, JSON.stringify({ ...state, kubeletStartedMs: this.#startedMs }));
  }
}

function startAgent(t: Pick<TestContext, 'after'>, machine: Machine): () => string {
  const flags = `--conditions --node ${NODE} --probes=kubelet --interval=1s --listen 127.0.0.1:0`;
  const places = ['--machine-state', machine.path, '--kubeconfig', plane.kubeconfigPath];
  const child = startRollcall(['agent', ...flags.split(' '), ...places], { HOME: plane.dir });
  t.after(() => child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text: Buffer | string) => {
      said += String(text);
    });
  return () => said;
}

async function noteOf(): Promise<string | undefined> {
  const all = Object.entries(await site.annotations(NODE));
  return all.find(([key]) => key.endsWith('.kubelet'))?.[1];
}

test('a restart of the kubelet shuts a node until all is proven again', WITH_PARTS, async (t) => {
  const gate = await site.startGate(t);
  const machine = new Machine(t);
  const stored = await site.create(
    GATES,
    nodeGate('kubelets', {
      nodeSelector: { matchLabels: { pool: 'kubelets' } },
      taint: { key: 'example.com/kubelets', effect: 'NoSchedule' },
      proofs: [{ label: { key: 'pool' } }],
      dwell: '2s',
      regress: { kubeletRestart: 'shut' },
    }),
  );
  assert.equal(at(stored, 'spec.regress.kubeletRestart'), 'shut');
  const taints = [{ key: 'example.com/kubelets', effect: 'NoSchedule' }];
  await site.node(NODE, { labels: { pool: 'kubelets' }, taints });
  await site.patch(`/api/v1/nodes/${NODE}/status`, { status: { nodeInfo: nodeInfo() } });
  await site.untilTaints(NODE, [STARTUP], gate);
  const said = startAgent(t, machine);
  await site.untilTaints(NODE, [], gate).catch((error: unknown) => {
    throw new Error(said(), { cause: error });
  });
  assert.equal(await noteOf(), 'boot=boot-1 Started41870msAfterBoot');
  machine.restart(902_100);
  const event = await site.untilEvent(NODE, /^GateKubeletRestarted: /);
  assert.match(event, /NodeGate kubelets shut this node again: its kubelet restarted/);
  await until('the node to be open with the next run', async () =>
    (await noteOf()) === 'boot=boot-1 Started902100msAfterBoot' ? true : null,
  );
  await site.untilTaints(NODE, [], gate);
  assert.match(gate.said(), new RegExp(`${NODE}: GateKubeletRestarted`));
});

function nodeInfo(): JsonObject {
  const words = [
    'architecture',
    'containerRuntimeVersion',
    'kernelVersion',
    'kubeProxyVersion',
    'kubeletVersion',
    'machineID',
    'operatingSystem',
    'osImage',
    'systemUUID',
  ];
  return { ...Object.fromEntries(words.map((word) => [word, 'x'])), bootID: 'boot-1' };
}
