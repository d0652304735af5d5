import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MachineName } from '../evidence/names.ts';
import type { DocumentSummary, Hit } from '../evidence/observations.ts';
import { archiveLinks } from './archives.ts';
import { hitOf, observationsOf, quoteOf } from './testing.ts';

const ID: MachineName = { kind: 'instance-id', value: 'i-0abc' };
const HOST: MachineName = { kind: 'host', value: 'ip-10-0-7-7' };

function documentOf(
  container: string | null,
  machines: readonly MachineName[] = [],
): DocumentSummary {
  return {
    locator: 'a',
    container,
    machines,
    sources: [],
    linesRead: 1,
    zoneOffsetMs: null,
  };
}

/** A line of a log at a place among the documents. */
function line(document: number, about: MachineName | null, onMachine = true): Hit {
  return hitOf('a', quoteOf(1, null, document), { about, onMachine });
}

function linksOf(documents: readonly DocumentSummary[], hits: readonly Hit[]): readonly string[][] {
  return archiveLinks(observationsOf({ documents, hits })).map((names) =>
    names.map(({ value }) => value),
  );
}

const NOTED = documentOf('a.tgz', [ID]);
const LOG = documentOf('a.tgz');

test('the id noted in an archive and the one host with logs in it are one machine', () => {
  for (const kind of ['host', 'private-dns', 'node'] as const)
    assert.deepEqual(linksOf([NOTED, LOG], [line(1, { kind, value: 'h' })]), [['i-0abc', 'h']]);
  assert.deepEqual(linksOf([NOTED, LOG], [line(1, HOST), line(1, HOST)]), [
    ['i-0abc', 'ip-10-0-7-7'],
  ]);
});

test('two hosts, two ids, none of either, or another kind of name prove nothing', () => {
  const other: MachineName = { kind: 'host', value: 'ip-10-0-7-8' };
  const second = documentOf('a.tgz', [{ kind: 'instance-id', value: 'i-0def' }]);
  assert.deepEqual(linksOf([NOTED, LOG], [line(1, HOST), line(1, other)]), []);
  assert.deepEqual(linksOf([NOTED, LOG, second], [line(1, HOST)]), []);
  assert.deepEqual(linksOf([NOTED, LOG], []), []);
  assert.deepEqual(linksOf([NOTED, LOG], [line(1, null)]), []);
  assert.deepEqual(linksOf([NOTED, LOG], [line(1, { kind: 'ip', value: '10.0.7.7' })]), []);
  assert.deepEqual(linksOf([documentOf('a.tgz', [HOST]), LOG], [line(1, HOST)]), []);
});

test('ignores what others report of a host, and logs outside of the archive', () => {
  assert.deepEqual(linksOf([NOTED, LOG], [line(1, HOST, false)]), []);
  assert.deepEqual(linksOf([NOTED, documentOf('b.tgz')], [line(1, HOST)]), []);
  assert.deepEqual(linksOf([NOTED, documentOf(null)], [line(1, HOST)]), []);
  assert.deepEqual(linksOf([documentOf(null, [ID]), documentOf(null)], [line(1, HOST)]), []);
});

test('two archives are two machines', () => {
  const documents = [NOTED, LOG, documentOf('b.tgz', [{ kind: 'instance-id', value: 'i-0def' }])];
  const hits = [line(1, HOST), line(2, { kind: 'node', value: 'other' })];
  assert.deepEqual(linksOf(documents, hits), [
    ['i-0abc', 'ip-10-0-7-7'],
    ['i-0def', 'other'],
  ]);
});
