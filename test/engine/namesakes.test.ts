/** Machines whose Nodes share the first part of their names, and Nodes called by an address. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnoseObservations } from '../../src/engine/diagnose.ts';
import { readTexts } from '../../src/engine/pile.ts';
import { assembleSubjects } from '../../src/diagnosis/subjects.ts';
import { rollCallOf } from '../../src/diagnosis/roll-call/roll-call.ts';
import type { Json } from '../../src/evidence/json.ts';

const A = 'node-1.rack-a.example.com';
const B = 'node-1.rack-b.example.com';

interface NodeParts {
  readonly ip: string;
  readonly machineID?: string;
  readonly hostname?: string;
}

function node(name: string, { ip, machineID = ip, hostname = name }: NodeParts): Json {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, uid: `uid-${name}`, creationTimestamp: '2026-03-01T09:00:00Z' },
    spec: {},
    status: {
      addresses: [
        { type: 'InternalIP', address: ip },
        { type: 'Hostname', address: hostname },
      ],
      conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }],
      nodeInfo: { kubeletVersion: 'v1.31.2', machineID },
    },
  };
}

function denied(name: string): string {
  return `E0301 09:02:00.000000       1 kubelet_node_status.go:95] "Unable to register node with API server" err="Unauthorized" node="${name}"`;
}

async function machinesOf(
  nodes: readonly Json[],
): Promise<Record<'subjects' | 'rows', readonly (readonly [string, unknown])[]>> {
  const list = { apiVersion: 'v1', kind: 'NodeList', items: nodes };
  const observations = await readTexts([{ name: 'nodes.json', text: JSON.stringify(list) }]);
  const document = await diagnoseObservations(observations);
  const { rows } = rollCallOf({ document, observations, nowMs: 0, expected: [] });
  return {
    subjects: document.subjects
      .filter(({ kind }) => kind === 'Machine')
      .map((subject) => [subject.name, subject.node]),
    rows: rows.map(({ name, note }) => [name, note]),
  };
}

const UNSEEN = ' Not seen: the Node name and the EC2 name are not both in this evidence.';

const TWO = {
  subjects: [
    [A, A],
    [B, B],
  ],
  rows: [
    [A, UNSEEN.trim()],
    [B, UNSEEN.trim()],
  ],
};

test('two Nodes with one host part, two domains and two addresses are two machines', async () => {
  const given = [node(A, { ip: '10.0.0.1' }), node(B, { ip: '10.0.0.2' })];
  assert.deepEqual(await machinesOf(given), TWO);
});

test('a bare host name does not tell two machines apart', async () => {
  const given = [
    node(A, { ip: '10.0.0.1', hostname: 'node-1' }),
    node(B, { ip: '10.0.0.2', hostname: 'node-1' }),
  ];
  assert.deepEqual(await machinesOf(given), TWO);
});

test('assigns lines of a kubelet with its full name to its machine', async () => {
  const given = [node(A, { ip: '10.0.0.1' }), node(B, { ip: '10.0.0.2' })];
  const observations = await readTexts([
    { name: 'nodes.json', text: JSON.stringify({ kind: 'NodeList', items: given }) },
    { name: 'kubelet.log', text: denied(B) },
  ]);
  const said = assembleSubjects(observations).filter(({ hits }) =>
    hits.some((hit) => hit.first.source === 'kubelet'),
  );
  assert.deepEqual(
    said.map(({ name }) => name),
    [B],
  );
});

for (const { what, other } of [
  { what: 'address', other: { ip: '10.0.0.1', machineID: 'another' } },
  { what: 'machine id', other: { ip: '10.0.0.2', machineID: '10.0.0.1' } },
])
  test(`a Node under a new domain with the same ${what} is the same machine`, async () => {
    const { subjects, rows } = await machinesOf([node(A, { ip: '10.0.0.1' }), node(B, other)]);
    assert.equal(subjects.length, 1);
    assert.deepEqual(rows, [[A, `2 Nodes belong to this machine: ${A}, ${B}.${UNSEEN}`]]);
  });

test('a Node called by its address is named', async () => {
  const { subjects } = await machinesOf([node('10.0.0.1', { ip: '10.0.0.1' })]);
  assert.deepEqual(subjects, [['10.0.0.1', '10.0.0.1']]);
});
