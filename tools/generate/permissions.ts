import { collectAws } from '../../src/collection/aws.ts';
import { createAsk } from '../../src/collection/asking.ts';
import { collectDetails } from '../../src/collection/details.ts';
import type { CollectedDocument, CollectedEvidence } from '../../src/collection/document.ts';
import { collectNodeLogs } from '../../src/collection/node-logs.ts';
import { collectControlPlaneLogs } from '../../src/collection/control-plane-logs.ts';
import { collectSsmLogs } from '../../src/collection/ssm-logs.ts';
import { collectKubernetes } from '../../src/collection/kubernetes.ts';
import type { FeaturePermissions, KubePermission } from '../../src/collection/permissions.ts';
import { tellNowhere } from '../../src/collection/nowhere.ts';
import { KUBE_LISTS } from '../../src/collection/resources.ts';
import { createFeeds } from '../../src/collection/resident/feeds.ts';
import { createResidentStore } from '../../src/collection/resident/store.ts';
import { podsOfNode, WATCHED_KINDS } from '../../src/collection/watched.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { systemRandom } from '../../src/adapters/system/random.ts';
import { shapeOf } from '../../src/adapters/aws/calls.ts';
import { askPlan } from '../../src/collection/capacity-calls.ts';
import { askMakers } from '../../src/apps/cli/live/capacity-collect.ts';
import { CAPACITY_KINDS } from '../../src/capacity/cluster/facts.ts';
import {
  askPlacementScores,
  askSpotHistory,
  askSpotOffers,
} from '../../src/collection/spot-calls.ts';
import { askPlace, askRecords } from '../../src/collection/naming-calls.ts';
import { ClusterWatch } from '../../src/apps/cli/live/cluster-watch.ts';
import { NAMING_KINDS } from '../../src/domain/naming/machines.ts';
import { at, type JsonObject } from '../../src/evidence/json.ts';
import type { AwsApi, AwsCall } from '../../src/ports/aws-api.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { KubeApi } from '../../src/ports/kube-api.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { createReading } from '../../src/readers/reading.ts';
import { compileSigns } from '../../src/readers/sign-table.ts';
import type { GeneratedFile } from './cause-pages.ts';
import { chartFiles } from './chart-files.ts';
import { deployFiles } from './deploy-files.ts';
import { kustomizeFiles } from './kustomize-files.ts';
import { type Asked, feature } from './feature.ts';
import { ANSWERS } from './permission-answers.ts';
import { moduleText, pageText } from './permission-texts.ts';
import { SPOT_WATCH_PERMISSIONS } from './spot-permissions.ts';
import { WRITING_FEATURES } from './writing-features.ts';

/** What was asked while the collection ran against APIs that only write down. */
export interface Recording extends Asked {
  readonly kube: KubeApi;
  readonly aws: AwsApi;
  readonly clock: Clock;
  readonly evidence: CollectedEvidence;
  /** Kinds of facts by the AWS call that showed them. */
  readonly kinds: Map<string, Set<string>>;
}

function optionalOf(plural: string): boolean {
  return KUBE_LISTS.some(({ resource, isOptional }) => isOptional && resource.plural === plural);
}

function recordingKube(permissions: KubePermission[]): KubeApi {
  const note = (
    verb: string,
    resource: { readonly group: string; readonly plural: string },
    subresource: string | null,
    namespace: string | null,
  ): void => {
    const { group, plural } = resource;
    const isOptional = optionalOf(plural);
    permissions.push({ verb, group, resource: plural, subresource, namespace, isOptional });
  };
  const nodes = { group: '', plural: 'nodes' };
  return {
    server: 'https://recording.invalid',
    async *list(resource, options) {
      note('list', resource, null, options?.namespace ?? null);
      yield { items: [], resourceVersion: '1' };
    },
    async get(resource, { namespace }) {
      note('get', resource, null, namespace ?? null);
      return {};
    },
    async *watch(resource, options) {
      note('watch', resource, null, options.namespace ?? null);
      // As a server before 1.32, which is asked for lists besides.
      if (options.sendInitialEvents === true)
        throw new PortError({ failure: 'unsupported', message: 'no WatchList here' });
      yield { type: 'BOOKMARK', object: {}, resourceVersion: '1', endsInitialEvents: true };
    },
    async logs() {
      note('get', { group: '', plural: 'pods' }, 'log', null);
      return new Uint8Array();
    },
    async kubeletHealth() {
      note('get', nodes, 'proxy', null);
      return 'ok';
    },
    async nodeLog() {
      note('get', nodes, 'proxy', null);
      return { bytes: new TextEncoder().encode('<a href="syslog">syslog</a>'), isCut: false };
    },
    mayI: async () => true,
    version: async () => 'v1.34.0',
    skewMs: () => null,
  };
}

/** One answer that leads the collection on to every call that hangs on it. */
function answerOf({ service, operation, input }: AwsCall): JsonObject {
  const own = Object.hasOwn(ANSWERS, operation) ? ANSWERS[operation] : undefined;
  const result = shapeOf(service, operation)?.result ?? '';
  const shared = at(ANSWERS['shared'], result);
  return { ...(shared === undefined ? {} : { [result]: shared }), ...own, ...idsIn(input) };
}

