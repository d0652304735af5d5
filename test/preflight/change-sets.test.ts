import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { PreflightDocument } from '../../src/diagnosis/preflight.ts';
import { preflight } from '../../src/engine/preflight.ts';
import { capture } from '../cli/capture.ts';
import { causesIn, verdictOn } from './judged.ts';

const NODES = 'system:nodes';
const TEMPLATE = {
  Parameters: { Type: { Type: 'String', Default: 'm6g.large' } },
  Resources: {
    Cluster: {
      Type: 'AWS::EKS::Cluster',
      Properties: { Name: 'orders', AccessConfig: { AuthenticationMode: 'API' } },
    },
    NodeRole: { Type: 'AWS::IAM::Role', Properties: { RoleName: 'nodes' } },
    Workers: {
      Type: 'AWS::EKS::Nodegroup',
      Properties: {
        ClusterName: 'orders',
        AmiType: 'AL2023_x86_64_STANDARD',
        InstanceTypes: [{ Ref: 'Type' }],
        NodeRole: 'arn:aws:iam::111122223333:role/nodes',
        Subnets: ['subnet-1'],
      },
    },
  },
};

type Row = Readonly<Record<string, unknown>>;

function change(LogicalResourceId: string, Action: string, more: Row = {}): Row {
  return { Type: 'Resource', ResourceChange: { LogicalResourceId, Action, ...more } };
}

function judged(changes: readonly Row[], more: Row = {}): Promise<PreflightDocument> {
  const set = { ChangeSetName: 'next', StackName: 'orders', Changes: changes, ...more };
  return preflight([
    { locator: 'changes.json', text: JSON.stringify(set) },
    { locator: 'template.json', text: JSON.stringify(TEMPLATE) },
  ]);
}

const CAUSE = 'unsupported-instance-type-or-architecture';

describe('a template beside its change set', () => {
  test('is judged by what the change set makes or changes', async () => {
    for (const action of ['Add', 'Modify'])
      assert.deepEqual(causesIn(await judged([change('Workers', action)])), [CAUSE]);
  });

  test('is not judged where tags alone change', async () => {
    const { plans, subjects } = await judged([change('Workers', 'Modify', { Scope: ['Tags'] })]);
    assert.deepEqual([plans.map(({ isChanging }) => isChanging), subjects], [[false], []]);
  });

  test('asks nothing about what stays as it is', async () => {
    const { subjects } = await judged([change('NodeRole', 'Modify')]);
    assert.deepEqual(
      subjects.flatMap(({ notObservable }) => notObservable),
      [],
    );
  });

  test('knows the values of its parameters, and not those that CloudFormation hides', async () => {
    const types = (value: string): Row => ({
      Parameters: [{ ParameterKey: 'Type', ParameterValue: value }],
    });
    const changes = [change('Workers', 'Add')];
    for (const [value, verdict] of [
      ['m6g.large', 'found'],
      ['m5.large', 'clear'],
      ['****', 'unknown'],
    ] as const)
      assert.equal(verdictOn(await judged(changes, types(value)), CAUSE), verdict);
  });

  test('does not know whom an entry let in that it removes', async () => {
    const removed = { ResourceType: 'AWS::EKS::AccessEntry' };
    const { plans, losses, subjects } = await judged([change('Entry', 'Remove', removed)]);
    assert.deepEqual([plans[0]?.isChanging, losses], [true, []]);
    assert.deepEqual(
      subjects.map(({ name }) => name),
      ['Workers'],
    );
  });

  test('is a loss alone, as a page, and is never another template’s', async () => {
    for (const [changes, more, words] of [
      [[change('Other', 'Add')], {}, /without its template; give both: aws cloudformation/],
      [[change('Workers', 'Add')], { NextToken: 'a' }, /one page of a change set/],
    ] as const) {
      const { losses, plans } = await judged(changes, more);
      assert.match(losses[0]?.what ?? '', words);
      assert.deepEqual(
        plans.map(({ locator }) => locator),
        ['template.json'],
      );
    }
  });

  test('is read as far as it has a shape', async () => {
    for (const odd of [null, 7, 'a', [], { length: 3 }, { ResourceChange: NODES }]) {
      const { losses } = await judged([odd as Row, change('Workers', 'Add')], { Parameters: odd });
      assert.deepEqual(losses, []);
    }
  });
});

test('the example has the one fault that it is about', async () => {
  const folder = join(import.meta.dirname, '../../examples/preflight');
  const paths = ['change-set.json', 'change-set-template.yaml'].map((name) => join(folder, name));
  const document = await preflight(
    paths.map((locator) => ({ locator, text: readFileSync(locator, 'utf8') })),
  );
  assert.deepEqual(causesIn(document), [CAUSE]);
  assert.equal((await capture(['preflight', ...paths])).code, 1);
});
