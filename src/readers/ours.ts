import { at, isObject, type Json, type JsonObject, listAt, textAt } from '../evidence/json.ts';
import type { Refusal, Shortened } from '../evidence/observations.ts';
import { addUserData, readAwsAnswer } from './aws/answer.ts';
import { EVIDENCE_VERSION } from './evidence-version.ts';
import { parseWhen } from './line/timestamps.ts';
import type { LineSource } from '../evidence/source.ts';
import { documentSource } from './line/origin.ts';
import { logLine, type PassageReading } from './passage.ts';
import { USER_DATA_KIND, userDataLinesOf, userDataOf } from './saved/user-data.ts';
import { classifyName, type MachineName, type NameKind } from '../evidence/names.ts';

/** Names which manifests give the containers of well-known programs. */
const CONTAINERS: Readonly<Record<string, LineSource>> = {
  'aws-node': 'aws-node',
  'kube-proxy': 'kube-proxy',
  'calico-node': 'calico-node',
  'cilium-agent': 'cilium',
  'kiam-agent': 'kiam-agent',
  'kiam-server': 'kiam-server',
  kube2iam: 'kube2iam',
  'eks-pod-identity-agent': 'pod-identity-agent',
  'pod-identity-webhook': 'pod-identity-webhook',
  coredns: 'coredns',
  'ebs-plugin': 'csi-driver',
  'efs-plugin': 'csi-driver',
  karpenter: 'karpenter',
  'aws-cloud-controller-manager': 'cloud-controller',
};

const REFUSALS_MAX = 200;
const ASKED_MAX = 200;

/** True for documents that Rollcall itself collected. */
export function isOurs(value: JsonObject): boolean {
  return textAt(value, 'apiVersion') === EVIDENCE_VERSION;
}

/**
 * Reads `kind: AwsAnswer` (the call, its input and its answer, since many answers do not say what
 * was asked) and `kind: Collection` (when it was collected, whom it was asked about, and which calls were refused).
 */
export function readOurs(passage: PassageReading, value: JsonObject, line: number): boolean {
  if (textAt(value, 'kind') === 'Collection') return readCollection(passage, value);
  if (textAt(value, 'kind') === 'MachineNames') return readNames(passage, value);
  if (textAt(value, 'kind') === 'ContainerLog') return readContainerLog(passage, value);
  if (textAt(value, 'kind') === USER_DATA_KIND) return readSavedUserData(passage, value, line);
  const answer = at(value, 'answer');
  const input = at(value, 'input');
  if (!isObject(answer)) return false;
  return readAwsAnswer(passage, { ...(isObject(input) ? scalarsOf(input) : {}), ...answer }, line);
}

/** Every name that a machine has for itself. */
function readNames({ collector, document }: PassageReading, value: JsonObject): boolean {
  const named = (path: string, kind: NameKind): MachineName | null =>
    classifyName(textAt(value, path) ?? '', kind);
  const names = [
    named('instanceId', 'instance-id'),
    named('localHostname', 'private-dns'),
    named('hostname', 'host'),
    named('privateIp', 'ip'),
  ];
  for (const name of names) collector.sawMachine(document, name);
  collector.link(names, 'the machine says so itself', collector.locatorOf(document));
  return true;
}

function readSavedUserData(passage: PassageReading, value: JsonObject, line: number): boolean {
  const given = userDataOf(value);
  const about = classifyName(given?.instanceId ?? '', 'instance-id');
  if (given === null || about === null) return false;
  passage.collector.sawSource(passage.document, 'user-data');
  for (const part of userDataLinesOf(value))
    passage.say({ ...logLine(passage, part, { source: 'user-data', isKnown: true }), about });
  addUserData(passage, about, given, line);
  return true;
}

/** The log of one container, whose Node the pod told. */
function readContainerLog(passage: PassageReading, value: JsonObject): boolean {
  const lines = (textAt(value, 'text') ?? '').split('\n').filter((line) => line.trim() !== '');
  const container = textAt(value, 'container') ?? '';
  const about = classifyName(textAt(value, 'node') ?? '', 'node');
  const named = CONTAINERS[container];
  const likely =
    named === undefined ? documentSource(lines.slice(0, 60)) : { source: named, isKnown: true };
  // What a cloud controller says is of the cluster, on whichever Node it runs.
  const of = likely.source === 'cloud-controller' ? null : about;
  for (const [index, text] of lines.entries())
    passage.say({ ...logLine(passage, { line: index + 1, text }, likely), about: of });
  return true;
}

function scalarsOf(input: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(input).filter(([, entry]) => typeof entry === 'string'));
}

function readCollection(passage: PassageReading, value: JsonObject): boolean {
  const atMs = parseWhen(textAt(value, 'at') ?? '')?.ms;
  if (atMs === undefined) return false;
  const refusals = listAt(value, 'refusals').slice(0, REFUSALS_MAX).map(refusalOf);
  const asked = listAt(value, 'asked')
    .slice(0, ASKED_MAX)
    .filter((name) => typeof name === 'string');
  const shortened = listAt(value, 'shortened').slice(0, REFUSALS_MAX).map(shortenedOf);
  passage.collector.collected({
    atMs,
    cluster: textAt(value, 'cluster'),
    asked,
    refusals,
    shortened,
  });
  return true;
}

function shortenedOf(entry: Json): Shortened {
  return { what: textAt(entry, 'what') ?? '', count: Number(textAt(entry, 'count') ?? Number.NaN) };
}

function refusalOf(entry: Json): Refusal {
  return {
    call: textAt(entry, 'call') ?? '',
    message: textAt(entry, 'message') ?? '',
    failure: textAt(entry, 'failure') ?? '',
    permission: textAt(entry, 'permission'),
  };
}
