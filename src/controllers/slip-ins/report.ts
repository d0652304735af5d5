import { excerptOf } from '../../evidence/redact.ts';
import { type Look, lookAt } from '../gate/look.ts';
import type { NodeFacts } from '../gate/node-facts.ts';
import { timeText } from '../gate/record.ts';
import type { SlipInKind } from './evidence.ts';
import { nextText } from './notes.ts';
import type { ReportInput } from './report-input.ts';
import { type AskBudget, type JudgedSlipIn, judgePod } from './slip-in.ts';
import { standingsOf, withoutPast } from './standing.ts';

export interface ReportedSlipIn {
  readonly namespace: string;
  readonly pod: string;
  readonly uid: string;
  readonly node: string;
  /** `ReplicaSet cart-7f9`; null for a Pod that nobody makes again. */
  readonly madeBy: string | null;
  readonly gate: string;
  readonly proof: SlipInKind;
  /** What shows it, one clause. */
  readonly says: string;
  readonly boundAt: string | null;
  /** What is done about it, one sentence. */
  readonly next: string;
}

export interface ReportedReplacement {
  readonly at: string | null;
  readonly says: string;
}

/** What `rollcall gate slip-ins` prints. */
export interface SlipInReport {
  readonly apiVersion: 'rollcall.dev/v1alpha1';
  readonly kind: 'SlipIns';
  readonly slipIns: readonly ReportedSlipIn[];
  /** As the controller told of them in Events. */
  readonly replaced: readonly ReportedReplacement[];
  readonly nodesLookedAt: number;
  /** What could not be read, with the reason. */
  readonly notRead: readonly string[];
}

const SHOWN_CHARS_MAX = 2_000;

function reported(slipIn: JudgedSlipIn): ReportedSlipIn {
  const { pod, policy, proof } = slipIn;
  const { controller, boundMs } = pod;
  return {
    namespace: pod.namespace,
    pod: pod.name,
    uid: pod.uid,
    node: pod.nodeName,
    madeBy: controller === null ? null : excerptOf(`${controller.kind} ${controller.name}`),
    gate: `${policy.source.kind} ${policy.source.name}`,
    proof: proof.kind,
    says: excerptOf(proof.says, SHOWN_CHARS_MAX),
    boundAt: boundMs === null ? null : timeText(boundMs),
    next: excerptOf(nextText(slipIn), SHOWN_CHARS_MAX),
  };
}

function lookOnce(node: NodeFacts, { policies, around, nowMs }: ReportInput): Look {
  return lookAt({
    node,
    before: undefined,
    policies,
    around,
    nowMs,
    monotonicMs: 0,
    isWithinBudget: () => true,
    isAtStart: true,
  });
}

const WITHIN = { isWithinHour: true, isWithinWorkload: true };

/** The Pods that came too early, as far as what the cluster has now shows it. */
export function judgeSlipIns(
  input: ReportInput,
  ask: AskBudget = () => WITHIN,
): readonly JudgedSlipIn[] {
  const pods = Map.groupBy(input.pods, ({ nodeName }) => nodeName);
  return input.nodes.flatMap((node) => {
    const standings = standingsOf(lookOnce(node, input), withoutPast(node));
    if (standings.length === 0) return [];
    return (pods.get(node.name) ?? [])
      .map((pod) => judgePod(pod, standings, undefined, ask))
      .filter((slipIn) => slipIn !== null);
  });
}

/** The same as a report shows them. */
export function findSlipIns(input: ReportInput): readonly ReportedSlipIn[] {
  return judgeSlipIns(input).map(reported);
}
