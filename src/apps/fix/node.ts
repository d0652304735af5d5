import { systemClock } from '../../adapters/system/clock.ts';
import { type FixDocument, fixDocument } from '../../controllers/fix/document.ts';
import { fixNodes, machinesNamedIn, nodeDisturbs } from '../../controllers/fix/node/fix-node.ts';
import { MACHINE_NOTE } from '../../controllers/fix/node/machine-repair.ts';
import { plainStep } from '../../controllers/fix/step.ts';
import type { OnRequest } from '../../collection/on-request.ts';
import type { CliContext } from '../cli/context.ts';
import { lookWith, wholeQuestion } from '../cli/live/diagnose-cluster.ts';
import type { LiveFlags } from '../cli/live/flags.ts';
import { newFixId } from './new-id.ts';
import { notedSince } from './noted-since.ts';
import { inFixSession } from './session.ts';

export interface NodeFixOptions {
  readonly flags: LiveFlags;
  readonly record: string | null;
  readonly isDryRun: boolean;
  /** Nodes and instances; empty for all that have a cause. */
  readonly names: readonly string[];
  /** Machines that are restarted or replaced within one hour. */
  readonly mostOfHour: number;
  /** How long the Node that comes of each may take to be Ready, ms. */
  readonly waitMs: number;
  /** Also read the journals of machines without a Node. */
  readonly hasSsm: boolean;
}

const NAME = 'node';
const HOUR_MS = 3_600_000;
const NONE =
  'No definite cause names a machine that a restart of its kubelet or another machine would fix.';
const MORE = ' With --ssm the journals of kubelets without a Node are read too.';
const WHY = 'Machines that a restart of their kubelet fixes, or only another machine.';

/** Restarts kubelets and replaces machines. @throws SourceError where no source answers */
export async function runNodeFix(
  options: NodeFixOptions,
  context: CliContext,
): Promise<FixDocument> {
  const { flags, isDryRun, names, mostOfHour, waitMs, hasSsm } = options;
  return await inFixSession({ ...options, context }, async (session) => {
    const onRequest = new Set<OnRequest>(hasSsm ? ['ssm'] : []);
    const question = { ...wholeQuestion(names, flags), onRequest };
    const { document } = await lookWith(session.clients, question, context);
    const targets = machinesNamedIn(document);
    const id = newFixId(NAME);
    const noted = { fix: NAME, kind: MACHINE_NOTE };
    const used = await notedSince(session, noted, systemClock.nowMs() - HOUR_MS);
    const most = Math.max(0, mostOfHour - used);
    const order = { id, isDryRun, targets, most, waitMs };
    const { steps, result } = await fixNodes(order, session.tools({ id, isDryRun }));
    const [first] = targets;
    const nothing = hasSsm ? NONE : NONE + MORE;
    const why = { cause: first?.cause ?? null, text: first === undefined ? nothing : WHY };
    const none = plainStep('machines', 'not-needed', nothing);
    const beginning = { fix: NAME, isDryRun, why };
    const all = steps.length === 0 ? [none] : steps;
    return { ...fixDocument(beginning, id, all, nodeDisturbs(targets)), result };
  });
}
