import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { PreflightDocument } from '../../src/diagnosis/preflight.ts';
import { type Parameters, preflight } from '../../src/engine/preflight.ts';

const FOLDER = join(import.meta.dirname, 'templates');

function judged(name: string, parameters: Parameters = {}): Promise<PreflightDocument> {
  return judgedText(readFileSync(join(FOLDER, name), 'utf8'), parameters);
}

function judgedText(text: string, parameters: Parameters = {}): Promise<PreflightDocument> {
  return preflight([{ locator: 'template', text }], [], parameters);
}

function causesOf({ subjects }: PreflightDocument, name: string): readonly string[] {
  const own = subjects.filter((subject) => subject.name === name);
  return own.flatMap(({ findings }) => findings.map(({ cause }) => cause));
}

/** A template with one change, so that what it changes is seen to matter. */
function changed(name: string, from: string, to: string): string {
  const text = readFileSync(join(FOLDER, name), 'utf8');
  assert.ok(text.includes(from), from);
  return text.replaceAll(from, to);
}

describe('a CloudFormation template is judged as a plan', () => {
  const BROKEN = 'broken-in-many-ways.yaml';

  test('by each fault that it has, for managed and for self-managed groups', async () => {
    const document = await judged(BROKEN);
    assert.deepEqual(causesOf(document, 'Managed'), [
      'unsupported-instance-type-or-architecture',
      'no-nat-or-vpc-endpoints',
      'vpc-dns-hostnames-disabled',
      'node-role-without-ecr-access',
    ]);
    assert.deepEqual(causesOf(document, 'Workers'), [
      'unsupported-instance-type-or-architecture',
      'al2-user-data-on-al2023',
      'no-nat-or-vpc-endpoints',
      'vpc-dns-hostnames-disabled',
      'node-role-without-ecr-access',
      'node-to-node-traffic-blocked',
      'node-ports-closed-to-control-plane',
    ]);
  });

  test('in the words of the template: logical ids, types and properties', async () => {
    const text = JSON.stringify(await judged(BROKEN));
    assert.doesNotMatch(text, /\baws_[a-z]|\b(?:policy_arn|user_data|cidr_block|node_role_arn)\b/);
    assert.match(text, /Add an AWS::EC2::Route with DestinationCidrBlock/);
    assert.match(text, /Attach the policy to NodeRole: ManagedPolicyArns with/);
  });

  test('without a group that its condition leaves out', async () => {
    const document = await judged(BROKEN, { Private: 'false' });
    assert.deepEqual(
      document.subjects.map(({ name }) => name),
      ['Workers'],
    );
  });

  test('whose self-managed nodes no access entry lets in once the managed group is gone', async () => {
    const document = await judged(BROKEN, { Private: 'false' });
    assert.ok(causesOf(document, 'Workers').includes('access-entry-missing'));
  });

  test('and with an access entry for their role lets them in', async () => {
    const entry = `  Entry:
    Type: AWS::EKS::AccessEntry
    Properties: {ClusterName: !Ref Cluster, PrincipalArn: !GetAtt NodeRole.Arn, Type: EC2_LINUX}
  Workers:`;
    const document = await judgedText(changed(BROKEN, '  Workers:', entry), { Private: 'false' });
    assert.ok(!causesOf(document, 'Workers').includes('access-entry-missing'));
  });

  test('or cannot tell where a custom resource may let them in', async () => {
    const custom = `  Mapping:
    Type: Custom::AwsAuth
    Properties: {Role: !GetAtt NodeRole.Arn}
  Workers:`;
    const document = await judgedText(changed(BROKEN, '  Workers:', custom), { Private: 'false' });
    assert.ok(!causesOf(document, 'Workers').includes('access-entry-missing'));
    const why = document.subjects.flatMap(({ notObservable }) => notObservable);
    assert.match(JSON.stringify(why), /whom Mapping \(Custom::AwsAuth\) lets into the cluster/);
  });
});

describe('what only the stack will know is unknown', () => {
  test('subnets from a parameter without a default', async () => {
    const { subjects } = await judged('managed-group.yaml');
    assert.deepEqual(
      subjects.map(({ verdict, notObservable }) => [verdict, notObservable]),
      [
        [
          'cannot-tell',
          [
            {
              stage: 'launched',
              why: 'which subnets the machines will be in',
              collect: 'rollcall preflight <template> --parameter <name>=<value>',
            },
          ],
        ],
      ],
    );
  });

  test('a group of nodes stays one where only a parameter has the name of the cluster', async () => {
    const { subjects } = await judged('self-managed-group.json');
    assert.deepEqual(
      subjects.map(({ name, cluster, verdict }) => [name, cluster, verdict]),
      [['Workers', 'ClusterName', 'cannot-tell']],
    );
  });

  test('aws-auth, which no template writes, is asked for', async () => {
    const cluster = `"Cluster": { "Type": "AWS::EKS::Cluster", "Properties": { "Name": "orders" } },
    "NodeRole": {`;
    const text = changed('self-managed-group.json', '"NodeRole": {', cluster);
    const { subjects } = await judgedText(text, { ClusterName: 'orders' });
    const asked = subjects.flatMap(({ notObservable }) => notObservable.map(({ why }) => why));
    assert.ok(asked.includes('whether aws-auth maps the node role, which no template writes'));
  });
});

describe('a text that CloudFormation would refuse', () => {
  test('a template whose resources a macro makes', async () => {
    const { losses } = await judgedText(
      'Resources:\n  Fn::ForEach::Groups: [A, [B], {}]\n  R: {Type: AWS::IAM::Role}\n',
    );
    assert.match(losses[0]?.what ?? '', /macro; print the template with them: aws cloudformation/);
  });

  test('manifests and broken texts are losses, each with a sentence', async () => {
    for (const text of [
      'kind: Pod\nmetadata: {}\n',
      'Resources: [',
      '!Sub',
      '\0',
      '{"Resources":7}',
    ]) {
      const { losses, plans } = await judgedText(text);
      assert.deepEqual([losses.length, plans.length], [1, 0], text);
    }
  });

  test('names that objects have of themselves name neither resources nor parameters nor conditions', async () => {
    const text = `Parameters: {P: {Type: String}}
Conditions: {C: {'Fn::Equals': [{Ref: constructor}, toString]}}
Resources:
  __proto__: {Type: AWS::IAM::Role}
  R: {Type: AWS::EKS::Nodegroup, Condition: hasOwnProperty, Properties: {__proto__: {a: 1}, ClusterName: {Ref: __proto__}, NodeRole: {'Fn::FindInMap': [constructor, name, length]}}}
`;
    const { subjects } = await judgedText(text);
    assert.deepEqual(
      subjects.map(({ verdict }) => verdict),
      ['cannot-tell'],
    );
  });

  test('a condition that names itself has an end', async () => {
    const { plans } = await judgedText(
      'Conditions: {C: {"Fn::Not": [{Condition: C}]}}\nResources: {R: {Type: AWS::IAM::Role, Condition: C}}\n',
    );
    assert.equal(plans.length, 1);
  });
});
