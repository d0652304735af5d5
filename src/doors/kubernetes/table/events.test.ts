import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '../../../evidence/json.ts';
import type { Column } from './column.ts';
import { EVENT, NEWER_EVENT } from './events.ts';
import { cell, cells } from './testing.ts';

const SHOWN = {
  'Last Seen': '2m',
  Type: 'Warning',
  Reason: 'FailedMount',
  Object: 'pod/web',
  Subobject: 'spec.containers{main}',
  Source: 'kubelet, node-a',
  Message: 'no such volume',
  'First Seen': '60m',
  Count: '3',
  Name: 'one',
};
const OBJECT = { kind: 'Pod', name: 'web', fieldPath: 'spec.containers{main}' };
const SOURCE = { component: 'kubelet', host: 'node-a' };
const FIRST = '2026-01-01T23:00:00Z';
const LAST = '2026-01-01T23:58:00Z';
const OWN = { metadata: { name: 'one' }, type: 'Warning', reason: 'FailedMount' };

test('events of both APIs are shown alike', () => {
  const core = {
    ...OWN,
    involvedObject: OBJECT,
    source: SOURCE,
    firstTimestamp: FIRST,
    lastTimestamp: LAST,
    count: 3,
    message: '\nno such volume ',
  };
  assert.deepEqual(cells(EVENT, core), SHOWN);
  const newer = {
    ...OWN,
    regarding: OBJECT,
    deprecatedSource: SOURCE,
    deprecatedFirstTimestamp: FIRST,
    deprecatedLastTimestamp: LAST,
    deprecatedCount: 3,
    note: '\nno such volume ',
  };
  assert.deepEqual(cells(NEWER_EVENT, newer), SHOWN);
});

test('an event without anything shows empty cells, unknown times and a count of one', () => {
  for (const columns of [EVENT, NEWER_EVENT]) {
    const { 'Last Seen': last, 'First Seen': first, Count, ...rest } = cells(columns, {});
    assert.deepEqual([last, first, Count], ['<unknown>', '<unknown>', '1']);
    assert.ok(
      Object.values(rest).every((value) => value === ''),
      JSON.stringify(rest),
    );
  }
});

describe('an event', () => {
  const shown = (column: string, event: JsonObject): Json => cell(EVENT, column, event);

  test('was first seen at its own time where it has no first', () => {
    const eventTime = '2026-01-01T23:59:00.000000Z';
    assert.equal(shown('First Seen', { eventTime }), '60s');
    assert.equal(shown('Last Seen', { eventTime }), '60s');
    assert.equal(shown('First Seen', { eventTime, firstTimestamp: FIRST }), '60m');
  });

  test('was last seen as its series says, and counts by that', () => {
    const series = { count: 7, lastObservedTime: '2026-01-01T23:59:30Z' };
    const event = { series, lastTimestamp: LAST, count: 3 };
    assert.deepEqual([shown('Last Seen', event), shown('Count', event)], ['30s', '7']);
    assert.equal(shown('Count', { count: 0 }), '1');
  });

  test('is about a kind alone where the object has no name', () => {
    assert.equal(shown('Object', { involvedObject: { kind: 'Node' } }), 'node');
  });

  test('comes from its source, else from what reports it', () => {
    const reported = { reportingComponent: 'karpenter', reportingInstance: 'karpenter-1' };
    const source = (columns: readonly Column[], event: JsonObject): Json =>
      cell(columns, 'Source', event);
    assert.equal(source(EVENT, reported), 'karpenter, karpenter-1');
    const empty = { component: '', host: '' };
    assert.equal(source(EVENT, { ...reported, source: empty }), 'karpenter, karpenter-1');
    assert.equal(source(EVENT, { ...reported, source: SOURCE }), 'kubelet, node-a');
    assert.equal(source(EVENT, { source: { component: 'kubelet' } }), 'kubelet');
    const newer = { reportingController: 'karpenter', reportingInstance: 'karpenter-1' };
    assert.equal(source(NEWER_EVENT, newer), 'karpenter, karpenter-1');
  });
});
