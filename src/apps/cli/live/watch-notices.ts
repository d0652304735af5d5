import { cellText } from '../table/width.ts';
import type { WatchTrouble } from './watch-troubles.ts';

/** What whoever watches has to know of the watch itself, in one line. */
export interface WatchNotice {
  /** The same for as long as it is the same trouble, whatever its line says. */
  readonly key: string;
  readonly line: string;
  /** The kinds of objects that it concerns. */
  readonly kinds: readonly string[];
  /** What is said when it is over. */
  readonly over: string;
}

const WHY: Readonly<Record<string, string>> = {
  timeout: 'the API server is silent',
  unreachable: 'the API server cannot be reached',
  throttled: 'the API server is busy',
  unavailable: 'the API server is not ready',
};

function isDeniedWatch({ phase, failure }: Pick<WatchTrouble, 'phase' | 'failure'>): boolean {
  return phase === 'denied' || (phase === 'polling' && failure === 'denied');
}

function whyOf({ phase, failure }: WatchTrouble): string {
  if (isDeniedWatch({ phase, failure })) return 'watch permission is denied';
  if (phase === 'unauthenticated') return 'the API server does not know this identity';
  if (phase === 'silent') return 'the API server is silent';
  if (failure === null)
    return phase === 'listing' ? 'the first list is not complete' : 'the API server is silent';
  return WHY[failure] ?? `the API server does not answer with a watch (${failure})`;
}

function namesOf(troubles: readonly WatchTrouble[]): string {
  const names = [...new Set(troubles.map(({ kind }) => `${kind}s`))];
  const last = names.pop() ?? '';
  return names.length === 0 ? last : `${names.join(', ')} and ${last}`;
}

function ageOf(troubles: readonly WatchTrouble[]): string {
  const ages = troubles.flatMap(({ staleMs }) => staleMs ?? []);
  return ages.length === troubles.length
    ? `as of ${Math.round(Math.max(...ages) / 1000)} s ago`
    : 'not watched yet';
}

const GRANT = 'grant it: rollcall permissions --for watch';

function noticeOf(
  why: string,
  troubles: readonly WatchTrouble[],
  pauseMs: number,
  place: string,
): WatchNotice {
  const names = namesOf(troubles);
  const isDenied = troubles.some(isDeniedWatch);
  const age = isDenied ? 'not watched' : ageOf(troubles);
  const instead = `looking every ${pauseMs / 1000} s instead`;
  const line = `${place}${names} ${age}: ${why}; ${instead}${isDenied ? `; ${GRANT}` : ''}`;
  // The watches of a server that was silent begin again one after the other.
  const over = isDenied ? `${names} are watched again` : 'changes arrive again';
  const kinds = troubles.map(({ kind }) => kind);
  return { key: `${place}${why}`, line, kinds, over: `${place}${over}` };
}

/** One line for each reason, however many watches it concerns; `place` names one of clusters. */
export function noticesOf(
  troubles: readonly WatchTrouble[],
  pauseMs: number,
  place: string | null = null,
): readonly WatchNotice[] {
  const where = place === null ? '' : `${cellText(place)}: `;
  const reasons = Map.groupBy(troubles, whyOf);
  return [...reasons].map(([why, own]) => noticeOf(why, own, pauseMs, where));
}

/** Says each notice when it comes, when it concerns more, and when it is over: for readers of lines. */
export function sayNotices(say: (line: string) => void): (notices: readonly WatchNotice[]) => void {
  const known = new Map<string, { readonly over: string; readonly kinds: ReadonlySet<string> }>();
  return (notices) => {
    for (const { key, line, over, kinds } of notices) {
      const before = known.get(key)?.kinds;
      if (before !== undefined && kinds.every((kind) => before.has(kind))) continue;
      known.set(key, { over, kinds: new Set(kinds).union(before ?? new Set()) });
      say(line);
    }
    for (const [key, { over }] of known) {
      if (notices.some((one) => one.key === key)) continue;
      known.delete(key);
      say(over);
    }
  };
}
