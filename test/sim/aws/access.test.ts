import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, type JsonObject, textAt } from '../../../src/evidence/json.ts';
import { isLike, judge } from '../../../src/sim/aws/iam/policies.ts';
import { smallAws } from './world.ts';

const DEMAND = { action: 'ec2:DescribeInstances', resource: '*', context: {} };

function policy(...statements: readonly JsonObject[]): JsonObject {
  return { Version: '2012-10-17', Statement: [...statements] };
}

test('patterns of policies', () => {
  assert.ok(isLike('ec2:Describe*', 'ec2:DescribeInstances'));
  assert.ok(isLike('*', ''));
  assert.ok(isLike('a?c*e', 'abcdde'));
  assert.ok(!isLike('a?c', 'ac'));
  assert.ok(!isLike('ec2:Describe*', 'ec2:RunInstances'));
  const stars = '*a'.repeat(40);
  assert.ok(!isLike(stars, 'b'.repeat(5000)));
});

test('an explicit denial wins, and what nothing allows is denied', () => {
  const allow = { Effect: 'Allow', Action: 'ec2:*', Resource: '*' };
  const deny = { Effect: 'Deny', Action: 'EC2:describeinstances', Resource: '*' };
  assert.equal(judge([], DEMAND), 'implicitDeny');
  assert.equal(judge([policy(allow)], DEMAND), 'allowed');
  assert.equal(judge([policy(allow), policy(deny)], DEMAND), 'explicitDeny');
  const others = { Effect: 'Allow', NotAction: 'ec2:*', Resource: '*' };
  assert.equal(judge([policy(others)], DEMAND), 'implicitDeny');
});

test('a statement holds where its conditions do', () => {
  const inRegion = (operator: string, region: string) =>
    judge(
      [
        policy({
          Effect: 'Allow',
          Action: '*',
          Resource: '*',
          Condition: { [operator]: { 'aws:RequestedRegion': region } },
        }),
      ],
      { ...DEMAND, context: { 'aws:requestedregion': 'us-west-2' } },
    );
  assert.equal(inRegion('StringEquals', 'us-west-2'), 'allowed');
  assert.equal(inRegion('StringEquals', 'eu-west-1'), 'implicitDeny');
  assert.equal(inRegion('StringLike', 'us-*'), 'allowed');
  assert.equal(inRegion('StringNotEquals', 'us-west-2'), 'implicitDeny');
  assert.equal(inRegion('DateGreaterThan', 'us-west-2'), 'implicitDeny');
});

test('a machine may do what its role allows until the policy is detached', () => {
  const { aws, launch, roleArn } = smallAws();
  const id = launch();
  const { accessKeyId } = aws.credentialsOf(roleArn, id);
  const identity = aws.identityOf(accessKeyId);
  assert.ok(identity !== null);
  assert.equal(identity.arn, `arn:aws:sts::123456789012:assumed-role/lab-node/${id}`);
  const code = (operation: string): string => {
    const answer = aws.answer(identity, {
      service: 'ec2',
      operation,
      input: {},
    });
    return answer.ok ? 'none' : `${answer.refusal.code} ${answer.refusal.message}`;
  };
  assert.equal(code('DescribeInstances'), 'none');
  assert.match(
    code('RunInstances'),
    /^UnauthorizedOperation .*assumed-role\/lab-node\/i-[0-9a-f]+ is not authorized to perform: ec2:RunInstances because no identity-based policy allows the ec2:RunInstances action$/,
  );
  aws.controls.detachPolicy('lab-node', 'AmazonEKSWorkerNodePolicy');
  aws.controls.detachPolicy('lab-node', 'AmazonEKS_CNI_Policy');
  assert.match(code('DescribeInstances'), /^UnauthorizedOperation /);
  aws.controls.attachPolicy('lab-node', 'AmazonEKSWorkerNodePolicy');
  aws.controls.denyRole('lab-node', 'ec2:DescribeInstances');
  assert.match(code('DescribeInstances'), /with an explicit deny/);
  aws.controls.allowRole('lab-node', 'ec2:DescribeInstances');
  assert.equal(code('DescribeInstances'), 'none');
});

test('each service rejects unknown and expired keys in its words', () => {
  const { aws, launch, roleArn, pass } = smallAws();
  const { accessKeyId } = aws.credentialsOf(roleArn, launch());
  pass(7 * 3_600_000);
  const codes = ([service, operation]: readonly ['ec2' | 'iam' | 'eks', string]) =>
    ['AKIANOBODY', accessKeyId].map((key) => {
      const answer = aws.answer({ arn: '', accessKeyId: key }, { service, operation, input: {} });
      return answer.ok ? 'none' : answer.refusal.code;
    });
  assert.deepEqual(codes(['ec2', 'DescribeVpcs']), ['AuthFailure', 'RequestExpired']);
  assert.deepEqual(codes(['iam', 'ListRoles']), ['InvalidClientTokenId', 'ExpiredToken']);
  assert.deepEqual(codes(['eks', 'ListClusters']), [
    'UnrecognizedClientException',
    'ExpiredTokenException',
  ]);
});

