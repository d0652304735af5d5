import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FactRecord, Observations, Refusal } from '../evidence/observations.ts';
import { reasonsUnseen, unknownNames } from './unknown-names.ts';
import { awsOf } from '../evidence/testing.ts';

const ID = 'i-0aaaaaaaaaaaaaaa1';

function instance(state: string): FactRecord {
  const reason = 'User initiated (2026-11-22 08:00:00 GMT)';
  return {
    kind: 'aws/instance',
    value: awsOf('aws/instance', {
      InstanceId: ID,
      State: { Name: state },
      StateTransitionReason: reason,
    }),
    by: 'test',
    extent: 'whole' as const,
    locator: 'test',
    moment: { when: null, at: { document: 0, line: 1 }, isState: true },
    about: [{ kind: 'instance-id', value: ID }],
  };
}

function look(facts: readonly FactRecord[], refusals: readonly Refusal[] = []): Observations {
  const collection = { atMs: 0, cluster: 'shop', asked: [], refusals, shortened: [] };
  return {
    documents: [],
    hits: [],
    facts,
    links: [],
    listings: [],
    losses: [],
    troubled: [],
    collection,
  };
}

function sentences(name: string, state: string): readonly string[] {
  return unknownNames([name], [look([instance(state)])]).map(({ sentence }) => sentence);
}

test('a machine that is there is not unknown', () => {
  assert.deepEqual(sentences(ID.toUpperCase(), 'running'), []);
});

test('a name with an edit or two gets the one that was meant', () => {
  assert.deepEqual(sentences('i-0aaaaaaaaaaaaaab1', 'running'), [
    `No machine in shop is named i-0aaaaaaaaaaaaaab1; did you mean ${ID}? See all: rollcall status`,
  ]);
  assert.deepEqual(sentences('i-0aaaaaaaaaaaabbb1', 'running'), [
    'No machine in shop is named i-0aaaaaaaaaaaabbb1; see all: rollcall status',
  ]);
});

test('reports a deliberately terminated instance with its reason', () => {
  assert.deepEqual(sentences(ID, 'terminated'), [
    `${ID} is terminated (User initiated (2026-11-22 08:00:00 GMT)); list the others: rollcall status`,
  ]);
});

test('explains once why a machine may be unseen, by the lists that show machines', () => {
  const refusal = (call: string, message: string): Refusal => ({
    call,
    message,
    failure: 'denied',
    permission: null,
  });
  const refusals = [
    refusal('list nodes', 'Nodes are not to be listed.'),
    refusal('kubernetes', 'Nodes are not to be listed.'),
    refusal('iam:GetRole', 'Roles are not to be read.'),
  ];
  assert.deepEqual(reasonsUnseen([look([], refusals), look([])]), ['Nodes are not to be listed.']);
});
