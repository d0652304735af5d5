import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deletionRole, isAppointedDeleter, isCloudDeletion } from './deleters.ts';

const ACCOUNT = 'system:serviceaccount';

describe('the user of a request that deletes a Node', () => {
  const roles: readonly (readonly [string, ReturnType<typeof deletionRole>])[] = [
    [`${ACCOUNT}:kube-system:cloud-controller-manager`, 'cloud-controller'],
    [`${ACCOUNT}:kube-system:aws-cloud-controller-manager`, 'cloud-controller'],
    [`${ACCOUNT}:kube-system:cloud-node-lifecycle-controller`, 'cloud-controller'],
    ['system:cloud-controller-manager', 'cloud-controller'],
    ['eks:cloud-controller-manager', 'cloud-controller'],
    [`${ACCOUNT}:kube-system:karpenter`, 'karpenter'],
    [`${ACCOUNT}:kube-system:prod-cluster-autoscaler`, 'cluster-autoscaler'],
    ['eks:node-manager', 'node-group'],
    ['eks:addon-manager', 'controller'],
    [`${ACCOUNT}:ops:node-reaper`, 'controller'],
    [`${ACCOUNT}:ops:karpenter-helper`, 'controller'],
    ['system:node:n1', 'controller'],
    ['system:admin', 'person'],
    ['kubernetes-admin', 'person'],
    ['arn:aws:sts::123456789012:assumed-role/Admin/jane', 'person'],
    ['karpenter', 'person'],
  ];
  for (const [user, role] of roles)
    test(`${user} is the user of: ${role}`, () => {
      assert.equal(deletionRole(user), role);
    });

  test('is appointed where deleting Nodes is its work', () => {
    assert.ok(isAppointedDeleter(`${ACCOUNT}:kube-system:karpenter`));
    assert.ok(isAppointedDeleter('system:kube-controller-manager'));
    assert.ok(!isAppointedDeleter(`${ACCOUNT}:ops:node-reaper`));
    assert.ok(!isAppointedDeleter('jane'));
  });
});

describe('the Event of a cloud controller', () => {
  const said: readonly (readonly [string, string, boolean])[] = [
    ['DeletingNode', 'Deleting node n1 because it does not exist in the cloud provider', true],
    ['DeletingNode', "Deleting Node n1 because it's not present according to cloud provider", true],
    [
      'Deleting node n1 because it does not exist in the cloud provider',
      'Node n1 event: DeletingNode',
      true,
    ],
    ['RemovingNode', 'Node n1 event: Removing Node n1 from Controller', false],
    ['DeletingNodeFailed', 'Failed deleting node n1: forbidden', false],
  ];
  for (const [reason, message, is] of said)
    test(`${is ? 'is' : 'is not'} "${reason}: ${message}"`, () => {
      assert.equal(isCloudDeletion({ reason, message }), is);
    });
});
