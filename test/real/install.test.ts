/** `rollcall install` and `rollcall uninstall` on a real API server. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { at, type JsonObject, listAt } from '../../src/evidence/json.ts';
import { openRecording } from '../../src/adapters/recorder/open.ts';
import { until } from './bench.ts';
import { combinations, Helm, installed } from './chart-cases.ts';
import { startControlPlane } from './control-plane.ts';
import { InstallSite, untilSaid } from './install-site.ts';
import { CONTROL_PLANE, missing } from './parts.ts';

const skip = missing(...CONTROL_PLANE, 'kubectl', 'helm');
const WITH_PARTS = { skip, timeout: 240_000 };
const FOREIGN = { key: 'other.example/x', value: '1', effect: 'NoSchedule' };
const helm = new Helm();
let site: InstallSite;

before(async () => {
  if (skip === false) site = new InstallSite(await startControlPlane());
});
after(async () => {
  helm.end();
  if (skip === false) await site.plane.stop();
});

function gate(name: string, spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'NodeGate',
    metadata: { name, finalizers: ['rollcall.dev/gate-taints'] },
    spec: {
      nodeSelector: {},
      taint: { key: `readiness.k8s.io/${name}`, effect: 'NoSchedule' },
      proofs: [{ condition: { type: 'Ready' } }],
      ...spec,
    },
  };
}

async function layNode(name: string, keys: readonly string[]): Promise<void> {
  const taints = keys.map((key) => ({ key, effect: 'NoSchedule' }));
  const annotations = { 'gate.rollcall.dev/1-2': 'u boot=b at=t', 'other.example/kept': '1' };
  await site.plane.client.create('/api/v1/nodes', {
    metadata: { name, annotations },
    spec: { taints: [FOREIGN, ...taints] },
  });
}

/** A kind is served some moments after it was made. */
async function untilServed(): Promise<void> {
  await until('NodeGates to be served', async () => site.get('nodegates').catch(() => null));
}

describe('the API server accepts', () => {
  before(async () => {
    if (skip === false) await site.kubectl('create', 'namespace', 'rollcall');
  });
  after(async () => {
    if (skip === false) await site.kubectl('delete', 'namespace', 'rollcall', '--wait=false');
  });

  for (const one of combinations())
    test(`the chart with ${one.title}`, WITH_PARTS, async () => {
      await site.dryRun(await helm.template(one));
    });
});

describe('rollcall install', () => {
  const args = ['install', '--yes', '-n', 'rc', '--set', 'agent.enabled=false'];

  test(
    'applies each object once, and tells a second time that none changed',
    WITH_PARTS,
    async () => {
      const file = join(site.plane.dir, 'flight.db');
      const first = await site.rollcall(...args, '--record', file);
      assert.equal(first.code, 0, first.stdout + first.stderr);
      const expected = installed({
        title: '',
        namespace: 'rc',
        values: { agent: { enabled: false } },
      });
      const created = first.stdout.trim().split('\n');
      assert.equal(created.length, expected.size);
      for (const line of created) assert.match(line, /: created$/);
      const second = await site.rollcall(...args);
      for (const line of second.stdout.trim().split('\n')) assert.match(line, /: unchanged$/);
      const recorder = openRecording(file);
      const rows = await recorder.read({ cluster: site.plane.url, limit: 1000 });
      await recorder.close();
      assert.equal(rows.filter(({ kind }) => kind === 'action-ended').length, expected.size);
    },
  );

  test(
    'changes what is to be another, and leaves what somebody else has set',
    WITH_PARTS,
    async () => {
      const changed = await site.rollcall(...args, '--set', 'gate.replicas=3');
      assert.match(changed.stdout, /^Deployment rc\/rollcall-gate: changed$/m);
      await site.kubectl('-n', 'rc', 'scale', 'deployment', 'rollcall-gate', '--replicas=5');
      const refused = await site.rollcall(...args, '--set', 'gate.replicas=4');
      assert.equal(refused.code, 1);
      assert.match(refused.stdout, /^Deployment rc\/rollcall-gate: .*conflict/m);
      assert.match(refused.stdout, /^Deployment rc\/rollcall-controller: unchanged$/m);
      const forced = await site.rollcall(...args, '--set', 'gate.replicas=4', '--force-conflicts');
      assert.match(forced.stdout, /^Deployment rc\/rollcall-gate: changed$/m);
    },
  );
});

