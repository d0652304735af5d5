import { authoritySumOf } from '../../evidence/checksum.ts';
import { at, isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import { AWS_SHAPES, type AwsKind } from '../../evidence/aws/shapes.ts';
import { classifyName, type MachineName } from '../../evidence/names.ts';
import type { UserData } from '../../evidence/user-data.ts';
import type { LineSource } from '../../evidence/source.ts';
import { logLine, type PassageReading } from '../passage.ts';
import {
  type AnswerShape,
  INSTANCES,
  KEY_POLICY,
  LISTS,
  PARTED,
  SINGLES,
  TRAIL,
  WHOLES,
} from './answer-shapes.ts';
import { projectFact } from '../../evidence/project.ts';
import { readMessages } from './messages.ts';
import { decodedUserData, readUserData } from './user-data.ts';

/** Reads an answer of `aws … --output json|yaml`; false when the value is none that is known. */
export function readAwsAnswer(passage: PassageReading, value: JsonObject, line: number): boolean {
  const understood = [
    readTexts(passage, value, line),
    readLists(passage, value, line),
    readSingles(passage, value, line),
    readParted(passage, value, line),
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
  if (userData !== null) sayLines(passage, decodedUserData(userData), 'user-data', about);
  if (!isObject(at(value, 'UserData'))) return output !== null;
  addUserData(passage, about, readUserData(about.value, userData), line);
  return true;
}

/** An instance without user data has an answer too, with nothing in it. */
export function addUserData(
  passage: PassageReading,
  about: MachineName,
  given: UserData,
  line: number,
): void {
  const { collector, document } = passage;
  const by = 'aws ec2 describe-instance-attribute';
  const locator = collector.locatorAt(document, line);
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
    passage.say({
      ...logLine(passage, { line: index + 1, text: line }, { source, isKnown: true }),
      about,
    });
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
  const locator = collector.locatorAt(document, line);
  const fact = projectFact(AWS_SHAPES[shape.kind], value);
  if (fact === null) return;
  const { extent } = fact;
  collector.fact(document, shape.kind, fact.value, {
    by: shape.call,
    extent,
    locator,
    line,
    about,
  });
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
  if (kind === 'aws/spot-request' || kind === 'aws/profile-association')
    return [classifyName(textAt(item, 'InstanceId') ?? '')];
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

function readParted(passage: PassageReading, value: JsonObject, line: number): boolean {
  const own = PARTED.filter(({ paths }) => paths.every((path) => at(value, path) !== undefined));
  for (const shape of own) addFact(passage, shape, value, line);
  return own.length > 0;
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
