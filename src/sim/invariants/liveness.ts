import type { EvidenceLine, Finding, SubjectReport } from '../../diagnosis/document.ts';
import { isoMs } from '../../evidence/time.ts';
import type { TrueState } from '../oracle/judge.ts';
import type { Invariant, Look } from './contract.ts';

/** `--event-ttl` of the API server. */
const EVENT_TTL_MS = 3_600_000;

function isSaid({ confidence }: Finding): boolean {
  return confidence !== 'possible';
}

/** What is said of a machine, for telling whether it stays the same. */
function opinionOf({ verdict, findings }: SubjectReport): string {
  const causes = findings.filter(isSaid).map(({ cause }) => cause);
  return [verdict, ...causes.toSorted()].join(' ');
}

/** A container's log is read by its end: what was among the last lines is not there for ever. */
function hasScrolledOff({ locator, excerpt }: EvidenceLine, { observations }: Look): boolean {
  const { documents, hits } = observations;
  const log = locator.slice(0, locator.lastIndexOf(':'));
  if (!log.includes(' logs ') || !documents.some((one) => one.locator === log)) return false;
  const left = hits.filter(({ document }) => documents[document]?.locator === log);
  return !left.some(({ quotes }) => quotes.some((quote) => quote.excerpt === excerpt));
}

/** True where an event or a line that proved it is no longer there for anybody. */
function hasLapsed({ evidence }: Finding, look: Look): boolean {
  return evidence.some((line) => {
    const saidMs = line.source === 'event' && line.time !== null ? isoMs(line.time) : null;
    const isExpired = saidMs !== null && saidMs + EVENT_TTL_MS <= look.atMs;
    return isExpired || hasScrolledOff(line, look);
  });
}

/** All that is no longer said was proved by what is gone, and nothing new is said. */
function isForgotten(before: SubjectReport, now: SubjectReport, look: Look): boolean {
  const said = new Set(now.findings.filter(isSaid).map(({ cause }) => cause));
  const lost = before.findings.filter((finding) => isSaid(finding) && !said.has(finding.cause));
  const known = new Set(before.findings.map(({ cause }) => cause));
  return (
    lost.length > 0 &&
    lost.every((finding) => hasLapsed(finding, look)) &&
    [...said].every((cause) => known.has(cause))
  );
}

/** More is said than before, and all that was: some causes show only after a while. */
function isGrown(before: SubjectReport, now: SubjectReport): boolean {
  const said = new Set(now.findings.filter(isSaid).map(({ cause }) => cause));
  return (
    before.verdict === now.verdict &&
    before.findings.filter(isSaid).every(({ cause }) => said.has(cause))
  );
}

function stateOf(look: Look, { instanceId, node }: SubjectReport): TrueState | null {
  return (
    look.states.find((one) => one.instanceId === instanceId) ??
    look.states.find((one) => node !== null && one.node === node) ??
    null
  );
}

/**
 * After the faults have ended, what is said of a machine that stays broken is said again at the next
 * look, and never that it is usable.
 */
export function steadyVerdicts(): Invariant {
  const before = new Map<string, { readonly subject: SubjectReport; readonly isUsable: boolean }>();
  return {
    rule: 'L-02',
    look(look, { evaluated, violated }) {
      if (!look.isCalm || look.way !== 'live' || !look.isWhole) return;
      for (const subject of look.document.subjects) {
        const state = stateOf(look, subject);
        if (state === null) continue;
        evaluated();
        const known = before.get(subject.name);
        before.set(subject.name, { subject, isUsable: state.isUsable });
        if (!state.isUsable && subject.verdict === 'usable')
          violated(subject.name, 'it is not usable, and is called usable');
        if (known?.isUsable !== false || state.isUsable) continue;
        const [was, is] = [opinionOf(known.subject), opinionOf(subject)];
        const isSame = isGrown(known.subject, subject) || isForgotten(known.subject, subject, look);
        if (!isSame) violated(subject.name, `the verdict changes in a calm: ${was}, then ${is}`);
      }
    },
  };
}

/**
 * At the end of the calm every machine has joined and stayed, or a cause is named, or it is said
 * what is missing to name one.
 */
export const joinedOrNamed: Invariant = {
  rule: 'L-04',
  look(look, { evaluated, violated, marks }) {
    if (!look.isLast || look.way !== 'live' || !look.isWhole) return;
    const isAllWell = look.states.every(({ isUsable }) => isUsable);
    if (isAllWell && look.states.length > 0) marks.reach('calm-and-well');
    if (look.states.every(({ isUsable }) => !isUsable)) marks.reach('whole-fleet-broken');
    for (const { judgement, subject, instanceId } of look.judged) {
      evaluated();
      const report = look.document.subjects.find(({ name }) => name === subject);
      const isExplained = (report?.notObservable.length ?? 0) + (report?.findings.length ?? 0) > 0;
      if (judgement === 'open' && instanceId !== null && !isExplained)
        violated(subject, 'it is not usable, no cause is named and nothing is said to be missing');
    }
  },
};
