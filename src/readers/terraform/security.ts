import { at, isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import { type Links, linkOf, linksOf, nameBy, tagsOf } from './links.ts';
import { type Made, type Maker, ownedBy, type Owning, type Plan } from './made.ts';
import { blockOf, expressionOf, isUnknownIn, type Resource, textsOf, valueAt } from './resource.ts';

const VPC = { types: ['aws_vpc'], by: 'id' };

/** The group that EKS makes for a cluster, by its id or by what stands for it until then. */
export function clusterGroupOf(cluster: Resource): string {
  const known = textAt(blockOf(cluster, 'vpc_config'), 'cluster_security_group_id');
  return known ?? `${cluster.address}.cluster_security_group`;
}

/** Whatever an attribute with security groups may name; a cluster stands for its own group. */
export const SECURITY_GROUP = {
  types: ['aws_security_group', 'aws_default_security_group', 'aws_eks_cluster'],
  by: (resource: Resource): string =>
    resource.type === 'aws_eks_cluster' ? clusterGroupOf(resource) : nameBy(resource, 'id'),
};

/** A source that nobody can tell yet, which is taken to let anybody in. */
const UNKNOWN_RANGE = { CidrIp: 'known after apply' };

interface Sources {
  readonly ranges: readonly string[];
  readonly ipv6: readonly string[];
  readonly lists: readonly string[];
  readonly groups: readonly string[];
  readonly isWhole: boolean;
}

function ruleOf(protocol: Json, from: Json, to: Json, sources: Sources): Json {
  const isAll = protocol === '-1' || protocol === 'all';
  const ranges = sources.ranges.map((CidrIp) => ({ CidrIp }));
  return {
    IpProtocol: isAll ? '-1' : protocol,
    FromPort: isAll ? null : from,
    ToPort: isAll ? null : to,
    IpRanges: sources.isWhole ? ranges : [...ranges, UNKNOWN_RANGE],
    Ipv6Ranges: sources.ipv6.map((CidrIpv6) => ({ CidrIpv6 })),
    PrefixListIds: sources.lists.map((PrefixListId) => ({ PrefixListId })),
    UserIdGroupPairs: sources.groups.map((GroupId) => ({ GroupId })),
  };
}

function inlineRule(block: JsonObject, id: string, links: Links): Json {
  const isSelf = at(block, 'self') === true;
  const sources = {
    ranges: textsOf(block, 'cidr_blocks'),
    ipv6: textsOf(block, 'ipv6_cidr_blocks'),
    lists: textsOf(block, 'prefix_list_ids'),
    groups: [...links.names, ...(isSelf ? [id] : [])],
    isWhole: links.isExact,
  };
  const { protocol = null, from_port: from = null, to_port: to = null } = block;
  return ruleOf(protocol, from, to, sources);
}

/** The rules in the blocks of a group; of groups known after apply each block may name all. */
function inlineRules(plan: Plan, resource: Resource, name: string, id: string): readonly Json[] {
  const blocks = listAt(resource.values, name).filter(isObject);
  const isOpen =
    isUnknownIn(at(resource.unknown, name)) && expressionOf(resource, name) !== undefined;
  if (!isOpen)
    return blocks.map((block) =>
      inlineRule(block, id, { names: textsOf(block, 'security_groups'), isExact: true }),
    );
  const links = linksOf(plan.directory, resource, name, SECURITY_GROUP, 'security_groups');
  if (blocks.length > 0) return blocks.map((block) => inlineRule(block, id, links));
  return [{ IpProtocol: '-1', IpRanges: [UNKNOWN_RANGE] }];
}

const RULES = [
  'aws_security_group_rule',
  'aws_vpc_security_group_ingress_rule',
  'aws_vpc_security_group_egress_rule',
] as const;

function isIngress({ type, values }: Resource): boolean {
  return type === RULES[0] ? textAt(values, 'type') === 'ingress' : type === RULES[1];
}

const OF_GROUP: Owning = {
  types: RULES,
  ownerOf: ({ directory }, one) => linkOf(directory, one, 'security_group_id', SECURITY_GROUP),
};

const LISTS = [
  ['ranges', 'cidr_blocks', 'cidr_ipv4'],
  ['ipv6', 'ipv6_cidr_blocks', 'cidr_ipv6'],
  ['lists', 'prefix_list_ids', 'prefix_list_id'],
] as const;

/** A rule of its own resource, in either of the provider's two forms. */
function separateRule({ directory }: Plan, rule: Resource, id: string): Json {
  const isOld = rule.type === RULES[0];
  const source = isOld ? 'source_security_group_id' : 'referenced_security_group_id';
  const links = linksOf(directory, rule, source, SECURITY_GROUP);
  const lists = LISTS.map(([, many, one]) => {
    const single = isOld ? null : textAt(rule.values, one);
    return isOld ? textsOf(rule.values, many) : single === null ? [] : [single];
  });
  const isSelf = isOld && at(rule.values, 'self') === true;
  const isOpen = LISTS.some(([, many, one]) => isUnknownIn(at(rule.unknown, isOld ? many : one)));
  const [ranges = [], ipv6 = [], prefixes = []] = lists;
  return ruleOf(
    valueAt(rule.values, isOld ? 'protocol' : 'ip_protocol'),
    valueAt(rule.values, 'from_port'),
    valueAt(rule.values, 'to_port'),
    {
      ranges,
      ipv6,
      lists: prefixes,
      groups: [...links.names, ...(isSelf ? [id] : [])],
      isWhole: links.isExact && !isOpen,
    },
  );
}

function separateRules(plan: Plan, id: string, isWanted: boolean): readonly Json[] {
  return ownedBy(plan, id, OF_GROUP)
    .filter((rule) => isIngress(rule) === isWanted)
    .map((rule) => separateRule(plan, rule, id));
}

/** A group that is made here has no rules but those of the plan, to the outside neither. */
export const securityGroup: Maker = (plan, resource) => {
  const id = nameBy(resource, 'id');
  const answer = {
    GroupId: id,
    GroupName: textAt(resource.values, 'name'),
    IpPermissions: [
      ...inlineRules(plan, resource, 'ingress', id),
      ...separateRules(plan, id, true),
    ],
    IpPermissionsEgress: [
      ...inlineRules(plan, resource, 'egress', id),
      ...separateRules(plan, id, false),
    ],
    Tags: tagsOf(resource),
    VpcId: linkOf(plan.directory, resource, 'vpc_id', VPC),
  };
  return [{ kind: 'aws/security-group', answer }];
};

/** A rule of which nobody can tell whose it is. */
export const securityRule: Maker = ({ directory }, resource) =>
  typeof linkOf(directory, resource, 'security_group_id', SECURITY_GROUP) === 'string'
    ? []
    : [{ doubt: 'aws/security-group', what: 'which security group this rule belongs to' }];

/** EKS makes a group with each cluster, whose members reach one another and everybody outside. */
export function clusterGroup(plan: Plan, cluster: Resource): readonly Made[] {
  if (cluster.change !== 'create') return [];
  const id = clusterGroupOf(cluster);
  const everywhere = [{ CidrIp: '0.0.0.0/0' }];
  const answer = {
    GroupId: id,
    IpPermissions: [
      { IpProtocol: '-1', UserIdGroupPairs: [{ GroupId: id }] },
      ...separateRules(plan, id, true),
    ],
    IpPermissionsEgress: [{ IpProtocol: '-1', IpRanges: everywhere }],
    Tags: [{ Key: `kubernetes.io/cluster/${nameBy(cluster, 'name')}`, Value: 'owned' }],
  };
  return [{ kind: 'aws/security-group', answer }];
}
