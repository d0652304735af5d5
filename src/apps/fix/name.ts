import { systemClock } from '../../adapters/system/clock.ts';
import { type FixDocument, fixDocument } from '../../controllers/fix/document.ts';
import {
  fixNames,
  NAME_DISTURBS,
  NODE_DELETION_NOTE,
} from '../../controllers/fix/name/fix-name.ts';
import { repairsIn } from '../../controllers/fix/repairs-in.ts';
import { plainStep } from '../../controllers/fix/step.ts';
import type { CliContext } from '../cli/context.ts';
import { lookWith, wholeQuestion } from '../cli/live/diagnose-cluster.ts';
import type { LiveFlags } from '../cli/live/flags.ts';
import { newFixId } from './new-id.ts';
import { notedSince } from './noted-since.ts';
import { inFixSession } from './session.ts';

export interface NameFixOptions {
  readonly flags: LiveFlags;
  readonly record: string | null;
  readonly isDryRun: boolean;
  /** Nodes and instances; empty for all that are found. */
  readonly names: readonly string[];
  /** Nodes that are deleted within one hour. */
  readonly mostOfHour: number;
}

const NAME = 'name';
const HOUR_MS = 3_600_000;
const WHY = 'Nodes to which no kubelet reports, as their machines have others or are gone.';
const NONE = 'No definite cause names one that was left behind.';

/** Deletes Nodes that were left behind. @throws SourceError where no source answers */
export async function runNameFix(
  options: NameFixOptions,
  context: CliContext,
): Promise<FixDocument> {
  const { flags, isDryRun, names, mostOfHour } = options;
  return await inFixSession({ ...options, context }, async (session) => {
    const { document } = await lookWith(session.clients, wholeQuestion(names, flags), context);
    const named = repairsIn(document, 'delete-node');
    const targets = [...new Map(named.map((one) => [one.repair.uid, one])).values()];
    const id = newFixId(NAME);
    const noted = { fix: NAME, kind: NODE_DELETION_NOTE };
    const used = await notedSince(session, noted, systemClock.nowMs() - HOUR_MS);
    const order = { id, isDryRun, targets, most: Math.max(0, mostOfHour - used) };
    const steps = await fixNames(order, session.tools({ id, isDryRun }));
    const why = { cause: targets[0]?.cause ?? null, text: WHY };
    const all = steps.length === 0 ? [plainStep('Nodes', 'not-needed', NONE)] : steps;
    return fixDocument({ fix: NAME, isDryRun, why }, id, all, NAME_DISTURBS);
  });
}
