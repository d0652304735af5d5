import type { DiagnosisDocument, SubjectReport } from '../../../diagnosis/document.ts';
import type { Observations } from '../../../evidence/observations.ts';
import { startTimer } from '../../../ports/clock.ts';
import type { Anonymizer } from '../../../readers/anonymous/anonymizer.ts';
import { type CliContext, SourceError } from '../context.ts';
import type { LiveFlags } from './flags.ts';
import type { OnRequest } from '../../../collection/on-request.ts';
import { type LiveEvidence, type LiveOptions, observe } from '../../../collection/observe.ts';
import { openClients } from './open-clients.ts';
import { collectLate } from '../../../adapters/system/memory.ts';
import type { LookClients } from '../../../collection/look-clients.ts';
import { timeLimitMs } from './time-limit.ts';

/** By then the first requests are sent, and their answers are waited for. */
const PREPARATION_MS = 20;
/** The number of SIGINT. */
const INTERRUPT = 2;

export interface LiveQuestion {
  /** Machines that are asked about; empty for the whole cluster. */
  readonly names: readonly string[];
  readonly flags: LiveFlags;
  readonly isDeep: boolean;
  /** What is asked only where a flag says so; nothing when not given. */
  readonly onRequest?: ReadonlySet<OnRequest>;
  readonly sinceMs: number | null;
  /** The file into which the evidence is written, null for none. */
  readonly save: string | null;
  /** True to write other names, ids and addresses into that file. */
  readonly isAnonymous?: boolean;
  /** Ends a look that is under way. */
  readonly limit?: AbortSignal;
  /** Hears what is known once the first Nodes are. */
  readonly onFirstNodes?: LiveOptions['onFirstNodes'];
}

/** A question that needs nothing but what every look collects. */
export function wholeQuestion(names: readonly string[], flags: LiveFlags): LiveQuestion {
  return { names, flags, isDeep: false, sinceMs: null, save: null };
}

/** Looks at a live cluster; the document holds the machines asked about, and the cluster. */
export async function lookAtCluster(
  question: LiveQuestion,
  context: CliContext,
): Promise<LiveEvidence> {
  await mustBeWellAsked(question);
  const clients = await openClients(question.flags);
  const stop = endOnInterrupt();
  const preparation = startTimer(clients.clock, PREPARATION_MS, () => {
    // Where the first Nodes are waited for, nothing is to keep them waiting.
    if (question.onFirstNodes === undefined) void clients.aws?.prepare();
  });
  try {
    return await lookWith(clients, question, context);
  } finally {
    stop();
    preparation.cancel();
    await clients.close();
  }
}

/** Up to these, time counts for more than the memory that a tenth of it would save. */
const NODES_FEW = 250;

/** Throws what can be known to be wrong before anything is asked. */
export async function mustBeWellAsked({ save }: LiveQuestion): Promise<void> {
  if (save !== null) await (await import('./bundle.ts')).mustBeWritable(save);
}

/** The same over clients that are open, and stay so. */
export async function lookWith(
  clients: LookClients,
  question: LiveQuestion,
  context: CliContext,
): Promise<LiveEvidence> {
  const bundle = question.save === null ? null : (await import('./bundle.ts')).createBundle();
  const { limit = context.ending } = question;
  const seen = await observe(clients, {
    cluster: question.flags.cluster ?? null,
    asked: question.names,
    isDeep: question.isDeep,
    ...(question.onRequest === undefined ? {} : { onRequest: question.onRequest }),
    timeoutMs: timeLimitMs(question.flags),
    ...(limit === undefined ? {} : { limit }),
    onNodesSeen: (nodes) => {
      if (nodes <= NODES_FEW) collectLate();
    },
    onFirstNodes: question.onFirstNodes,
    sinceMs: question.sinceMs,
    progress: context.progress,
    ...(bundle === null ? {} : { onDocument: (document, table) => bundle.add(document, table) }),
  });
  context.progress('');
  mustHaveAnswered(seen, clients);
  if (bundle !== null && question.save !== null) {
    const { savedSentences } = await import('./saved-words.ts');
    const { isAnonymous = false } = question;
    const hidden = isAnonymous ? await anonymizerOf([seen.observations]) : null;
    const contents = await bundle.write(question.save, hidden);
    for (const line of savedSentences(question.save, contents, isAnonymous))
      context.err(`${line}\n`);
  }
  return seen;
}

async function anonymizerOf(seen: readonly Observations[]): Promise<Anonymizer> {
  return (await import('../../../engine/anonymous.ts')).anonymizerFor(seen);
}

