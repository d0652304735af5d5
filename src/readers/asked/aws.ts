import { isObject, type Json, type JsonObject } from '../../evidence/json.ts';
import { parseJson } from '../text/parse.ts';
import type { Command } from './command.ts';
import { answerBehind, stepsOf, withAsked } from './query.ts';

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

/** Options that narrow an answer, so that what it lacks may be there. */
const NARROWED = /^(?:filters?|max-items|max-results|[\w-]+-(?:ids?|names?|arns?|types?))$/;

/** True where the answer is of all there are. */
export function isOfAll({ options }: Command): boolean {
  return ![...options.keys()].some((name) => NARROWED.test(name) && name !== 'cluster-name');
}

function cellOf(text: string): Json {
  if (text === 'None') return null;
  if (text === 'True' || text === 'False') return text === 'True';
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

/** What `--output text` prints: a row a line, tabs between the cells. */
function valueOfText(output: readonly string[], isList: boolean, isTable: boolean): Json {
  const rows = output.map((line) =>
    line
      .trim()
      .split(/\t|\s{2,}/)
      .map(cellOf),
  );
  if (isTable) return isList ? rows : (rows[0] ?? null);
  const cells = rows.flat();
  return isList ? cells : (cells[0] ?? null);
}

function valueOf(command: Command, output: readonly string[]): Json | undefined {
  const parsed = parseJson(output.join('\n'));
  if (parsed.ok) return parsed.value;
  const query = command.options.get('query') ?? '';
  const isPlain = output.length <= 1000 && output.every((line) => !/^\s*[{[\]}]/.test(line));
  if (command.options.get('output') !== 'text' || !isPlain) return undefined;
  return valueOfText(
    output,
    /\[\*?\]/.test(query),
    /[\]}]$/.test(query) && !/\[\*?\]$/.test(query),
  );
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
      /^(?:role-name|policy-name|policy-arn|key-id|principal-arn)$/.test(option),
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

/** The answer of AWS behind what `aws …` printed, with the question; null where that is not known. */
export function awsAnswerTo(command: Command, output: readonly string[]): JsonObject | null {
  const value = valueOf(command, output);
  if (value === undefined) return null;
  const query = command.options.get('query');
  const steps = query === undefined ? [] : stepsOf(query);
  const answer = steps === null ? undefined : answerBehind(steps, value);
  if (!isObject(answer)) return null;
  return { ...askedBy(command), ...instanceNamed(named(answer, command), command) };
}
