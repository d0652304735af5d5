/** nidhogg's configuration file in the gate controller, on a real API server, point by point. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { loadAll } from 'js-yaml';
import type { JsonObject } from '../../src/evidence/json.ts';
import { until } from './bench.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { applyManifests } from './controller-manifests.ts';
import { GateSite, type RunningGate } from './gate-site.ts';
import { CONTROL_PLANE, missing } from './parts.ts';

const GATES = join(import.meta.dirname, '../../deploy/node-gates.yaml');
const skip = missing(...CONTROL_PLANE);
const WITH_PARTS = { skip, timeout: 180_000 };
/** With the rights of the manifest and no others. */
const USER = 'gate';
const PREFIX = 'nidhogg.uswitch.com';
const CNI = `${PREFIX}/kube-system.cni:NoSchedule`;
const KIAM = `${PREFIX}/kube-system.kiam:NoSchedule`;

const CONFIG = `
daemonsets:
- {name: cni, namespace: kube-system}
- {name: kiam, namespace: kube-system}
taintRemovalDelayInSeconds: 0
`;

let plane: ControlPlane;
let site: GateSite;
let gate: RunningGate;
let cni = '';
let kiam = '';
const endings: (() => void)[] = [];

function configured(text: string): string {
  const path = join(plane.dir, `nidhogg-${endings.length}.yaml`);
  writeFileSync(path, text);
  return path;
}

async function started(text: string): Promise<RunningGate> {
  const context = { after: (end: () => void) => void endings.push(end) };
  return site.startGate(context, '--nidhogg-config', configured(text));
}

function shut(key: string): { key: string; effect: string } {
  const [name = '', effect = ''] = key.split(':');
  return { key: name, effect };
}

before(async () => {
  if (skip !== false) return;
  plane = await startControlPlane();
  await applyManifests(plane.client, ['gate-rbac.yaml'], USER);
  site = new GateSite(plane, await plane.writeKubeconfig(USER));
  for (const object of loadAll(readFileSync(GATES, 'utf8')) as JsonObject[])
    await site.define(object, '/apis/rollcall.dev/v1alpha1/nodegates');
  await site.openNamespace();
  cni = await site.daemonSet('cni', { pool: 'workers' });
  kiam = await site.daemonSet('kiam', { pool: 'workers', kiam: 'yes' });
  gate = await started(CONFIG);
});
after(async () => {
  for (const end of endings) end();
  if (skip === false) await plane.stop();
});

const WORKER = { pool: 'workers' };
const BOTH = { pool: 'workers', kiam: 'yes' };

describe('nidhogg: a node', WITH_PARTS, () => {
  test('opens when the Pod of its DaemonSet is ready, and has the annotations of both forks', async () => {
    await site.node('opens', { labels: WORKER, taints: [shut(CNI)] });
    await site.daemonPod('cni', cni, 'opens');
    await site.setPodReady('cni-opens', true);
    await site.untilTaints('opens', [], gate);
    const annotations = await site.annotations('opens');
    const times = ['first-time-ready', 'ready-since'].map(
      (name) => annotations[`${PREFIX}/${name}`],
    );
    assert.match(times[0] ?? '', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/);
    assert.equal(times[0], times[1]);
  });

  test('that was born without its taint gets it', async () => {
    await site.node('bare', { labels: WORKER });
    await site.untilTaints('bare', [CNI], gate);
  });

  test('stays shut while the Pod has no status, as of containers that never started', async () => {
    await site.node('no-status', { labels: WORKER, taints: [shut(CNI)] });
    await site.daemonPod('cni', cni, 'no-status');
    await site.untilHandled(gate);
    assert.deepEqual(await site.taints('no-status'), [CNI]);
  });

  test('stays shut while the Pod is unready', async () => {
    await site.node('unready', { labels: WORKER, taints: [shut(CNI)] });
    await site.daemonPod('cni', cni, 'unready');
    await site.setPodReady('cni-unready', false);
    await site.untilHandled(gate);
    assert.deepEqual(await site.taints('unready'), [CNI]);
  });

  test('opens by its own Pods and no others', async () => {
    for (const name of ['one', 'two']) {
      await site.node(name, { labels: WORKER, taints: [shut(CNI)] });
      await site.daemonPod('cni', cni, name);
    }
    await site.setPodReady('cni-two', true);
    await site.untilTaints('two', [], gate);
    assert.deepEqual(await site.taints('one'), [CNI]);
  });
});

