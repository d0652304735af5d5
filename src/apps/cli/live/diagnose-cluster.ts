import type { CollectedDocument } from '../../../adapters/collection/document.ts';
import type { DiagnosisDocument } from '../../../diagnosis/document.ts';
import { type CliContext, SourceError } from '../context.ts';
import type { LiveFlags } from './flags.ts';
import { type LiveEvidence, observe } from './observe.ts';
import { openClients } from './open-clients.ts';
import { timeLimitMs } from './time-limit.ts';

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
  const timeoutMs = timeLimitMs(question.flags.timeout);
  const clients = await openClients(question.flags);
  const saved = new Map<string, CollectedDocument>();
  try {
    const seen = await observe(clients, {
      cluster: question.flags.cluster ?? null,
      asked: question.names,
      isDeep: question.isDeep,
      timeoutMs,
      sinceMs: question.sinceMs,
      progress: context.progress,
      onDocument: (one) => {
        if (question.save !== null) saved.set(one.name, one);
      },
    });
    context.progress('');
    mustHaveAnswered(seen);
    if (question.save !== null) {
      const { writeBundle } = await import('./bundle.ts');
      await writeBundle(question.save, [...saved.values()]);
    }
    return seen;
  } finally {
    await clients.close();
  }
}

/** Without one answer there is nothing to say but why. */
function mustHaveAnswered({ observations }: LiveEvidence): void {
  const refusals = observations.collection?.refusals ?? [];
  const answers = observations.facts.length + observations.listings.length;
  if (answers > 0 || refusals.length === 0) return;
  const messages = [...new Set(refusals.map(({ message }) => message))];
  throw new SourceError(messages.slice(0, 4).join('\n'));
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
  return merged(documents);
}

/** Subjects of all; the headline is the first cluster's that has one, in the order given. */
function merged(documents: readonly DiagnosisDocument[]): DiagnosisDocument {
  const [first] = documents;
  if (first === undefined) throw new SourceError('No context was named.');
  return {
    ...first,
    headline: documents.find(({ headline }) => headline !== null)?.headline ?? null,
    subjects: documents.flatMap(({ subjects }) => subjects),
    losses: documents.flatMap(({ losses }) => losses),
  };
}
