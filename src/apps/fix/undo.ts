import { ENTRY_NOTE, POLICY_NOTE } from '../../controllers/fix/auth/fix-entry.ts';
import { MAP_NOTE } from '../../controllers/fix/auth/fix-map.ts';
import { lastOfEach, undoEntry, undoPolicy } from '../../controllers/fix/auth/undo-entry.ts';
import { undoMap } from '../../controllers/fix/auth/undo-map.ts';
import { CNI_NOTE } from '../../controllers/fix/cni/fix-cni.ts';
import { undoCni } from '../../controllers/fix/cni/undo-cni.ts';
import { type FixDocument, fixDocument } from '../../controllers/fix/document.ts';
import { ENI_NOTE } from '../../controllers/fix/eni/fix-eni.ts';
import type { FixOrder, FixStep, FixTools, UndoNote } from '../../controllers/fix/fix.ts';
import { NODE_DELETION_NOTE } from '../../controllers/fix/name/fix-name.ts';
import { MACHINE_NOTE } from '../../controllers/fix/node/machine-repair.ts';
import { POD_NOTE } from '../../controllers/fix/pods/fix-pods.ts';
import { HOP_LIMIT_NOTE, undoHops } from '../../controllers/fix/machine/hop-limit.ts';
import { TAINT_NOTE, undoTaint } from '../../controllers/fix/machine/startup-taint.ts';
import { plainStep } from '../../controllers/fix/step.ts';
import { textAt } from '../../evidence/json.ts';
import { type CliContext, UsageError } from '../cli/context.ts';
import type { LiveFlags } from '../cli/live/flags.ts';
import { quoted } from '../cli/options/quoted.ts';
import { MAP_EDITOR } from './auth.ts';
import { inFixSession } from './session.ts';

export interface UndoOptions {
  readonly flags: LiveFlags;
  readonly record: string | null;
  readonly isDryRun: boolean;
  readonly id: string;
}

const IDS_SHOWN = 10;

/** Takes back what a fix changed, from its last change to its first. @throws UsageError */
export async function runUndo(options: UndoOptions, context: CliContext): Promise<FixDocument> {
  const { id, isDryRun } = options;
  return await inFixSession({ ...options, context }, async (session) => {
    const notes = await session.notesOf(id);
    if (notes === null) throw new UsageError(unknownFix(id, await session.ids()));
    const why = { kind: 'request', name: 'undo', text: `Fix ${id} is taken back.` } as const;
    const order: FixOrder = { id, isDryRun, why };
    const tools = session.tools({ id: `${id}-undo`, isDryRun });
    const steps: FixStep[] = [];
    for (const note of lastOfEach(notes).toReversed()) steps.push(await undone(note, order, tools));
    return fixDocument({ fix: 'undo', isDryRun, why: { cause: null, text: why.text } }, id, steps);
  });
}

function unknownFix(id: string, ids: readonly string[]): string {
  const known = ids.slice(-IDS_SHOWN).join(', ');
  const told = known === '' ? 'none is recorded for this cluster' : `the last ones: ${known}`;
  return `unknown fix ${quoted(id)}; ${told}`;
}

async function undone(note: UndoNote, order: FixOrder, tools: FixTools): Promise<FixStep> {
  const kind = textAt(note, 'kind');
  if (kind === MAP_NOTE) return await undoMap(note, order, { tools, editor: MAP_EDITOR });
  if (kind === HOP_LIMIT_NOTE) return await undoHops(note, order, tools);
  if (kind === CNI_NOTE) return await undoCni(note, order, tools);
  if (kind === TAINT_NOTE) return await undoTaint(note, order, tools);
  if (kind === ENTRY_NOTE) return await undoEntry(note, order, tools);
  if (kind === POLICY_NOTE) return await undoPolicy(note, order, tools);
  if (kind === ENI_NOTE) return interfaceStep(note);
  if (kind === POD_NOTE) return podStep(note);
  if (kind === MACHINE_NOTE) return machineStep(note);
  if (kind === NODE_DELETION_NOTE) return nodeStep(note);
  return plainStep('fix', 'refused', 'This version of Rollcall does not know such a change.');
}

function podStep(note: UndoNote): FixStep {
  const why = 'An evicted Pod cannot be taken back; its controller has made another.';
  return plainStep(`Pod ${textAt(note, 'name') ?? ''}`, 'refused', why);
}

function machineStep(note: UndoNote): FixStep {
  const isRestart = textAt(note, 'does') === 'restart';
  const why = isRestart
    ? 'A restart of a kubelet cannot be taken back.'
    : 'A machine that was replaced cannot be taken back; another came in its place.';
  return plainStep(`machine ${textAt(note, 'instanceId') ?? ''}`, 'refused', why);
}

function nodeStep(note: UndoNote): FixStep {
  const why = 'A deleted Node cannot be taken back; the kubelet of its machine makes its Node.';
  return plainStep(`Node ${textAt(note, 'name') ?? ''}`, 'refused', why);
}

function interfaceStep(note: UndoNote): FixStep {
  const why =
    'A deleted network interface cannot be taken back; the CNI makes new ones as it needs them.';
  return plainStep(`network interface ${textAt(note, 'id') ?? ''}`, 'refused', why);
}
