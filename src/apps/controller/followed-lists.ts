import { type FeedHealth, STALE_MS } from '../../collection/resident/feeds.ts';

/** A line about a list, and whether it is a warning. */
export interface ListLine {
  readonly isWarning: boolean;
  readonly text: string;
}

/** Why a list is not followed as it should be; null while it is. */
function troubleOf({ phase, staleMs, isSynced }: FeedHealth): string | null {
  if (phase === 'polling') return 'is not watched';
  if (phase === 'denied' || phase === 'unauthenticated') return 'may not be read';
  return isSynced && staleMs > STALE_MS ? 'is not confirmed by the API server' : null;
}

const UNANSWERED = 'it does not answer; ask how it is: kubectl get --raw /readyz?verbose';

/** Says once when a list is no longer followed, and once when it is again. */
export class FollowedLists {
  readonly #told = new Map<string, string>();

  take(lists: readonly FeedHealth[]): readonly ListLine[] {
    return lists.flatMap((list) => this.#line(list));
  }

  #line(list: FeedHealth): readonly ListLine[] {
    const trouble = troubleOf(list);
    const before = this.#told.get(list.kind) ?? null;
    if (trouble === before) return [];
    if (trouble === null) {
      this.#told.delete(list.kind);
      return [{ isWarning: false, text: `${list.kind} is followed again` }];
    }
    this.#told.set(list.kind, trouble);
    return [{ isWarning: true, text: `${list.kind} ${trouble}: ${list.message ?? UNANSWERED}` }];
  }
}
