import type { MachineNews } from '../../evidence/aws/machine-news.ts';
import { isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import { redact } from '../../evidence/redact.ts';
import { keptObject } from '../../readers/saved/kubernetes.ts';
import type { CollectedDocument } from '../document.ts';
import type { ResidentListener } from '../resident/listener.ts';

/** What is recorded since the last judgement, each object cut to what is kept of it. */
export interface SeenObjects {
  /** Versions of Nodes that came since then, in order; some of them may be gone again. */
  readonly nodes: readonly JsonObject[];
  readonly claims: readonly JsonObject[];
  readonly events: readonly JsonObject[];
  /** UIDs of all that are there now. */
  readonly presentNodes: ReadonlySet<string>;
  readonly presentClaims: ReadonlySet<string>;
  /** All that EC2 listed when it was asked last; null where it was not asked. */
  readonly instances: readonly JsonObject[] | null;
  /** What AWS reported of machines since then. */
  readonly news: readonly MachineNews[];
  /** The end of what machines printed on their consoles, by instance id. */
  readonly consoles: ReadonlyMap<string, string>;
}

/** Events about these say what becomes of machines; of the rest only warnings do. */
const KINDS_OF_MACHINES = new Set([
  'Node',
  'NodeClaim',
  'NodePool',
  'EC2NodeClass',
  'Machine',
  'MachineSet',
  'CertificateSigningRequest',
]);

const INSTANCE_FIELDS = [
  'InstanceId',
  'InstanceType',
  'ImageId',
  'LaunchTime',
  'InstanceLifecycle',
  'StateTransitionReason',
  'PrivateDnsName',
];

const CONSOLE_LENGTH_MAX = 16 * 1024;
/** Versions of one kind that are kept between two judgements; of more, the oldest are dropped. */
const VERSIONS_MAX = 50_000;

/** One kind of object, as it is followed. */
class SeenKind {
  versions: JsonObject[] = [];
  readonly present = new Set<string>();
  readonly #uids = new Map<string, string>();

  came(key: string, object: JsonObject): void {
    const uid = textAt(object, 'metadata.uid');
    if (uid === null) return;
    this.#uids.set(key, uid);
    this.present.add(uid);
    this.versions.push(object);
    if (this.versions.length > VERSIONS_MAX) this.versions.splice(0, VERSIONS_MAX / 10);
  }

  went(key: string): void {
    const uid = this.#uids.get(key);
    this.#uids.delete(key);
    if (uid !== undefined) this.present.delete(uid);
  }
}

function lastOf<T>(before: readonly T[], after: readonly T[]): readonly T[] {
  return [...before, ...after].slice(-VERSIONS_MAX);
}

/** What came between two judgements that are recorded at once. */
export function joinedSeen(before: SeenObjects, after: SeenObjects): SeenObjects {
  return {
    ...after,
    nodes: lastOf(before.nodes, after.nodes),
    claims: lastOf(before.claims, after.claims),
    events: lastOf(before.events, after.events),
    news: lastOf(before.news, after.news),
  };
}

/** Gathers what is to be recorded of a cluster while somebody follows it. */
export class SeenCluster implements ResidentListener {
  readonly #nodes = new SeenKind();
  readonly #claims = new SeenKind();
  #events: JsonObject[] = [];
  #news: MachineNews[] = [];
  #instances: readonly JsonObject[] | null = null;
  readonly #consoles = new Map<string, string>();

  keep(kind: string, object: JsonObject): JsonObject | null {
    const isKept =
      kind === 'Node' || kind === 'NodeClaim' || (kind === 'Event' && isOfMachines(object));
    return isKept ? keptObject(object, kind, new Map()) : null;
  }

  came(kind: string, key: string, kept: JsonObject): void {
    if (kind === 'Node') this.#nodes.came(key, kept);
    if (kind === 'NodeClaim') this.#claims.came(key, kept);
    if (kind === 'Event' && this.#events.length < VERSIONS_MAX) this.#events.push(kept);
  }

  went(kind: string, key: string): void {
    if (kind === 'Node') this.#nodes.went(key);
    if (kind === 'NodeClaim') this.#claims.went(key);
  }

  round(documents: readonly CollectedDocument[]): void {
    const answers = documents.flatMap(({ content }) =>
      typeof content !== 'string' && textAt(content, 'kind') === 'AwsAnswer' ? [content] : [],
    );
    const listed = answers.filter((one) => textAt(one, 'call') === 'ec2:DescribeInstances');
    if (listed.length > 0) this.#instances = listed.flatMap(instancesIn);
    for (const answer of answers) this.#addConsole(answer);
  }

  reported(news: readonly MachineNews[]): void {
    this.#news.push(...news.slice(0, VERSIONS_MAX - this.#news.length));
  }

  /** What came since this was asked last, and what is there. */
  take(): SeenObjects {
    const seen = {
      nodes: this.#nodes.versions,
      claims: this.#claims.versions,
      events: this.#events,
      presentNodes: this.#nodes.present,
      presentClaims: this.#claims.present,
      instances: this.#instances,
      news: this.#news,
      consoles: this.#consoles,
    };
    this.#nodes.versions = [];
    this.#claims.versions = [];
    this.#events = [];
    this.#news = [];
    return seen;
  }

  #addConsole(answer: Json): void {
    const id = textAt(answer, 'answer.InstanceId');
    const output = textAt(answer, 'answer.Output');
    if (textAt(answer, 'call') !== 'ec2:GetConsoleOutput' || id === null || output === null) return;
    // Behind a cut through a secret nobody would know the rest of it.
    this.#consoles.set(id, redact(output).slice(-CONSOLE_LENGTH_MAX));
    const [first] = this.#consoles.keys();
    if (this.#consoles.size > CONSOLES_MAX && first !== undefined) this.#consoles.delete(first);
  }
}

const CONSOLES_MAX = 100;

function isOfMachines(event: JsonObject): boolean {
  const kind = textAt(event, 'involvedObject.kind') ?? textAt(event, 'regarding.kind') ?? '';
  const isOfSystem = textAt(event, 'metadata.namespace') === 'kube-system';
  return KINDS_OF_MACHINES.has(kind) || isOfSystem || textAt(event, 'type') === 'Warning';
}

function instancesIn(answer: Json): readonly JsonObject[] {
  return listAt(answer, 'answer.Reservations').flatMap((one) =>
    listAt(one, 'Instances').flatMap(keptInstance),
  );
}

function keptInstance(instance: Json): readonly JsonObject[] {
  if (!isObject(instance) || textAt(instance, 'InstanceId') === null) return [];
  const fields = INSTANCE_FIELDS.map((name) => [name, textAt(instance, name)] as const);
  return [
    {
      ...Object.fromEntries(fields),
      state: textAt(instance, 'State.Name'),
      zone: textAt(instance, 'Placement.AvailabilityZone'),
      why: textAt(instance, 'StateReason.Message'),
    },
  ];
}