/** Without one answer there is nothing to say but why. */
export function mustHaveAnswered(
  { observations }: Pick<LiveEvidence, 'observations'>,
  { aws, kube }: LookClients,
): void {
  const refusals = observations.collection?.refusals ?? [];
  const answers = observations.facts.length + observations.listings.length;
  if (answers > 0 || refusals.length === 0) return;
  // Seventeen lists that fail for one reason are one sentence.
  const reasons = Map.groupBy(refusals, ({ call, failure }) => `${isAwsCall(call)} ${failure}`);
  const messages = [...reasons.values()].map(([first]) => first?.message ?? '');
  const isAwsAsked = aws === null || kube === null || refusals.some(({ call }) => isAwsCall(call));
  const hint = 'AWS was not asked, as nothing names the cluster; name it: --cluster NAME';
  throw new SourceError([...messages.slice(0, 4), ...(isAwsAsked ? [] : [hint])].join('\n'));
}

function isAwsCall(call: string): boolean {
  return call === 'aws' || /^[a-z0-9]+:/.test(call);
}

/** Ends by the usual way, on which programs that were started for a credential end too. */
export function endOnInterrupt(): () => void {
  const end = (): never => process.exit(128 + INTERRUPT);
  process.once('SIGINT', end);
  return () => process.removeListener('SIGINT', end);
}

/** What the looks at one cluster or at several came to. */
export interface ClusterLooks {
  readonly document: DiagnosisDocument;
  readonly seen: readonly LiveEvidence[];
  /** True when one of several clusters did not answer. */
  readonly isPartial: boolean;
}

/**
 * One document for a live question; several contexts are several clusters in one document, to which
 * one that does not answer is a loss.
 */
export async function diagnoseCluster(
  question: LiveQuestion,
  contexts: readonly string[],
  context: CliContext,
): Promise<ClusterLooks> {
  const questions = contexts.map((name) => ofContext(question, name));
  if (questions.length <= 1) {
    const seen = await lookAtCluster(questions[0] ?? question, context);
    return { document: seen.document, seen: [seen], isPartial: false };
  }
  const looks: (LiveEvidence | ContextLoss)[] = [];
  for (const one of questions) looks.push(await lookOrLoss(one, context));
  const seen = looks.filter((look) => 'observations' in look);
  const silent = looks.filter((look) => 'what' in look);
  if (seen.length === 0) throw new SourceError(silent.map(({ what }) => what).join('\n'));
  const document = mergedDocument(seen.map((look) => look.document));
  const losses = looks.flatMap((look, index) =>
    'what' in look ? [look] : lossesOf(look, contexts[index] ?? ''),
  );
  return { document: { ...document, losses }, seen, isPartial: silent.length > 0 };
}

/** What was left out of one of several clusters. */
function lossesOf({ document }: LiveEvidence, name: string): readonly ContextLoss[] {
  return document.losses.map(({ locator, what }) => ({
    locator,
    what: `context ${name}: ${what}`,
  }));
}

/** The same question of one of several clusters. */
export function ofContext(question: LiveQuestion, name: string): LiveQuestion {
  return { ...question, flags: { ...question.flags, context: name } };
}

type ContextLoss = DiagnosisDocument['losses'][number];

async function lookOrLoss(
  question: LiveQuestion,
  context: CliContext,
): Promise<LiveEvidence | ContextLoss> {
  try {
    return await lookAtCluster(question, context);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const place = `context ${question.flags.context ?? ''}`;
    return { locator: place, what: `${place}: ${error.message.replaceAll('\n', '; ')}` };
  }
}

/** AWS knows a machine that was asked about whichever cluster is looked at; its Node's look counts. */
function withoutShadows(subjects: readonly SubjectReport[]): readonly SubjectReport[] {
  const known = new Set(
    subjects.filter(({ node }) => node !== null).map(({ instanceId }) => instanceId),
  );
  return subjects.filter(
    ({ node, instanceId }) => node !== null || instanceId === null || !known.has(instanceId),
  );
}

/** Subjects of all; the headline is the first cluster's that has one, in the order given. */
export function mergedDocument(documents: readonly DiagnosisDocument[]): DiagnosisDocument {
  const [first] = documents;
  if (first === undefined) throw new SourceError('Name a context.');
  return {
    ...first,
    headline: documents.find(({ headline }) => headline !== null)?.headline ?? null,
    subjects: withoutShadows(documents.flatMap(({ subjects }) => subjects)),
    losses: documents.flatMap(({ losses }) => losses),
  };
}
