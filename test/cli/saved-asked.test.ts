/** Evidence that was saved of some machines answers for those. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../src/adapters/system/clock.ts';
import type { CollectedDocument } from '../../src/collection/document.ts';
import { observe } from '../../src/collection/observe.ts';
import { readTexts } from '../../src/engine/pile.ts';
import type { DiagnosisDocument } from '../../src/diagnosis/document.ts';
import { at } from '../../src/evidence/json.ts';
import { EVIDENCE_VERSION } from '../../src/readers/evidence-version.ts';
import { capture } from './capture.ts';
import { folderOf, listed } from './evidence.ts';

const ONE = 'ip-10-0-1-1.ec2.internal';
const OTHER = 'ip-10-0-1-2.ec2.internal';

function nodeObject(name: string, ip: string): object {
  const conditions = [{ type: 'Ready', status: 'True' }];
  const addresses = [{ type: 'InternalIP', address: ip }];
  return { metadata: { name }, spec: {}, status: { conditions, addresses } };
}

function collectionOf(asked: unknown): object {
  const head = { apiVersion: EVIDENCE_VERSION, kind: 'Collection', at: '2026-11-22T06:00:00Z' };
  return { ...head, cluster: 'shop', asked, refusals: [] };
}

function saved(t: TestContext, asked: unknown): string {
  const nodes = [nodeObject(ONE, '10.0.1.1'), nodeObject(OTHER, '10.0.1.2')];
  return folderOf(t, { nodes: listed('Node', nodes), collection: collectionOf(asked) });
}

async function machinesIn(...paths: readonly string[]): Promise<readonly string[]> {
  const { out } = await capture(['diagnose', ...paths, '-o', 'json']);
  const { subjects } = JSON.parse(out) as DiagnosisDocument;
  return subjects.filter(({ kind }) => kind === 'Machine').map(({ name }) => name);
}

for (const [how, asked, machines] of [
  ['by name', [ONE], [ONE]],
  ['by address', ['10.0.1.2'], [OTHER]],
  ['of all', [], [ONE, OTHER]],
  ['by an older program', undefined, [ONE, OTHER]],
  ['by something that is no list of names', [{ name: ONE }, 7], [ONE, OTHER]],
] as const)
  test(`evidence that was asked for ${how} shows those machines`, async (t) => {
    assert.deepEqual((await machinesIn(saved(t, asked))).toSorted(), machines);
  });

test('with more evidence beside it all machines are shown', async (t) => {
  const folder = saved(t, [ONE]);
  const nodes = listed('Node', [nodeObject('ip-10-0-1-3.ec2.internal', '10.0.1.3')]);
  assert.equal((await machinesIn(folder, folderOf(t, { nodes }))).length, 3);
});

test('two collections are about the machines of both, or about all', async () => {
  const of = async (...asked: readonly (readonly string[])[]) => {
    const texts = asked.map((names, index) => ({
      name: `${index}.json`,
      text: JSON.stringify(collectionOf(names)),
    }));
    return (await readTexts(texts)).collection?.asked;
  };
  assert.deepEqual(await of([ONE], [OTHER]), [ONE, OTHER]);
  assert.deepEqual(await of([], [OTHER]), []);
  assert.deepEqual(await of([ONE], []), []);
});

test('a live look says whom it was asked about', async () => {
  const documents: CollectedDocument[] = [];
  const clock = systemClock;
  const clients = { kube: null, aws: null, described: null, refusals: [], clock };
  const { observations } = await observe(clients, {
    cluster: 'shop',
    asked: [ONE],
    isDeep: false,
    timeoutMs: 10_000,
    progress: () => undefined,
    onDocument: (document) => documents.push(document),
  });
  assert.deepEqual(observations.collection?.asked, [ONE]);
  const written = documents.find(({ name }) => name === 'collection.json')?.content;
  assert.deepEqual(at(written, 'asked'), [ONE]);
});
