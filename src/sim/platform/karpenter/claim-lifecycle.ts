import { type JsonObject, listAt, textAt } from '../../../evidence/json.ts';
import type { AwsRefusal } from '../../aws/contract.ts';
import { providerIdOf } from '../cloud-controller/machine-facts.ts';
import {
  type Condition,
  conditionOf,
  conditionsOf,
  finalizersOf,
  isTerminating,
  nameOf,
  referenceTo,
  uidOf,
} from '../objects/meta.ts';
import type { NodeView } from '../objects/node.ts';
import type { PodView } from '../objects/pod.ts';
import { timestamp } from '../objects/stamp.ts';
import { type Taint, taintObject, taintOf } from '../objects/taints.ts';
import { type Actor, type Cache, cacheOf } from '../running/actor.ts';
import { createEventRecorder, type EventRecorder } from '../running/event-recorder.ts';
import { createSyncQueue, type WorkQueue } from '../running/work-queue.ts';
import { objectAt } from '../workloads/daemon-placement.ts';
import { type ClaimCondition, claimStep, isTrue } from './claim-rules.ts';
import {
  LAUNCH_TIMEOUT_MS,
  REGISTRATION_TIMEOUT_MS,
  TERMINATION_FINALIZER,
  UNREGISTERED_TAINT,
} from './kinds.ts';
import { launch, type LaunchParts, nodePoolOf, terminate } from './launch.ts';
import { classNameOf } from './provisioner.ts';

export interface KarpenterParts {
  readonly actor: Actor;
  readonly nodeClasses: Cache;
  readonly nodes: ReadonlyMap<string, NodeView>;
  readonly launch: LaunchParts;
  readonly userData: (claim: JsonObject, nodeClass: JsonObject) => string;
  readonly log: (level: 'INFO' | 'ERROR', message: string, fields: JsonObject) => void;
}

/** CreateFleet and what Karpenter asks before it take some seconds. */
const LAUNCH_MEDIAN_MS = 2500;
const LAUNCH_SIGMA = 0.3;
/** Refusals that mean: not here, not now; the claim is given up at once. */
const OUT_OF_CAPACITY = new Set([
  'InsufficientInstanceCapacity',
  'InsufficientFreeAddressesInSubnet',
  'MaxSpotInstanceCountExceeded',
  'VcpuLimitExceeded',
  'UnfulfillableCapacity',
  'Unsupported',
]);

/** NodeClaims from their creation to the Node that is initialised, or to their end. */
export class ClaimLifecycle {
  readonly #parts: KarpenterParts;
  readonly #claims: Cache;
  readonly #queue: WorkQueue;
  readonly #recorder: EventRecorder;
  readonly #nominated = new Map<string, string>();
  readonly #launching = new Set<string>();

