import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DiagnosisDocument, SubjectReport } from '../document.ts';
import { findingOf, reportOf } from '../testing.ts';
import { renderMarkdown } from './markdown.ts';

function page(
  subjects: readonly SubjectReport[],
  change: Partial<DiagnosisDocument> = {},
): readonly string[] {
  return renderMarkdown({
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'Diagnosis',
    catalogueVersion: '1',
    headline: null,
    subjects,
    recognized: [],
    losses: [],
    ...change,
  }).split('\n');
}

/** Lines of a page from the one that begins so. */
function from(start: string, lines: readonly string[]): readonly string[] {
  return lines.slice(lines.findIndex((line) => line.startsWith(start)));
}

const SEEN = { source: 'kubelet', locator: 'a.log:1', excerpt: 'says `no`', time: null };

describe('the Markdown page', () => {
  test('names the cause and its subject, then each subject with its ladder', () => {
    const headline = { cause: 'c', stage: 'launched', confidence: 'likely', subject: 'n' } as const;
    const ladder = [
      { stage: 'launched', state: 'passed', since: null, evidence: [] },
      { stage: 'bootstrapped', state: 'failed', since: null, evidence: [] },
    ] as const;
    const one = reportOf('node00', { ladder });
    assert.deepEqual(page([one], { headline }), [
      '# Diagnosis: `c` on `n`',
      '',
      '## Machine `node00`: not-usable',
      '',
      '| stage | state |',
      '|---|---|',
      '| launched | passed |',
      '| bootstrapped | failed |',
      '',
    ]);
  });

  test('without a headline says that the cause is unknown', () => {
    const [title, ...others] = page([reportOf('n', { verdict: 'usable' })]);
    assert.equal(title, '# Diagnosis: the cause is unknown');
    assert.deepEqual(others.slice(0, 2), ['', '## Machine `n`: usable']);
  });

  test('gives a finding its evidence, and its remedy as a block that can be pasted', () => {
    const remedy = [
      { text: 'do it', command: 'echo "```"' },
      { text: 'and look', command: null },
    ];
    const root = findingOf('c', 'launched', { summary: 'It is so.', evidence: [SEEN], remedy });
    assert.deepEqual(from('###', page([reportOf('n', { verdict: 'usable', findings: [root] })])), [
      '### root: `c` (launched, definite)',
      '',
      'It is so.',
      '',
      "- `a.log:1`: `says 'no'`",
      '',
      '```sh',
      '# do it',
      "echo \"'''\"",
      '# and look',
      '```',
      '',
    ]);
  });

  test('says of a consequence what explains it, and needs no remedy', () => {
    const change = { role: 'consequence', explainedBy: 'aws-auth-missing' } as const;
    const lines = page([
      reportOf('n', { verdict: 'usable', findings: [findingOf('c', 'usable', change)] }),
    ]);
    assert.deepEqual(from('###', lines), [
      '### consequence: `c` (usable, definite) because of `aws-auth-missing`',
      '',
      '',
      '',
      '',
    ]);
  });
});

describe('further parts of the Markdown page', () => {
  const entry = { time: 'at noon', what: 'a | b', source: 'kubelet', locator: 'a.log:1' };

  test('shows a timeline of several entries as a table and omits one of a single entry', () => {
    const lines = page([
      reportOf('n', { verdict: 'usable', timeline: [entry, { ...entry, time: null }] }),
    ]);
    assert.deepEqual(from('| when', lines), [
      '| when | what | where |',
      '|---|---|---|',
      '| at noon | a \\| b | `a.log:1` |',
      '|  | a \\| b | `a.log:1` |',
      '',
    ]);
    const alone = page([reportOf('n', { verdict: 'usable', timeline: [entry] })]);
    assert.deepEqual(from('| stage', alone), ['| stage | state |', '|---|---|', '']);
  });

  test('lists what was left out once, then what would decide', () => {
    const what = 'a.log goes on after 1 MB';
    const decide = { text: 'look', command: 'kubectl get nodes' };
    const maybe = findingOf('c', 'launched', { confidence: 'possible', decide });
    const lines = page([reportOf('n', { findings: [maybe] })], {
      losses: [
        { locator: 'a', what },
        { locator: 'b', what },
      ],
    });
    const [first, ...others] = from('## Left out', lines);
    assert.equal(first, '## Left out');
    assert.deepEqual(others.slice(0, 6), ['', `- ${what}`, '', '## To decide', '', '```sh']);
    assert.ok(others.includes('kubectl get nodes'));
    assert.deepEqual(others.slice(-2), ['```', '']);
  });
});
