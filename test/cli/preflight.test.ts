import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { sarifJudge } from '../preflight/sarif-schema.ts';
import { capture } from './capture.ts';

const CAUSES = join(import.meta.dirname, '../../src/causes/authenticated');
const FOUND = join(CAUSES, 'aws-auth-missing/plans/found-self-managed-without-mapping.json');
const DEFINITE = join(CAUSES, 'wrong-access-entry-type/plans/found-standard.json');
const CLEAR = join(CAUSES, 'aws-auth-missing/plans/clear-mapped-by-reference.json');
const UNKNOWN = join(CAUSES, 'aws-auth-missing/plans/unknown-cluster-of-another-stack.json');

async function codeOf(...argv: readonly string[]): Promise<number> {
  return (await capture(['preflight', ...argv])).code;
}

describe('rollcall preflight ends with', () => {
  test('1 when a plan would give no usable nodes', async () => {
    assert.equal(await codeOf(FOUND), 1);
    assert.equal(await codeOf(CLEAR, FOUND, UNKNOWN), 1);
  });

  test('0 when nothing is found', async () => {
    assert.equal(await codeOf(CLEAR), 0);
  });

  test('2 when the plan does not decide', async () => {
    assert.equal(await codeOf(UNKNOWN), 2);
    assert.equal(await codeOf(CLEAR, UNKNOWN), 2);
  });

  test('0 for a likely finding and 1 for a definite one with --fail-on definite', async () => {
    assert.equal(await codeOf(FOUND, '--fail-on', 'definite'), 0);
    assert.equal(await codeOf(DEFINITE, '--fail-on', 'definite'), 1);
  });

  test('64 without a plan and for a format that does not exist', async () => {
    assert.equal(await codeOf(), 64);
    assert.equal(await codeOf(CLEAR, '-o', 'xml'), 64);
  });

  test('69 when nothing that was given is a plan', async () => {
    assert.equal(await codeOf('/nonexistent/plan.json'), 69);
    const { code, err } = await capture(['preflight', '-'], '{"kind":"List","items":[]}');
    assert.equal(code, 69);
    assert.match(err, /not the output of `terraform show -json`/);
  });

  test('69 for a plan that is cut off, with the command that prints it again', async () => {
    const { code, err } = await capture(
      ['preflight', '-'],
      readFileSync(FOUND, 'utf8').slice(0, 4000),
    );
    assert.equal(code, 69);
    assert.match(err, /terraform show -json plan\.tfplan > plan\.json/);
  });

  test('1 for a plan of 200 MB with that fault, and 69 for one beyond 256 MiB', async () => {
    const plan = readFileSync(FOUND, 'utf8').trim();
    const padded = (bytes: number): string => `${plan.slice(0, -1)},"pad":"${'x'.repeat(bytes)}"}`;
    const { code, out } = await capture(['preflight', '-'], padded(200e6));
    assert.equal(code, 1);
    assert.ok(out.length < 10_000);
    const large = await capture(['preflight', '-'], padded(256 * 1024 * 1024));
    assert.equal(large.code, 69);
    assert.match(large.err, /is larger than 256 MiB and is not read/);
  });

  test('2 when one of two plans cannot be read', async () => {
    const { code, out } = await capture(['preflight', CLEAR, '-'], '{"format_version":"9.0"}');
    assert.equal(code, 2);
    assert.match(out, /format_version 9\.0 is newer/);
  });
});

test('the page names the address, the cause, why, and the fix in terms of Terraform', async () => {
  const { out } = await capture(['preflight', '-'], readFileSync(FOUND, 'utf8'));
  assert.match(out, /! aws-auth-missing \(likely\) at aws_autoscaling_group\.workers/);
  assert.match(out, /will answer its kubelets with\s+401 Unauthorized/);
  assert.match(out, /Why: EKS lets a kubelet in only when/);
  assert.match(out, /aws_eks_access_entry with principal_arn = aws_iam_role\.workers\.arn/);
});

test('-o json prints the document with locators of the plan', async () => {
  const { out } = await capture(['preflight', '-', '-o', 'json'], readFileSync(FOUND, 'utf8'));
  const document = JSON.parse(out) as {
    readonly kind: string;
    readonly subjects: readonly {
      readonly findings: readonly { readonly evidence: readonly { readonly locator: string }[] }[];
    }[];
  };
  assert.equal(document.kind, 'Preflight');
  assert.deepEqual(
    document.subjects[0]?.findings[0]?.evidence.map(({ locator }) => locator),
    ['-#aws_autoscaling_group.workers', '-#aws_eks_cluster.this'],
  );
});

interface Sarif {
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
    readonly results: readonly { readonly ruleId: string; readonly ruleIndex: number }[];
  }[];
}

test('-o sarif has the form of its schema, and each result names its rule', async () => {
  const { out } = await capture(['preflight', FOUND, DEFINITE, UNKNOWN, '-o', 'sarif']);
  const document = JSON.parse(out) as Sarif;
  assert.deepEqual(sarifJudge()(document), []);
  const [only] = document.runs;
  const named = only?.results.map(({ ruleId, ruleIndex }) => [
    ruleId,
    only.tool.driver.rules[ruleIndex]?.id,
  ]);
  assert.deepEqual(named, [
    ['aws-auth-missing', 'aws-auth-missing'],
    ['wrong-access-entry-type', 'wrong-access-entry-type'],
  ]);
});
