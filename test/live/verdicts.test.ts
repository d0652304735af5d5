/** One machine has one verdict: live, from the evidence that was saved, and as JSON. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { DiagnosisDocument, SubjectReport } from '../../src/diagnosis/document.ts';
import type { Node } from '../real/kube-client.ts';
import { CONTROL_PLANE, missing } from '../real/parts.ts';
import { sharedTests } from '../share.ts';
import { documentOf, rollcall } from './rollcall.ts';
import {
  layCluster,
  type Machine,
  nodeMapping,
  registerNode,
  runMachine,
  type Site,
  startSite,
} from './world.ts';

/** Secrets in places from which evidence is taken; each is a shape of its own. */
const SECRETS = {
  configMap: 'k8s-aws-v1.aHR0cHM6Ly9zdHMuYW1hem9uYXdzLmNvbS9wbGFudGVk',
  environment: 'planted-pod-password-7f3a',
  userData: 'abcdef.0123456789planted'.slice(0, 23),
  annotation: 'ghp_planted0123456789planted0123456789',
};

/** What two looks at the same machine have in common. */
function verdictOf({ verdict, stage, ladder, findings }: SubjectReport): object {
  return {
    verdict,
    stage,
    ladder: ladder.map((rung) => `${rung.stage} ${rung.state}`),
    findings: findings.map(({ cause, role, confidence }) => `${cause} ${role} ${confidence}`),
  };
}

function machineIn({ subjects }: DiagnosisDocument, { id }: Machine): SubjectReport {
  const found = subjects.find(({ instanceId }) => instanceId === id);
  assert.ok(found, `${id} is no subject`);
  return found;
}

function causesOf({ headline }: DiagnosisDocument): string | null {
  return headline === null ? null : headline.cause;
}

async function plantSecrets({ plane }: Site): Promise<void> {
  await plane.client.create('/api/v1/namespaces/kube-system/configmaps', {
    metadata: { name: 'planted', annotations: { note: SECRETS.annotation } },
    data: { token: SECRETS.configMap, text: `login with ${SECRETS.configMap} now` },
  });
  await plane.client.create('/api/v1/namespaces/kube-system/serviceaccounts', {
    metadata: { name: 'default' },
  });
  await plane.client.create('/api/v1/namespaces/kube-system/pods', {
    metadata: { name: 'planted', namespace: 'kube-system' },
    spec: {
      containers: [
        {
          name: 'app',
          image: 'example.org/app',
          env: [{ name: 'DATABASE_PASSWORD', value: SECRETS.environment }],
          args: [`--password=${SECRETS.environment}`],
        },
      ],
    },
  });
}

const shared = sharedTests(2, 5);
const skip = missing(...CONTROL_PLANE, 'moto');
let site: Site;
let broken: Machine;
let healthy: Machine;

before(async () => {
  if (skip !== false) return;
  site = await startSite();
  await layCluster(site, nodeMapping().replace('  username', '\tusername'));
  broken = await runMachine(site, { userData: `#!/bin/sh\nTOKEN=${SECRETS.userData}\n` });
  // Of another role, as aws-auth cannot be what keeps out a role of which a machine is in.
  healthy = await runMachine(site, { role: 'lab-other' });
  await registerNode(site, healthy);
  await plantSecrets(site);
});

after(async () => {
  if (skip === false) await site.stop();
});

