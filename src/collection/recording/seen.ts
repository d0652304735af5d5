import { isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import { keptObject } from '../../readers/saved/kubernetes.ts';
import type { CollectedDocument } from '../document.ts';

/** What is recorded of one look, each object cut to what is kept of it. */
export interface SeenObjects {
  readonly nodes: readonly JsonObject[];
  readonly claims: readonly JsonObject[];
  readonly events: readonly JsonObject[];
  readonly instances: readonly JsonObject[];
  /** The end of what machines printed on their consoles, by instance id. */
  readonly consoles: ReadonlyMap<string, string>;
  /** Kinds whose list was complete, so that what it lacks is not there. */
  readonly whole: ReadonlySet<string>;
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

/** Gathers what is to be recorded from the documents of one look as they come. */
export class SeenLook implements SeenObjects {
  readonly nodes: JsonObject[] = [];
  readonly claims: JsonObject[] = [];
  readonly events: JsonObject[] = [];
  readonly instances: JsonObject[] = [];
  readonly consoles = new Map<string, string>();
  readonly whole = new Set<string>();

  add({ content }: CollectedDocument): void {
    if (typeof content === 'string') return;
    const kind = textAt(content, 'kind');
    if (kind === 'AwsAnswer') this.#addAnswer(content);
    else if (kind?.endsWith('List') === true) this.#addList(content, kind.slice(0, -4));
  }

  #addList(list: Json, kind: string): void {
    const items = listAt(list, 'items').filter(isObject);
    if (textAt(list, 'metadata.annotations.rollcall') === 'complete') this.whole.add(kind);
    if (kind === 'Node') this.nodes.push(...items.map((item) => kept(item, kind)));
    if (kind === 'NodeClaim') this.claims.push(...items.map((item) => kept(item, kind)));
    if (kind === 'Event')
      this.events.push(...items.filter(isOfMachines).map((item) => kept(item, kind)));
  }

  #addAnswer(content: Json): void {
    const call = textAt(content, 'call');
    if (call === 'ec2:DescribeInstances') this.whole.add('Instance');
    if (call === 'ec2:DescribeInstances')
      for (const reservation of listAt(content, 'answer.Reservations'))
        this.instances.push(...listAt(reservation, 'Instances').flatMap(keptInstance));
    const id = textAt(content, 'answer.InstanceId');
    const output = textAt(content, 'answer.Output');
    if (call === 'ec2:GetConsoleOutput' && id !== null && output !== null)
      this.consoles.set(id, output.slice(-CONSOLE_LENGTH_MAX));
  }
}

function kept(item: JsonObject, kind: string): JsonObject {
  return keptObject(item, kind, new Map());
}

function isOfMachines(event: JsonObject): boolean {
  const kind = textAt(event, 'involvedObject.kind') ?? textAt(event, 'regarding.kind') ?? '';
  const isOfSystem = textAt(event, 'metadata.namespace') === 'kube-system';
  return KINDS_OF_MACHINES.has(kind) || isOfSystem || textAt(event, 'type') === 'Warning';
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