describe('nidhogg: a node with several DaemonSets or after a change', WITH_PARTS, () => {
  test('opens for each DaemonSet by itself, and is annotated when the last taint goes', async () => {
    await site.node('several', { labels: BOTH, taints: [shut(CNI), shut(KIAM)] });
    await site.daemonPod('cni', cni, 'several');
    await site.daemonPod('kiam', kiam, 'several');
    await site.setPodReady('cni-several', true);
    await site.untilTaints('several', [KIAM], gate);
    assert.equal((await site.annotations('several'))[`${PREFIX}/first-time-ready`], undefined);
    await site.setPodReady('kiam-several', true);
    await site.untilTaints('several', [], gate);
    assert.notEqual((await site.annotations('several'))[`${PREFIX}/first-time-ready`], undefined);
  });

  test('keeps the annotation that it has', async () => {
    const annotations = { [`${PREFIX}/first-time-ready`]: '2020-01-01T00:00:00Z' };
    await site.node('known', { labels: WORKER, taints: [shut(CNI)], annotations });
    await site.daemonPod('cni', cni, 'known');
    await site.setPodReady('cni-known', true);
    await site.untilTaints('known', [], gate);
    assert.equal(
      (await site.annotations('known'))[`${PREFIX}/first-time-ready`],
      '2020-01-01T00:00:00Z',
    );
  });

  test('is shut again when the Pod becomes unready', async () => {
    await site.node('regress', { labels: WORKER, taints: [shut(CNI)] });
    await site.daemonPod('cni', cni, 'regress');
    await site.setPodReady('cni-regress', true);
    await site.untilTaints('regress', [], gate);
    await site.setPodReady('cni-regress', false);
    await site.untilTaints('regress', [CNI], gate);
  });

  test('is not opened by a Pod that is being deleted beside a new one that is unready', async () => {
    await site.node('old-pod', { labels: WORKER, taints: [shut(CNI)] });
    await site.daemonPod('cni', cni, 'old-pod', 'cni-old-a');
    await site.removePod('cni-old-a');
    await site.setPodReady('cni-old-a', true);
    await site.daemonPod('cni', cni, 'old-pod', 'cni-old-b');
    await site.setPodReady('cni-old-b', false);
    await site.untilHandled(gate);
    assert.deepEqual(await site.taints('old-pod'), [CNI]);
    await site.setPodReady('cni-old-b', true);
    await site.untilTaints('old-pod', [], gate);
  });

  test('loses the taint when its labels say that the DaemonSet is not for it', async () => {
    await site.node('relabeled', { labels: WORKER, taints: [shut(CNI)] });
    await site.setLabels('relabeled', { pool: 'others' });
    await site.untilTaints('relabeled', [], gate);
  });
});

