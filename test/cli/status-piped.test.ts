import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { rollCallPage } from '../../src/apps/cli/table/roll-call-table.ts';
import type { RollCallDocument, RollCallRow } from '../../src/diagnosis/roll-call/document.ts';

const ROOT = join(import.meta.dirname, '../..');
const HEADERS = /^NAME +INSTANCE +TYPE +ZONE +AGE +STAGE +VERDICT +HEADLINE(?:\n|$)/;
const WHY = 'no taints or readiness gates of the Node, '.repeat(4).trimEnd();

const ROW: RollCallRow = {
  name: `node-1.${'a-long-domain.'.repeat(6)}example`,
  instanceId: 'i-00000000000000001',
  node: null,
  group: { kind: 'none', name: null },
  instanceType: 'c6gd.16xlarge',
  zone: 'eu-west-1a',
  image: null,
  launchedAt: null,
  stage: 'gated',
  verdict: 'cannot-tell',
  headline: null,
  risks: [],
  note: WHY,
};

const DOCUMENT: RollCallDocument = {
  apiVersion: 'rollcall.dev/v1alpha1',
  kind: 'RollCall',
  catalogueVersion: '1',
  rows: [ROW],
  shared: [],
  gaps: [],
  cluster: [],
  notObservable: [{ stage: 'gated', why: WHY, collect: 'kubectl get nodes' }],
  losses: [],
};

test('where nothing limits it, no column is cut or left out, and sentences are folded', () => {
  const options = { wide: false, headers: true, columns: Infinity, colour: false, nowMs: null };
  const [headers = '', row = '', ...sentences] = rollCallPage(DOCUMENT, [ROW], options);
  assert.match(headers, HEADERS);
  const { name, instanceId, instanceType, zone, stage, verdict } = ROW;
  assert.deepEqual(row.split(/ {2,}/), [
    name,
    instanceId,
    instanceType,
    zone,
    '<unknown>',
    stage,
    verdict,
    WHY,
  ]);
  assert.ok(sentences.some((line) => line.startsWith('Not seen (gated)')));
  assert.deepEqual(
    sentences.filter((line) => line.length > 100),
    [],
  );
});

test('in a pipe nothing limits the program', () => {
  const story = join(ROOT, 'examples/3-said-it-was-ready');
  const words = ['status', story];
  const { stdout } = spawnSync(join(ROOT, 'bin/rollcall'), words, { encoding: 'utf8' });
  assert.match(stdout, HEADERS);
  assert.doesNotMatch(stdout, /No room for/);
});