function idsIn(input: JsonObject): JsonObject {
  const { InstanceId, VpcId } = input;
  return {
    ...(InstanceId === undefined ? {} : { InstanceId }),
    ...(VpcId === undefined ? {} : { VpcId }),
  };
}

function recordingAws(calls: AwsCall[]): AwsApi {
  return {
    region: 'eu-west-1',
    partition: 'aws',
    async *pages(call) {
      calls.push(call);
      yield answerOf(call);
    },
    requests: () => new Map(),
  };
}

/** Starts a recording; the kinds of facts come from the readers that the program uses. */
export function startRecording(): Recording {
  const permissions: KubePermission[] = [];
  const calls: AwsCall[] = [];
  const kinds = new Map<string, Set<string>>();
  const add = ({ locator, content }: CollectedDocument): void => {
    const call = typeof content === 'object' ? at(content, 'call') : undefined;
    if (typeof call !== 'string') return;
    const reading = createReading(compileSigns([]));
    reading.take(locator, content);
    const seen = kinds.get(call) ?? new Set();
    for (const { kind } of reading.finish().facts) seen.add(kind);
    kinds.set(call, seen);
  };
  const refuse = ({ message }: { readonly message: string }): void => {
    throw new TypeError(`the recording was refused: ${message}`);
  };
  const evidence = { add, refuse, shorten: () => undefined };
  return {
    kube: recordingKube(permissions),
    aws: recordingAws(calls),
    clock: systemClock,
    evidence,
    permissions,
    calls,
    kinds,
  };
}

const SIGNAL = new AbortController().signal;
/** A server in memory answers long before. */
const BEGIN_MS = 10_000;
const INSTANCE = 'i-0123456789abcdef0';

async function recordStatus(): Promise<Recording> {
  const recording = startRecording();
  const { kube, aws, clock, evidence } = recording;
  await collectKubernetes({ kube, clock }, evidence, SIGNAL).all;
  const ofNodes = async (): Promise<readonly string[]> => [INSTANCE];
  const known = { instanceIds: [INSTANCE], names: ['10.0.1.10'] };
  const target = { cluster: 'shop', ...known, ofNodes, nowMs: 0 };
  await collectAws({ aws, clock }, target, evidence, SIGNAL);
  const heard = { evidence: { ...evidence, refuse: () => undefined }, refused: new Set<string>() };
  await tellNowhere(aws, 'shop', heard, createAsk({ aws, clock }, evidence, SIGNAL));
  return recording;
}

/** One of everything that has an identity. */
const IDENTITY = {
  instanceIds: [INSTANCE],
  roleNames: ['node'],
  policyArns: ['arn:aws:iam::123456789012:policy/own'],
  associations: [{ clusterName: 'shop', associationId: 'a-0123456789abcdef0' }],
  providerArns: ['arn:aws:iam::123456789012:oidc-provider/oidc.eks.eu-west-1.amazonaws.com/id/A'],
  isRegistryAsked: true,
};

async function recordDetails(): Promise<Recording> {
  const recording = startRecording();
  const log = { namespace: 'kube-system', pod: 'a', container: 'a', node: null, previous: false };
  const target = {
    instanceIds: [INSTANCE],
    logs: [log],
    roleNames: ['pod'],
    vpcIds: ['vpc-0123456789abcdef0'],
    identity: IDENTITY,
    trailIds: [INSTANCE],
    isDiscoveryRead: true,
  };
  await collectDetails(recording, target, recording.evidence, SIGNAL);
  return recording;
}

/** Kubernetes documentation, RBAC good practices, "Access to proxy subresource of Nodes". */
const NODES_PROXY =
  'Whoever may get nodes/proxy may use the whole kubelet API, which runs commands in every pod of ' +
  'every node, past audit logging and admission. Grant it to people who may do that anyway, and ' +
  'take it back when the look is over.';

async function recordNodeLogs(): Promise<Recording> {
  const recording = startRecording();
  const machines = [{ node: 'a.example.internal', instanceId: INSTANCE }];
  await collectNodeLogs(recording.kube, machines, recording.evidence, SIGNAL);
  return recording;
}

const SEND_COMMAND =
  'It sends a command to machines, which runs as root. The policy allows only the document ' +
  'Rollcall-ReadLogs, whose commands print the ends of logs; whoever may change that document may ' +
  'run anything.';

async function recordSsm(): Promise<Recording> {
  const recording = startRecording();
  const machines = [{ node: null, instanceId: INSTANCE }];
  await collectSsmLogs(recording, machines, recording.evidence, SIGNAL);
  return recording;
}

const AUDIT_LOGS =
  'It reads the audit logs of every EKS cluster of the account, which tell who did what and from where.';

async function recordControlPlane(): Promise<Recording> {
  const recording = startRecording();
  await collectControlPlaneLogs(recording, 'shop', recording.evidence, SIGNAL);
  return recording;
}

