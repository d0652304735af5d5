/** What each sign of a cause, symptom or milestone costs on the worst line that can be made for it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SIGNS } from '../../src/causes/index.generated.ts';
import { isAsked } from '../causes/asked.ts';
import { shareOf, tellShare } from '../share.ts';
import { bounded } from '../../tools/generate/bounded.ts';
import type { Make } from './steps/inputs.ts';
import { baitsFor } from './steps/expressions/baits.ts';
import { stepsOfMatch } from './steps/expressions/steps.ts';

/** Of a line of 16,384 characters that is 16 million steps: tenths of a second in V8. */
const STEPS_PER_CHARACTER_MAX = 1000;
const SHORT_CHARACTERS = 128;
/** Longer than a repetition turns: from here on twice the length is twice the steps. */
const LONG_CHARACTERS = 1536;
/** An expression that goes back further on longer lines shows it on short ones already. */
const HARMLESS_STEPS = 16;
const BAITS_TRIED = 3;

function stepsPerCharacter(expression: RegExp, make: Make, size: number): number {
  const text = make(size);
  return stepsOfMatch(expression, text).steps / text.length;
}

/** On the lines for which the expression takes the most steps when they are short. */
function worstSteps(expression: RegExp): number {
  const tried = [...baitsFor(expression).values()].map((make) => ({
    make,
    steps: stepsPerCharacter(expression, make, SHORT_CHARACTERS),
  }));
  const suspicious = tried
    .filter(({ steps }) => steps > HARMLESS_STEPS)
    .toSorted((one, other) => other.steps - one.steps)
    .slice(0, BAITS_TRIED);
  return Math.max(
    0,
    ...suspicious.map(({ make }) => stepsPerCharacter(expression, make, LONG_CHARACTERS)),
  );
}

const ENDLESS = /(?<!\\)(?:\\\\)*[^\\[(|](?:[*+]|\{\d+,\})/;

function withoutSets(source: string): string {
  return source.replaceAll(/\\[^]/g, 'a').replaceAll(/\[[^\]]*\]/g, 'a');
}

test('no repetition of a sign is without an end', () => {
  const endless = SIGNS.filter(({ pattern }) => ENDLESS.test(withoutSets(pattern.source)));
  assert.deepEqual(
    endless.map(({ owner, name }) => `${owner}/${name}`),
    [],
    'npm run generate gives each an end',
  );
});

const SIGNS_OF = 8;
const asked = SIGNS.filter(({ owner }) => isAsked(owner));
const tried = shareOf(asked, SIGNS_OF);
tellShare('signs on their worst lines', tried.length, asked.length);

test('no sign takes more steps than its line times a constant', { timeout: 300_000 }, () => {
  const slow = tried.flatMap(({ owner, name, pattern }) => {
    const steps = worstSteps(pattern);
    if (steps <= STEPS_PER_CHARACTER_MAX) return [];
    return [`${owner}/${name}: ${Math.round(steps)} steps for a character: ${pattern.source}`];
  });
  assert.deepEqual(slow, [], 'what to write instead: test/causes/shape.test.ts');
});

test('a sign that goes back twice for each beginning is found slow', () => {
  assert.ok(worstSteps(/:3988\/\S*.*dial tcp \d/) > STEPS_PER_CHARACTER_MAX);
  assert.ok(worstSteps(bounded(/(?<pod>[a-z-]*manager-[a-z-]+)\s.*b/)) > STEPS_PER_CHARACTER_MAX);
});

test('a repetition ends where no message is as long', () => {
  const written = [/^a*b+?[^"]+\d{2,}(?:x, )*$/i, /a.*b\s+.{0,9}[+*]/, /a.*b.*(?!.*c\S+)\+/];
  assert.deepEqual(
    written.map((expression) => String(bounded(expression))),
    [
      '/^a{0,400}b{1,400}?[^"]{1,400}\\d{2,400}(?:x, ){0,100}$/i',
      '/a.{0,1000}b\\s{1,100}.{0,9}[+*]/',
      '/a.{0,400}b.{0,400}(?!.{0,2000}c\\S{1,2000})\\+/',
    ],
  );
});
