import { shown } from '../../../domain/words.ts';
import type { DiagnosisDocument } from '../../../diagnosis/document.ts';
import type { FixDocument } from '../document.ts';
import type { FixOrder, FixStep, FixTools } from '../fix.ts';
import { type NamedRepair, repairsIn } from '../repairs-in.ts';
import { NOT_TRIED, OVER_BUDGET } from '../step.ts';
import type { MachineEnd, MachineOrder } from './machine-repair.ts';
import { REPLACE_DISTURBS, replaceMachine } from './replace-machine.ts';
import { RESTART_DISTURBS, restartKubelet } from './restart-kubelet.ts';

/** A machine that a definite finding names, with what mends it. */
export type MachineTarget = NamedRepair<'restart-kubelet'> | NamedRepair<'replace-machine'>;

/** Each machine once: one whose kubelet only has to be restarted is not replaced. */
export function machinesNamedIn(document: DiagnosisDocument): readonly MachineTarget[] {
  const named: readonly MachineTarget[] = [
    ...repairsIn(document, 'replace-machine'),
    ...repairsIn(document, 'restart-kubelet'),
  ];
  return [...new Map(named.map((target) => [target.repair.instanceId, target])).values()];
}

export function nodeDisturbs(targets: readonly MachineTarget[]): readonly string[] {
  const kinds = new Set(targets.map(({ repair }) => repair.kind));
  return [
    ...(kinds.has('restart-kubelet') ? RESTART_DISTURBS : []),
    ...(kinds.has('replace-machine') ? REPLACE_DISTURBS : []),
  ];
}

export interface NodesOrder extends Pick<FixOrder, 'id' | 'isDryRun'> {
  readonly targets: readonly MachineTarget[];
  /** Machines that may be restarted or replaced now. */
  readonly most: number;
  /** How long the Node that comes of each may take to be Ready, ms. */
  readonly waitMs: number;
}

export interface NodesEnd {
  readonly steps: readonly FixStep[];
  /** What came of all that was written; null where nothing was. */
  readonly result: FixDocument['result'];
}

/** What one run knows by now. */
interface Run {
  left: number;
  isDenied: boolean;
  /** The machine of which no Node came; null while there is none. */
  stuck: string | null;
}

/** Repairs machines, one after the other: the next waits until the one before is a Ready Node. */
export async function fixNodes(order: NodesOrder, tools: FixTools): Promise<NodesEnd> {
  const run: Run = { left: order.most, isDenied: false, stuck: null };
  const steps: FixStep[] = [];
  let isAny = false;
  for (const target of order.targets) {
    const end = await repaired(target, orderOf(target, order, run), tools);
    if (end.isWritten || end.step.outcome === 'would-write') run.left -= 1;
    run.isDenied ||= end.isDenied;
    isAny ||= end.isWritten;
    if (end.isWritten && !end.isReached) run.stuck ??= target.repair.instanceId;
    steps.push(end.step);
  }
  return { steps, result: isAny ? resultOf(run) : null };
}

async function repaired(
  target: MachineTarget,
  order: MachineOrder,
  tools: FixTools,
): Promise<MachineEnd> {
  const { cause, repair } = target;
  return repair.kind === 'restart-kubelet'
    ? await restartKubelet({ cause, repair }, order, tools)
    : await replaceMachine({ cause, repair }, order, tools);
}

function orderOf({ cause, repair }: MachineTarget, order: NodesOrder, run: Run): MachineOrder {
  const { id, isDryRun, waitMs } = order;
  const why = { kind: 'finding', name: cause, text: repair.says } as const;
  return { id, isDryRun, waitMs, why, whyNot: whyNotTried(run) };
}

/** null while the next one is tried. */
function whyNotTried({ left, isDenied, stuck }: Run): string | null {
  if (isDenied) return NOT_TRIED;
  if (stuck !== null)
    return `It was not tried, as no Node is Ready in the place of ${shown(stuck)}.`;
  return left > 0 ? null : OVER_BUDGET;
}

function resultOf({ stuck }: Run): FixDocument['result'] {
  return stuck === null
    ? { isReached: true, text: 'What came of each repair is Ready.' }
    : { isReached: false, text: `No Node is Ready in the place of ${shown(stuck)} yet.` };
}
