import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ownPage, referenceIn, withoutQuotingComments } from './reference.ts';

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
  });

  test('one declaration or one word of a rule is not enough', () => {
    assert.equal(referenceIn(CODE.slice(0, 1)), null);
    assert.equal(referenceIn(RULES.slice(0, 4)), null);
  });
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
