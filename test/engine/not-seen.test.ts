import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { diagnoseObservations } from '../../src/engine/diagnose.ts';
import { readTexts } from '../../src/engine/pile.ts';
import type { SubjectReport } from '../../src/diagnosis/document.ts';
import type { Stage } from '../../src/evidence/stage.ts';

const NODE = 'ip-10-0-5-5.ec2.internal';

async function machineOf(name: string, text: string): Promise<SubjectReport> {
  const document = await diagnoseObservations(await readTexts([{ name, text }]));
  const machine = document.subjects.find(({ kind }) => kind === 'Machine');
  assert.ok(machine !== undefined);
  return machine;
}

function passed({ ladder }: SubjectReport): readonly Stage[] {
  return ladder.filter(({ state }) => state === 'passed').map(({ stage }) => stage);
}

function lackOf({ notObservable }: SubjectReport, stage: Stage): string {
  const lack = notObservable.find((entry) => entry.stage === stage);
  return lack === undefined ? 'seen' : `${lack.why}; ${lack.collect}`;
}

function nodeWith(spec: object, status = 'True'): string {
  const ready = { type: 'Ready', status, reason: 'KubeletReady', message: '' };
  const metadata = { name: NODE };
  const state = { conditions: [ready], nodeInfo: { kubeletVersion: 'v1.28.5' } };
  return JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata, spec, status: state });
}

function audited(user: string, uri: string, code: number, agent = 'kubelet/v1.27.9'): string {
  return JSON.stringify({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID: '5a8b',
    stage: 'ResponseComplete',
    requestURI: uri,
    verb: 'get',
    user: { username: user, groups: ['system:authenticated'] },
    sourceIPs: ['10.0.5.5'],
    userAgent: `${agent} (linux/amd64)`,
    objectRef: { resource: 'nodes', name: NODE, apiVersion: 'v1' },
    responseStatus: { metadata: {}, code },
    stageTimestamp: '2024-05-03T09:00:01.010000Z',
  });
}

const OWN = `/api/v1/nodes/${NODE}`;
const USER = `system:node:${NODE}`;
const ADMITTED: readonly Stage[] = ['launched', 'bootstrapped', 'reachable', 'authenticated'];

describe('an audit record of a kubelet', () => {
  test('reading its Node shows that it is admitted and registered', async () => {
    const machine = await machineOf('audit.log', `${audited(USER, OWN, 200)}\n`);
    assert.deepEqual(passed(machine), [...ADMITTED, 'registered']);
  });

  test('of something else shows that it is admitted', async () => {
    const machine = await machineOf('audit.log', `${audited(USER, '/api/v1/services', 200)}\n`);
    assert.deepEqual(passed(machine), ADMITTED);
  });

  for (const [what, line] of [
    ['a refusal', audited(USER, OWN, 403)],
    ['a Node that is not there', audited(USER, OWN, 404)],
    ['a program that is no kubelet', audited(USER, OWN, 200, 'curl/8.1')],
    ['a reader of another name', audited('system:node:ip-10-0-9-9.ec2.internal', OWN, 200)],
  ] as const) {
    test(`does not show it by ${what}`, async () => {
      const text = `${audited(USER, '/api/v1/services', 403)}\n${line}\n`;
      const document = await diagnoseObservations(await readTexts([{ name: 'audit.log', text }]));
      const own = document.subjects.find(({ name }) => name === NODE);
      assert.ok(own === undefined || !passed(own).includes('registered'));
    });
  }
});

describe('what was not seen', () => {
  test('is the taints where a table has the Node', async () => {
    const table = `NAME                       STATUS     ROLES    AGE   VERSION\n${NODE}   NotReady   <none>   14m   v1.28.5\n`;
    const machine = await machineOf('nodes.txt', table);
    assert.match(lackOf(machine, 'registered'), /without its taints; kubectl get node ip-10-0-5-5/);
  });

  test('is pods, not conditions, where the Node is Ready', async () => {
    const machine = await machineOf('node.json', nodeWith({}));
    assert.match(lackOf(machine, 'networked'), /^no pod with its own pod IP .*get pods -A/);
  });

  test('is who closed a Node that is cordoned', async () => {
    const machine = await machineOf('node.json', nodeWith({ unschedulable: true }));
    assert.equal(machine.stage, 'usable');
    assert.equal(machine.verdict, 'not-usable');
    const candidates = machine.findings.map(({ cause, confidence }) => `${confidence} ${cause}`);
    assert.deepEqual(candidates, ['possible cordon-or-deliberate-taint']);
  });

  test('is never asked of the kubelet log that is there', async () => {
    const line = `May 03 09:31:12 ${NODE} kubelet[1700]: I0503 09:31:12.100000    1700 kubelet_node_status.go:73] "Attempting to register node" node="${NODE}"\n`;
    const machine = await machineOf('kubelet.log', line);
    const asked = machine.notObservable.filter(({ collect }) => collect.includes('-u kubelet'));
    assert.deepEqual(asked, []);
    assert.match(lackOf(machine, 'reachable'), /^the kubelet log shows no answer/);
  });

  test('asks for the kubelet log where it is missing', async () => {
    const machine = await machineOf('audit.log', `${audited(USER, OWN, 200)}\n`);
    assert.equal(lackOf(machine, 'reachable'), 'seen');
    const events = `LAST SEEN   TYPE      REASON         OBJECT        MESSAGE\n5m   Normal   NodeNotReady   node/${NODE}   Node ${NODE} status is now: NodeNotReady\n`;
    const other = await machineOf('events.txt', events);
    assert.match(lackOf(other, 'reachable'), /journalctl -u kubelet/);
  });
});

describe('a kubelet whose registration times out', () => {
  const header = `May 03 09:31:42 ${NODE} kubelet[1700]: E0503 09:31:42.200000    1700 kubelet_node_status.go:96] `;
  const line = (why: string): string =>
    `${header}"Unable to register node with API server" err="Post \\"https://ABCDEF.gr7.us-east-1.eks.amazonaws.com/api/v1/nodes\\": dial tcp 10.0.99.7:443: ${why}" node="${NODE}"\n`;

  test('shows an API server that is silent, by one line', async () => {
    const machine = await machineOf('kubelet.log', line('i/o timeout'));
    assert.equal(machine.stage, 'reachable');
    assert.equal(machine.verdict, 'not-usable');
    const candidates = machine.findings.map(({ cause }) => cause);
    assert.ok(candidates.includes('api-port-blocked'), candidates.join(', '));
  });

  test('shows nothing by one refusal, as of a control plane that starts', async () => {
    const machine = await machineOf('kubelet.log', line('connect: connection refused'));
    assert.equal(machine.verdict, 'cannot-tell');
  });
});
