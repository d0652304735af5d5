import { authoritySumOf } from '../../evidence/checksum.ts';
import { at, isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import type { AwsKind } from '../../evidence/kinds.ts';
import { classifyName, type MachineName } from '../../evidence/names.ts';
import { locatorAt } from '../../evidence/fact.ts';
import { parseWhen } from '../line/timestamps.ts';
import type { LineSource } from '../../evidence/source.ts';
import { logLine, type PassageReading } from '../passage.ts';
import { readUserData } from './user-data.ts';

interface AnswerShape {
  readonly path: string;
  readonly kind: AwsKind;
  readonly call: string;
}

/** Top-level fields by which an answer of the AWS command line is known. */
const LISTS: readonly AnswerShape[] = [
  {
    path: 'InstanceStatuses',
    kind: 'aws/instance-status',
    call: 'aws ec2 describe-instance-status',
  },
  { path: 'Subnets', kind: 'aws/subnet', call: 'aws ec2 describe-subnets' },
  {
    path: 'NetworkInterfaces',
    kind: 'aws/network-interface',
    call: 'aws ec2 describe-network-interfaces',
  },
  { path: 'DhcpOptions', kind: 'aws/dhcp-options', call: 'aws ec2 describe-dhcp-options' },
  { path: 'VpcEndpoints', kind: 'aws/vpc-endpoint', call: 'aws ec2 describe-vpc-endpoints' },
  { path: 'SecurityGroups', kind: 'aws/security-group', call: 'aws ec2 describe-security-groups' },
  { path: 'RouteTables', kind: 'aws/route-table', call: 'aws ec2 describe-route-tables' },
  {
    path: 'NatGateways',
    kind: 'aws/nat-gateway',
    call: 'aws ec2 describe-nat-gateways',
  },
  { path: 'NetworkAcls', kind: 'aws/network-acl', call: 'aws ec2 describe-network-acls' },
  { path: 'Vpcs', kind: 'aws/vpc', call: 'aws ec2 describe-vpcs' },
  { path: 'InstanceTypes', kind: 'aws/instance-type', call: 'aws ec2 describe-instance-types' },
  { path: 'Images', kind: 'aws/image', call: 'aws ec2 describe-images' },
  {
    path: 'associations',
    kind: 'aws/pod-identity-association',
    call: 'aws eks list-pod-identity-associations',
  },
  {
    path: 'LaunchTemplateVersions',
    kind: 'aws/launch-template-version',
    call: 'aws ec2 describe-launch-template-versions',
  },
  {
    path: 'AutoScalingGroups',
    kind: 'aws/auto-scaling-group',
    call: 'aws autoscaling describe-auto-scaling-groups',
  },
  {
    path: 'Activities',
    kind: 'aws/scaling-activity',
    call: 'aws autoscaling describe-scaling-activities',
  },
  {
    path: 'LifecycleHooks',
    kind: 'aws/lifecycle-hook',
    call: 'aws autoscaling describe-lifecycle-hooks',
  },
  {
    path: 'SpotInstanceRequests',
    kind: 'aws/spot-request',
    call: 'aws ec2 describe-spot-instance-requests',
  },
];

const SINGLES: readonly AnswerShape[] = [
  { path: 'cluster', kind: 'aws/cluster', call: 'aws eks describe-cluster' },
  { path: 'nodegroup', kind: 'aws/node-group', call: 'aws eks describe-nodegroup' },
  { path: 'accessEntry', kind: 'aws/access-entry', call: 'aws eks describe-access-entry' },
  { path: 'accessEntries', kind: 'aws/access-entry-list', call: 'aws eks list-access-entries' },
  { path: 'InstanceProfile', kind: 'aws/instance-profile', call: 'aws iam get-instance-profile' },
  { path: 'Role', kind: 'aws/role', call: 'aws iam get-role' },
  { path: 'addon', kind: 'aws/addon', call: 'aws eks describe-addon' },
  { path: 'KeyMetadata', kind: 'aws/kms-key', call: 'aws kms describe-key' },
  {
    path: 'association',
    kind: 'aws/pod-identity-association',
    call: 'aws eks describe-pod-identity-association',
  },
  {
    path: 'OpenIDConnectProviderList',
    kind: 'aws/oidc-providers',
    call: 'aws iam list-open-id-connect-providers',
  },
];

/** Answers that are one fact as a whole, together with what was asked. */
const WHOLES: readonly AnswerShape[] = [
  {
    path: 'AttachedPolicies',
    kind: 'aws/attached-policies',
    call: 'aws iam list-attached-role-policies',
  },
  {
    path: 'EnableDnsHostnames',
    kind: 'aws/vpc-attribute',
    call: 'aws ec2 describe-vpc-attribute',
  },
  { path: 'EnableDnsSupport', kind: 'aws/vpc-attribute', call: 'aws ec2 describe-vpc-attribute' },
  { path: 'UserId', kind: 'aws/caller', call: 'aws sts get-caller-identity' },
  {
    path: 'HostedZoneSummaries',
    kind: 'aws/vpc-hosted-zones',
    call: 'aws route53 list-hosted-zones-by-vpc',
  },
];

/** The answer of KMS names no key; the question does. */
const KEY_POLICY = { kind: 'aws/kms-key-policy', call: 'aws kms get-key-policy' } as const;
const TRAIL = { kind: 'aws/trail-event', call: 'aws cloudtrail lookup-events' } as const;

const INSTANCES = { kind: 'aws/instance', call: 'aws ec2 describe-instances' } as const;

/** Reads an answer of `aws … --output json|yaml`; false when the value is none that is known. */
export function readAwsAnswer(passage: PassageReading, value: JsonObject, line: number): boolean {
  const understood = [
    readTexts(passage, value, line),
    readLists(passage, value, line),
    readSingles(passage, value, line),
    readKeyPolicy(passage, value, line),
    readTrail(passage, value, line),
    readMessages(passage, value, line),
  ];
  return understood.some((one) => one);
}

/** Console output and user data: texts of a machine, one of them in base64. */
function readTexts(passage: PassageReading, value: JsonObject, line: number): boolean {
  const about = classifyName(textAt(value, 'InstanceId') ?? '', 'instance-id');
  if (about === null) return false;
  const output = textAt(value, 'Output');
  const userData = textAt(value, 'UserData.Value');
  if (output !== null) sayLines(passage, output, 'console', about);
  if (userData !== null) sayLines(passage, fromBase64(userData), 'user-data', about);
  if (!isObject(at(value, 'UserData'))) return output !== null;
  addUserData(passage, about, userData, line);
  return true;
}

/** An instance without user data has an answer too, with nothing in it. */
function addUserData(
  passage: PassageReading,
  about: MachineName,
  encoded: string | null,
  line: number,
): void {
  const { collector, document } = passage;
  const by = 'aws ec2 describe-instance-attribute';
  const locator = locatorAt(collector.locatorOf(document), line);
  const given = readUserData(about.value, encoded);
  collector.fact(document, 'aws/user-data', given, { by, locator, line, about: [about] });
}

function sayLines(
  passage: PassageReading,
  text: string,
  source: LineSource,
  about: MachineName,
): void {
  passage.collector.sawSource(passage.document, source);
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    passage.say({ ...logLine(passage, { line: index + 1, text: line }, source), about });
  }
}