describe('nidhogg: taints of a node', WITH_PARTS, () => {
  test('without a label of the DaemonSet is left alone', async () => {
    await site.node('other', { labels: { pool: 'others' } });
    await site.untilHandled(gate);
    assert.deepEqual(await site.taints('other'), []);
  });

  test('loses taints of an older configuration, and none with a longer prefix', async () => {
    const [stale, others] = [`${PREFIX}/kube-system.gone`, `${PREFIX}unity.example/x`];
    const taints = [stale, others].map((key) => ({ key, effect: 'NoSchedule' }));
    await site.node('stale', { labels: { pool: 'others' }, taints });
    await site.untilTaints('stale', [`${others}:NoSchedule`], gate);
  });

  test('gets its taint back when somebody removes it', async () => {
    await site.node('stripped', { labels: WORKER, taints: [shut(CNI)] });
    await site.setTaints('stripped', []);
    await site.untilTaints('stripped', [CNI], gate);
  });

  test('keeps taints of others', async () => {
    const foreign = { key: 'example.com/dedicated', value: 'gpu', effect: 'NoSchedule' };
    await site.node('foreign', { labels: WORKER, taints: [foreign, shut(CNI)] });
    await site.daemonPod('cni', cni, 'foreign');
    await site.setPodReady('cni-foreign', true);
    await site.untilTaints('foreign', ['example.com/dedicated:NoSchedule'], gate);
  });

  test('has an Event TaintsChanged for each change', async () => {
    await site.node('told', { labels: WORKER });
    const added = await site.untilEvent('told', /TaintsChanged: Taints added: \[nid/);
    assert.match(
      added,
      /Taints added: \[nidhogg\.uswitch\.com\/kube-system\.cni\], taints removed: \[\], taintless: false$/,
    );
    await site.daemonPod('cni', cni, 'told');
    await site.setPodReady('cni-told', true);
    const removed = await site.untilEvent('told', /taints removed: \[nid/);
    assert.match(removed, /taintless: true, first time ready: \d{4}-/);
  });
});

test('nidhogg: metrics have its names', WITH_PARTS, async () => {
  const text = await gate.metrics();
  assert.match(
    text,
    /^taint_operations\{operation="added",taint="nidhogg\.uswitch\.com\/kube-system\.cni"\} [1-9]/m,
  );
  assert.match(
    text,
    /^taint_operations\{operation="removed",taint="nidhogg\.uswitch\.com\/kube-system\.cni"\} [1-9]/m,
  );
  assert.match(text, /^taint_operation_errors\{operation="nodeUpdate"\} 0$/m);
});

describe('nidhogg: with another configuration', WITH_PARTS, () => {
  before(async () => {
    if (skip === false) await gate.stop();
  });

  test('a DaemonSet that does not exist keeps nodes shut, and says so', async () => {
    const running = await started(
      'daemonsets: [{name: missing, namespace: kube-system}]\nnodeSelector: ["case=missing"]\n',
    );
    const key = `${PREFIX}/kube-system.missing`;
    await site.node('missing', {
      labels: { case: 'missing' },
      taints: [{ key, effect: 'NoSchedule' }],
    });
    await until('a word about it', async () =>
      /kube-system\/missing does not exist/.test(running.said()) ? true : null,
    );
    assert.deepEqual(await site.taints('missing'), [`${key}:NoSchedule`]);
    await running.stop();
  });

  test('every selector of a list must be met', async () => {
    const running = await started(
      'daemonsets: [{name: cni, namespace: kube-system}]\nnodeSelector: ["a=b", "c in (d, e)", "!f"]\n',
    );
    await site.node('all-three', { labels: { a: 'b', c: 'e' } });
    await site.node('last-only', { labels: { a: 'b', c: 'x' } });
    await site.node('with-f', { labels: { a: 'b', c: 'd', f: '' } });
    await site.untilTaints('all-three', [CNI], running);
    for (const name of ['last-only', 'with-f']) assert.deepEqual(await site.taints(name), []);
    await running.stop();
  });

  test('prefix, effect and delay are those of the file', async () => {
    const running = await started(
      'daemonsets: [{name: cni, namespace: kube-system}]\nnodeSelector: {case: prefix}\n' +
        'taintNamePrefix: gate.example.com\ntaintEffect: PreferNoSchedule\ntaintRemovalDelayInSeconds: 1\n',
    );
    await site.node('prefix', { labels: { case: 'prefix' } });
    await site.untilTaints(
      'prefix',
      ['gate.example.com/kube-system.cni:PreferNoSchedule'],
      running,
    );
    await site.daemonPod('cni', cni, 'prefix');
    await site.setPodReady('cni-prefix', true);
    await site.untilTaints('prefix', [], running);
    // The server shows the write before the program has had its answer, and says it.
    await until('its line', async () => (/for 1 s/.test(running.said()) ? true : null));
    await running.stop();
  });
});
