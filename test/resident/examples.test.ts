import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newestStampMs } from '../../src/diagnosis/newest-stamp.ts';
import { createJudge, diagnoseObservations } from '../../src/engine/diagnose.ts';
import { readTexts } from '../../src/engine/pile.ts';
import type { Observations } from '../../src/evidence/observations.ts';
import { NOW_MS } from '../../src/evidence/testing.ts';
import { type Example, loadExamples } from '../causes/example.ts';
import { shareOf, tellShare } from '../share.ts';

const FACTS_MAX = 10;
const HITS_MAX = 5;
const LISTS_MAX = 3;
const MINUTE_MS = 60_000;

/** The example as if Rollcall had just collected it. */
function collected(pile: Observations): Observations {
  const newestMs = newestStampMs(pile);
  const atMs = (Number.isFinite(newestMs) ? newestMs : NOW_MS) + MINUTE_MS;
  const nothing = { asked: [], refusals: [], shortened: [], cluster: null };
  return { ...pile, collection: { ...nothing, ...pile.collection, atMs } };
}

function later(pile: Observations, ms: number): Observations {
  const { collection } = pile;
  return collection === null
    ? pile
    : { ...pile, collection: { ...collection, atMs: collection.atMs + ms } };
}

function refused(pile: Observations, call: string): Observations {
  const { collection } = pile;
  const refusal = { call, message: 'no', failure: 'denied', permission: null };
  return collection === null
    ? pile
    : { ...pile, collection: { ...collection, refusals: [...collection.refusals, refusal] } };
}

/** The whole, then without each fact, list and line in turn, and as time goes by. */
function* changed(whole: Observations): Generator<Observations> {
  const { facts, hits, listings } = whole;
  yield whole;
  for (const left of facts.slice(0, FACTS_MAX)) {
    yield { ...whole, facts: facts.filter((fact) => fact !== left) };
    yield whole;
  }
  for (const left of hits.slice(0, HITS_MAX))
    yield { ...whole, hits: hits.filter((hit) => hit !== left) };
  for (const left of listings.slice(0, LISTS_MAX))
    yield { ...whole, listings: listings.filter((list) => list !== left) };
  yield refused(whole, 'ec2:DescribeInstances');
  yield whole;
  for (const minutes of [1, 3, 12, 90, 6000]) yield later(whole, minutes * MINUTE_MS);
}

async function assertAlike(example: Example): Promise<void> {
  const judge = createJudge();
  for (const pile of changed(collected(await readTexts(example.files)))) {
    const [kept, fresh] = [await judge.judge(pile), await diagnoseObservations(pile)];
    if (JSON.stringify(kept) !== JSON.stringify(fresh)) assert.deepEqual(kept, fresh);
  }
}

const ALL = loadExamples();
const EXAMPLES = shareOf(ALL, 24);

describe('a judge that remembers, as an example changes around it', () => {
  for (const example of EXAMPLES)
    test(`${example.cause} ${example.name}`, async () => assertAlike(example));
});

tellShare('examples', EXAMPLES.length, ALL.length);
