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
    recognized: [],
    losses: [{ locator: 'a.log', what: 'a.log goes on after 1 MB' }],
  };
  const text = renderText(document, { columns: 100, colour: false, paths: [] });
  assert.match(text, /launched ok\n\nUSABLE {2}Machine node-b\n/);
  assert.match(text, /launched ok\n\nleft out {4}a\.log goes on after 1 MB\n/);
  assert.doesNotMatch(text, /\n\n\n/);
});

test('a machine at risk from its cluster says so', () => {
  const document: DiagnosisDocument = {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'Diagnosis',
    catalogueVersion: '1',
    headline: null,
    subjects: [{ ...machine('node-a'), risks: ['aws-auth-missing'] }],
    recognized: [],
    losses: [],
  };
  const text = renderText(document, { columns: 100, colour: false, paths: [] });
  assert.match(text, /\nat risk {5}from aws-auth-missing of the cluster\n/);
});

test('what was recognized is shown where it names no machine', () => {
  const document: DiagnosisDocument = {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'Diagnosis',
    catalogueVersion: '1',
    headline: null,
    subjects: [],
    recognized: ['kubelet', 'nodeadm', 'ipamd', 'event', 'cilium'],
    losses: [],
  };
  const options = { columns: 200, colour: false, paths: [] };
  const line =
    'recognized  kubelet journal, nodeadm journal, VPC CNI ipamd log, Kubernetes events, and 1 more. No line of it decides.';
  assert.ok(renderText(document, options).includes(`\n${line}\n`));
  assert.doesNotMatch(renderText({ ...document, recognized: [] }, options), /recognized/);
  const named = { ...document, subjects: [machine('node-a')] };
  assert.doesNotMatch(renderText(named, options), /recognized/);
});