function fromBase64(text: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0)));
  } catch {
    return '';
  }
}

function addFact(
  passage: PassageReading,
  shape: Pick<AnswerShape, 'kind' | 'call'>,
  value: Json,
  line: number,
  about: readonly (MachineName | null)[] = [],
): void {
  const { collector, document } = passage;
  const locator = locatorAt(collector.locatorOf(document), line);
  collector.fact(document, shape.kind, value, { by: shape.call, locator, line, about });
  collector.link(about, `${shape.call} shows them for one instance`, locator);
}

function namesOfItem(item: Json): readonly (MachineName | null)[] {
  const named = (path: string, kind: MachineName['kind']): MachineName | null =>
    classifyName(textAt(item, path) ?? '', kind);
  const interfaces = listAt(item, 'NetworkInterfaces').map((entry) =>
    classifyName(textAt(entry, 'NetworkInterfaceId') ?? ''),
  );
  return [
    named('InstanceId', 'instance-id'),
    named('PrivateDnsName', 'private-dns'),
    named('PrivateIpAddress', 'ip'),
    ...interfaces,
  ];
}

function readLists(passage: PassageReading, value: JsonObject, line: number): boolean {
  const reservations = listAt(value, 'Reservations');
  const instances = [
    ...reservations.flatMap((entry) => listAt(entry, 'Instances')),
    ...listAt(value, 'Instances'),
  ];
  for (const item of instances) addFact(passage, INSTANCES, item, line, namesOfItem(item));
  if (Array.isArray(at(value, 'Reservations'))) {
    passage.collector.listing(
      'aws/instance',
      'aws ec2 describe-instances',
      passage.collector.locatorOf(passage.document),
    );
  }
  let understood = instances.length > 0 || Array.isArray(at(value, 'Reservations'));
  for (const shape of LISTS) {
    if (!Array.isArray(at(value, shape.path))) continue;
    understood = true;
    passage.collector.listing(
      shape.kind,
      shape.call,
      passage.collector.locatorOf(passage.document),
    );
    for (const item of listAt(value, shape.path)) {
      const about = aboutOf(shape.kind, item);
      addFact(passage, shape, item, line, about);
    }
  }
  return understood;
}

