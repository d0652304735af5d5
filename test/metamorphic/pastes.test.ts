import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ASKED } from '../causes/asked.ts';
import { shareOf, tellShare } from '../share.ts';
import { PASTE_KINDS } from './paste-kinds.ts';
import { changedBy, headlineOf, pastedPiles, type PasteLoss, readPasteLosses } from './pastes.ts';

/** Of the kinds, how many run in a share for each pile. */
const KINDS_OF = 10;
/** Of the piles, how many; no common divisor with the kinds, so that each pile meets each kind. */
const PILES_OF = 3;

const RECORD = 'where the new answer is the better one, run: node tools/pastes.ts';

const losses = readPasteLosses();
const piles = pastedPiles();

/** A cause that is asked about has only its examples pasted. */
const asked = [...piles.entries()].filter(
  ([, { name }]) => ASKED.length === 0 || ASKED.includes(name.split('/', 1)[0] ?? ''),
);

/** What is recorded of a pile: another cause, null for silence, undefined where the answer stays. */
function recordedOf(loss: PasteLoss | undefined, pile: string): string | null | undefined {
  if (loss?.silent.includes(pile) === true) return null;
  return loss?.named[pile];
}

describe('pasted evidence has the answer of the clean text, but for what is recorded', () => {
  let ran = 0;
  for (const [index, pile] of shareOf(asked, PILES_OF)) {
    const kinds = shareOf(PASTE_KINDS, KINDS_OF, index);
    ran += kinds.length;
    test(pile.name, async () => {
      const clean = await headlineOf(pile.files);
      for (const kind of kinds) {
        const said = await changedBy(kind, pile, clean);
        const loss = losses.kinds.find((one) => one.kind === kind.name);
        assert.equal(said, recordedOf(loss, pile.name), `${kind.name}: ${RECORD}`);
      }
    });
  }
  tellShare('pastes', ran, piles.length * PASTE_KINDS.length);
});

describe('the record', () => {
  test('is of all ways of pasting and of all piles', () => {
    assert.deepEqual(
      losses.kinds.map(({ kind }) => kind),
      PASTE_KINDS.map(({ name }) => name),
      RECORD,
    );
    assert.equal(losses.piles, piles.length, RECORD);
  });

  test('names only piles and causes that there are', () => {
    const names = new Set(piles.map(({ name }) => name));
    const recorded = losses.kinds.flatMap(({ silent, named }) => [
      ...silent,
      ...Object.keys(named),
    ]);
    assert.deepEqual(
      recorded.filter((name) => !names.has(name)),
      [],
      RECORD,
    );
  });
});
