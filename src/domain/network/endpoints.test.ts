import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../evidence/json.ts';
import { awsOf, fact } from '../../evidence/testing.ts';
import { endpointPath } from './endpoints.ts';

const OPEN = {
  IpProtocol: 'tcp',
  FromPort: 443,
  ToPort: 443,
  UserIdGroupPairs: [{ GroupId: 'sg-node' }],
};

function endpoint(change: JsonObject = {}) {
  const plain = {
    VpcEndpointId: 'vpce-1',
    VpcId: 'vpc-1',
    ServiceName: 'com.amazonaws.eu-west-1.sts',
    State: 'available',
    VpcEndpointType: 'Interface',
    PrivateDnsEnabled: true,
    Groups: [{ GroupId: 'sg-vpce' }, { GroupId: null }],
  };
  return fact(awsOf('aws/vpc-endpoint', { ...plain, ...change }));
}

function group(id: string, ...rules: readonly JsonObject[]) {
  return fact(awsOf('aws/security-group', { GroupId: id, IpPermissions: [...rules] }));
}

function instance(change: JsonObject = {}) {
  const plain = { VpcId: 'vpc-1', PrivateIpAddress: '10.0.0.1' };
  const groups = { SecurityGroups: [{ GroupId: 'sg-node' }, { GroupId: '' }] };
  return awsOf('aws/instance', { ...plain, ...groups, ...change });
}

describe('the path of an instance to an interface endpoint', () => {
  const [one, other] = [endpoint(), group('sg-vpce', OPEN)];

  test('has the endpoint, its groups and those of the instance', () => {
    assert.deepEqual(endpointPath([one], [group('sg-x'), other], instance(), 'sts'), {
      endpoint: one,
      endpointId: 'vpce-1',
      serviceName: 'com.amazonaws.eu-west-1.sts',
      groups: [other],
      groupIds: ['sg-vpce'],
      nodeGroupIds: ['sg-node'],
      isOpen: true,
    });
  });

  test('is open where a rule lets tcp/443 in from the instance', () => {
    const isOpen = (rule: JsonObject, change: JsonObject = {}) =>
      endpointPath([one], [group('sg-vpce', rule)], instance(change), 'sts')?.isOpen;
    assert.equal(isOpen({ ...OPEN, FromPort: 444, ToPort: 444 }), false);
    assert.equal(isOpen(OPEN, { SecurityGroups: [{ GroupId: 'sg-other' }] }), false);
    assert.equal(isOpen(OPEN, { SecurityGroups: null }), false);
    const range = { ...OPEN, UserIdGroupPairs: [], IpRanges: [{ CidrIp: '10.0.0.0/24' }] };
    assert.equal(isOpen(range), true);
    assert.equal(isOpen(range, { PrivateIpAddress: '10.0.1.1' }), false);
    // Without a known address any range may contain it.
    assert.equal(isOpen(range, { PrivateIpAddress: null }), true);
  });

  test('is not judged without the endpoint or all of its groups', () => {
    const path = (change: JsonObject) =>
      endpointPath([endpoint(change)], [other], instance(), 'sts');
    assert.equal(path({ VpcId: 'vpc-2' }), null);
    assert.equal(path({ VpcEndpointType: 'Gateway' }), null);
    assert.equal(path({ Groups: [] }), null);
    assert.equal(path({ Groups: null }), null);
    assert.equal(path({ Groups: [{ GroupId: 'sg-vpce' }, { GroupId: 'sg-2' }] }), null);
    assert.equal(endpointPath([one], [other], instance({ VpcId: null }), 'sts'), null);
  });
});
