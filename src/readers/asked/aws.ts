import { isObject, type Json, type JsonObject } from '../../evidence/json.ts';
import type { Command } from './command.ts';
import { printedValue } from './printed.ts';
import { answerOf, withAsked } from './query.ts';

/** Lists whose items are named by an option, with the member that has the name. */
const LISTED: readonly (readonly [option: string, list: string, id: string])[] = [
  ['subnet-ids', 'Subnets', 'SubnetId'],
  ['vpc-ids', 'Vpcs', 'VpcId'],
  ['group-ids', 'SecurityGroups', 'GroupId'],
  ['image-ids', 'Images', 'ImageId'],
  ['instance-types', 'InstanceTypes', 'InstanceType'],
  ['network-interface-ids', 'NetworkInterfaces', 'NetworkInterfaceId'],
  ['dhcp-options-ids', 'DhcpOptions', 'DhcpOptionsId'],
  ['route-table-ids', 'RouteTables', 'RouteTableId'],
  ['nat-gateway-ids', 'NatGateways', 'NatGatewayId'],
  ['vpc-endpoint-ids', 'VpcEndpoints', 'VpcEndpointId'],
  ['volume-ids', 'Volumes', 'VolumeId'],
  ['auto-scaling-group-names', 'AutoScalingGroups', 'AutoScalingGroupName'],
];

/** Single things that are named by an option. */
const NAMED: readonly (readonly [option: string, member: string, id: string])[] = [
  ['name', 'cluster', 'name'],
  ['nodegroup-name', 'nodegroup', 'nodegroupName'],
  ['principal-arn', 'accessEntry', 'principalArn'],
  ['role-name', 'Role', 'RoleName'],
  ['instance-profile-name', 'InstanceProfile', 'InstanceProfileName'],
  ['addon-name', 'addon', 'addonName'],
];

/** An option by which all activities are of one group. */
const GROUP = 'auto-scaling-group-name';

/** Filters, and options like them, by which all items of a list have a member alike. */
const ALIKE: readonly (readonly [list: string, filter: string, member: string])[] = [
  ['NetworkInterfaces', 'status', 'Status'],
  ['NetworkInterfaces', 'subnet-id', 'SubnetId'],
  ['NetworkInterfaces', 'vpc-id', 'VpcId'],
  ['NetworkInterfaces', 'description', 'Description'],
  ['Subnets', 'vpc-id', 'VpcId'],
  ['Images', 'image-id', 'ImageId'],
  ['Activities', GROUP, 'AutoScalingGroupName'],
];

/** The one value of each filter, `Name=status,Values=available`; one of several or with a wildcard tells none. */
const FILTER = /(?<![\w-])Name=([a-z-]{1,60}),Values=([\w./:-]{1,200})(?![\w,*?./:-])/g;

/** Adds what the filters say of each item that does not say it itself. */
function filtered(answer: JsonObject, { text, options }: Command): JsonObject {
  const filters = [...text.matchAll(FILTER)];
  const values = new Map(filters.map(([, name = '', value = '']) => [name, value]));
  const group = options.get(GROUP) ?? '';
  if (group !== '') values.set(GROUP, group);
  const told = ALIKE.filter(([list, filter]) => values.has(filter) && Array.isArray(answer[list]));
  const full: Record<string, Json> = { ...answer };
  for (const [list, filter, member] of told) {
    const items = full[list] as readonly Json[];
    const value = values.get(filter) ?? '';
    full[list] = items.map((item) => (isObject(item) ? { [member]: value, ...item } : item));
  }
  return full;
}

/** Options that narrow an answer, so that what it lacks may be there. */
const NARROWED = /^(?:filters?|max-items|max-results|[\w-]+-(?:ids?|names?|arns?|types?))$/;

/** True where the answer is of all there are. */
export function isOfAll({ options }: Command): boolean {
  if (/\[\?|\|/.test(options.get('query') ?? '')) return false;
  return ![...options.keys()].some((name) => NARROWED.test(name) && name !== 'cluster-name');
}

function named(answer: JsonObject, { options }: Command): JsonObject {
  let whole = answer;
  for (const [option, list, id] of LISTED) {
    const value = options.get(option) ?? '';
    if (value !== '' && !/[\s,]/.test(value)) whole = withAsked(whole, list, id, value);
  }
  for (const [option, member, id] of NAMED) {
    const [value, found] = [options.get(option) ?? '', whole[member]];
    if (value !== '' && isObject(found)) whole = { ...whole, [member]: { [id]: value, ...found } };
  }
  return whole;
}

/** Instances are in reservations, of which an answer about one has one. */
function instanceNamed(answer: JsonObject, { options }: Command): JsonObject {
  const id = options.get('instance-ids') ?? options.get('instance-id') ?? '';
  const items = answer['Reservations'];
  const [only] = Array.isArray(items) && items.length === 1 ? (items as readonly Json[]) : [];
  if (!/^i-[0-9a-f]{8,17}$/.test(id) || !isObject(only)) return answer;
  return { ...answer, Reservations: [withAsked(only, 'Instances', 'InstanceId', id)] };
}

function camelCase(option: string): string {
  return option.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The question as the API takes it, which some answers do not repeat. */
function askedBy({ options, words }: Command): JsonObject {
  const entries = [...options]
    .filter(([option]) =>
      /^(?:role-name|policy-name|policy-arn|key-id|principal-arn|vpc-id)$/.test(option),
    )
    .map(([option, value]) => {
      const name = camelCase(option);
      return [
        words[0] === 'eks' ? name : name.replace(/^./, (letter) => letter.toUpperCase()),
        value,
      ];
    });
  return Object.fromEntries(entries) as JsonObject;
}

/** A path of jq as AWS takes it; jq prints the items of a list one by one, which is left alone. */
function pathOfJq(path: string): string {
  const isPlain = /^(?:\.[A-Za-z_]\w*|\.?\[\d{1,3}\])+$/.test(path);
  return path === '' || isPlain ? path.replace(/^\./, '').replaceAll('.[', '[') : '(none)';
}

/** The answer of AWS behind what `aws …` printed, with the question; null where that is not known. */
export function awsAnswerTo(command: Command, output: readonly string[]): JsonObject | null {
  const value = printedValue(command, output);
  if (value === undefined) return null;
  const given = answerOf(pathOfJq(command.jqPath), value);
  const answer =
    given === undefined ? undefined : answerOf(command.options.get('query') ?? '', given);
  if (!isObject(answer)) return null;
  return {
    ...askedBy(command),
    ...instanceNamed(filtered(named(answer, command), command), command),
  };
}
