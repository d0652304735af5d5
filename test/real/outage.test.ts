/** I-36 on a real API server: our admission policies stop nobody, also where they cannot be evaluated. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type JsonObject, textAt } from '../../src/evidence/json.ts';
import { until } from './bench.ts';
import { installed } from './chart-cases.ts';
import { startControlPlane } from './control-plane.ts';
import { InstallSite } from './install-site.ts';
import { KubeRefusal } from './kube-client.ts';
import { CONTROL_PLANE, missing } from './parts.ts';

const skip = missing(...CONTROL_PLANE, 'kubectl');
const WITH_PARTS = { skip, timeout: 180_000 };
const GROUP = 'admissionregistration.k8s.io';
const TAINTS = `mutatingadmissionpolicy.${GROUP}/rollcall-gate-taint-at-create`;
const AGENTS = `validatingadmissionpolicy.${GROUP}/rollcall-agent-own-node`;
const READY = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: '' };
let site: InstallSite;
let count = 0;

/** As a kubelet does: its Node comes, says that it is ready, and goes. @throws KubeRefusal */
async function nodeLives(): Promise<void> {
  const name = `bystander-${count++}`;
  const { client } = site.plane;
  await client.create('/api/v1/nodes', { metadata: { name } });
  await client.patch(`/api/v1/nodes/${name}/status`, { status: { conditions: [READY] } });
  await client.remove(`/api/v1/nodes/${name}`);
}

/** What the API server says while it refuses; it takes up a changed policy some moments later. */
async function untilRefused(): Promise<string> {
  return until('a refusal', async () => {
    try {
      await nodeLives();
      return null;
    } catch (error) {
      if (error instanceof KubeRefusal) return error.message;
      throw error;
    }
  });
}

async function change(policy: string, spec: JsonObject): Promise<void> {
  await site.kubectl('patch', policy, '--type=merge', '-p', JSON.stringify({ spec }));
}

before(async () => {
  if (skip !== false) return;
  site = new InstallSite(await startControlPlane());
  await site.kubectl('create', 'namespace', 'rollcall');
  const all = [...installed({ title: '', values: { gate: { taintAtCreate: true } } }).values()];
  const isPolicy = (one: JsonObject): boolean =>
    (textAt(one, 'kind') ?? '').includes('AdmissionPolicy');
  const items = all.filter(isPolicy);
  assert.equal(items.length, 4);
  const list = { apiVersion: 'v1', kind: 'List', items };
  await site.kubectl('apply', '--server-side', '-f', site.file('policies.json', list));
});
after(async () => {
  if (skip === false) await site.plane.stop();
});

describe('with our policies and neither their kind nor a program of ours', () => {
  test('a Node comes, is written and goes', WITH_PARTS, async () => {
    for (let again = 0; again < 5; again++) await nodeLives();
  });

  test('it is the policy of failures that lets it come', WITH_PARTS, async () => {
    await change(TAINTS, { failurePolicy: 'Fail' });
    assert.match(await untilRefused(), /rollcall-gate-taint-at-create/);
    await change(TAINTS, { failurePolicy: 'Ignore' });
    await until('Nodes to come again', async () =>
      nodeLives().then(
        () => true,
        () => null,
      ),
    );
  });

  test('it is the match condition that asks about agents alone', WITH_PARTS, async () => {
    await change(AGENTS, { matchConditions: null });
    assert.match(await untilRefused(), /rollcall-agent-own-node/);
  });
});
