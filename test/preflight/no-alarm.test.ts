import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { PreflightDocument } from '../../src/diagnosis/preflight.ts';
import { preflight } from '../../src/engine/preflight.ts';

async function judged(name: string): Promise<PreflightDocument> {
  const text = readFileSync(join(import.meta.dirname, 'plans', `${name}.json`), 'utf8');
  return preflight([{ locator: 'plan.json', text }]);
}

function verdictsOf({ subjects }: PreflightDocument): readonly string[] {
  return subjects.map(({ kind, verdict }) => `${kind} ${verdict}`);
}

describe('a plan that gives usable nodes raises no alarm', () => {
  test('with the managed groups of the public EKS module', async () => {
    assert.deepEqual(verdictsOf(await judged('module-managed-groups')), ['NodeGroup usable']);
  });

  test('with self-managed groups of that module, whose template is behind a local value', async () => {
    const verdicts = verdictsOf(await judged('module-self-managed-groups'));
    assert.deepEqual(verdicts, ['NodeGroup usable', 'AutoScalingGroup cannot-tell']);
  });

  test('with a managed group that has an access entry, beside an aws-auth of others', async () => {
    const verdicts = verdictsOf(await judged('managed-group-beside-a-map-of-admins'));
    assert.deepEqual(verdicts, ['NodeGroup usable']);
  });

  test('with a VPC, security groups, add-ons and user data of its own, which rule most causes out', async () => {
    const document = await judged('whole-self-managed');
    assert.deepEqual(verdictsOf(document), ['AutoScalingGroup usable']);
    const [subject = assert.fail()] = document.subjects;
    assert.ok(subject.clear.length >= 50, `only ${subject.clear.length} causes are ruled out`);
    assert.deepEqual(subject.notObservable, []);
  });

  test('with a managed group in a cluster of the default mode, which EKS maps itself', async () => {
    const verdicts = verdictsOf(await judged('managed-groups-with-default-mode'));
    assert.deepEqual(verdicts, ['NodeGroup usable']);
  });
});

test('a plan that removes aws-auth under running nodes is not called fine', async () => {
  const { subjects } = await judged('aws-auth-removed');
  assert.deepEqual(
    subjects.map(({ verdict, notObservable }) => [verdict, notObservable.map(({ why }) => why)]),
    [
      [
        'cannot-tell',
        ['what lets the node role in once kubernetes_config_map.aws_auth is removed'],
      ],
    ],
  );
});

test('a role whose entry is STANDARD may be mapped by an aws-auth that the plan does not show', async () => {
  const { subjects } = await judged('standard-entry-of-running-nodes');
  assert.deepEqual(
    subjects.flatMap(({ findings }) => findings),
    [],
  );
});

test('the plan of the documentation has the one fault that it is about', async () => {
  const name = '../../../examples/preflight/self-managed-without-mapping';
  const { subjects } = await judged(name);
  assert.deepEqual(
    subjects.flatMap(({ findings }) => findings.map(({ cause }) => cause)),
    ['aws-auth-missing'],
  );
});

describe('a plan that nodes do not depend on is not judged', () => {
  test('when it is of another project and of other providers', async () => {
    const { subjects, plans, losses } = await judged('unrelated-project');
    assert.deepEqual([subjects, losses], [[], []]);
    assert.equal(plans[0]?.resources, 3);
  });

  test('when it changes tags alone, of machines that nothing in it maps', async () => {
    const { subjects, plans } = await judged('tags-only');
    assert.deepEqual(subjects, []);
    assert.equal(plans[0]?.isChanging, false);
  });
});
