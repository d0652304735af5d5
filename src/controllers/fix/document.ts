import { type FixOutcome, type FixStep, isWell, undoCommand } from './fix.ts';

/** The document that `rollcall fix … -o json` prints; other programs rely on its shape. */
export interface FixDocument {
  readonly apiVersion: 'rollcall.dev/v1alpha1';
  readonly kind: 'Fix';
  /** `auth`, `undo`, … */
  readonly fix: string;
  /** Names it for `rollcall fix undo`; null where nothing was written. */
  readonly id: string | null;
  readonly isDryRun: boolean;
  /** Why it was done: a cause that is definite, or that somebody asked. */
  readonly why: { readonly cause: string | null; readonly text: string };
  /** What it disturbs, in sentences; empty for what disturbs nothing. */
  readonly disturbs: readonly string[];
  readonly steps: readonly FixStep[];
  /** The command that takes it back; null where nothing is to be taken back. */
  readonly undo: string | null;
  /** What came of it, where that was waited for; null where it was not. */
  readonly result: { readonly isReached: boolean; readonly text: string } | null;
}

/** What a document says before anything is known of its changes. */
export type FixBeginning = Pick<FixDocument, 'fix' | 'isDryRun' | 'why'>;

/** A document of changes that were made, or would be. */
export function fixDocument(
  beginning: FixBeginning,
  id: string,
  steps: readonly FixStep[],
  disturbs: readonly string[] = [],
): FixDocument {
  const isWritten = steps.some(({ outcome }) => WRITTEN.has(outcome));
  const isChange = isWritten || steps.some(({ outcome }) => outcome === 'would-write');
  return {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'Fix',
    ...beginning,
    id: isWritten ? id : null,
    disturbs: isChange ? disturbs : [],
    steps,
    undo: isWritten && !WITHOUT_UNDO.has(beginning.fix) ? undoCommand(id) : null,
    result: null,
  };
}

/** What takes back is not taken back, and what was deleted or evicted is gone. */
const WITHOUT_UNDO: ReadonlySet<string> = new Set(['undo', 'eni', 'name', 'node', 'pods']);

/** A change whose answer was lost may have taken effect, and is to be taken back too. */
const WRITTEN: ReadonlySet<FixOutcome> = new Set(['written', 'overwritten', 'unclear']);

/** True where everything is as it is to be, or would be. */
export function isFixed({ steps, result }: FixDocument): boolean {
  return steps.every(isWell) && result?.isReached !== false;
}
