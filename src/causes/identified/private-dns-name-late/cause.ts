import { defineCause, step } from '../../../diagnosis/cause.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** EC2 had no private DNS name yet when the node’s identity was made from it. */
export default defineCause({
  id: 'private-dns-name-late',
  stage: 'identified',
  title: 'EC2 gave an empty private DNS name in the first seconds after launch',
  scope: 'machine',
  signs: {
    namelessUser: definite(['kubelet'], /unknown node for user "system:node:"/),
    namelessRequest: definite(['kubelet'], /is forbidden: User "system:node:" cannot /),
    addressEmpty: context(['cloud-controller'], /EC2 instance had invalid private address: i-/),
    // Karpenter named Nodes itself; it asks three times within a second, and may start over.
    karpenterAsked: likely(
      ['karpenter', 'event', 'unknown'],
      /\bgot instance (?<instance>i-[0-9a-f]{8,17}) but PrivateDnsName was not set/,
      { atLeast: 3, enoughOnce: 'end' },
    ),
    karpenterLaunched: withdraws(
      ['karpenter'],
      /\bLaunched instance: (?<instance>i-[0-9a-f]{8,17}), hostname: \S+\.\S+/,
    ),
  },
  needs: [],
  symptoms: [],
  explains: ['lease-or-csinode-publishing-failed', 'wrong-username-or-groups-mapped'],
  summary: ({ machine }) =>
    `The credential of ${machine ?? 'the machine'} is for system:node: with an empty name, because EC2 had no private DNS name for it when it was asked; the API server refuses it.`,
  remedy: () => [
    step(
      'See that EC2 has the name now, then restart the kubelet (or replace the machine when the kubelet itself registers with an empty name).',
      'aws ec2 describe-instances --instance-ids <instance> --query Reservations[].Instances[].PrivateDnsName && sudo systemctl restart kubelet',
    ),
    step(
      'When it stays empty, switch DNS host names on for the VPC.',
      'aws ec2 modify-vpc-attribute --vpc-id <vpc> --enable-dns-hostnames',
    ),
  ],
  decide: step(
    'See whether EC2 has a private DNS name for the instance now.',
    'aws ec2 describe-instances --instance-ids <instance> --query Reservations[].Instances[].PrivateDnsName',
  ),
  page: {
    why: 'DescribeInstances is eventually consistent: for a few seconds after launch PrivateDnsName can be empty, and the authenticator keeps what it got. The user is then system:node: and belongs to no Node.',
    prevent: 'Machine images whose bootstrap waits for a name that is not empty.',
    notThis:
      'Every machine of the VPC, and for ever, is vpc-dns-hostnames-disabled. A name that is there but differs is foreign-dhcp-domain-name.',
    alsoKnownAs: ['unknown node for user "system:node:"'],
    refs: [
      'https://github.com/kubernetes/cloud-provider-aws/issues/635',
      'https://github.com/awslabs/amazon-eks-ami/issues/1376',
    ],
  },
});
