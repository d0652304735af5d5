import type { Observations } from '../../evidence/observations.ts';
import type { Verdict } from '../../evidence/verdict.ts';
import { type Capacity, capacityOf } from '../capacity.ts';
import { imageMaxPods, imageMismatch, type TableImage } from '../image-table.ts';
import { isUnknownType } from '../instance-type.ts';
import type { NetworkMode, WarmTargets } from '../mode.ts';
import { subnetRow } from './cluster-capacity.ts';
import type { CapacityPlanDocument, SubnetCapacity, Unseen } from './document.ts';
import { subnetStates, typeNamed } from './facts.ts';

/** What is asked before anything is launched. */
export interface PlanQuestion {
  readonly type: string;
  readonly subnets: readonly string[];
  readonly mode: NetworkMode;
  readonly targets: WarmTargets;
  readonly maxPods: number | null;
  readonly image: TableImage | null;
}

export interface Plan {
  readonly document: CapacityPlanDocument;
  readonly capacity: Capacity;
  readonly notes: readonly string[];
}

function unseenSubnets(
  asked: readonly string[],
  seen: readonly SubnetCapacity[],
  unseen: readonly Unseen[],
): readonly Unseen[] {
  const ids = new Set(seen.map(({ id }) => id));
  const missing = asked.filter((id) => !ids.has(id));
  const isRefused = unseen.some(({ what }) => /Subnets|aws/.test(what));
  const why = isRefused
    ? 'unknown: AWS was not asked'
    : 'no such subnet in this account and region; list them: aws ec2 describe-subnets';
  return missing.map((id) => ({ what: id, why }));
}

/** The arithmetic of one type, and what its subnets can feed as far as they were seen. */
export function planOf(
  question: PlanQuestion,
  observations: Observations,
  unseen: readonly Unseen[],
): Plan {
  const { mode, targets, maxPods: maxPodsConfigured } = question;
  const type = typeNamed(observations, question.type);
  const states = subnetStates(observations).filter(({ subnet }) =>
    question.subnets.includes(subnet.id),
  );
  const subnets = states.length === 0 ? null : states;
  const capacity = capacityOf({ type, mode, targets, subnets, maxPodsConfigured });
  const rows = states.map((state) => subnetRow(state, null, 0));
  const document = planDocument(question, capacity, rows, [
    ...unseenSubnets(question.subnets, rows, unseen),
    ...unseen,
  ]);
  return { document, capacity, notes: notesOf(question, capacity) };
}

function notesOf({ image }: PlanQuestion, capacity: Capacity): readonly string[] {
  const { type, maxPods } = capacity;
  if (image === null || maxPods === null || isUnknownType(type)) return [];
  const mismatch = imageMismatch(imageMaxPods(type, image), maxPods.allowed);
  return mismatch === null ? [] : [mismatch];
}

function planDocument(
  question: PlanQuestion,
  capacity: Capacity,
  subnets: readonly SubnetCapacity[],
  notObservable: readonly Unseen[],
): CapacityPlanDocument {
  const { type, maxPods, held, mismatch, fit, factor, sentence } = capacity;
  const isWhole = subnets.length === question.subnets.length;
  return {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'CapacityPlan',
    instanceType: question.type,
    source: isUnknownType(type) ? 'unknown' : type.source,
    addressPods: maxPods?.allowed ?? null,
    recommended: maxPods?.recommended ?? null,
    maxPods: question.maxPods,
    arithmetic: maxPods?.lines ?? [],
    limit: { factor, sentence },
    held:
      held === null
        ? null
        : {
            empty: held.empty.addresses,
            first: held.first.addresses,
            full: held.full.addresses,
          },
    mismatch: mismatch?.sentence ?? null,
    subnets,
    moreNodes: isWhole ? (fit?.nodes ?? null) : null,
    notObservable,
  };
}

/** `not-usable` when it does not fit, `cannot-tell` when type or subnet are not known. */
export function verdictOfPlan({ document, capacity }: Plan): Verdict {
  const { factor, mismatch } = capacity;
  if (factor.startsWith('subnet-') || mismatch?.kind === 'above-addresses') return 'not-usable';
  if (factor === 'unknown-to-cni') return 'not-usable';
  const isUnknown = document.source === 'unknown' || document.notObservable.some(isSubnet);
  return isUnknown ? 'cannot-tell' : 'usable';
}

function isSubnet({ what }: Unseen): boolean {
  return what.startsWith('subnet-');
}
