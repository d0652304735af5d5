/** Network interfaces as EC2 shows them, leaked by every proof unless something is changed. */
import type { JsonObject } from '../../../src/evidence/json.ts';

export const INSTANCE = 'i-0123456789abcdef0';
export const ENI = 'eni-0123456789abcdef0';
export const CLUSTER = 'shop';

const MARKS = {
  'node.k8s.amazonaws.com/instance_id': INSTANCE,
  'cluster.k8s.amazonaws.com/name': CLUSTER,
  'eks:eni:owner': 'amazon-vpc-cni',
};

type Tags = Readonly<Record<string, string | null>>;

/** @param tags more tags; null takes one away */
export function leakedItem(createdAt: string, tags: Tags = {}, more: JsonObject = {}): JsonObject {
  const all: Tags = { ...MARKS, 'node.k8s.amazonaws.com/createdAt': createdAt, ...tags };
  return {
    NetworkInterfaceId: ENI,
    Description: `aws-K8S-${INSTANCE}`,
    Status: 'available',
    SubnetId: 'subnet-0a',
    VpcId: 'vpc-0a',
    PrivateIpAddresses: [{ PrivateIpAddress: '10.0.1.7' }, { PrivateIpAddress: '10.0.1.8' }],
    TagSet: Object.entries(all).flatMap(([Key, Value]) => (Value === null ? [] : [{ Key, Value }])),
    ...more,
  };
}
