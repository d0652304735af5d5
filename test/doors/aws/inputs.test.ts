/** From parameters and paths to inputs, and from answers to documents. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonOutput } from '../../../src/doors/aws/json-output.ts';
import { queryInput } from '../../../src/doors/aws/query-input.ts';
import { route } from '../../../src/doors/aws/rest-input.ts';
import type { Operation } from '../../../src/doors/aws/schema.ts';
import { formOf, modelOf, type ServiceModel } from '../../../src/doors/aws/services.ts';
import { ec2Xml, escaped } from '../../../src/doors/aws/xml-output.ts';

async function model(service: string): Promise<ServiceModel> {
  const form = formOf(service);
  assert.ok(form !== null);
  return modelOf(form);
}

async function operation(service: string, name: string): Promise<Operation> {
  const found = (await model(service)).operation(name);
  assert.ok(found !== null, name);
  return found;
}

test('parameters of EC2 become the input of the API reference', async () => {
  const { input } = await operation('ec2', 'RunInstances');
  const parameters = new URLSearchParams({
    Action: 'RunInstances',
    ImageId: 'ami-1',
    MinCount: '1',
    MaxCount: '2',
    'SecurityGroupId.2': 'sg-2',
    'SecurityGroupId.1': 'sg-1',
    'SecurityGroupId.10': 'sg-10',
    'TagSpecification.1.ResourceType': 'instance',
    'TagSpecification.1.Tag.1.Key': 'Name',
    'TagSpecification.1.Tag.1.Value': 'a=b&c',
    'MetadataOptions.HttpPutResponseHopLimit': '2',
    EbsOptimized: 'true',
    Unknown: 'x',
  });
  assert.deepEqual(queryInput(parameters, input, true), {
    ImageId: 'ami-1',
    MinCount: 1,
    MaxCount: 2,
    SecurityGroupIds: ['sg-1', 'sg-2', 'sg-10'],
    TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'Name', Value: 'a=b&c' }] }],
    MetadataOptions: { HttpPutResponseHopLimit: 2 },
    EbsOptimized: true,
  });
});

test('lists of the Query protocol have a step before their numbers', async () => {
  const { input } = await operation('autoscaling', 'DescribeAutoScalingGroups');
  const parameters = new URLSearchParams({
    'AutoScalingGroupNames.member.1': 'a',
    'AutoScalingGroupNames.member.2': 'b',
    'Filters.member.1.Name': 'tag-key',
    'Filters.member.1.Values.member.1': 'x',
    MaxRecords: '5',
  });
  assert.deepEqual(queryInput(parameters, input, false), {
    AutoScalingGroupNames: ['a', 'b'],
    Filters: [{ Name: 'tag-key', Values: ['x'] }],
    MaxRecords: 5,
  });
});

test('rejects parameters that are too many or too deep', async () => {
  const { input } = await operation('ec2', 'DescribeInstances');
  assert.equal(
    queryInput(new URLSearchParams({ [`Filter${'.1'.repeat(50)}`]: 'x' }), input, true),
    null,
  );
  const many = new URLSearchParams();
  for (let index = 0; index < 10_001; index++) many.append(`InstanceId.${index}`, 'i-1');
  assert.equal(queryInput(many, input, true), null);
  const odd = new URLSearchParams({ '__proto__.1': 'x', 'constructor.prototype': 'y' });
  assert.deepEqual(queryInput(odd, input, true), {});
});

test('a path names its operation and what it is about', async () => {
  const routes = (await model('eks')).routes();
  const query = new URLSearchParams({ maxResults: '7' });
  const at = (method: string, path: string) => {
    const routed = route(routes, { method, path, query, body: {} });
    return routed === null ? null : [routed.operation.name, routed.input];
  };
  assert.deepEqual(at('GET', '/clusters/lab'), ['DescribeCluster', { name: 'lab' }]);
  assert.deepEqual(at('GET', '/clusters/lab/node-groups'), [
    'ListNodegroups',
    { clusterName: 'lab', maxResults: 7 },
  ]);
  assert.deepEqual(at('GET', '/clusters/lab/access-entries/arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fx'), [
    'DescribeAccessEntry',
    { clusterName: 'lab', principalArn: 'arn:aws:iam::1:role/x' },
  ]);
  for (const path of ['/', '/clusters/', '/clusters/%zz', '/../etc/passwd', '/clusters/lab/none'])
    assert.equal(at('GET', path), null, path);
});

test('text in XML is escaped, and what XML cannot hold is left out', async () => {
  assert.equal(escaped('a<b>&"c\'\u0000\u0008\r'), 'a&lt;b&gt;&amp;&quot;c&apos;&#xD;');
  const describe = await operation('ec2', 'DescribeTags');
  const xml = ec2Xml(describe, 'urn:x', { Tags: [{ Key: '<k>', Value: '' }], Secret: 'no' }, 'r1');
  assert.equal(
    xml.split('\n')[1],
    '<DescribeTagsResponse xmlns="urn:x"><requestId>r1</requestId><tagSet><item>' +
      '<key>&lt;k&gt;</key><value/></item></tagSet></DescribeTagsResponse>',
  );
});

test('times are seconds in JSON, and unknown members are left out', async () => {
  const { output } = await operation('eks', 'DescribeCluster');
  const cluster = {
    name: 'lab',
    createdAt: '2026-03-02T09:00:00.500Z',
    tags: { a: 'b' },
    secret: 1,
  };
  assert.deepEqual(jsonOutput(output, { cluster }), {
    cluster: { name: 'lab', createdAt: 1772442000.5, tags: { a: 'b' } },
  });
});
