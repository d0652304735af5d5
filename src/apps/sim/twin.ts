import type { SubjectReport } from '../../diagnosis/document.ts';
import type { Look, Violation } from '../../sim/invariants/contract.ts';
import type { RunResult } from '../../sim/run/log.ts';

/** How a run ended, and what Rollcall said of it then. */
export interface Ending {
  readonly result: RunResult;
  /** The last look over the APIs; null where the run ended before it. */
  readonly last: Look | null;
}

/** Requests of the watchers, which I-33 counts one by one. */
const REQUESTS = 'I-33';
/** A watcher that was cut, refused or deceived may ask so much more than its twin, and no more. */
const REQUESTS_FACTOR = 2;
const REQUESTS_BESIDE = 200;

/**
 * Compares a run with the same seed without faults, after the calm: a machine that is as well as in
 * the twin is called what it is called there, unless a cause is named or something is said to be
 * missing; and the watchers have not asked for much more.
 */
export function twinDifferences(run: Ending, twin: Ending): readonly Violation[] {
  if (run.last === null || twin.last === null) return [];
  return [...verdictsOf(run.last, twin.last), ...requestsOf(run, twin, run.last.atMs)];
}

function verdictsOf(last: Look, twin: Look): readonly Violation[] {
  return last.document.subjects.flatMap((subject) => {
    const other = twin.document.subjects.find(
      ({ instanceId }) => instanceId === subject.instanceId,
    );
    const isSame = other === undefined || other.verdict === subject.verdict;
    if (isSame || isExplained(subject) || isExplained(other)) return [];
    if (usability(last, subject) !== usability(twin, other)) return [];
    const what = `twin: reported ${subject.verdict}, but ${other.verdict} without the faults`;
    return [{ rule: 'twin', atMs: last.atMs, subject: subject.name, what }];
  });
}

function isExplained({ findings, notObservable }: SubjectReport): boolean {
  return findings.length + notObservable.length > 0;
}

/** As it truly is; null for what is no machine. */
function usability({ states }: Look, { instanceId }: SubjectReport): boolean | null {
  return states.find((one) => one.instanceId === instanceId)?.isUsable ?? null;
}

function requestsOf(run: Ending, twin: Ending, atMs: number): readonly Violation[] {
  const [asked, least] = [run, twin].map(({ result }) => result.counts.evaluations.get(REQUESTS));
  const most = (least ?? 0) * REQUESTS_FACTOR + REQUESTS_BESIDE;
  if ((asked ?? 0) <= most) return [];
  const what = `twin: the watchers asked ${asked} times, but ${least} times without the faults`;
  return [{ rule: 'twin', atMs, subject: 'watchers', what }];
}
