import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ownPage, REFERENCES, referenceIn, withoutQuotingComments } from './reference.ts';
import { withoutSearched } from './rules.ts';

const CODE = `package cloud

const (
	// VcpuLimitExceeded comes back when the account has no vCPU left.
	VcpuLimitExceeded = "VcpuLimitExceeded"
)`.split('\n');

const RULES = `groups:
- name: machines
  rules:
  - alert: MachineDiskFull
    expr: kube_node_status_condition{condition="DiskPressure",status="true"} == 1
    annotations:
      summary: Node ran out of disk space.`.split('\n');

const PAGE = `NOT USABLE  Cluster (name unknown)

cause       aws-auth-missing (authenticated, definite)
            The cluster has no aws-auth.

why         -:3
            > configmaps "aws-auth" not found

do          1. Make it.
              $ kubectl apply -f aws-auth.yaml`.split('\n');

describe('a text that quotes messages', () => {
  test('source code and rules of alerts show no machine', () => {
    assert.match(referenceIn(CODE)?.what ?? '', /^is source code/);
    assert.match(referenceIn(RULES)?.what ?? '', /^holds rules of alerts/);
    assert.ok(referenceIn(CODE)?.lines.every((line) => line === ''));
  });

  test('with a time of day it is what a program printed', () => {
    const log = 'Jan 12 09:14:03 ip-10-0-1-2 kubelet[812]: E0112 failed';
    assert.equal(referenceIn([...CODE, log]), null);
    assert.equal(referenceIn([...RULES, log]), null);
    assert.equal(referenceIn([...CODE, '2025-01-12T09:14:03Z kubelet failed']), null);
  });

  test('one declaration or one word of a rule is not enough', () => {
    assert.equal(referenceIn(CODE.slice(0, 1)), null);
    assert.equal(referenceIn(RULES.slice(0, 4)), null);
  });
});

/** The lines that are left of a text. */
function leftOf(text: string): readonly string[] {
  const lines: readonly string[] = text.split('\n');
  const left = REFERENCES.reduce((rest, find) => find(rest)?.lines ?? rest, lines);
  return left.filter((line) => line.trim() !== '');
}

describe('a part that quotes messages', () => {
  test('of changes is left out with what continues them, and nothing behind it', () => {
    const notes = '## v1.2.3\n- [fix] one (#12)\n  and its rest\n- [fix] two (#13)\n';
    assert.deepEqual(leftOf(`above\n${notes}\nbelow\n- a bullet`), [
      'above',
      '## v1.2.3',
      'below',
      '- a bullet',
    ]);
  });

  test('of changes needs more than a version or one mark', () => {
    for (const text of ['## 1.31', '## Symptoms', 'Fixes we tried:', 'Our nodes'])
      assert.equal(leftOf(`${text}\n- one (#12)\n- two\n- three`).length, 4, text);
  });

  test('of metrics is left out; other lines with braces stay', () => {
    const samples =
      '# TYPE a_total counter\na_total{code="x"} 3\nb_total 1\nc{d="e"} 1.5e+06 1700000000000';
    assert.deepEqual(leftOf(samples), []);
    assert.deepEqual(leftOf(`${samples}\nHttpPutResponseHopLimit: 1\nb_total 1`).length, 2);
    for (const line of ['b_total 1', 'msg{a="b"} failed', '{"a": "b"} 3', 'oom_kill 3'])
      assert.deepEqual(leftOf(line), [line]);
  });

  test('of a router ends where its section does', () => {
    const fluentBit = '[FILTER]\n    Name grep\n    Regex log failed\n';
    assert.deepEqual(leftOf(`${fluentBit}kubelet failed`), ['kubelet failed']);
    assert.deepEqual(leftOf('<match a>\n  @type b\n</match>\nkubelet failed'), ['kubelet failed']);
    assert.deepEqual(leftOf('filter {\n  name = "a"\n}').length, 3);
    assert.deepEqual(leftOf('[Service]\nRestart=always').length, 2);
  });

  test('of a workflow needs jobs and steps', () => {
    const workflow = 'name: a\njobs:\n  b:\n    steps:\n      - run: c\n';
    assert.deepEqual(leftOf(`${workflow}Error: failed`), ['Error: failed']);
    assert.equal(leftOf(`${workflow}The output:\n  InstanceId: i-0d6b0f15c9a7e2b41`).length, 2);
    assert.equal(leftOf('name: a\nspec:\n  steps:\n    - c').length, 4);
  });
});

describe('a text that says that it is over', () => {
  const over = 'Status: CLOSED\nSome launches failed.\nAll services are operating normally.';

  test('has nothing that is wrong', () => {
    assert.deepEqual(leftOf(over), []);
  });

  test('is read where it says why, asks, or tells of more', () => {
    for (const line of ['Solved: it was the role.', 'Any idea?', 'It still fails on one node.'])
      assert.equal(leftOf(`${over}\n${line}`).length, 4, line);
    assert.equal(leftOf('Status: CLOSED\nSome launches failed.').length, 2);
  });
});

describe('a list of quoted messages', () => {
  const list = '1. "the first message"\n2. "the second message"\n3. "the third message"';

  test('is of nobody in a quiz', () => {
    assert.deepEqual(leftOf(`Quiz of this week\n${list}`), []);
  });

  test('is read where somebody has them', () => {
    assert.equal(leftOf(list).length, 3);
    assert.equal(leftOf(`My kubelet prints\n${list}`).length, 4);
    assert.equal(leftOf(`Quiz for you: why do our nodes print these\n${list}`).length, 4);
  });
});

test('what a command or a filter looks for is left out; what was printed stays', () => {
  const searched = (line: string): string | undefined => withoutSearched([line])[0];
  assert.equal(searched("grep -E 'one|two' a.log"), "grep -E '' a.log");
  assert.equal(searched('"pattern": "one.*",'), '"pattern": "",');
  assert.equal(
    searched('aws logs tail a --filter-pattern one'),
    'aws logs tail a --filter-pattern ""',
  );
  for (const line of [
    'grep one a.log',
    '| a | "b" | c |',
    '2024-02-29T15:08:58Z {"message":"one","pattern":"two"}',
  ])
    assert.equal(searched(line), line);
});

test('a comment that quotes a message is left out; others stay', () => {
  const lines = ['# 2. "insufficient capacity"', '# kubectl get nodes', 'No resources found'];
  assert.deepEqual(withoutQuotingComments(lines), ['', ...lines.slice(1)]);
});

describe('a page of ours', () => {
  test('is known, and named by its cause', () => {
    const page = ownPage(PAGE);
    assert.match(page?.what ?? '', /names aws-auth-missing \(rollcall explain aws-auth-missing\)/);
    assert.ok(page?.lines.every((line) => line === ''));
  });

  test('ends where something else begins', () => {
    const evidence = '$ kubectl get nodes';
    const page = ownPage([...PAGE, '', evidence, 'No resources found']);
    assert.deepEqual(page?.lines.slice(-2), [evidence, 'No resources found']);
  });

  test('one line in capitals is not a page', () => {
    assert.equal(ownPage(['NOT USABLE  says my colleague', 'Failed to start kubelet']), null);
  });
});