async function recordWatch(): Promise<Recording> {
  const recording = startRecording();
  const { kube } = recording;
  const onChange = (): void => undefined;
  const watch = new ClusterWatch({ kube, clock: systemClock, random: systemRandom, onChange });
  for (const kind of [...WATCHED_KINDS, podsOfNode('a.example.internal')])
    if (kind !== null) watch.add(kind);
  await watch.begun(BEGIN_MS);
  await watch.stop();
  await followLists(kube);
  return recording;
}

async function followLists(kube: KubeApi): Promise<void> {
  const store = createResidentStore();
  const means = { kube, store, clock: systemClock, random: systemRandom };
  const feeds = createFeeds({ ...means, onNews: () => undefined });
  await feeds.run(AbortSignal.timeout(BEGIN_MS));
}

async function recordCapacity(): Promise<Recording> {
  const recording = startRecording();
  const ask = createAsk(recording, recording.evidence, SIGNAL);
  await askPlan(ask, 'm5.large', ['subnet-0123456789abcdef0']);
  await askMakers(ask, [INSTANCE]);
  return recording;
}

async function recordSpot(): Promise<Recording> {
  const recording = startRecording();
  const ask = createAsk(recording, recording.evidence, SIGNAL);
  const scope = { zones: ['eu-west-1a'], product: 'Linux/UNIX', nowMs: 0 };
  const types = ['m5.large'];
  await askSpotOffers(ask, scope);
  await askSpotHistory(ask, scope, { types, fromMs: 0 });
  await askPlacementScores(ask, { types, vcpus: 1, region: 'eu-west-1' });
  return recording;
}

async function recordName(): Promise<Recording> {
  const recording = startRecording();
  const ask = createAsk(recording, recording.evidence, SIGNAL);
  const subnetId = 'subnet-0123456789abcdef0';
  await askPlace(ask, { subnetId, imageId: 'ami-0123456789abcdef0' });
  const zone = { vpcId: 'vpc-0123456789abcdef0', region: 'eu-west-1' };
  await askRecords(ask, { ...zone, name: 'a.example.internal', privateIp: '10.0.1.10' });
  return recording;
}

/** Of what the status asks, that which shows the given kinds of facts. */
function showing(
  status: Recording,
  kinds: readonly string[],
): Pick<Recording, 'permissions' | 'calls'> {
  const plurals = new Set(
    KUBE_LISTS.filter(({ resource }) => kinds.some((kind) => shows(resource.kind, kind))).map(
      ({ resource }) => resource.plural,
    ),
  );
  return {
    permissions: status.permissions.filter(({ resource }) => plurals.has(resource)),
    calls: status.calls.filter(({ service, operation }) => {
      const seen = status.kinds.get(`${service}:${operation}`) ?? new Set();
      return kinds.some((kind) => seen.has(kind));
    }),
  };
}

function shows(objectKind: string, kind: string): boolean {
  return kind === `kube/${objectKind}` || (objectKind === 'ConfigMap' && kind === 'kube/aws-auth');
}

/** What each part of the program asks for, found by running it. */
export async function recordPermissions(): Promise<readonly FeaturePermissions[]> {
  const status = await recordStatus();
  const [details, capacity, spot, name, watch] = [
    await recordDetails(),
    await recordCapacity(),
    await recordSpot(),
    await recordName(),
    await recordWatch(),
  ];
  return [
    feature('status', 'rollcall, rollcall status and rollcall diagnose', [status]),
    feature('details', 'rollcall diagnose: console, user data and container logs of machines', [
      details,
    ]),
    feature('capacity', 'rollcall capacity', [showing(status, CAPACITY_KINDS), capacity]),
    feature('spot', 'rollcall spot', [spot]),
    feature('spot-watch', 'rollcall spot watch', [SPOT_WATCH_PERMISSIONS]),
    feature('name', 'rollcall name', [showing(status, NAMING_KINDS), name]),
    feature('watch', 'status --watch and diagnose --wait, in addition to status', [watch]),
    ...WRITING_FEATURES,
    feature(
      'node-logs',
      'diagnose --node-logs: files and journals of machines',
      [await recordNodeLogs()],
      NODES_PROXY,
    ),
    feature(
      'ssm',
      'diagnose --ssm: logs of instances without a Node',
      [await recordSsm()],
      SEND_COMMAND,
    ),
    feature(
      'control-plane-logs',
      'diagnose --control-plane-logs: what EKS wrote to CloudWatch Logs',
      [await recordControlPlane()],
      AUDIT_LOGS,
    ),
  ];
}

/** The table that the program carries, and its page. */
export async function permissionFiles(version: string): Promise<readonly GeneratedFile[]> {
  const features = await recordPermissions();
  return [
    { path: 'src/collection/permissions.generated.ts', text: moduleText(features) },
    { path: 'docs/permissions.md', text: pageText(features) },
    ...deployFiles(features, version),
    ...kustomizeFiles(features, version),
    ...chartFiles(features, version),
  ];
}
