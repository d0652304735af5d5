import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describedObject } from './described-object.ts';

const CLASS = `Name:         batch
Namespace:
Labels:       <none>
Annotations:  a: b
              c: d
API Version:  karpenter.k8s.aws/v1
Kind:         EC2NodeClass
Metadata:
  Generation:  2
Spec:
  Ami Selector Terms:
    Alias:           al2023@latest
  Instance Profile:  lab-node
  Metadata Options:
    Http Put Response Hop Limit:  1
    httpProtocolIPv6:             disabled
  Associate Public IP Address:    false
  Subnet Selector Terms:
    Id:  subnet-1
    Id:  subnet-2
Status:
  Conditions:
    Message:
    Reason:   AMIsReady
    Status:   True
    Type:     AMIsReady
    Message:  none match
    Reason:   SubnetsNotFound
    Status:   False
    Type:     SubnetsReady
Events:       <none>`.split('\n');

describe('the description of a custom resource', () => {
  test('has the fields of its object, and lists where a field comes again', () => {
    assert.deepEqual(describedObject(CLASS), {
      apiVersion: 'karpenter.k8s.aws/v1',
      kind: 'EC2NodeClass',
      metadata: { name: 'batch' },
      spec: {
        amiSelectorTerms: [{ alias: 'al2023@latest' }],
        instanceProfile: 'lab-node',
        metadataOptions: { httpPutResponseHopLimit: '1', httpProtocolIPv6: 'disabled' },
        associatePublicIPAddress: false,
        subnetSelectorTerms: [{ id: 'subnet-1' }, { id: 'subnet-2' }],
      },
      status: {
        conditions: [
          { message: null, reason: 'AMIsReady', status: 'True', type: 'AMIsReady' },
          {
            message: 'none match',
            reason: 'SubnetsNotFound',
            status: 'False',
            type: 'SubnetsReady',
          },
        ],
      },
    });
  });

  test('leaves kinds that kubectl describes in its own words', () => {
    assert.equal(describedObject(['Name:  web', 'Namespace:  shop', 'Node:  a/10.0.0.1']), null);
    assert.equal(describedObject([]), null);
  });

  test('ends where it is nested deeper than any object', () => {
    const deep = Array.from({ length: 40 }, (_, depth) => `${' '.repeat(depth)}Spec:`);
    const read = describedObject(['API Version:  a/v1', 'Kind:  B', ...deep]);
    assert.equal(read?.['kind'], 'B');
  });
});
