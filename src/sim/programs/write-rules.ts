import { at, type Json, listAt, textAt } from '../../evidence/json.ts';
import { isoMs } from '../../evidence/time.ts';
import {
  hasChanged,
  isDryRun,
  type LedgerEntry,
  placeOf,
  versionNeeded,
  versionOf,
} from './ledger.ts';
import { isOfEvent, isOfLease, type ProgramRule } from './rules.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

function isDone({ code, request }: LedgerEntry): boolean {
  return code < 300 && !isDryRun(request);
}

/** Of an Event a count is set; nothing is lost by a version that nobody compares. */
const versioned: ProgramRule = {
  rule: 'I-06',
  start: ({ evaluated, violated }) => ({
    onWrite(entry) {
      const { request, before, program } = entry;
      if (request.verb === 'create' || isOfEvent(entry) || !isDone(entry)) return;
      evaluated();
      const needed = versionNeeded(request);
      if (needed === null || needed !== versionOf(before))
        violated(
          placeOf(request),
          `${program}: ${request.verb} without the version it was made from`,
        );
    },
  }),
};

const REFUSED: ReadonlySet<number> = new Set([401, 403]);

/** A write that took effect or may have is not sent once more before anything was read. */
const notBlindly: ProgramRule = {
  rule: 'I-15',
  start({ evaluated, violated }) {
    const sent = new Map<string, Set<string>>();
    const kindOf = (program: string, plural: string): string => `${program} ${plural}`;
    return {
      onRead(program, plural, how) {
        const known = sent.get(kindOf(program, plural)) ?? new Set();
        // What was made may have gone again; of a version there is no second time.
        for (const write of known)
          if (how === 'get' || how === 'listed' || write.startsWith('create ')) known.delete(write);
      },
      onWrite(entry) {
        const { request, program } = entry;
        // A name that was drawn once makes the second one a refusal, which is what is waited for.
        if (isOfEvent(entry) || isDryRun(request) || entry.isCopy) return;
        evaluated();
        // Who may not write has written nothing.
        if (REFUSED.has(entry.code)) return;
        const kind = kindOf(program, request.path.plural);
        const known = sent.get(kind) ?? new Set();
        sent.set(kind, known);
        const write = `${request.verb} ${placeOf(request)} ${versionNeeded(request) ?? 'new'}`;
        if (known.has(write)) violated(placeOf(request), `${program}: sent again unread: ${write}`);
        known.add(write);
      },
    };
  },
};

/** How long a leader leads after its last renewal, and the longest that a request is on its way. */
const RENEW_MS = 10 * SECOND_MS;

function holderOf({ after }: LedgerEntry): string | null {
  return textAt(after ?? {}, 'spec.holderIdentity');
}

/** By true time: a leader that stands still has the time of its last renewal against it. */
const whileLeading: ProgramRule = {
  rule: 'I-16',
  start({ evaluated, violated }) {
    const untilMs = new Map<string, number>();
    return {
      onWrite(entry) {
        const { program, request, calledMs } = entry;
        if (isOfEvent(entry)) return;
        if (isOfLease(entry)) {
          const isHeld = isDone(entry) && holderOf(entry) === program;
          if (isHeld) untilMs.set(program, calledMs + RENEW_MS);
          return;
        }
        evaluated();
        const deadlineMs = untilMs.get(program);
        if (deadlineMs === undefined || calledMs > deadlineMs)
          violated(
            placeOf(request),
            `${program}: ${request.verb} ${calledMs - (deadlineMs ?? calledMs)} ms after its time as leader`,
          );
      },
    };
  },
};

/** A machine that is there for so long is in every list, however late watches are. */
const LISTED_MS = 30 * SECOND_MS;

/** Machines are not given up by what could not be read. */
const notGivenUp: ProgramRule = {
  rule: 'I-22',
  start({ evaluated, violated, people, kernel }) {
    const sinceMs = new Map<string, number>();
    people.follow('Node', (type, node) => {
      const ids = [
        /i-[0-9a-f]+$/.exec(textAt(node, 'spec.providerID') ?? '')?.[0],
        textAt(node, 'metadata.name'),
      ];
      for (const id of ids) {
        if (id === undefined || id === null) continue;
        if (type === 'DELETED') sinceMs.delete(id);
        else if (!sinceMs.has(id)) sinceMs.set(id, kernel.nowMs());
      }
    });
    return {
      onWrite(entry) {
        const { request, before, after, atMs, program } = entry;
        if (request.path.plural !== 'nodereports' || !isDone(entry)) return;
        const isGone = (object: typeof after): boolean =>
          textAt(object ?? {}, 'status.goneSince') !== null;
        if (!(request.verb === 'delete' || (isGone(after) && !isGone(before)))) return;
        evaluated();
        const thereMs = sinceMs.get(request.path.name ?? '');
        if (thereMs !== undefined && atMs - thereMs > LISTED_MS)
          violated(placeOf(request), `${program}: reports a machine as gone that is there`);
      },
    };
  },
};

/** The longest that a cache may be old that anything is decided from. */
const CACHE_MS = 90 * SECOND_MS;