  constructor(parts: KarpenterParts) {
    this.#parts = parts;
    this.#recorder = createEventRecorder(parts.actor, 'karpenter');
    this.#queue = createSyncQueue(parts.actor, (name) => this.#sync(name));
    this.#claims = cacheOf(parts.actor, 'NodeClaim', nameOf, (type, claim) => {
      if (type === 'DELETED') this.#denominate(nameOf(claim));
      else this.#queue.add(nameOf(claim));
    });
  }

  /** True of a pod that is promised a place on a machine to come. */
  isNominated(podUid: string): boolean {
    return this.#nominated.has(podUid);
  }

  create(claim: JsonObject, pods: readonly PodView[]): void {
    const outcome = this.#parts.actor.client.create(claim);
    if (!outcome.ok) return;
    const name = nameOf(outcome.object);
    const NodePool = { name: nodePoolOf(claim) };
    this.#parts.log('INFO', 'created nodeclaim', { NodePool, NodeClaim: { name } });
    for (const pod of pods) {
      this.#nominated.set(pod.uid, name);
      this.#recorder.record(referenceTo(pod.object), {
        type: 'Normal',
        reason: 'Nominated',
        message: `Pod should schedule on: nodeclaim/${name}`,
      });
    }
  }

  onNode(type: string, node: NodeView): void {
    const isGoing = type !== 'DELETED' && isTerminating(node.object);
    const own = [...this.#claims.values()].filter(
      (claim) => textAt(claim, 'status.providerID') === node.providerId,
    );
    for (const claim of own) {
      if (isGoing) this.#end(claim);
      this.#queue.add(nameOf(claim));
    }
    if (isGoing && own.length === 0) this.#release('Node', node.object);
  }

  #denominate(claimName: string): void {
    for (const [uid, name] of this.#nominated) if (name === claimName) this.#nominated.delete(uid);
  }

  #nodeOf(claim: JsonObject): NodeView | null {
    const providerId = textAt(claim, 'status.providerID');
    if (providerId === null) return null;
    for (const node of this.#parts.nodes.values()) if (node.providerId === providerId) return node;
    return null;
  }

  #sync(name: string): void {
    // The Node's watch may run ahead of the claim's: what was just written is read back first.
    const claim = this.#parts.actor.client.get('NodeClaim', name);
    if (claim === null) return;
    if (isTerminating(claim)) {
      this.#finalise(claim);
      return;
    }
    const step = claimStep(claim, this.#nodeOf(claim), this.#parts.actor.kernel.nowMs());
    switch (step.kind) {
      case 'launch':
        this.#launchSoon(claim);
        break;
      case 'register':
        this.#register(claim, step.node);
        break;
      case 'initialise':
        this.#initialise(claim, step.node);
        break;
      case 'give-up':
        this.#giveUp(claim, step.timeout);
        break;
      case 'wait':
        this.#tell(claim, step.condition);
        break;
    }
  }

  #launchSoon(claim: JsonObject): void {
    const { actor } = this.#parts;
    const name = nameOf(claim);
    if (this.#launching.has(name)) return;
    this.#launching.add(name);
    actor.after(LAUNCH_TIMEOUT_MS + 1, () => this.#queue.add(name));
    actor.after(actor.random.lognormal(LAUNCH_MEDIAN_MS, LAUNCH_SIGMA), () => {
      this.#launching.delete(name);
      const now = actor.client.get('NodeClaim', name);
      if (now !== null && !isTerminating(now) && !isTrue(now, 'Launched')) this.#launch(now);
    });
  }

  #launch(claim: JsonObject): void {
    const { nodeClasses, userData } = this.#parts;
    const nodeClass = nodeClasses.get(classNameOf(claim));
    if (nodeClass === undefined) {
      this.#refused(claim, {
        code: 'NodeClassNotFound',
        message: `EC2NodeClass.karpenter.k8s.aws "${classNameOf(claim)}" not found`,
        status: 404,
      });
      return;
    }
    const launched = launch(this.#parts.launch, claim, nodeClass, userData(claim, nodeClass));
    if (launched.ok) this.#launched(claim, launched.instance);
    else this.#refused(claim, launched.refusal);
  }

  #launched(claim: JsonObject, instance: JsonObject): void {
    const { actor, log } = this.#parts;
    const name = nameOf(claim);
    const providerID = providerIdOf(instance);
    log('INFO', 'launched nodeclaim', {
      NodeClaim: { name },
      'provider-id': providerID,
      'instance-type': textAt(instance, 'InstanceType'),
      zone: textAt(instance, 'Placement.AvailabilityZone'),
    });
    const imageID = textAt(instance, 'ImageId');
    this.#setCondition(claim, { type: 'Launched', reason: 'Launched', message: '' }, 'True', {
      providerID,
      ...(imageID === null ? {} : { imageID }),
    });
    actor.after(REGISTRATION_TIMEOUT_MS + 1000, () => this.#queue.add(name));
  }

  #refused(claim: JsonObject, { code, message }: AwsRefusal): void {
    const { log } = this.#parts;
    const name = nameOf(claim);
    const error = `creating instance, with fleet error(s), ${code}: ${message}`;
    log('ERROR', 'failed launching nodeclaim', { NodeClaim: { name }, error });
    if (OUT_OF_CAPACITY.has(code)) {
      this.#recorder.record(referenceTo(claim), {
        type: 'Warning',
        reason: 'InsufficientCapacityError',
        message: `NodeClaim ${name} event: ${error}`,
      });
      this.#delete(claim);
      return;
    }
    const condition = { type: 'Launched', reason: 'LaunchFailed', message: error } as const;
    this.#setCondition(claim, condition, 'Unknown');
    this.#queue.addRateLimited(name);
  }

  #register(claim: JsonObject, node: NodeView): void {
    const { actor, log } = this.#parts;
    const name = nameOf(claim);
    const wanted = [...listAt(claim, 'spec.taints'), ...listAt(claim, 'spec.startupTaints')];
    const taints = withTaints(node.taints, wanted.map(taintOf));
    const outcome = actor.client.patch('Node', node.name, 'merge', {
      metadata: {
        resourceVersion: textAt(node.object, 'metadata.resourceVersion') ?? '',
        labels: { ...objectAt(claim, 'metadata.labels'), 'karpenter.sh/registered': 'true' },
        finalizers: [...new Set([...finalizersOf(node.object), TERMINATION_FINALIZER])],
      },
      spec: { taints: taints.map(taintObject) },
    });
    if (!outcome.ok) {
      this.#queue.addRateLimited(name);
      return;
    }
    log('INFO', 'registered nodeclaim', { NodeClaim: { name }, Node: { name: node.name } });
    const condition = { type: 'Registered', reason: 'Registered', message: '' } as const;
    this.#setCondition(claim, condition, 'True', { nodeName: node.name });
  }

  #initialise(claim: JsonObject, node: NodeView): void {
    const { actor, log } = this.#parts;
    const name = nameOf(claim);
    const labels = { 'karpenter.sh/initialized': 'true' };
    const outcome = actor.client.patch('Node', node.name, 'merge', { metadata: { labels } });
    if (!outcome.ok) return;
    log('INFO', 'initialized nodeclaim', { NodeClaim: { name }, Node: { name: node.name } });
    const condition = { type: 'Initialized', reason: 'Initialized', message: '' } as const;
    this.#setCondition(claim, condition, 'True');
    this.#denominate(name);
  }

  #giveUp(claim: JsonObject, timeout: 'launch' | 'registration'): void {
    const { log } = this.#parts;
    const name = nameOf(claim);
    const timeoutMs = timeout === 'launch' ? LAUNCH_TIMEOUT_MS : REGISTRATION_TIMEOUT_MS;
    log('INFO', `terminating due to ${timeout} timeout`, {
      NodeClaim: { name },
      timeout: `${timeoutMs / 60_000}m0s`,
    });
    this.#delete(claim);
  }

  #delete(claim: JsonObject): void {
    const { client } = this.#parts.actor;
    client.delete('NodeClaim', nameOf(claim), { uid: uidOf(claim) });
  }

  #end(claim: JsonObject): void {
    if (!isTerminating(claim)) this.#delete(claim);
  }

  /** The instance and the Node go first, the claim last. */
  #finalise(claim: JsonObject): void {
    const { actor, log } = this.#parts;
    const providerId = textAt(claim, 'status.providerID') ?? '';
    const instanceId = providerId.slice(providerId.lastIndexOf('/') + 1);
    if (instanceId !== '') terminate(this.#parts.launch, instanceId);
    const node = this.#nodeOf(claim);
    if (node !== null) {
      actor.client.delete('Node', node.name, { uid: node.uid });
      this.#release('Node', node.object);
    }
    log('INFO', 'deleted nodeclaim', { NodeClaim: { name: nameOf(claim) } });
    this.#release('NodeClaim', claim);
  }

  #release(kind: 'Node' | 'NodeClaim', object: JsonObject): void {
    const finalizers = finalizersOf(object).filter((entry) => entry !== TERMINATION_FINALIZER);
    const patch = { metadata: { finalizers } };
    this.#parts.actor.client.patch(kind, nameOf(object), 'merge', patch);
  }

  #tell(claim: JsonObject, condition: ClaimCondition): void {
    if (condition.reason === '') return;
    const known = conditionOf(claim, condition.type);
    if (known?.reason === condition.reason && known.message === condition.message) return;
    this.#setCondition(claim, condition, 'Unknown');
    if (condition.reason === 'UnregisteredTaintNotFound') this.#warnOfTaint(claim);
  }

  #warnOfTaint(claim: JsonObject): void {
    const NodeClaim = { name: nameOf(claim) };
    const error = `missing required startup taint, ${UNREGISTERED_TAINT}`;
    this.#parts.log('ERROR', 'node claim registration error', { NodeClaim, error });
    this.#recorder.record(referenceTo(claim), {
      type: 'Warning',
      reason: 'UnregisteredTaintMissing',
      message: `Missing ${UNREGISTERED_TAINT} taint which prevents registration related race conditions on Karpenter-managed nodes`,
    });
  }

  #setCondition(
    claim: JsonObject,
    { type, reason, message }: ClaimCondition,
    status: string,
    more: JsonObject = {},
  ): void {
    const { client, kernel } = this.#parts.actor;
    const lastTransitionTime = timestamp(kernel.nowMs());
    const now = client.get('NodeClaim', nameOf(claim)) ?? claim;
    const rest = conditionsOf(now).filter((known) => known.type !== type);
    const kept = rest.map(plainCondition);
    const conditions = [...kept, { type, status, reason, message, lastTransitionTime }];
    client.patch(
      'NodeClaim',
      nameOf(claim),
      'merge',
      { status: { ...more, conditions } },
      'status',
    );
  }
}

function withTaints(taints: readonly Taint[], wanted: readonly Taint[]): readonly Taint[] {
  const kept = taints.filter(({ key }) => key !== UNREGISTERED_TAINT);
  const missing = wanted.filter(
    (taint) => !kept.some(({ key, effect }) => key === taint.key && effect === taint.effect),
  );
  return [...kept, ...missing];
}

function plainCondition({
  type,
  status,
  reason,
  message,
  lastTransitionTime,
}: Condition): JsonObject {
  return { type, status, reason, message, lastTransitionTime };
}
