import { clearUnlessSeen } from '../../../diagnosis/clear-unless-seen.ts';
import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { definite, likely, withdraws } from '../../../diagnosis/sign.ts';
import { clearWhenFilled } from '../../../diagnosis/filled-groups.ts';
import { type ShortGroup, shortGroups } from '../../../domain/instances/launch.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { groupsNamed, machineOf } from '../../../domain/planned/machine.ts';

const LAUNCHERS = [
  'aws-message',
  'terraform',
  'client-output',
  'karpenter',
  'node-claim',
  'object',
  'event',
] as const;

const FAILURES = [
  'healthCode',
  'subnetInvalid',
  'differentNetworks',
  'doesNotExist',
  'launchCode',
] as const;

/** The launch names a subnet or security group that is gone, or that are in different VPCs. */
const cause = defineCause({
  id: 'invalid-subnet-or-security-group',
  stage: 'launched',
  title: 'the subnet or security group of the launch is missing, invalid or in another VPC',
  scope: 'group',
  signs: {
    healthCode: definite(
      ['aws-message', 'terraform', 'client-output'],
      /\b(?<code>Ec2SubnetNotFound|Ec2SecurityGroupNotFound|Ec2SubnetListTooLong)\b(?:.*?(?<resource>(?:subnet|sg)-[0-9a-f]{8,17}))?/,
    ),
    subnetInvalid: likely(
      ['aws-message', 'terraform', 'client-output'],
      /\b(?<code>Ec2SubnetInvalidConfiguration)\b(?!.*public IP address)/,
    ),
    foreignNetwork: definite(
      LAUNCHERS,
      /[Ss]pecified (?:subnets|security groups?) must belong to (?:the )?cluster's vpc (?<vpc>vpc-[0-9a-f]+)/,
      { anchors: ["must belong to cluster's vpc", "must belong to the cluster's vpc"] },
    ),
    differentNetworks: definite(
      LAUNCHERS,
      /(?:[Ss]ecurity group (?<group>sg-[0-9a-f]+) and subnet (?<resource>subnet-[0-9a-f]+) )?belong to different networks|\bSecurityGroupSubnetVPCMismatch\b/,
    ),
    doesNotExist: definite(
      LAUNCHERS,
      /The (?:subnet ID|security group|securityGroup ID) '?(?<resource>(?:subnet|sg)-[0-9a-f]+)'? does not exist.*Launching EC2 instance failed/,
      { anchors: ['The subnet ID ', 'The security group ', 'The securityGroup ID '] },
    ),
    launchCode: definite(
      LAUNCHERS,
      /(?:fleet error|[Ll]aunching (?:nodeclaim|machine|instance|EC2)|[Cc]reating (?:EC2 )?instance|[Ff]ailed to (?:create|run) instance|[Cc]ould not launch|RunInstances|CreateFleet)\b.*\bInvalid(?:SubnetID|Group)\.NotFound\b(?:.*?(?<resource>(?:subnet|sg)-[0-9a-f]{8,17}))?/,
    ),
    launchedAfter: withdraws(
      ['karpenter', 'event'],
      /\blaunched (?:nodeclaim|machine)\b|Type: Launched, Status: \w+ -> True/,
    ),
    goneFromGroup: likely(
      ['aws-message', 'terraform', 'client-output', 'unknown'],
      /\b(?:[Ss]ecurity group|[Ss]ubnet) associated with (?:this|the|your) (?:Auto ?[Ss]caling|ASG|node) ?group (?:'?[\w-]{1,100}'? )?(?:cannot|could not|can't|couldn't|can not) be found\b/,
      { anchors: [' associated with '] },
    ),
    refusedByEks: definite(
      ['aws-message', 'terraform', 'client-output'],
      /(?:EKS (?:Cluster|Node Group)\b|\bCreate(?:Cluster|Nodegroup)\b|AWS::EKS::\w+).{0,400}?The (?:subnet ID|security group) '?(?<resource>(?:subnet|sg)-[0-9a-f]{8,17})'? does not exist/,
      { anchors: ['The subnet ID ', 'The security group '] },
    ),
  },
  needs: [
    'aws/auto-scaling-group',
    'aws/launch-template-version',
    'aws/subnet',
    'aws/security-group',
  ],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: [
    'karpenter-launch-timeout',
    'openshift-machine-failed',
    'node-creation-failure-verdict',
  ],
  summary: ({ resource, code, group, size }) =>
    group !== undefined && size !== undefined
      ? `The Auto Scaling group ${group} launches with ${resource ?? ''}, which is not in the cluster’s VPC any more, so it stays at ${size}.`
      : `The launch names ${resource ?? 'a subnet or security group'} that EC2 does not accept (${code ?? 'missing, or of another VPC'}), so nothing is launched.`,
  remedy: ({ resource }) => [
    step(
      'See which subnets and security groups exist, and in which VPC.',
      resource?.startsWith('sg-') === true
        ? `aws ec2 describe-security-groups --group-ids ${resource} --query SecurityGroups[].[GroupId,VpcId]`
        : `aws ec2 describe-subnets --subnet-ids ${resource ?? '<subnet>'} --query Subnets[].[SubnetId,VpcId,State]`,
    ),
    step(
      'The subnets of a managed node group cannot be changed: create a new group in existing subnets of the cluster’s VPC.',
      'aws eks create-nodegroup --cluster-name <cluster> --nodegroup-name <new-node-group> --node-role <node-role-arn> --subnets <subnet>',
    ),
  ],
  decide: step(
    'Compare the group’s subnets and security groups with those that exist in the cluster’s VPC.',
    'aws eks describe-nodegroup --cluster-name <cluster> --nodegroup-name <node-group> --query nodegroup.[subnets,health]',
  ),
  page: {
    why: 'Subnets and security groups are deleted or rebuilt while node groups and templates keep the old ids; a template copied from another environment names groups of another VPC.',
    prevent: 'Reference subnets and groups by the stack’s outputs or by tags, never by copied ids.',
    notThis:
      'A subnet that hands out no public address raises Ec2SubnetInvalidConfiguration too, but its message says so: public-subnet-without-public-ip. Selectors that match nothing are karpenter-nodeclass-not-ready. Issues of the cluster itself are control-plane-network-deleted. A subnet without room is subnet-full-at-launch.',
    alsoKnownAs: ['Security group and subnet belong to different networks', 'Ec2SubnetNotFound'],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
      'https://github.com/aws/karpenter-provider-aws/blob/HEAD/pkg/errors/errors.go',
    ],
  },
});