test('a burst empties the bucket of its action only, which fills up again', () => {
  const { refusal, pass } = smallAws();
  const describe = () => refusal('ec2', 'DescribeInstances');
  assert.deepEqual(new Set(Array.from({ length: 100 }, describe)), new Set(['none']));
  assert.equal(describe(), 'RequestLimitExceeded');
  assert.equal(refusal('ec2', 'DescribeSubnets'), 'none');
  pass(1000);
  assert.deepEqual(new Set(Array.from({ length: 20 }, describe)), new Set(['none']));
  assert.equal(describe(), 'RequestLimitExceeded');
});

test('rejects as many calls as configured', () => {
  const { aws, refusal } = smallAws();
  const refused = { code: 'InternalError', message: 'An internal error has occurred', status: 500 };
  aws.controls.refuse('ec2:*', refused, 2);
  const codes = Array.from({ length: 3 }, () => refusal('ec2', 'DescribeVpcs'));
  assert.deepEqual(codes, ['InternalError', 'InternalError', 'none']);
  assert.equal(aws.controls.calls().get('ec2:DescribeVpcs'), 3);
});

test('reports what would be allowed without doing it', () => {
  const { output, roleArn } = smallAws();
  const { EvaluationResults } = output('iam', 'SimulatePrincipalPolicy', {
    PolicySourceArn: roleArn,
    ActionNames: ['ec2:DescribeInstances', 'ec2:RunInstances'],
  });
  const decisions = JSON.stringify(EvaluationResults).match(/"EvalDecision":"\w+"/g);
  assert.deepEqual(decisions, ['"EvalDecision":"allowed"', '"EvalDecision":"implicitDeny"']);
});

test('the metadata service: tokens, hops, and the keys of the role', () => {
  const { aws, launch, output } = smallAws();
  const id = launch();
  const get = (path: string, headers = {}, hops = 0) =>
    aws.metadata.answer(id, { method: 'GET', path: `/latest/meta-data/${path}`, headers, hops });
  const put = (hops: number, ttl = '60') =>
    aws.metadata.answer(id, {
      method: 'PUT',
      path: '/latest/api/token',
      headers: { 'x-aws-ec2-metadata-token-ttl-seconds': ttl },
      hops,
    });
  assert.deepEqual(get('instance-id'), { status: 200, body: id });
  assert.equal(get('spot/instance-action')?.status, 404);
  output('ec2', 'ModifyInstanceMetadataOptions', { InstanceId: id, HttpTokens: 'required' });
  assert.equal(get('instance-id')?.status, 401);
  assert.equal(put(1), null, 'the answer does not get over the second hop');
  assert.equal(put(0, '999999')?.status, 400);
  const headers = { 'x-aws-ec2-metadata-token': put(0)?.body ?? '' };
  assert.equal(get('iam/security-credentials/', headers)?.body, 'lab-node');
  const keys = JSON.parse(
    get('iam/security-credentials/lab-node', headers, 1)?.body ?? '{}',
  ) as JsonObject;
  const found = aws.identityOf(textAt(keys, 'AccessKeyId') ?? '');
  assert.equal(found?.arn, `arn:aws:sts::123456789012:assumed-role/lab-node/${id}`);
});

test('entries of EKS: what nodes are called, and what may not be asked for', () => {
  const world = smallAws();
  const { aws, roleArn, vpcId, subnetIds, output, refusal } = world;
  aws.controls.createCluster({ name: 'lab', version: '1.34', roleArn, vpcId, subnetIds });
  const create = (more: JsonObject): string =>
    refusal('eks', 'CreateAccessEntry', { clusterName: 'lab', principalArn: roleArn, ...more });
  assert.equal(create({ type: 'EC2_LINUX', kubernetesGroups: ['x'] }), 'InvalidParameterException');
  assert.equal(create({ username: 'system:node:x' }), 'InvalidParameterException');
  assert.equal(create({ type: 'EC2_LINUX' }), 'none');
  assert.equal(create({ type: 'EC2_LINUX' }), 'ResourceInUseException');
  const { accessEntry } = output('eks', 'DescribeAccessEntry', {
    clusterName: 'lab',
    principalArn: roleArn,
  });
  assert.match(JSON.stringify(accessEntry), /"username":"system:node:\{\{EC2PrivateDNSName\}\}"/);
  const update = (more: JsonObject, principalArn = roleArn): string =>
    refusal('eks', 'UpdateAccessEntry', { clusterName: 'lab', principalArn, ...more });
  assert.equal(update({ kubernetesGroups: ['x'] }), 'InvalidParameterException');
  assert.equal(update({ username: 'x' }, `${roleArn}-2`), 'ResourceNotFoundException');
  assert.equal(update({ username: 'team:{{SessionName}}' }), 'none');
  const changed = output('eks', 'DescribeAccessEntry', {
    clusterName: 'lab',
    principalArn: roleArn,
  });
  assert.deepEqual(
    ['type', 'username', 'kubernetesGroups'].map((name) => at(changed, `accessEntry.${name}`)),
    ['EC2_LINUX', 'team:{{SessionName}}', ['system:nodes']],
  );
  const mode = (authenticationMode: string): string =>
    refusal('eks', 'UpdateClusterConfig', { name: 'lab', accessConfig: { authenticationMode } });
  assert.equal(mode('API'), 'none');
  assert.equal(mode('CONFIG_MAP'), 'InvalidParameterException');
});
