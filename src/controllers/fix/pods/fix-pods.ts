import { shown } from '../../../domain/words.ts';
import type { KubeApi } from '../../../ports/kube-api.ts';
import { PortError } from '../../../ports/port-error.ts';
import { PODS } from '../../gate/daemon-pods.ts';
import { evictionOfPod, likeSelector } from '../../slip-ins/eviction.ts';
import { readAll, readOne } from '../../slip-ins/live.ts';
import { nameOf, type PodFacts, readPod } from '../../slip-ins/pod.ts';
import { replacementAmong } from '../../slip-ins/replacement.ts';
import { workloadOf } from '../../slip-ins/slip-in.ts';
import type { FixOrder, FixStep, FixTools } from '../fix.ts';
import { podLine } from '../bound-pods.ts';
import { NOT_TRIED, orRefused, outcomeOf, PERMISSIONS, plainStep } from '../step.ts';
import type { PodTarget } from './target.ts';

/** Names in the records what cannot be taken back, and what counts for the budget. */
export const POD_NOTE = 'pod-eviction';

export const PODS_DISTURBS: readonly string[] = [
  'Each Pod is stopped as its grace period allows, one after the other, and what it was doing ends.',
  'An evicted Pod cannot be taken back; fix undo has nothing to undo.',
];

export interface PodsOrder extends Pick<FixOrder, 'id' | 'isDryRun'> {
  readonly targets: readonly PodTarget[];
  /** Pods that may be evicted now. */
  readonly most: number;
  /** How long the Pod that replaces one may take to be ready, ms. */
  readonly waitMs: number;
}

/** What one run knows by now. */
interface Run {
  left: number;
  isDenied: boolean;
  /** Workloads whose next Pod is not ready, with the Pod that was evicted. */
  readonly stuck: Map<string, string>;
}

const LOOK_MS = 2_000;

/** Has Pods replaced, one after the other, each as it is right before. */
export async function fixPods(order: PodsOrder, tools: FixTools): Promise<readonly FixStep[]> {
  const run: Run = { left: order.most, isDenied: false, stuck: new Map() };
  const steps: FixStep[] = [];
  for (const target of order.targets)
    steps.push(
      await orRefused(objectOf(target), async () => attempt(target, order, { tools, run })),
    );
  return steps;
}

function objectOf(target: Pick<PodTarget, 'namespace' | 'name'>): string {
  return `Pod ${shown(nameOf(target))}`;
}

interface Means {
  readonly tools: FixTools;
  readonly run: Run;
}

async function attempt(target: PodTarget, order: PodsOrder, means: Means): Promise<FixStep> {
  const { tools, run } = means;
  const object = objectOf(target);
  const pod = await readOne(tools.kube, target);
  if (pod?.uid !== target.uid)
    return plainStep(object, 'not-needed', 'It is gone, or another by this name.');
  const decision = await target.judge(pod, run.left > 0);
  const proof = `${proofOf(target)}.`;
  const diff = [`- ${podLine(pod)}`];
  if (decision.act === 'pass')
    return plainStep(object, 'not-needed', 'It is not such a Pod any more.');
  const why = decision.act === 'keep' ? decision.why : whyNotTried(pod, run);
  if (why !== null) return { ...plainStep(object, 'refused', `${proof} ${why}`), diff };
  return await evicted({ pod, target, object, proof, diff }, order, means);
}

function proofOf({ reason: { kind, name, text } }: PodTarget): string {
  return `${kind === 'rule' ? `By gate ${shown(name)}` : name}: ${shown(text)}`;
}

/** null where it is tried. */
function whyNotTried(pod: PodFacts, { isDenied, stuck }: Run): string | null {
  if (isDenied) return NOT_TRIED;
  const before = stuck.get(workloadOf(pod));
  return before === undefined
    ? null
    : `It was not tried, as no Pod is ready in the place of ${before}.`;
}

interface Chosen {
  readonly pod: PodFacts;
  readonly target: PodTarget;
  readonly object: string;
  readonly proof: string;
  readonly diff: readonly string[];
}

async function evicted(chosen: Chosen, order: PodsOrder, means: Means): Promise<FixStep> {
  const { pod, target, object, proof, diff } = chosen;
  const { tools, run } = means;
  const { id, isDryRun, waitMs } = order;
  const before = await likeIt(tools.kube, pod);
  if (!isDryRun) await tools.keep({ kind: POD_NOTE, name: nameOf(pod), atMs: tools.clock.nowMs() });
  run.left -= 1;
  const action = evictionOfPod(pod, {
    by: id,
    askedBy: 'fix pods',
    why: target.reason,
    undo: null,
  });
  const { outcome, why, failure } = await tools.perform(action);
  if (outcome !== 'done') {
    run.isDenied = failure === 'denied';
    const commands = run.isDenied ? [PERMISSIONS] : [];
    return { ...plainStep(object, outcomeOf(outcome), `${proof} ${why}`), diff, commands };
  }
  if (isDryRun) return { ...plainStep(object, 'would-write', `${proof} ${why}`), diff };
  const by = await awaited(pod, new Set(before.map(({ uid }) => uid)), waitMs, tools);
  if (by?.isReady !== true) run.stuck.set(workloadOf(pod), nameOf(pod));
  const after =
    by === null ? [] : [`+ ${podLine(by)}${by.isReady ? ', ready' : ', not ready yet'}`];
  return {
    ...plainStep(object, 'written', `${proof} ${endText(by, waitMs)}`),
    diff: [...diff, ...after],
  };
}

async function likeIt(api: KubeApi, { namespace, labels }: PodFacts): Promise<readonly PodFacts[]> {
  return await readAll(api, PODS, { namespace, labelSelector: likeSelector(labels) }, readPod);
}

/** The Pod in its place, a ready one if that comes in time. */
async function awaited(
  pod: PodFacts,
  before: ReadonlySet<string>,
  waitMs: number,
  { kube, clock }: FixTools,
): Promise<PodFacts | null> {
  const sinceMs = clock.monotonicMs();
  let by: PodFacts | null = null;
  for (;;) {
    by = replacementAmong(await likeIt(kube, pod).catch(noneOf), before, pod) ?? by;
    if (by?.isReady === true || clock.monotonicMs() - sinceMs >= waitMs) return by;
    await clock.sleep(LOOK_MS);
  }
}

/** What cannot be read now is read again; the eviction is done all the same. */
function noneOf(error: unknown): readonly PodFacts[] {
  if (error instanceof PortError) return [];
  throw error;
}

function endText(by: PodFacts | null, waitMs: number): string {
  const seconds = Math.round(waitMs / 1000);
  if (by === null) return `It was evicted, and nothing made another within ${seconds} s.`;
  if (!by.isReady)
    return `It was evicted, and ${shown(nameOf(by))} is not ready after ${seconds} s.`;
  return `It was evicted, and ${shown(nameOf(by))} is ready in its place.`;
}
