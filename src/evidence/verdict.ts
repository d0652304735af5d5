export const VERDICTS = ['usable', 'not-usable', 'cannot-tell'] as const;

/** Whether a machine can be used; what nobody could see is never fine. */
export type Verdict = (typeof VERDICTS)[number];

/** The verdict over several: the worst of theirs; nothing at all tells nothing. */
export function worstOf(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes('not-usable')) return 'not-usable';
  return verdicts.length === 0 || verdicts.includes('cannot-tell') ? 'cannot-tell' : 'usable';
}
