import { openEvidence } from '../../../adapters/bundle/open.ts';
import type { SpotQuestion } from '../../../capacity/spot/candidates.ts';
import { shortlist } from '../../../capacity/spot/shortlist.ts';
import { type Ask, createAsk } from '../../../collection/asking.ts';
import type { LookClients } from '../../../collection/look-clients.ts';
import {
  askPlacementScores,
  askSpotHistory,
  askSpotOffers,
  type SpotScope,
} from '../../../collection/spot-calls.ts';
import { startLimit } from '../../../collection/time-limit.ts';
import { shown } from '../../../domain/words.ts';
import type { Refusal } from '../../../evidence/observations.ts';
import { isSpotAnswer, readSpotAnswers, type SpotAnswer } from '../../../readers/spot/answers.ts';
import { parseJson } from '../../../readers/text/parse.ts';
import { type CliContext, SourceError } from '../context.ts';
import { wholeText } from '../whole-text.ts';
import type { LiveFlags } from './flags.ts';
import { openClients } from './open-clients.ts';
import { timeLimitMs } from './time-limit.ts';

/** All of what is asked but the sources. */
export type SpotWish = Omit<SpotQuestion, 'told' | 'nowMs'> & {
  readonly product: string;
  readonly asksScores: boolean;
};

export interface Gathered {
  readonly question: SpotQuestion;
  /** What was not answered or not read, one sentence each. */
  readonly troubles: readonly string[];
  readonly region: string | null;
}

/** 90 days of all pools of a region, as the AWS CLI prints them, are a few hundred megabytes. */
const FILE_BYTES_MAX = 512 * 1024 * 1024;
/** History is asked for so many types: those that give most for their price. */
const TYPES_MAX = 60;

async function answersIn(
  paths: readonly string[],
  troubles: string[],
  { limits, stdin }: CliContext,
): Promise<readonly SpotAnswer[]> {
  const answers: SpotAnswer[] = [];
  const input = paths.includes('-') ? stdin() : undefined;
  const documents = openEvidence(paths, ({ what }) => troubles.push(what), limits, input);
  for await (const { locator, chunks } of documents) {
    const text = await wholeText(chunks, FILE_BYTES_MAX);
    const name = shown(locator);
    if (text === null) troubles.push(`${name} is larger than 512 MiB and is not read.`);
    else {
      const parsed = parseJson(text);
      if (parsed.ok && isSpotAnswer(parsed.value))
        answers.push({ locator: name, content: parsed.value, untilMs: null });
      else troubles.push(`${name} is not one answer of aws ec2 describe-spot-price-history.`);
    }
  }
  return answers;
}

/** Reads saved answers. @throws SourceError when no price is in them */
export async function spotOfFiles(
  paths: readonly string[],
  wish: SpotWish,
  context: CliContext,
): Promise<Gathered> {
  const troubles: string[] = [];
  const answers = await answersIn(paths, troubles, context);
  const told = readSpotAnswers(answers, wish.product);
  const { asOfMs } = told;
  if (told.prices.length === 0 || asOfMs === null)
    throw new SourceError(
      troubles[0] ??
        told.losses[0] ??
        'no Spot price in these files; save some: aws ec2 describe-spot-price-history > prices.json',
    );
  return { question: { ...wish, told, nowMs: asOfMs }, troubles, region: null };
}

async function ask(
  clients: LookClients & { readonly aws: NonNullable<LookClients['aws']> },
  wish: SpotWish,
  refusals: Refusal[],
  signal: AbortSignal,
): Promise<SpotQuestion> {
  const evidence = {
    add: () => undefined,
    shorten: () => undefined,
    refuse: (refusal: Refusal) => refusals.push(refusal),
  };
  const one: Ask = createAsk(clients, evidence, signal);
  const nowMs = clients.clock.nowMs();
  const { demand, product, historyMs } = wish;
  const scope: SpotScope = { zones: demand.zones, product, nowMs };
  const offers = await askSpotOffers(one, scope);
  const first = { ...wish, told: readSpotAnswers(offers, product), nowMs };
  const types = shortlist(first, TYPES_MAX);
  if (types.length === 0) return first;
  const more = await Promise.all([
    askSpotHistory(one, scope, { types, fromMs: nowMs - historyMs }),
    ...(wish.asksScores && clients.aws.region !== null
      ? [askPlacementScores(one, { types, vcpus: demand.vcpus ?? 1, region: clients.aws.region })]
      : []),
  ]);
  return { ...first, told: readSpotAnswers([...offers, ...more], product) };
}

/** Asks AWS. @throws SourceError when no price is answered */
export async function spotOfAws(
  wish: SpotWish,
  flags: LiveFlags,
  { ending }: CliContext,
): Promise<Gathered> {
  const clients = await openClients(flags);
  const limit = startLimit(clients.clock, timeLimitMs(flags));
  const signal = ending === undefined ? limit.signal : AbortSignal.any([limit.signal, ending]);
  try {
    const { aws } = clients;
    const refusals = clients.refusals.filter(({ call }) => call === 'aws');
    if (aws === null) throw new SourceError(refusals[0]?.message ?? 'AWS cannot be asked');
    const question = await ask({ ...clients, aws }, wish, refusals, signal);
    const troubles = refusals.map(({ call, message }) => `${call}: ${message}`);
    if (question.told.prices.length === 0)
      throw new SourceError(troubles[0] ?? noPrices(aws.region));
    return { question, troubles, region: aws.region };
  } finally {
    limit.clear();
    await clients.close();
  }
}

function noPrices(region: string | null): string {
  return `EC2 has no Spot prices for these zones in ${region ?? 'this region'}; check --region and --zone`;
}
