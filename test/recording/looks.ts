/** Looks at a cluster, laid by hand, as a recording takes them. */
import type { RecordedLook } from '../../src/collection/recording/recording.ts';
import { Recording } from '../../src/collection/recording/recording.ts';
import { SeenCluster } from '../../src/collection/recording/seen.ts';
import type { DiagnosisDocument } from '../../src/diagnosis/document.ts';
import type { RollCallRow } from '../../src/diagnosis/roll-call/document.ts';
import type { CollectedDocument } from '../../src/collection/document.ts';
import type { MachineNews } from '../../src/evidence/aws/machine-news.ts';
import { type JsonObject, textAt } from '../../src/evidence/json.ts';
import type { Refusal } from '../../src/evidence/observations.ts';
import type { RecordedEvent, Recorder } from '../../src/ports/recorder.ts';

export const START_MS = Date.UTC(2026, 4, 1, 10);
export const MACHINE = 'i-0123456789abcdef0';
export const NODE_UID = '9a0e63f2-6a3c-4b8e-9d57-0f6a2f1f8f10';

export function isoAt(minutes: number): string {
  return new Date(START_MS + minutes * 60_000).toISOString().replace('.000', '');
}

interface NodeParts {
  readonly name?: string;
  readonly uid?: string;
  readonly ready?: string;
  readonly changed?: number;
  readonly created?: number;
  readonly deleting?: number | null;
  readonly taints?: readonly string[];
  readonly boot?: string;
  /** Minute of the last heartbeat. */
  readonly beat?: number;
  readonly instance?: string;
}

export function node(parts: NodeParts = {}): JsonObject {
  const { name = 'node00', uid = NODE_UID, ready = 'True', changed = 1, created = 0 } = parts;
  const { beat = 0, deleting = null, taints = [], boot = 'boot-1', instance: id = MACHINE } = parts;
  return {
    metadata: {
      name,
      uid,
      creationTimestamp: isoAt(created),
      ...(deleting === null ? {} : { deletionTimestamp: isoAt(deleting) }),
      annotations: { 'example.com/note': 'password=hunter2-hunter2' },
    },
    spec: {
      providerID: `aws:///eu-west-1a/${id}`,
      taints: taints.map((key) => ({ key, effect: 'NoSchedule' })),
    },
    status: {
      nodeInfo: { kubeletVersion: 'v1.34.1', bootID: boot },
      conditions: [
        { type: 'MemoryPressure', status: 'False', reason: 'KubeletHasSufficientMemory' },
        {
          type: 'Ready',
          status: ready,
          reason: ready === 'True' ? 'KubeletReady' : 'KubeletNotReady',
          message: ready === 'True' ? 'fine' : 'container runtime is down',
          lastTransitionTime: isoAt(changed),
          lastHeartbeatTime: isoAt(beat),
        },
      ],
    },
  };
}

export function warning(parts: {
  readonly uid: string;
  readonly count?: number;
  readonly at: number;
  readonly name?: string;
  readonly reason?: string;
  readonly message?: string;
  /** UID of the Node; as kubelets do, its name when not given. */
  readonly of?: string;
}): JsonObject {
  const {
    uid,
    count = 1,
    at,
    name = 'node00',
    reason = 'NodeNotReady',
    message,
    of = name,
  } = parts;
  return {
    metadata: { name: `${name}.${uid}`, namespace: 'default', uid },
    involvedObject: { kind: 'Node', name, uid: of },
    type: 'Warning',
    reason,
    message: message ?? `Node ${name} is not ready`,
    source: { component: 'node-controller' },
    firstTimestamp: isoAt(0),
    lastTimestamp: isoAt(at),
    count,
  };
}

export function instance(state: string, parts: JsonObject = {}): JsonObject {
  return {
    InstanceId: MACHINE,
    InstanceType: 'm5.large',
    ImageId: 'ami-0123456789abcdef0',
    LaunchTime: isoAt(-5),
    State: { Name: state },
    Placement: { AvailabilityZone: 'eu-west-1a' },
    ...parts,
  };
}

