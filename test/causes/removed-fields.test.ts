import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shareOf, tellShare } from '../share.ts';
import { ASKED } from './asked.ts';
import { loadExamples } from './example.ts';
import { faultsWithoutFields } from './removed-fields.ts';

const FOUND = loadExamples(ASKED).filter(({ expect }) => expect === 'found');
const SHARE = shareOf(FOUND, 16, 3);

describe('found examples, with each field of a fact unknown in turn', () => {
  for (const example of SHARE)
    test(`${example.stage}/${example.cause}/examples/${example.name}`, async () => {
      assert.deepEqual(await faultsWithoutFields(example), []);
    });
});

tellShare('found examples without their fields', SHARE.length, FOUND.length);
