import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createView } from '../../src/diagnosis/view.ts';
import { indexFacts } from '../../src/diagnosis/fact-index.ts';
import { machineWith } from './fixtures.ts';
import { read } from './read.ts';

const NOTHING_SIGNED = {
  standing: new Map(),
  withdrawn: false,
  cleared: false,
  thin: new Set<string>(),
};

function nodeFact(files: Readonly<Record<string, string>>): string {
  const { listings, facts, collection } = read(files);
  const other = machineWith([], {
    facts: indexFacts(facts.filter((fact) => fact.about[0]?.value === 'ip-10-0-1-2.ec2.internal')),
  });
  const fact = createView(other, NOTHING_SIGNED, { listings, collection }).read('kube/Node');
  return fact.state === 'unknown'
    ? `unknown: ${fact.why.reason}`
    : fact.state === 'absent'
      ? `absent by ${fact.by}`
      : `seen by ${fact.by}`;
}

const row = (name: string): string =>
  `NAME   STATUS   ROLES    AGE   VERSION\n${name}   Ready   <none>   9d   v1.31.2\n`;

describe('a Node that is looked for', () => {
  test('is seen where a listing has it', () => {
    assert.equal(
      nodeFact({ 'nodes.txt': row('ip-10-0-1-2.ec2.internal') }),
      'seen by kubectl get nodes',
    );
  });

  test('is absent where a listing lacks it', () => {
    assert.equal(
      nodeFact({ 'nodes.txt': row('ip-10-0-9-9.ec2.internal') }),
      'absent by kubectl get nodes',
    );
    assert.equal(
      nodeFact({ 'nodes.json': '{"apiVersion":"v1","kind":"NodeList","items":[]}' }),
      'absent by kubectl get nodes',
    );
  });

  test('is unknown without a list of Nodes', () => {
    assert.equal(
      nodeFact({ 'kubelet.log': 'E0606 19:42:03.7 9 kubelet.go:1] words\n' }),
      'unknown: not-collected',
    );
  });
});
