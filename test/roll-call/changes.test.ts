import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { clipLines, redraw, repaint } from '../../src/apps/cli/table/redraw.ts';
import { changeLines } from '../../src/diagnosis/roll-call/changes.ts';
import type { RollCallDocument, RollCallRow } from '../../src/diagnosis/roll-call/document.ts';
import { compareNaturally } from '../../src/diagnosis/roll-call/order.ts';
import { row } from './fixtures.ts';

function documentOf(rows: readonly RollCallRow[]): RollCallDocument {
  return {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'RollCall',
    catalogueVersion: 'test',
    rows,
    shared: [],
    gaps: [],
    cluster: [],
    notObservable: [],
    losses: [],
  };
}

const FAILED = row({
  verdict: 'not-usable',
  stage: 'authenticated',
  headline: {
    cause: 'aws-auth-missing',
    stage: 'authenticated',
    confidence: 'definite',
    subject: 'cluster',
  },
});

describe('changes from look to look', () => {
  test('reports a finding of the cluster when it comes and when it is over', () => {
    const finding = { cause: 'aws-auth-missing', stage: 'authenticated', summary: 's' } as const;
    const cluster = [{ ...finding, name: 'shop', confidence: 'likely' } as const];
    const found = { ...documentOf([]), cluster };
    assert.deepEqual(changeLines(documentOf([]), found), [
      'cluster shop: aws-auth-missing (likely)',
    ]);
    assert.deepEqual(changeLines(found, found), []);
    assert.deepEqual(changeLines(found, documentOf([])), [
      'cluster shop: aws-auth-missing (likely): over',
    ]);
  });

  test('reports on each machine what ails the cluster that it depends on', () => {
    const atRisk = documentOf([row({ risks: ['aws-auth-missing'] })]);
    assert.deepEqual(changeLines(documentOf([row()]), atRisk), [
      'ip-10-0-0-1 i-00000000000000001: usable -> usable, at risk from aws-auth-missing',
    ]);
    assert.deepEqual(changeLines(atRisk, atRisk), []);
  });

  test('reports every machine as new at first and nothing that stayed', () => {
    const document = documentOf([FAILED, row({ name: 'b', instanceId: null })]);
    assert.deepEqual(changeLines(null, document), [
      'ip-10-0-0-1 i-00000000000000001: new, not-usable at authenticated (aws-auth-missing)',
      'b: new, usable',
    ]);
    assert.deepEqual(changeLines(document, document), []);
  });

  test('a change of verdict is one line, and so is a machine that is gone', () => {
    const before = documentOf([FAILED, row({ name: 'b', instanceId: null })]);
    assert.deepEqual(changeLines(before, documentOf([row()])), [
      'ip-10-0-0-1 i-00000000000000001: not-usable at authenticated (aws-auth-missing) -> usable',
      'b: gone, was usable',
    ]);
  });
});

/** What a terminal with enough lines shows after it was written to, cursor at the left. */
function screenAfter(drawn: readonly string[], written: string): readonly string[] {
  const lines = [...drawn];
  let at = drawn.length;
  for (const [token] of written.matchAll(/\u001b\[(?:\d+A|2K)|\n|\r|[^\u001b\n\r]+/g)) {
    if (token === '\n') at++;
    else if (token.endsWith('A')) at -= Number(token.slice(2, -1));
    else if (token === '\u001b[2K') lines[at] = '';
    else if (token !== '\r') lines[at] = token;
  }
  return [...lines, `cursor ${at}`];
}

const LINES = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 8 });

describe('drawing in place', () => {
  test('only lines that differ are written', () => {
    assert.deepEqual(redraw(['a', 'b', 'c'], ['a', 'x']), [
      { line: 1, text: 'x' },
      { line: 2, text: null },
    ]);
    assert.equal(repaint(['a'], ['a']), '');
  });

  test('draws the next screen with the cursor below it', () => {
    fc.assert(
      fc.property(LINES, LINES, (previous, next) => {
        const screen = screenAfter(previous, repaint(previous, next));
        const cleared = Array.from({ length: previous.length - next.length }, () => '');
        assert.deepEqual(screen, [...next, ...cleared, `cursor ${next.length}`]);
      }),
    );
  });

  test('a page longer than the screen is cut, and says so', () => {
    assert.deepEqual(clipLines(['a', 'b', 'c', 'd'], 3), ['a', 'b', '… and 2 more lines']);
    assert.deepEqual(clipLines(['a', 'b', 'c'], 3), ['a', 'b', 'c']);
  });
});

describe('natural order', () => {
  test('numbers in names count as numbers', () => {
    const names = ['node-10', 'node-9', 'node-1a', 'node-1', 'ip-10-0-0-2', 'ip-9-0-0-1'];
    assert.deepEqual(names.toSorted(compareNaturally), [
      'ip-9-0-0-1',
      'ip-10-0-0-2',
      'node-1',
      'node-1a',
      'node-9',
      'node-10',
    ]);
  });

  test('is an order: antisymmetric, transitive, and equal only for equal texts', () => {
    const name = fc.stringMatching(/^[ab01-]{0,6}$/);
    fc.assert(
      fc.property(name, name, name, (a, b, c) => {
        assert.equal(Math.sign(compareNaturally(a, b)) + Math.sign(compareNaturally(b, a)), 0);
        assert.equal(compareNaturally(a, b) === 0, a === b);
        const [x = '', y = '', z = ''] = [a, b, c].toSorted(compareNaturally);
        assert.ok(compareNaturally(x, y) <= 0 && compareNaturally(y, z) <= 0);
        assert.ok(compareNaturally(x, z) <= 0);
      }),
    );
  });
});