/** The machine that an item is of; an interface is of the machine it is attached to. */
function aboutOf(kind: AwsKind, item: Json): readonly (MachineName | null)[] {
  if (kind === 'aws/instance-status') return namesOfItem(item);
  if (kind === 'aws/spot-request') return [classifyName(textAt(item, 'InstanceId') ?? '')];
  if (kind !== 'aws/network-interface') return [];
  const owner = classifyName(textAt(item, 'Attachment.InstanceId') ?? '', 'instance-id');
  return owner?.kind === 'instance-id' ? [owner] : [];
}

/** The authority's text is left out of evidence; its checksum tells whether two are the same. */
function withAuthoritySum(cluster: Json): Json {
  const authoritySum = authoritySumOf(textAt(cluster, 'certificateAuthority.data') ?? '');
  return isObject(cluster) && authoritySum !== null ? { ...cluster, authoritySum } : cluster;
}

function readSingles(passage: PassageReading, value: JsonObject, line: number): boolean {
  let understood = false;
  for (const shape of SINGLES) {
    const found = at(value, shape.path);
    if (found === undefined || !(isObject(found) || Array.isArray(found))) continue;
    understood = true;
    addFact(passage, shape, shape.kind === 'aws/cluster' ? withAuthoritySum(found) : found, line);
  }
  for (const shape of WHOLES) {
    if (at(value, shape.path) === undefined) continue;
    understood = true;
    addFact(passage, shape, value, line);
  }
  return understood;
}

function readKeyPolicy(passage: PassageReading, value: JsonObject, line: number): boolean {
  if (textAt(value, 'Policy') === null || textAt(value, 'PolicyArn') !== null) return false;
  if (textAt(value, 'KeyId') !== null) addFact(passage, KEY_POLICY, value, line);
  return true;
}

/** Events of CloudTrail; other answers have lists of this name too. */
function readTrail(passage: PassageReading, value: JsonObject, line: number): boolean {
  const events = listAt(value, 'Events').filter((event) => textAt(event, 'EventSource') !== null);
  for (const event of events) {
    const named = listAt(event, 'Resources').map((one) =>
      classifyName(textAt(one, 'ResourceName') ?? ''),
    );
    addFact(passage, TRAIL, event, line, [
      named.find((one) => one?.kind === 'instance-id') ?? null,
    ]);
  }
  return events.length > 0;
}

interface MessageShape {
  readonly list: string;
  readonly fields: readonly string[];
  /** What the sentence is about, put before it. */
  readonly subject?: (answer: JsonObject, entry: Json) => string;
  readonly stamp?: string;
}

/** Answers whose meaning is in sentences: they are read as lines. */
const MESSAGES: readonly MessageShape[] = [
  {
    list: 'Activities',
    fields: ['StatusCode', 'StatusMessage', 'Description', 'Cause'],
    subject: (_, entry) =>
      `Auto Scaling group ${textAt(entry, 'AutoScalingGroupName') ?? ''} activity`,
    stamp: 'StartTime',
  },
  {
    list: 'StackEvents',
    fields: ['ResourceStatus', 'LogicalResourceId', 'ResourceStatusReason'],
    stamp: 'Timestamp',
  },
  {
    list: 'nodegroup.health.issues',
    fields: ['code', 'message'],
    subject: (answer) => `node group ${textAt(answer, 'nodegroup.nodegroupName') ?? ''} issue`,
  },
  {
    list: 'cluster.health.issues',
    fields: ['code', 'message'],
    subject: (answer) => `cluster ${textAt(answer, 'cluster.name') ?? ''} issue`,
  },
  {
    list: 'addon.health.issues',
    fields: ['code', 'message'],
    subject: (answer) => `add-on ${textAt(answer, 'addon.addonName') ?? ''} issue`,
  },
  { list: 'update.errors', fields: ['errorCode', 'errorMessage'] },
];

function readMessages(passage: PassageReading, value: JsonObject, line: number): boolean {
  let understood = false;
  for (const shape of MESSAGES) {
    for (const entry of listAt(value, shape.list)) {
      understood = true;
      sayMessage(passage, value, entry, shape, line);
    }
  }
  return (
    understood || Array.isArray(at(value, 'Activities')) || Array.isArray(at(value, 'StackEvents'))
  );
}

function sayMessage(
  passage: PassageReading,
  answer: JsonObject,
  entry: Json,
  shape: MessageShape,
  line: number,
): void {
  const words = shape.fields.map((field) => textAt(entry, field) ?? '');
  const stamp = shape.stamp === undefined ? null : textAt(entry, shape.stamp);
  passage.say({
    text: [shape.subject?.(answer, entry) ?? '', ...words].join(' ').trim(),
    source: 'aws-message',
    line,
    when: stamp === null ? null : parseWhen(stamp),
    host: null,
    about: null,
    isState: false,
  });
}