shared.test(
  'of a machine that is kept out by aws-auth is the same from every source',
  {
    skip,
  },
  async () => {
    const saved = join(site.plane.dir, 'saved.tar.gz');
    const live = await rollcall(['diagnose', broken.id, '-o', 'json', '--save', saved], site.env);
    const again = await rollcall(['diagnose', saved, '-o', 'json'], site.env);
    assert.equal(causesOf(documentOf(live)), 'unparseable-aws-auth');
    assert.equal(causesOf(documentOf(again)), 'unparseable-aws-auth');
    const fromLive = machineIn(documentOf(live), broken);
    assert.equal(fromLive.verdict, 'not-usable');
    assert.deepEqual(verdictOf(machineIn(documentOf(again), broken)), verdictOf(fromLive));
    assert.equal(live.code, 1);
    assert.equal(again.code, 1);
    const page = await rollcall(['diagnose', broken.id], site.env);
    assert.match(page.stdout, /^NOT USABLE/m);
    assert.match(page.stdout, /unparseable-aws-auth/);
    assert.equal(page.code, 1);
  },
);

shared.test(
  'of the whole cluster from the saved evidence is that of the live cluster',
  {
    skip,
  },
  async () => {
    const saved = join(site.plane.dir, 'all.tar.gz');
    const live = documentOf(await rollcall(['diagnose', '-o', 'json', '--save', saved], site.env));
    const again = documentOf(await rollcall(['diagnose', saved, '-o', 'json'], site.env));
    assert.deepEqual(again.headline, live.headline);
    for (const machine of [broken, healthy])
      assert.deepEqual(
        verdictOf(machineIn(again, machine)),
        verdictOf(machineIn(live, machine)),
        machine.id,
      );
  },
);

shared.test('knows the Nodes that the API server lists, and no other', { skip }, async () => {
  const nodes = await site.plane.client.list<Node>('/api/v1/nodes');
  const live = documentOf(await rollcall(['diagnose', '-o', 'json'], site.env));
  const machines = live.subjects.filter(({ kind }) => kind === 'Machine');
  const named = machines.map(({ node }) => node).filter((node) => node !== null);
  assert.deepEqual(
    named.toSorted(),
    nodes.map(({ metadata }) => metadata.name),
  );
  assert.equal(machineIn(live, broken).node, null);
});

shared.test('comes by reading alone', { skip }, async () => {
  site.reset();
  await rollcall(['diagnose', '--deep'], site.env);
  assert.ok(site.kube.calls().length > 0);
  assert.ok(site.aws.calls().length > 0);
  for (const { method, url } of site.kube.calls())
    assert.ok(method === 'GET' || url.endsWith('/selfsubjectaccessreviews'), `${method} ${url}`);
  for (const { method, url, body } of site.aws.calls()) {
    const action = new URLSearchParams(body).get('Action');
    // EKS takes the filter of ListInsights in a body (Amazon EKS API Reference).
    const isListing = /^\/clusters\/[^/]+\/insights$/.test(url);
    const isRead =
      action === null ? method === 'GET' || isListing : /^(?:Describe|List|Get)/.test(action);
    assert.ok(isRead, `${method} ${url} ${body}`);
  }
});

shared.test('leaves a bundle that is its owner’s alone and holds no secret', { skip }, async () => {
  const saved = join(site.plane.dir, 'private.tar.gz');
  await rollcall(['diagnose', '--deep', '--save', saved], site.env);
  assert.equal(statSync(saved).mode & 0o777, 0o600);
  const text = gunzipSync(await readFile(saved)).toString();
  assert.ok(text.includes(broken.id));
  assert.ok(text.includes('planted'), 'the ConfigMap itself is evidence');
  const encoded = Object.values(SECRETS).map((one) => Buffer.from(one).toString('base64'));
  for (const secret of [...Object.values(SECRETS), ...encoded])
    assert.equal(text.includes(secret), false, secret);
});

shared.test(
  'is still given where the evidence cannot be saved: nothing is asked before',
  {
    skip,
  },
  async () => {
    site.reset();
    const run = await rollcall(['diagnose', '--save', '/nowhere/at/all.tar.gz'], site.env);
    assert.equal(run.code, 64);
    assert.match(run.stderr, /no such folder: \/nowhere\/at; create it: mkdir -p \/nowhere\/at\n/);
    assert.equal(site.kube.calls().length, 0);
  },
);

shared.tell('live verdicts');
