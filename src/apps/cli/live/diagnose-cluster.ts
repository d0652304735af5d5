import type { CollectedDocument } from '../../../adapters/collection/document.ts';
import type { DiagnosisDocument } from '../../../diagnosis/document.ts';
import { type CliContext, SourceError } from '../context.ts';
import type { LiveFlags } from './flags.ts';
import { type LiveEvidence, observe } from './observe.ts';
import { openClients } from './open-clients.ts';

export interface LiveQuestion {
  /** Machines that are asked about; empty for the whole cluster. */
  readonly names: readonly string[];
  readonly flags: LiveFlags;
  readonly isDeep: boolean;
  /** The file into which the evidence is written, null for none. */
  readonly save: string | null;
}

/** Looks at a live cluster; the document holds the machines asked about, and the cluster. */
export async function lookAtCluster(
  question: LiveQuestion,
  context: CliContext,
): Promise<LiveEvidence> {
  const clients = await openClients(question.flags);
  const saved = new Map<string, CollectedDocument>();
  try {
    const seen = await observe(clients, {
      cluster: question.flags.cluster ?? null,
      asked: question.names,
      isDeep: question.isDeep,
      progress: context.progress,
      onDocument: (one) => {
        if (question.save !== null) saved.set(one.name, one);
      },
    });
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

/** The document for a live question. */
export async function diagnoseCluster(
  question: LiveQuestion,
  context: CliContext,
): Promise<DiagnosisDocument> {
  return (await lookAtCluster(question, context)).document;
}
