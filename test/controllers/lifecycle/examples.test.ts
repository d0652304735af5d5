import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { decide } from '../../../src/controllers/lifecycle/decide.ts';
import { DELETERS, type Happening } from '../../../src/controllers/lifecycle/happening.ts';
import { NOTHING_KNOWN } from '../../../src/controllers/lifecycle/memory.ts';
import { at, type Json, listAt, textAt } from '../../../src/evidence/json.ts';
import { looksOf } from './facts-of-json.ts';

const EXAMPLES = new URL('examples/', import.meta.url);

/** Deleters that a name stands for, not a folder: what is neither, and what is not known. */
const WITHOUT_FOLDER = new Set(['controller', 'unknown']);

function filesOf(deleter: string): readonly string[] {
  return readdirSync(new URL(`${deleter}/`, EXAMPLES)).toSorted();
}

function decideAll(looks: readonly Json[]) {
  let memory = NOTHING_KNOWN;
  const happenings: Happening[] = [];
  for (const facts of looksOf(looks)) {
    const decision = decide(memory, facts);
    memory = decision.memory;
    happenings.push(...decision.happenings);
  }
  return {
    memory,
    deleted: happenings.filter(({ kind, uid }) => kind === 'deleted' && uid === 'uid-1'),
  };
}

describe('who deleted a Node', () => {
  test('has examples for every deleter: found, clear and unknown', () => {
    for (const deleter of DELETERS.filter((one) => !WITHOUT_FOLDER.has(one))) {
      const files = filesOf(deleter);
      for (const verdict of ['clear', 'found', 'unknown'])
        assert.ok(
          files.some((file) => file.startsWith(`${verdict}-`)),
          `${deleter}: ${verdict}`,
        );
    }
  });

  for (const deleter of readdirSync(EXAMPLES).toSorted())
    for (const file of filesOf(deleter)) {
      const example = JSON.parse(
        readFileSync(new URL(`${deleter}/${file}`, EXAMPLES), 'utf8'),
      ) as Json;
      test(`${deleter}/${file}: ${textAt(example, 'what')}`, () => {
        const { memory, deleted } = decideAll(listAt(example, 'looks'));
        assert.equal(deleted.length, 1, `${deleted.length} deletions reported`);
        const attribution = memory.tombstones.get('uid-1')?.attribution;
        assert.ok(attribution !== undefined);
        const { deleter: who, hand, confidence, wouldTell, proof } = attribution;
        const { wouldTell: tells = [], ...expected } = at(example, 'expect') as Record<
          string,
          Json
        >;
        assert.deepEqual({ ...who, hand, confidence }, expected);
        const said = wouldTell.map(({ text }) => text).join(' ');
        for (const words of tells as readonly string[])
          assert.ok(said.includes(words), `"${words}" is not in: ${said}`);
        assert.equal(proof.length > 0, who.kind !== 'unknown', 'proof');
        assert.equal(
          file.startsWith('unknown'),
          who.kind === 'unknown' && !file.startsWith('clear'),
        );
        if (file.startsWith('found')) assert.equal(who.kind, deleter);
        if (file.startsWith('clear')) assert.notEqual(who.kind, deleter);
      });
    }
});