describe('rollcall uninstall', () => {
  before(async () => {
    if (skip !== false) return;
    await untilServed();
    const gates = [
      gate('a', { regress: { taint: { key: 'regress.example/a', effect: 'PreferNoSchedule' } } }),
      gate('tried', { dryRun: true }),
    ];
    for (const one of gates) await site.kubectl('create', '-f', site.file('gate.json', one));
    await layNode('n1', ['readiness.k8s.io/a', 'regress.rollcall.dev/gone']);
    await layNode('n2', ['readiness.k8s.io/tried']);
    await site.kubectl('taint', 'node', 'n2', 'regress.example/a=:PreferNoSchedule');
  });

  test('without --yes says what would go, and changes nothing', WITH_PARTS, async () => {
    const { code, stdout } = await site.rollcall('uninstall', '-n', 'rc');
    assert.equal(code, 0, stdout);
    const taints = 'readiness.k8s.io/a:NoSchedule and regress.rollcall.dev/gone:NoSchedule';
    assert.match(stdout, new RegExp(`^Node n1: would remove ${taints}$`, 'm'));
    assert.match(stdout, /^Deployment rc\/rollcall-gate: would delete it$/m);
    assert.equal((await site.taintsOf('n1')).length, 3);
    assert.equal((await site.names('deployments')).length, 2);
  });

  test(
    'leaves no taint, record or finalizer of ours, and everything else',
    WITH_PARTS,
    async () => {
      await site.kubectl(
        '-n',
        'rc',
        'label',
        'service',
        'rollcall-gate',
        'app.kubernetes.io/part-of-',
      );
      const { code, stdout } = await site.rollcall('uninstall', '-n', 'rc', '--yes');
      assert.equal(code, 0, stdout);
      assert.deepEqual(await site.taintsOf('n1'), [FOREIGN.key]);
      // The taint of a gate in a dry run is another program's.
      assert.deepEqual(await site.taintsOf('n2'), [FOREIGN.key, 'readiness.k8s.io/tried']);
      assert.deepEqual(await site.annotationsOf('n1'), ['other.example/kept']);
      assert.match(stdout, /^Service rc\/rollcall-gate: left, as it has no label/m);
      for (const kind of ['deployments', 'clusterroles', 'roles', 'serviceaccounts', 'services'])
        assert.deepEqual(await site.names(kind), [], kind);
      const left = await site.get('nodegates');
      for (const one of listAt(left, 'items'))
        assert.equal(at(one, 'metadata.finalizers'), undefined);
      assert.equal(listAt(left, 'items').length, 2);
      await site.get('namespace', 'rc');
      const again = await site.rollcall('uninstall', '-n', 'rc', '--yes', '--crds');
      assert.match(again.stdout, /^CustomResourceDefinition nodegates.rollcall.dev: deleted$/m);
    },
  );
});

test(
  'an uninstall clears the nodes of a gate that still runs, which cannot taint again',
  WITH_PARTS,
  async (t) => {
    const args = ['-n', 'on', '--set', 'agent.enabled=false'];
    const { code, stdout } = await site.rollcall('install', '--yes', ...args);
    assert.equal(code, 0, stdout);
    await untilServed();
    await site.kubectl('create', '-f', site.file('gate.json', gate('running')));
    await site.plane.client.create('/api/v1/nodes', { metadata: { name: 'n3' } });
    const said = await site.startAs(t, 'on', 'rollcall-gate');
    await untilSaid(said, /n3: GateNotEnforced/);
    assert.deepEqual(await site.taintsOf('n3'), ['readiness.k8s.io/running']);
    const removed = await site.rollcall('uninstall', '--yes', '-n', 'on');
    assert.equal(removed.code, 0, removed.stdout);
    await untilSaid(said, /n3: .*(?:denied|forbidden|may not)/i);
    assert.deepEqual(await site.taintsOf('n3'), []);
  },
);
