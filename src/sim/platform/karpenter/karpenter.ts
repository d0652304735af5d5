import { type JsonObject, textAt } from '../../../evidence/json.ts';
import type { World } from '../../world.ts';
import type { LoggedLine } from '../cloud-controller/klog.ts';
import { nameOf } from '../objects/meta.ts';
import { type NodeView, nodeView } from '../objects/node.ts';
import { type PodView, podView } from '../objects/pod.ts';
import {
  type Actor,
  type ActorOptions,
  type Cache,
  cacheOf,
  controllerUser,
  createActor,
  type Running,
} from '../running/actor.ts';
import { withCustomKinds } from '../running/custom-kinds.ts';
import { ClaimLifecycle, type KarpenterParts } from './claim-lifecycle.ts';
import { KARPENTER_KINDS } from './kinds.ts';
import { claimFor, isFor, isProvisionable, packed, typeOf } from './provisioner.ts';

export interface KarpenterOptions extends ActorOptions {
  readonly clusterName: string;
  readonly roleArn?: string;
  /** User data of a claim's machine; that of its EC2NodeClass when not given. */
  readonly userData?: (claim: JsonObject, nodeClass: JsonObject) => string;
}

export interface Karpenter extends Running {
  /** What it printed, one JSON object a line. */
  log(): readonly LoggedLine[];
}

/** BATCH_IDLE_DURATION and BATCH_MAX_DURATION: how long pending pods are gathered. */
const BATCH_IDLE_MS = 1000;
const BATCH_MAX_MS = 10_000;
/** How long a pod waits for the claim that it was promised before it counts as pending again. */
const NOMINATION_MS = 20_000;

const NAME = 'karpenter';

/** Karpenter from pending pods over NodeClaims to Nodes. */
export function startKarpenter(world: World, options: KarpenterOptions): Karpenter {
  const actor = createActor(world, NAME, controllerUser(NAME), options);
  const lines: LoggedLine[] = [];
  const log = (level: string, message: string, fields: JsonObject): void => {
    const atMs = actor.kernel.nowMs();
    const time = new Date(atMs).toISOString();
    const text = JSON.stringify({ level, time, logger: 'controller', message, ...fields });
    lines.push({ atMs, text });
    actor.log(message);
  };
  withCustomKinds(actor, KARPENTER_KINDS, () => run(world, actor, options, log));
  return { stop: () => actor.stop(), log: () => lines };
}

function run(
  world: World,
  actor: Actor,
  options: KarpenterOptions,
  log: KarpenterParts['log'],
): void {
  const nodes = new Map<string, NodeView>();
  const nodeClasses = cacheOf(actor, 'EC2NodeClass', nameOf);
  const nodePools = cacheOf(actor, 'NodePool', nameOf);
  const lifecycle = new ClaimLifecycle({
    actor,
    log,
    nodeClasses,
    nodes,
    launch: launchParts(world, options),
    userData: options.userData ?? ((_claim, found) => textAt(found, 'spec.userData') ?? ''),
  });
  actor.follow('Node', (type, object) => {
    const node = nodeView(object);
    if (type === 'DELETED') nodes.delete(node.name);
    else nodes.set(node.name, node);
    lifecycle.onNode(type, node);
  });
  startProvisioner(actor, nodePools, lifecycle, log);
}

function launchParts({ aws }: World, options: KarpenterOptions): KarpenterParts['launch'] {
  const arn = options.roleArn ?? `arn:aws:iam::${aws.accountId}:role/karpenter-controller`;
  const { accessKeyId } = aws.credentialsOf(arn);
  const identity = aws.identityOf(accessKeyId) ?? { arn, accessKeyId };
  return { aws, identity, clusterName: options.clusterName };
}

function startProvisioner(
  actor: Actor,
  nodePools: Cache,
  lifecycle: ClaimLifecycle,
  log: KarpenterParts['log'],
): void {
  const pending = new Map<string, PodView>();
  let batch: { readonly startedMs: number; dueMs: number } | null = null;
  const provision = (): void => {
    batch = null;
    const waiting = [...pending.values()].filter(({ uid }) => !lifecycle.isNominated(uid));
    for (const pool of nodePools.values()) {
      const own = waiting.filter((pod) => isFor(pool, pod) && !lifecycle.isNominated(pod.uid));
      if (own.length === 0) continue;
      log('INFO', 'found provisionable pod(s)', { pods: own.map(({ key }) => key).join(', ') });
      for (const group of packed(typeOf(pool), own)) lifecycle.create(claimFor(pool), group);
    }
    if (pending.size > 0) actor.after(NOMINATION_MS, gather);
  };
  const wait = (): void => {
    const nowMs = actor.kernel.nowMs();
    if (batch === null) return;
    if (nowMs >= batch.dueMs) provision();
    else actor.after(batch.dueMs - nowMs, wait);
  };
  const gather = (): void => {
    const nowMs = actor.kernel.nowMs();
    if (pending.size === 0) return;
    if (batch === null) {
      batch = { startedMs: nowMs, dueMs: nowMs + BATCH_IDLE_MS };
      actor.after(BATCH_IDLE_MS, wait);
    } else batch.dueMs = Math.min(nowMs + BATCH_IDLE_MS, batch.startedMs + BATCH_MAX_MS);
  };
  actor.follow('Pod', (type, object) => {
    const pod = podView(object);
    if (type === 'DELETED' || !isProvisionable(pod)) {
      pending.delete(pod.uid);
      return;
    }
    const isNew = !pending.has(pod.uid);
    pending.set(pod.uid, pod);
    if (isNew) gather();
  });
}