export function row(verdict: RollCallRow['verdict'], cause: string | null = null): RollCallRow {
  const headline =
    cause === null
      ? null
      : { cause, stage: 'networked' as const, confidence: 'likely' as const, subject: MACHINE };
  return {
    name: 'node00',
    instanceId: MACHINE,
    node: 'node00',
    group: { kind: 'none', name: null },
    instanceType: 'm5.large',
    zone: 'eu-west-1a',
    image: null,
    launchedAt: isoAt(-5),
    stage: verdict === 'usable' ? 'usable' : 'networked',
    verdict,
    headline,
    risks: [],
    note: null,
  };
}

export interface LookParts {
  readonly minute: number;
  readonly nodes?: readonly JsonObject[];
  /** Nodes that came and went since the look before. */
  readonly passing?: readonly JsonObject[];
  /** False where the list of Nodes was refused. */
  readonly isListed?: boolean;
  readonly claims?: readonly JsonObject[];
  readonly events?: readonly JsonObject[];
  readonly news?: readonly MachineNews[];
  /** null where AWS was not asked. */
  readonly instances?: readonly JsonObject[] | null;
  readonly console?: string;
  readonly rows?: readonly RollCallRow[];
  readonly refusals?: readonly Refusal[];
  readonly findings?: DiagnosisDocument['subjects'];
  readonly skewMs?: number | null;
}

function answer(call: string, content: JsonObject): CollectedDocument {
  return { name: '', locator: '', content: { kind: 'AwsAnswer', call, answer: content } };
}

export function lookAt(parts: LookParts): RecordedLook {
  const {
    nodes = [node()],
    passing = [],
    isListed = true,
    claims = [],
    events = [],
    skewMs = null,
  } = parts;
  const { instances = null, console, rows = [], refusals = [], findings = [] } = parts;
  const cluster = new SeenCluster();
  const come = (kind: string, objects: readonly JsonObject[]): void => {
    for (const object of objects) {
      const kept = cluster.keep(kind, object);
      if (kept !== null) cluster.came(kind, textAt(object, 'metadata.name') ?? '', kept);
    }
  };
  cluster.reported(parts.news ?? []);
  come('Node', [...passing, ...nodes]);
  for (const object of passing) cluster.went('Node', textAt(object, 'metadata.name') ?? '');
  if (passing.length > 0) come('Node', nodes);
  come('NodeClaim', claims);
  come('Event', events);
  cluster.round([
    ...(instances === null
      ? []
      : [answer('ec2:DescribeInstances', { Reservations: [{ Instances: instances }] })]),
    ...(console === undefined
      ? []
      : [answer('ec2:GetConsoleOutput', { InstanceId: MACHINE, Output: console })]),
  ]);
  return {
    cluster: 'shop',
    nowMs: START_MS + parts.minute * 60_000,
    skewMs,
    seen: cluster.take(),
    document: {
      apiVersion: 'rollcall.dev/v1alpha1',
      kind: 'Diagnosis',
      catalogueVersion: '1',
      headline: null,
      subjects: findings,
      recognized: [],
      losses: [],
    },
    roll: { rows, cluster: [] },
    refusals,
    whole: new Set([
      ...(isListed ? ['Node', 'NodeClaim'] : []),
      ...(instances === null ? [] : ['Instance']),
    ]),
  };
}

export interface Scene {
  readonly recording: Recording;
  readonly said: string[];
}

const LIMITS = { keepMs: 30 * 86_400_000, bytesMax: 100_000_000 };

/** A program that records; another one over the same recorder is one that was started again. */
export function recordingInto(recorder: Recorder, limits = LIMITS): Scene {
  const said: string[] = [];
  const say = (line: string): void => {
    said.push(line);
  };
  return { recording: new Recording({ recorder, limits, pauseMs: 300_000, say }), said };
}

export async function rowsIn(recorder: Recorder): Promise<readonly RecordedEvent[]> {
  return recorder.read({ cluster: 'shop', limit: 10_000 });
}

/** What was recorded, one line each, without what only serves to find it. */
export async function linesIn(recorder: Recorder): Promise<readonly string[]> {
  const rows = await rowsIn(recorder);
  return rows
    .filter(({ kind }) => kind !== 'link' && kind !== 'recording')
    .map(({ atMs, kind, body }) => {
      const { what } = body as { readonly what: string };
      return `${Math.round((atMs - START_MS) / 60_000)} ${kind}: ${what}`;
    });
}
