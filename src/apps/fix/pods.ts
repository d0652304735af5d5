import { systemClock } from '../../adapters/system/clock.ts';
import { type FixDocument, fixDocument } from '../../controllers/fix/document.ts';
import { fixPods, POD_NOTE, PODS_DISTURBS } from '../../controllers/fix/pods/fix-pods.ts';
import { type PodTarget, podsNamedIn, slipInsOf } from '../../controllers/fix/pods/target.ts';
import { plainStep } from '../../controllers/fix/step.ts';
import { nameOf } from '../../controllers/slip-ins/pod.ts';
import type { CliContext } from '../cli/context.ts';
import { lookWith, wholeQuestion } from '../cli/live/diagnose-cluster.ts';
import type { LiveFlags } from '../cli/live/flags.ts';
import { policyKinds } from '../gate/policy-kinds.ts';
import { newFixId } from './new-id.ts';
import { notedSince } from './noted-since.ts';
import { inFixSession } from './session.ts';

export interface PodsFixOptions {
  readonly flags: LiveFlags;
  readonly record: string | null;
  readonly isDryRun: boolean;
  /** Nodes and instances, and Pods as `namespace/name`; empty for all that are found. */
  readonly names: readonly string[];
  /** Pods that are evicted within one hour. */
  readonly mostOfHour: number;
  /** How long the Pod that replaces one may take to be ready, ms. */
  readonly waitMs: number;
}

const NAME = 'pods';
const HOUR_MS = 3_600_000;

/** Has Pods replaced that came too early. @throws SourceError where the cluster does not answer */
export async function runPodsFix(
  options: PodsFixOptions,
  context: CliContext,
): Promise<FixDocument> {
  const { flags, isDryRun, names, mostOfHour, waitMs } = options;
  const machines = names.filter((name) => !name.includes('/'));
  const pods = new Set(names.filter((name) => name.includes('/')));
  return await inFixSession({ ...options, context }, async (session) => {
    const id = newFixId(NAME);
    const tools = session.tools({ id, isDryRun });
    // A Pod that is named alone may be of any machine.
    const asked = pods.size > 0 ? [] : machines;
    const { document } = await lookWith(session.clients, wholeQuestion(asked, flags), context);
    const api = tools.kube;
    const source = { api, kinds: policyKinds(), nowMs: () => systemClock.nowMs() };
    const nodes = machines.length === 0 || pods.size > 0 ? [null] : nodesIn(document.subjects);
    const slipIns: PodTarget[] = [];
    for (const node of nodes) slipIns.push(...(await slipInsOf(source, node)));
    const targets = onePerPod([...slipIns, ...podsNamedIn(document)]).filter(
      (target) => pods.size === 0 || pods.has(nameOf(target)),
    );
    const used = await notedSince(
      session,
      { fix: NAME, kind: POD_NOTE },
      systemClock.nowMs() - HOUR_MS,
    );
    const most = Math.max(0, mostOfHour - used);
    const steps = await fixPods({ id, isDryRun, targets, most, waitMs }, tools);
    const none = plainStep('Pods', 'not-needed', NONE);
    const why = whyOf(targets);
    return fixDocument(
      { fix: NAME, isDryRun, why },
      id,
      steps.length === 0 ? [none] : steps,
      PODS_DISTURBS,
    );
  });
}

const NONE = 'No gate and no definite cause shows one that came too early.';
const WHY = 'Pods that came to a node before it was proven able to carry them.';

function whyOf(targets: readonly PodTarget[]): FixDocument['why'] {
  const finding = targets.find(({ reason }) => reason.kind === 'finding');
  return { cause: finding?.reason.name ?? null, text: WHY };
}

function nodesIn(subjects: readonly { readonly node: string | null }[]): readonly string[] {
  return [...new Set(subjects.map(({ node }) => node).filter((node) => node !== null))];
}

/** The proof of a gate comes first, as it is judged again right before. */
function onePerPod(targets: readonly PodTarget[]): readonly PodTarget[] {
  return [
    ...new Map(targets.toReversed().map((target) => [target.uid, target])).values(),
  ].toReversed();
}
