import { defineCause } from '../../../diagnosis/cause.ts';

/** A managed node group cannot finish an update or its own deletion. */
export default defineCause({
  id: 'node-group-rotation-stuck',
  stage: 'retained',
  title: 'a node group’s update or deletion does not end: old nodes or resources cannot go',
  scope: 'group',
  signs: {
    evictionFailed: {
      in: ['aws-message', 'terraform', 'client-output'],
      anchors: ['PodEvictionFailure', 'Reached max retries while trying to evict pods'],
      pattern:
        /\b(?<code>PodEvictionFailure)\b(?:.*?node group (?<group>[\w-]+))?|Reached max retries while trying to evict pods from nodes in node group (?<group2>[\w-]+)/,
      weight: 'definite',
    },
    terminationFailed: {
      in: ['aws-message', 'terraform', 'client-output'],
      anchors: ['NodeTerminationFailure'],
      pattern: /\b(?<code>NodeTerminationFailure)\b/,
      weight: 'definite',
    },
    resourceHeld: {
      in: ['aws-message', 'terraform', 'client-output'],
      anchors: ['Ec2SecurityGroupDeletionFailure', 'Ec2LaunchTemplateDeletionFailure'],
      pattern: /\b(?<code>Ec2SecurityGroupDeletionFailure|Ec2LaunchTemplateDeletionFailure)\b/,
      weight: 'definite',
    },
    budget: {
      in: ['client-output', 'terraform', 'calico-node', 'aws-node', 'kube-proxy'],
      anchors: ['violate the pod'],
      pattern: /Cannot evict pod as it would violate the pod's disruption budget/,
      weight: 'likely',
      // A few refusals belong to every drain.
      atLeast: 6,
    },
    drained: {
      in: ['client-output', 'terraform', 'calico-node', 'aws-node', 'kube-proxy'],
      anchors: [' drained', 'drained all nodes', 'drained nodes'],
      pattern: /node\/\S+ drained|drained (?:all )?nodes?\b/,
      weight: 'withdraws',
    },
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ code, group }) =>
    code === undefined || code === 'PodEvictionFailure'
      ? `The node group ${group ?? ''} cannot empty its old nodes: some pods may not be evicted (a PodDisruptionBudget without room), so the update stops and old nodes stay cordoned.`.replace(
          'group  cannot',
          'group cannot',
        )
      : `The node group ${group ?? ''} cannot be finished or deleted (${code}): ${code === 'NodeTerminationFailure' ? 'its instances could not be terminated' : 'something still uses its resources'}.`.replace(
          'group  cannot',
          'group cannot',
        ),
  remedy: ({ code, group }) =>
    code === 'Ec2SecurityGroupDeletionFailure'
      ? [
          {
            text: 'See which interfaces still use the security group, and detach them.',
            command:
              'aws ec2 describe-network-interfaces --filters Name=group-id,Values=<security-group> --query NetworkInterfaces[].[NetworkInterfaceId,Status,Description]',
          },
        ]
      : [
          {
            text: 'Find budgets that allow no disruption.',
            command: "kubectl get pdb -A | awk '$5 == 0 || $4 == 0'",
          },
          {
            text: 'Make their replicas ready or loosen the budget, then run the update again; --force skips budgets.',
            command: `aws eks update-nodegroup-version --cluster-name <cluster> --nodegroup-name ${group ?? '<node-group>'} --force`,
          },
        ],
  decide: {
    text: 'Read the errors of the node group’s last update.',
    command: 'aws eks describe-nodegroup --cluster-name <cluster> --nodegroup-name <node-group>',
  },
  page: {
    why: 'An update brings new nodes, then evicts pods from each old one for 15 minutes at most. A budget with maxUnavailable 0 or a single replica with minAvailable 1 forbids every eviction.',
    prevent:
      'Budgets that always leave one pod to move; check `kubectl get pdb -A` before updates.',
    notThis:
      'The new nodes are fine. NodeCreationFailure inside an update means that the new ones failed: diagnose those. One refused eviction during a drain is normal.',
    alsoKnownAs: [
      'PodEvictionFailure',
      'Reached max retries while trying to evict pods from nodes in node group',
    ],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html',
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
    ],
  },
});