const judged = matched(cause, (view) => clearWhenFilled(view, FAILURES) ?? matchTemplate(view));

type Own = ViewOf<typeof cause>;

/** Subnets of the group and security groups of its template, in the order they are given. */
function resourcesOf({ group, template }: ShortGroup): readonly string[] {
  const subnets = (group.value.VPCZoneIdentifier ?? '').split(',');
  const instance = template?.value.LaunchTemplateData?.SecurityGroupIds ?? [];
  const interfaces = template?.value.LaunchTemplateData?.NetworkInterfaces ?? [];
  const groups = [...instance, ...interfaces.flatMap((entry) => entry.Groups ?? [])];
  return [...subnets, ...groups.map(String)].map((id) => id.trim()).filter((id) => id !== '');
}

/** The template was read, and all that it and its group name is among what was listed. */
function areThere(short: ShortGroup, isThere: (id: string) => boolean): boolean {
  const named = resourcesOf(short);
  return short.template !== null && named.length > 0 && named.every(isThere);
}

/** Rollcall lists all subnets and security groups of the VPC, so that what lacks there is gone. */
function matchTemplate(view: Own): Match | null {
  const subnets = new Set(view.list('aws/subnet').map(({ value }) => value.SubnetId ?? ''));
  const groups = new Set(view.list('aws/security-group').map(({ value }) => value.GroupId ?? ''));
  if (!view.isLive || subnets.size === 0 || groups.size === 0) return null;
  const versions = view.list('aws/launch-template-version');
  const shorts = shortGroups(view.list('aws/auto-scaling-group'), versions);
  const isThere = (id: string): boolean => subnets.has(id) || groups.has(id);
  if (shorts.length > 0 && shorts.every((short) => areThere(short, isThere)))
    return clearUnlessSeen(view, FAILURES);
  for (const short of shorts) {
    const { group, size, template } = short;
    const gone = (id: string): boolean =>
      (id.startsWith('subnet-') && !subnets.has(id)) || (id.startsWith('sg-') && !groups.has(id));
    const named = resourcesOf(short);
    const resource = named.find(gone);
    // A group of another VPC is not among what was listed at all.
    if (resource === undefined || !named.some((id) => subnets.has(id))) continue;
    const standing = `${size.inService} of ${size.desired} instances`;
    const source = resource.startsWith('sg-') && template !== null ? template : group;
    return found({ resource, group: size.name, size: standing }, [
      view.quote(group, `AutoScalingGroup ${size.name} has ${standing} in service`),
      view.quote(source, `${resource} is named for launches and is not in the VPC`),
    ]);
  }
  return null;
}

export default foreseen(
  judged,
  (plan, group) => {
    const { securityGroups, vpc } = machineOf(plan, group);
    const groups = groupsNamed(plan, securityGroups);
    if (groups === null || vpc === null) return NOT_SHOWN;
    const other = groups.find(({ value }) => (value.VpcId ?? vpc) !== vpc);
    if (other === undefined) return clear;
    return found(
      {
        resource: other.address,
        code: `it is in ${other.value.VpcId ?? ''}, the subnets are in ${vpc}`,
      },
      [
        plan.quote(other, `vpc_id ${other.value.VpcId ?? ''}`),
        plan.quote(group.fact, `${group.name} launches in ${vpc}`),
      ],
    );
  },
  {
    remedy: ({ resource }) => [
      step(
        `Make ${resource ?? 'the security group'} in the VPC of the group’s subnets, or name another one in the aws_launch_template.`,
      ),
    ],
  },
);