/** What is decided is decided after the cache has seen our own last write, and from a young cache. */
const fromFresh: ProgramRule = {
  rule: 'I-23',
  start({ evaluated, violated }) {
    const own = new Map<string, number>();
    const heardMs = new Map<string, number>();
    let nowMs = 0;
    return {
      onRestored: () => own.clear(),
      onRead(program, plural) {
        heardMs.set(`${program} ${plural}`, nowMs);
      },
      onWrite(entry) {
        const { request, program, after, calledMs, atMs } = entry;
        nowMs = atMs;
        if (isOfEvent(entry) || isOfLease(entry) || isDryRun(request) || entry.isCopy) return;
        evaluated();
        const place = `${program} ${placeOf(request)}`;
        const known = own.get(place);
        const needed = request.verb === 'create' ? -1 : Number(versionNeeded(request));
        if (known !== undefined && needed < known)
          violated(
            placeOf(request),
            `${program}: ${request.verb} from a cache older than its own last write`,
          );
        const ageMs = calledMs - (heardMs.get(`${program} ${request.path.plural}`) ?? -Infinity);
        if (ageMs > CACHE_MS)
          violated(placeOf(request), `${program}: ${request.verb} from a cache of ${ageMs} ms ago`);
        if (entry.isUnanswered) return;
        if (entry.code < 300 && after !== null) own.set(place, Number(versionOf(after)));
        if (entry.code < 300 && after === null) own.delete(place);
      },
    };
  },
};

const SAME_EVENT_MS = 10 * MINUTE_MS;

/** What happens once is one Event of a program. */
const oneEvent: ProgramRule = {
  rule: 'I-34',
  start({ evaluated, violated }) {
    const told = new Map<string, number>();
    return {
      onWrite(entry) {
        const { request, program, after, atMs } = entry;
        if (!isOfEvent(entry) || !isDone(entry) || request.verb !== 'create') return;
        evaluated();
        const uid = textAt(after ?? {}, 'involvedObject.uid') ?? '';
        const what = textAt(after ?? {}, 'message') ?? '';
        const key = `${program} ${uid} ${textAt(after ?? {}, 'reason') ?? ''} ${what}`;
        const beforeMs = told.get(key);
        if (beforeMs !== undefined && atMs - beforeMs < SAME_EVENT_MS)
          violated(placeOf(request), `${program}: a second Event: ${what}`);
        told.set(key, atMs);
      },
    };
  },
};

const dry: ProgramRule = {
  rule: 'I-35',
  start: (scene) => ({
    onWrite(entry) {
      if (!scene.isDryRun || isOfLease(entry)) return;
      scene.evaluated();
      if (hasChanged(entry))
        scene.violated(placeOf(entry.request), `${entry.program}: a dry run has written`);
    },
  }),
};

function isOurs(finalizer: Json): boolean {
  return typeof finalizer === 'string' && finalizer.includes('rollcall');
}

/** No object of ours, and none that we touch, waits for us before it goes. */
const unheld: ProgramRule = {
  rule: 'I-38',
  start: ({ evaluated, violated }) => ({
    onWrite(entry) {
      if (!isDone(entry) || entry.after === null) return;
      evaluated();
      if (listAt(entry.after, 'metadata.finalizers').some(isOurs))
        violated(placeOf(entry.request), `${entry.program}: holds a finalizer`);
    },
  }),
};

/** What another release knows of a report stays as it was. */
const foreignFields: ProgramRule = {
  rule: 'I-37',
  start: ({ evaluated, violated }) => ({
    onWrite(entry) {
      const { request, before, after, program } = entry;
      if (request.path.plural !== 'nodereports' || !isDone(entry) || after === null) return;
      const known = at(before ?? undefined, `status.${FIELD_OF_NEWER}`);
      if (known === undefined) return;
      evaluated();
      if (at(after, `status.${FIELD_OF_NEWER}`) !== known)
        violated(placeOf(request), `${program}: takes away what a newer release wrote`);
    },
  }),
};

/** A field that releases of today do not know. */
export const FIELD_OF_NEWER = 'ofNewerRelease';

/** A report stays for its time by true time; of a stamp of another program only the stamp is known. */
const wholeAge: ProgramRule = {
  rule: 'I-40',
  start({ evaluated, violated, keepReportsMs }) {
    const goneMs = new Map<string, number>();
    return {
      onWrite(entry) {
        const { request, after, atMs, program } = entry;
        if (request.path.plural !== 'nodereports' || !isDone(entry)) return;
        const place = `${program} ${placeOf(request)}`;
        if (request.verb === 'delete') {
          evaluated();
          const ageMs = atMs - (goneMs.get(place) ?? -Infinity);
          if (ageMs < keepReportsMs - SECOND_MS)
            violated(
              placeOf(request),
              `${program}: deleted ${ageMs} ms after its machine had gone`,
            );
        }
        if (isoMs(textAt(after ?? {}, 'status.goneSince')) === null) goneMs.delete(place);
        else if (!goneMs.has(place)) goneMs.set(place, atMs);
      },
    };
  },
};

export const WRITE_RULES: readonly ProgramRule[] = [
  versioned,
  notBlindly,
  whileLeading,
  notGivenUp,
  fromFresh,
  oneEvent,
  dry,
  foreignFields,
  unheld,
  wholeAge,
];
