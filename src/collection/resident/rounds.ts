import { instanceIdIn } from '../../evidence/names.ts';
import type { AwsApi } from '../../ports/aws-api.ts';
import type { Clock } from '../../ports/clock.ts';
import { collectAws } from '../aws.ts';
import { collectDetails } from '../details.ts';
import type { CollectedDocument } from '../document.ts';
import type { LookClients } from '../look-clients.ts';
import { startTimeLimit } from '../time-limit.ts';
import { representatives } from '../../diagnosis/representatives.ts';
import type { DiagnosisDocument } from '../../diagnosis/document.ts';
import type { Observations } from '../../evidence/observations.ts';
import type { ResidentListener } from './listener.ts';
import { gatherRound, NO_ROUND, type ResidentStore, type Round } from './store.ts';

/** What is not answered by then is unknown until the next round, ms. */
const ROUND_MAX_MS = 60_000;

export interface AwsRound extends Round {
  /** The cluster's name, as the tags of its instances have it; null when nothing names it. */
  readonly cluster: string | null;
}

/** A round whose documents somebody else hears too, once it is whole. */
function heardBy(
  listener: ResidentListener | null,
  before: Round,
): ReturnType<typeof gatherRound> & { readonly end: () => void } {
  const evidence = gatherRound(before);
  const documents: CollectedDocument[] = [];
  return {
    ...evidence,
    add(document) {
      if (listener !== null) documents.push(document);
      evidence.add(document);
    },
    end: () => listener?.round(documents),
  };
}

/** Asks AWS everything that a look asks, of the machines that the store knows. */
export async function askAwsOnce(
  { aws, clock }: { readonly aws: AwsApi; readonly clock: Clock },
  store: ResidentStore,
  named: string | null,
  signal: AbortSignal,
  listener: ResidentListener | null = null,
): Promise<AwsRound> {
  const evidence = heardBy(listener, store.rounds.aws);
  const ids = [...new Set(store.providerIds().flatMap((id) => instanceIdIn(id) ?? []))];
  const time = startTimeLimit(clock, ROUND_MAX_MS, signal);
  const ofNodes = (): Promise<readonly string[]> => Promise.resolve(ids);
  const target = {
    cluster: named,
    instanceIds: named === null ? ids : [],
    names: [],
    ofNodes,
    nowMs: clock.nowMs(),
  };
  try {
    const { cluster } = await collectAws({ aws, clock }, target, evidence, time.listing);
    evidence.end();
    return { ...evidence.round(), cluster };
  } finally {
    time.clear();
  }
}

export interface DetailsHeard {
  readonly listener?: ResidentListener | null;
  /** The round before this one. */
  readonly before?: Round;
}

/** Asks the machines that stand for those that are not well. */
export async function askDetailsOnce(
  clients: Pick<LookClients, 'kube' | 'aws' | 'clock'>,
  document: DiagnosisDocument,
  observations: Observations,
  signal: AbortSignal,
  { listener = null, before = NO_ROUND }: DetailsHeard = {},
): Promise<Round> {
  const target = representatives(document, observations, false);
  if (target.instanceIds.length + target.logs.length === 0) return NO_ROUND;
  const evidence = heardBy(listener, before);
  const time = startTimeLimit(clients.clock, ROUND_MAX_MS, signal);
  try {
    await collectDetails(clients, target, evidence, time.details);
    evidence.end();
    return evidence.round();
  } finally {
    time.clear();
  }
}
