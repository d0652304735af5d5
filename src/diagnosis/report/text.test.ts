import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DiagnosisDocument, SubjectReport } from '../document.ts';
import { renderText } from './text.ts';

function machine(name: string): SubjectReport {
  return {
    kind: 'Machine',
    name,
    instanceId: null,
    node: name,
    verdict: 'usable',
    stage: null,
    ladder: [{ stage: 'launched', state: 'passed', since: null, evidence: [] }],
    findings: [],
    notObservable: [],
    timeline: [],
  };
}

test('one blank line is between machines, and before what was left out', () => {
  const document: DiagnosisDocument = {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'Diagnosis',
    catalogueVersion: '1',
    headline: null,
    subjects: [machine('node-a'), machine('node-b')],
    losses: [{ locator: 'a.log', what: 'a.log goes on after 1 MB' }],
  };
  const text = renderText(document, { columns: 100, colour: false, paths: [] });
  assert.match(text, /launched ok\n\nUSABLE {2}Machine node-b\n/);
  assert.match(text, /launched ok\n\nleft out {4}a\.log goes on after 1 MB\n/);
  assert.doesNotMatch(text, /\n\n\n/);
});
