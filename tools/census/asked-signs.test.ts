import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SignRow } from '../../src/evidence/sign-row.ts';
import { ownersOf } from './asked-signs.ts';
import { linesOf, sampleOf } from './sample.ts';

function row(owner: string, anchor: string, given: Partial<SignRow> = {}): SignRow {
  const pattern = new RegExp(anchor);
  return {
    owner,
    name: 's',
    in: ['kubelet'],
    anchors: [anchor],
    pattern,
    strict: false,
    per: [],
    ...given,
  };
}

test('finds the causes whose signs match a message', () => {
  const rows = [row('disk-full', 'disk is full'), row('other', 'disk is slow')];
  assert.deepEqual(ownersOf('the %s disk is full', ['kubelet'], rows), ['disk-full']);
});

test('asks only signs that read lines of the program', () => {
  const rows = [row('disk-full', 'disk is full', { in: ['kubelet'], strict: true })];
  assert.deepEqual(ownersOf('the disk is full', ['ipamd'], rows), []);
});

test('does not count a sign that matches what stands around the message', () => {
  const rows = [
    row('deadline', 'context deadline exceeded'),
    row('ready', 'condition Ready=False'),
  ];
  assert.deepEqual(ownersOf('any words', ['kubelet'], rows), []);
  assert.deepEqual(ownersOf('context deadline exceeded', ['kubelet'], rows), ['deadline']);
});

test('asks the signs of the catalogue', () => {
  const text = "node '%s' cannot read '%s', only its own Node object";
  assert.ok(ownersOf(text, ['kubelet']).length > 0);
  assert.deepEqual(ownersOf('words that no sign knows', ['kubelet']), []);
});

test('fills in values that fit the words before them', () => {
  assert.equal(
    sampleOf('subnet %s has %d addresses'),
    'subnet subnet-0a1b2c3d4e5f60718 has 3 addresses',
  );
  assert.equal(
    sampleOf('node %q: %w'),
    'node "ip-10-0-1-23.ec2.internal": context deadline exceeded',
  );
  assert.ok(linesOf('gone').every((line) => line.includes('gone')));
});
