import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cause, Sign } from '../../src/diagnosis/cause.ts';
import { causeOf } from '../../src/diagnosis/testing.ts';
import { loadAllCauses } from '../generate.ts';
import { symptomIndex } from './symptom-index.ts';

function sign(weight: Sign['weight'], pattern: RegExp): Sign {
  return { weight, pattern, in: ['kubelet'], anchors: ['ttempting to reclaim'] };
}

function cause(id: string, signs: Cause['signs'], alsoKnownAs: readonly string[] = []): Cause {
  const page = { why: '', prevent: '', notThis: '', refs: [], alsoKnownAs };
  return causeOf(id, 'usable', { signs, page });
}

function rows(...causes: readonly Cause[]): readonly string[] {
  return symptomIndex(causes).filter((line) => line.startsWith('| `'));
}

test('lists a message once with all its causes', () => {
  assert.deepEqual(
    rows(
      cause('b', { a: sign('definite', /[Aa]ttempting to reclaim/) }),
      cause('a', { a: sign('likely', /[Aa]ttempting to reclaim/), b: sign('likely', /Ready/) }),
    ),
    ['| `Attempting to reclaim` | [b](b.md), [a](a.md) |', '| `Ready` | [a](a.md) |'],
  );
});

test('lists symptoms in alphabetical order, whatever sign they begin with', () => {
  assert.deepEqual(rows(cause('a', {}, ['zone full', '"pod" | lost', '`nat` missing'])), [
    '| `` `nat` missing `` | [a](a.md) |',
    '| `"pod" \\| lost` | [a](a.md) |',
    '| `zone full` | [a](a.md) |',
  ]);
});

test('leaves out messages of success and supporting messages of few words', () => {
  assert.deepEqual(
    rows(
      cause('a', {
        a: sign('withdraws', /node came back to the cluster/),
        b: sign('context', /node came back to the cluster/),
        c: sign('context', /no route to host/),
        d: sign('context', /no such host/),
      }),
    ),
    ['| `no route to host` | [a](a.md) |'],
  );
});

test('shows no message of any cause without its first letter', async () => {
  const causes = (await loadAllCauses()).map(({ cause: each }) => each);
  const cut = causes
    .flatMap(({ signs }) => Object.values(signs))
    .flatMap(({ pattern }) => [...pattern.source.matchAll(/\[[A-Z][a-z]\]([a-z]{3,})/g)])
    .map(([, rest = '']) => rest);
  assert.ok(cut.length > 20, String(cut.length));
  const text = symptomIndex(causes).join('\n');
  assert.deepEqual(
    cut.filter((rest) => text.includes(`| \`${rest} `)),
    [],
  );
});
