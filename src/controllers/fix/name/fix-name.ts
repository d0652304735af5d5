import { shown } from '../../../domain/words.ts';
import type { Action } from '../../../ports/action.ts';
import { instanceStates } from '../aws-read.ts';
import { boundPods, podLines } from '../bound-pods.ts';
import type { FixOrder, FixStep, FixTools } from '../fix.ts';
import type { NamedRepair } from '../repairs-in.ts';
import {
  NOT_TRIED,
  orRefused,
  outcomeOf,
  OVER_BUDGET,
  PERMISSIONS,
  plainStep,
  withRetries,
} from '../step.ts';
import { NODES } from '../../gate/plan.ts';
import { decideName, type GoneProof, goneProof, type NameSeen, silenceText } from './decide.ts';
import { neighboursOf, type NodeStanding, standingOf } from './node-standing.ts';

/** Names in the records what cannot be taken back, and what counts for the budget. */
export const NODE_DELETION_NOTE = 'node-deletion';

export const NAME_DISTURBS: readonly string[] = [
  'The Pods that are bound to a deleted Node are deleted too, without asking PodDisruptionBudgets; their controllers make others.',
  'A deleted Node cannot be taken back: only the kubelet of its machine makes it.',
];

export interface NameOrder extends Pick<FixOrder, 'id' | 'isDryRun'> {
  readonly targets: readonly NamedRepair<'delete-node'>[];
  /** Nodes that may be deleted now. */
  readonly most: number;
}

/** What one run knows by now. */
interface Run {
  isDenied: boolean;
  /** Nodes that were deleted, or may have been. */
  readonly counted: Set<string>;
}

/** Deletes Nodes that were left behind, one after the other, each as it is right before. */
export async function fixNames(order: NameOrder, tools: FixTools): Promise<readonly FixStep[]> {
  const run: Run = { isDenied: false, counted: new Set() };
  const steps: FixStep[] = [];
  for (const target of order.targets) {
    const object = `Node ${shown(target.repair.name)}`;
    const one: Deletion = { target, object, order, run, atMs: tools.clock.nowMs() };
    const attempt = async (): Promise<FixStep> =>
      orRefused(object, async () => attemptOf(one, tools));
    steps.push(await withRetries(tools, attempt));
  }
  return steps;
}

interface Deletion {
  readonly target: NamedRepair<'delete-node'>;
  readonly object: string;
  readonly order: NameOrder;
  readonly run: Run;
  /** The same in each try, so that it counts once. */
  readonly atMs: number;
}

async function attemptOf(deletion: Deletion, tools: FixTools): Promise<FixStep> {
  const { target, object, order, run } = deletion;
  const { cause, repair } = target;
  const seen = await seenOf(repair, tools);
  const decision = decideName(repair.uid, seen);
  const told = `${cause}: ${shown(repair.says)}.`;
  if (decision.do !== 'delete') {
    const { why, commands } = decision;
    const outcome = decision.do === 'nothing' ? 'not-needed' : 'refused';
    return { ...plainStep(object, outcome, `${told} ${why}`), commands };
  }
  const { stale } = decision;
  const diff = diffOf(stale, seen);
  const proof = `${told} ${decision.proof}`;
  const left = order.most - run.counted.size;
  const isOver = left <= 0 && !run.counted.has(repair.uid);
  if (run.isDenied || isOver) {
    const why = run.isDenied ? NOT_TRIED : OVER_BUDGET;
    return { ...plainStep(object, 'refused', `${proof} ${why}`), diff };
  }
  return { ...(await deleted({ ...deletion, stale, proof }, tools)), diff };
}

function diffOf(stale: NodeStanding, { nowMs, pods }: NameSeen): readonly string[] {
  const { name, providerId } = stale;
  const of = providerId === null ? '' : ` of ${shown(providerId)}`;
  return [`- Node ${shown(name)}${of}, ${silenceText(stale, nowMs)}`, ...podLines(pods)];
}

/** @throws PortError where any part of it cannot be read, as then nothing is proven */
async function seenOf(
  { name, nowAs }: NamedRepair<'delete-node'>['repair'],
  tools: FixTools,
): Promise<NameSeen> {
  const { kube, clock } = tools;
  const pods = await boundPods(kube, name);
  const current = nowAs === null ? null : await standingOf(kube, nowAs);
  const stale = await standingOf(kube, name);
  const machine = nowAs !== null || stale === null ? null : await goneOf(stale, tools);
  // Its Lease is of the clock of a machine, and the API server's is nearer to that than this one.
  const nowMs = clock.nowMs() - (kube.skewMs() ?? 0);
  return { nowMs, stale, current, machine, pods };
}

/** @throws PortError */
async function goneOf(stale: NodeStanding, { kube, aws }: FixTools): Promise<GoneProof> {
  if (aws === null) return { isGone: false, text: 'AWS could not be opened.' };
  const { instanceId } = stale;
  const neighbours = await neighboursOf(kube, instanceId);
  const ids = instanceId === null ? neighbours : [instanceId, ...neighbours];
  const states = await instanceStates(aws, ids);
  return goneProof({ stale, region: aws.region, states, neighbours });
}

interface Proven extends Deletion {
  readonly stale: NodeStanding;
  readonly proof: string;
}

async function deleted(proven: Proven, tools: FixTools): Promise<FixStep> {
  const { object, order, run, stale, proof, atMs } = proven;
  const { name, uid } = stale;
  if (!order.isDryRun) await tools.keep({ kind: NODE_DELETION_NOTE, name, uid, atMs });
  run.counted.add(uid);
  const { outcome, why, failure } = await tools.perform(actionOf(proven));
  if (outcome !== 'done') {
    run.isDenied = failure === 'denied';
    const commands = run.isDenied ? [PERMISSIONS] : [];
    return { ...plainStep(object, outcomeOf(outcome), `${proof} ${why}`), commands };
  }
  if (order.isDryRun) return plainStep(object, 'would-write', `${proof} ${why}`);
  const now = await standingOf(tools.kube, name);
  if (now === null) return plainStep(object, 'written', `${proof} It is gone, as reading shows.`);
  return now.uid === uid
    ? plainStep(object, 'unclear', `${proof} The server took the deletion, and still shows it.`)
    : plainStep(object, 'overwritten', `${proof} A kubelet registered by this name at once.`);
}

function actionOf({ target, order, stale, proof }: Proven): Action {
  const { name, uid, resourceVersion } = stale;
  return {
    id: `${order.id}/${name}/${resourceVersion}`,
    object: { resource: NODES, namespace: null, name, seen: { uid, resourceVersion } },
    write: { verb: 'delete', requires: 'same-version' },
    why: { kind: 'finding', name: target.cause, text: proof },
    askedBy: 'fix name',
    undo: null,
  };
}
