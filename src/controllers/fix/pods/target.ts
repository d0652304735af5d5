import type { DiagnosisDocument } from '../../../diagnosis/document.ts';
import type { PodToReplace } from '../../../diagnosis/repair.ts';
import { isoMs } from '../../../evidence/time.ts';
import type { ActionReason } from '../../../ports/action.ts';
import type { KubeApi } from '../../../ports/kube-api.ts';
import type { PolicyKind } from '../../gate/caches.ts';
import type { GatePolicy } from '../../gate/policy.ts';
import { decide, type Kept, type SlipInDecision } from '../../slip-ins/decide.ts';
import { readInput } from '../../slip-ins/live.ts';
import type { PodFacts } from '../../slip-ins/pod.ts';
import { judgeSlipIns } from '../../slip-ins/report.ts';
import { type JudgedSlipIn, limitsOf, whyKept } from '../../slip-ins/slip-in.ts';
import { repairsIn } from '../repairs-in.ts';
import { OVER_BUDGET } from '../step.ts';

/** What is done about a Pod now; `keep` with the sentence that says why. */
export type PodDecision =
  | { readonly act: 'pass' | 'evict' }
  | { readonly act: 'keep'; readonly why: string };

/** A Pod that is to be replaced, with who says so. */
export interface PodTarget {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly reason: ActionReason;
  /** Judges it as it is now. @throws PortError where that cannot be read */
  readonly judge: (pod: PodFacts, isWithinHour: boolean) => Promise<PodDecision>;
}

/** Times are of whole seconds, and of two clocks. */
const MARGIN_MS = 2_000;

function worded(decision: SlipInDecision, say: (why: Kept) => string): PodDecision {
  if (decision.act !== 'keep') return decision;
  const { why } = decision;
  return { act: 'keep', why: why === 'HourlyBudget' ? OVER_BUDGET : say(why) };
}

/** The Pods that definite findings name, each once. */
export function podsNamedIn(document: DiagnosisDocument): readonly PodTarget[] {
  const named = repairsIn(document, 'replace-pod');
  const targets = named.map(({ cause, repair }) => targetOf(cause, repair));
  return [...new Map(targets.map((target) => [target.uid, target])).values()];
}

function targetOf(cause: string, repair: PodToReplace): PodTarget {
  const { namespace, name, uid, says } = repair;
  return {
    namespace,
    name,
    uid,
    reason: { kind: 'finding', name: cause, text: says },
    judge: async (pod, isWithinHour) =>
      worded(judgeNamed(pod, repair, isWithinHour), (why) =>
        why === 'NobodyMakesAnother'
          ? `No controller would make another; replace it: kubectl -n ${namespace} delete pod ${name}`
          : `Its annotation ${pod.protectedBy ?? ''} asks not to evict it.`,
      ),
  };
}

/** True where the containers that the finding saw have ended, and another start is enough. */
function hasRestarted({ startedMs }: PodFacts, { by, since }: PodToReplace): boolean {
  const seenMs = isoMs(since);
  return by === 'new-start' && startedMs !== null && startedMs > (seenMs ?? startedMs) + MARGIN_MS;
}

function judgeNamed(pod: PodFacts, repair: PodToReplace, isWithinHour: boolean): SlipInDecision {
  return decide({
    mode: 'evict',
    isShown: true,
    hasRestarted: hasRestarted(pod, repair),
    isLeaving: pod.isLeaving,
    hasFinished: pod.hasFinished,
    isOfDaemonSet: pod.controller?.kind === 'DaemonSet',
    isMirror: pod.isMirror,
    // No gate is asked, so there is no taint that it could tolerate.
    isTolerating: false,
    hasController: pod.controller !== null,
    isProtected: pod.protectedBy !== null,
    isWithinHour,
    isWithinWorkload: true,
  });
}

/** A person who asks takes the place of the gate's own consent; what it ignores stays ignored. */
function consented(policy: GatePolicy): GatePolicy {
  const limits = limitsOf(policy);
  return limits.mode === 'report' ? { ...policy, slipIns: { ...limits, mode: 'evict' } } : policy;
}

export interface SlipInSource {
  readonly api: KubeApi;
  readonly kinds: readonly PolicyKind[];
  readonly nowMs: () => number;
}

interface FoundSlipIn {
  readonly slipIn: JudgedSlipIn;
  /** False where the gate's taint is not on the node, so that another Pod would slip in as well. */
  readonly isHeld: boolean;
}

async function slipInsAt(
  { api, kinds, nowMs }: SlipInSource,
  node: string | null,
  isWithinHour: boolean,
): Promise<readonly FoundSlipIn[]> {
  const input = await readInput(api, kinds, node, nowMs());
  const policies = input.policies.map(consented);
  const judged = judgeSlipIns({ ...input, policies }, () => ({
    isWithinHour,
    isWithinWorkload: true,
  }));
  const nodes = new Map(input.nodes.map((one) => [one.name, one]));
  return judged.map((slipIn) => {
    const { taint } = slipIn.policy;
    const taints = nodes.get(slipIn.pod.nodeName)?.taints ?? [];
    const isShut = taints.some(({ key, effect }) => key === taint.key && effect === taint.effect);
    return { slipIn, isHeld: isShut || slipIn.proof.kind !== 'bound-while-shut' };
  });
}

/** The Pods that came before a gate opened their node. @throws PortError */
export async function slipInsOf(
  source: SlipInSource,
  node: string | null,
): Promise<readonly PodTarget[]> {
  const found = await slipInsAt(source, node, true);
  return found.map(({ slipIn }) => slipInTarget(slipIn, source));
}

function slipInTarget({ pod, policy, proof }: JudgedSlipIn, source: SlipInSource): PodTarget {
  const { namespace, name, uid, nodeName } = pod;
  return {
    namespace,
    name,
    uid,
    reason: { kind: 'rule', name: policy.source.name, text: proof.says },
    judge: async (now, isWithinHour) => {
      const all = await slipInsAt(source, nodeName, isWithinHour);
      const found = all.find(({ slipIn }) => slipIn.pod.uid === now.uid);
      if (found === undefined) return { act: 'pass' };
      const { slipIn, isHeld } = found;
      if (slipIn.decision.act === 'evict' && !isHeld) return { act: 'keep', why: openText(slipIn) };
      return worded(slipIn.decision, (why) => whyKept(slipIn, why));
    },
  };
}

function openText({ pod, policy: { source, taint } }: JudgedSlipIn): string {
  return `${pod.nodeName} does not have the taint ${taint.key} of ${source.kind} ${source.name}, so another Pod would slip in as well; see why: rollcall gate explain ${pod.nodeName}`;
}
