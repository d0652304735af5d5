import type { CollectedDocument } from '../../../adapters/collection/document.ts';
import type { DiagnosisDocument } from '../../../diagnosis/document.ts';
import { excerptOf } from '../../../evidence/redact.ts';
import { type CliContext, SourceError } from '../context.ts';
import type { LiveFlags } from './flags.ts';
import { type LiveEvidence, observe } from './observe.ts';
import { type LookClients, openClients } from './open-clients.ts';
import { timeLimitMs } from './time-limit.ts';

/** The number of SIGINT. */
const INTERRUPT = 2;

export interface LiveQuestion {
  /** Machines that are asked about; empty for the whole cluster. */
  readonly names: readonly string[];
  readonly flags: LiveFlags;
  readonly isDeep: boolean;
  readonly sinceMs: number | null;
  /** The file into which the evidence is written, null for none. */
  readonly save: string | null;
}

/** Looks at a live cluster; the document holds the machines asked about, and the cluster. */
export async function lookAtCluster(
  question: LiveQuestion,
  context: CliContext,
): Promise<LiveEvidence> {
  await mustBeWellAsked(question);
  const clients = await openClients(question.flags);
  const stop = endOnInterrupt();
  try {
    return await lookWith(clients, question, context);
  } finally {
    stop();
    await clients.close();
  }
}

/** Throws what can be known to be wrong before anything is asked. */
export async function mustBeWellAsked({ flags, save }: LiveQuestion): Promise<void> {
  timeLimitMs(flags.timeout);
  if (save !== null) await (await import('./bundle.ts')).mustBeWritable(save);
}

/** The same over clients that are open, and stay so. */
export async function lookWith(
  clients: LookClients,
  question: LiveQuestion,
  context: CliContext,
): Promise<LiveEvidence> {
  const saved = new Map<string, CollectedDocument>();
  const seen = await observe(clients, {
    cluster: question.flags.cluster ?? null,
    asked: question.names,
    isDeep: question.isDeep,
    timeoutMs: timeLimitMs(question.flags.timeout),
    sinceMs: question.sinceMs,
    progress: context.progress,
    onDocument: (one) => {
      if (question.save !== null) saved.set(one.name, one);
    },
  });
  context.progress('');
  mustHaveAnswered(seen, clients);
  tellUnknownNames(question.names, seen, context);
  if (question.save !== null) {
    const { writeBundle } = await import('./bundle.ts');
    await writeBundle(question.save, [...saved.values()]);
  }
  return seen;
}

/** Without one answer there is nothing to say but why. */
function mustHaveAnswered({ observations }: LiveEvidence, { aws, kube }: LookClients): void {
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

/** A name that fits no machine is most often mistyped, or of another cluster. */
function tellUnknownNames(
  names: readonly string[],
  { observations, document }: LiveEvidence,
  context: CliContext,
): void {
  if (document.subjects.some(({ kind }) => kind === 'Machine')) return;
  const where = observations.collection?.cluster ?? 'what was looked at';
  for (const name of names)
    context.err(`No machine of ${where} is called ${excerptOf(name)}; see all: rollcall status\n`);
}

/** Ends by the usual way, on which programs that were started for a credential end too. */
export function endOnInterrupt(): () => void {
  const end = (): never => process.exit(128 + INTERRUPT);
  process.once('SIGINT', end);
  return () => process.removeListener('SIGINT', end);
}

/** One document for a live question; several contexts are several clusters in one document. */
export async function diagnoseCluster(
  question: LiveQuestion,
  contexts: readonly string[],
  context: CliContext,
): Promise<DiagnosisDocument> {
  const [only] = contexts;
  if (contexts.length <= 1) {
    const flags = only === undefined ? question.flags : { ...question.flags, context: only };
    return (await lookAtCluster({ ...question, flags }, context)).document;
  }
  const documents: DiagnosisDocument[] = [];
  for (const name of contexts) {
    const flags = { ...question.flags, context: name };
    documents.push((await lookAtCluster({ ...question, flags }, context)).document);
  }
  return mergedDocument(documents);
}

/** Subjects of all; the headline is the first cluster's that has one, in the order given. */
export function mergedDocument(documents: readonly DiagnosisDocument[]): DiagnosisDocument {
  const [first] = documents;
  if (first === undefined) throw new SourceError('No context was named.');
  return {
    ...first,
    headline: documents.find(({ headline }) => headline !== null)?.headline ?? null,
    subjects: documents.flatMap(({ subjects }) => subjects),
    losses: documents.flatMap(({ losses }) => losses),
  };
}
