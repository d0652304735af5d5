import { instanceIdIn } from '../../evidence/names.ts';
import type { AwsApi } from '../../ports/aws-api.ts';
import type { Clock } from '../../ports/clock.ts';
import { collectAws } from '../aws.ts';
import { collectDetails } from '../details.ts';
import type { LookClients } from '../look-clients.ts';
import { startTimeLimit } from '../time-limit.ts';
import { representatives } from '../../diagnosis/representatives.ts';
import type { DiagnosisDocument } from '../../diagnosis/document.ts';
import type { Observations } from '../../evidence/observations.ts';
import { gatherRound, NO_ROUND, type ResidentStore, type Round } from './store.ts';

/** What is not answered by then is unknown until the next round, ms. */
const ROUND_MAX_MS = 60_000;

export interface AwsRound extends Round {
  /** The cluster's name, as the tags of its instances have it; null when nothing names it. */
  readonly cluster: string | null;
}

/** Asks AWS everything that a look asks, of the machines that the store knows. */
export async function askAwsOnce(
  { aws, clock }: { readonly aws: AwsApi; readonly clock: Clock },
  store: ResidentStore,
  named: string | null,
  signal: AbortSignal,
): Promise<AwsRound> {
  const evidence = gatherRound();
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
    return { ...evidence.round(), cluster };
  } finally {
    time.clear();
  }
}

/** Asks the machines that stand for those that are not well. */
export async function askDetailsOnce(
  clients: Pick<LookClients, 'kube' | 'aws' | 'clock'>,
  document: DiagnosisDocument,
  observations: Observations,
  signal: AbortSignal,
): Promise<Round> {
  const target = representatives(document, observations, false);
  if (target.instanceIds.length + target.logs.length === 0) return NO_ROUND;
  const evidence = gatherRound();
  const time = startTimeLimit(clients.clock, ROUND_MAX_MS, signal);
  try {
    await collectDetails(clients, target, evidence, time.details);
    return evidence.round();
  } finally {
    time.clear();
  }
}
