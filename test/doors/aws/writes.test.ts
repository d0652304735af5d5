/** What our adapter writes over the wire, held to the contract of every `AwsWrites`. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { testClock } from '../../../src/adapters/aws/testing.ts';
import { type OpenedAwsWrites, openAwsWrites } from '../../../src/adapters/aws/writes.ts';
import { textAt } from '../../../src/evidence/json.ts';
import { awsWritesContract } from '../../ports/aws-writes.contract.ts';
import { awsSite, type AwsSiteUnderTest } from './site.ts';

function writesAt(t: TestContext, { env }: AwsSiteUnderTest): OpenedAwsWrites {
  const random = { next: () => 0.5 };
  const writes = openAwsWrites({ region: null, profile: null, env, clock: testClock(), random });
  t.after(() => {
    writes.close();
  });
  return writes;
}

awsWritesContract({
  name: 'simulated, over the wire',
  skip: false,
  open: async (t) => {
    const site = await awsSite(t);
    const { aws, opened, output, subnetIds } = site;
    return {
      aws: opened,
      writes: writesAt(t, site),
      createInterface: async () => {
        const made = output('ec2', 'CreateNetworkInterface', { SubnetId: subnetIds[0] });
        return textAt(made, 'NetworkInterface.NetworkInterfaceId') ?? '';
      },
      deny: (permission) => {
        aws.controls.deny(permission);
      },
      throttle: (permission) => {
        aws.controls.throttle(permission);
      },
    };
  },
});

test('an access entry is created once and changed, and its policy associated', async (t) => {
  const site = await awsSite(t);
  const { aws, roleArn, vpcId, subnetIds, output } = site;
  aws.controls.createCluster({ name: 'lab', version: '1.34', roleArn, vpcId, subnetIds });
  const writes = writesAt(t, site);
  const principalArn = 'arn:aws:iam::123456789012:role/nodes';
  const entry = { clusterName: 'lab', principalArn };
  const options = { isDryRun: false, token: 'intention-1' };
  const create = { service: 'eks', operation: 'CreateAccessEntry', input: entry } as const;
  const answer = await writes.write(create, options);
  assert.equal(textAt(answer, 'accessEntry.principalArn'), principalArn);
  await assert.rejects(writes.write(create, options), { failure: 'already-exists' });
  const username = 'platform';
  const change = { ...entry, username, kubernetesGroups: ['editors'] };
  const call = { service: 'eks', operation: 'UpdateAccessEntry', input: change } as const;
  assert.equal(textAt(await writes.write(call, options), 'accessEntry.username'), username);
  const shown = output('eks', 'DescribeAccessEntry', entry);
  assert.match(JSON.stringify(shown), /"kubernetesGroups":\["editors"\]/);
  const other = { ...change, principalArn: `${principalArn}-2` };
  await assert.rejects(writes.write({ ...call, input: other }, options), { failure: 'not-found' });
  const policyArn = 'arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy';
  const input = { ...entry, policyArn, accessScope: { type: 'cluster' } };
  await writes.write({ service: 'eks', operation: 'AssociateAccessPolicy', input }, options);
  const listed = output('eks', 'ListAssociatedAccessPolicies', entry);
  assert.match(JSON.stringify(listed), /AmazonEKSClusterAdminPolicy/);
});

test('the metadata service of an instance is changed', async (t) => {
  const site = await awsSite(t);
  const InstanceId = site.launch();
  const input = { InstanceId, HttpTokens: 'required', HttpPutResponseHopLimit: 2 };
  const call = { service: 'ec2', operation: 'ModifyInstanceMetadataOptions', input } as const;
  const writes = writesAt(t, site);
  const before = site.aws.instance(InstanceId)?.metadataOptions;
  assert.deepEqual(await writes.write(call, { isDryRun: true, token: 't' }), {});
  assert.deepEqual(site.aws.instance(InstanceId)?.metadataOptions, before);
  await writes.write(call, { isDryRun: false, token: 't' });
  assert.deepEqual(site.aws.instance(InstanceId)?.metadataOptions, {
    httpTokens: 'required',
    httpPutResponseHopLimit: 2,
  });
});
