import { textAt } from '../../evidence/json.ts';
import { hasChanged, isDryRun, type LedgerEntry, placeOf, versionNeeded } from './ledger.ts';
import { bodyOf } from './records.ts';
import { isOfEvent, isOfLease, type ProgramRule, type RuleScene } from './rules.ts';
import { NODE_SECRET } from './small-world.ts';

/** A write with a row before it: by the same program, of the same object, verb and version. */
function isIntended({ records }: RuleScene, entry: LedgerEntry): boolean {
  const { request, program } = entry;
  const name = placeOf(request).split(' ')[1] ?? '';
  const needed = versionNeeded(request);
  return records.rows.some(({ event, program: by }) => {
    if (event.kind !== 'action-intended' || by !== program || event.subject !== name) return false;
    const body = bodyOf(event);
    const seen = textAt(body, 'object.seen.resourceVersion');
    return textAt(body, 'write.verb') === request.verb && seen === needed;
  });
}

/** The id of the action that a write came from. */
function decisionOf({ request }: LedgerEntry): string {
  const name = placeOf(request).split(' ')[1] ?? '';
  return `node-reports/${name}/${request.verb}/${versionNeeded(request) ?? 'new'}`;
}

/** No action without a record, no record of what was not done, and no fact twice. */
const recorded: ProgramRule = {
  rule: 'I-30',
  start(scene) {
    const { evaluated, violated, records } = scene;
    const done = new Set<string>();
    let isRestored = false;
    return {
      onRestored() {
        isRestored = true;
      },
      onWrite(entry) {
        if (isOfLease(entry) || isOfEvent(entry)) return;
        evaluated();
        if (!isIntended(scene, entry))
          violated(placeOf(entry.request), `${entry.program}: written without a record before it`);
        const { request, program } = entry;
        if (entry.code < 300 && (hasChanged(entry) || isDryRun(request)))
          done.add(`${program} ${decisionOf(entry)}`);
      },
      onEnd() {
        for (const { event, program } of records.rows) {
          const body = bodyOf(event);
          if (event.kind !== 'action-ended' || textAt(body, 'outcome') !== 'done') continue;
          evaluated();
          const id = textAt(body, 'id') ?? '';
          if (!done.has(`${program} ${id}`))
            violated(event.subject, `${program} ${id}: recorded as done, and never was`);
        }
        checkTwice(scene);
        // What came after a backup comes and goes without a word.
        if (!isRestored) checkNodes(scene);
      },
    };
  },
};

function checkTwice({ records, evaluated, violated }: RuleScene): void {
  const seen = new Set<string>();
  for (const { event } of records.rows) {
    if (!ONCE.has(event.kind)) continue;
    evaluated();
    const fact = `${event.kind} ${event.uid ?? ''}`;
    if (seen.has(fact)) violated(event.subject, `${fact} is recorded twice`);
    seen.add(fact);
  }
}

/** Kinds of which an object has one row in its life. */
const ONCE: ReadonlySet<string> = new Set(['node-created', 'node-deleted']);

/** Whoever comes and goes unseen leaves nothing; of each that is there, its coming is recorded. */
function checkNodes({ records, people, evaluated, violated }: RuleScene): void {
  const rowsOf = (kind: string): ReadonlySet<string> =>
    new Set(
      records.rows.filter(({ event }) => event.kind === kind).map(({ event }) => event.uid ?? ''),
    );
  const [created, deleted] = [rowsOf('node-created'), rowsOf('node-deleted')];
  const there = people.list('Node').map((node) => textAt(node, 'metadata.uid') ?? '');
  for (const uid of there) {
    evaluated();
    if (!created.has(uid)) violated(uid, 'a Node is there and not in the record');
  }
  for (const uid of created) {
    evaluated();
    const isGone = !there.includes(uid);
    if (isGone !== deleted.has(uid))
      violated(uid, `a Node ${isGone ? 'has gone' : 'is there'}, and the record has it otherwise`);
  }
}

/** Secrets that Nodes carry are in no write, line or row. */
const secretFree: ProgramRule = {
  rule: 'I-28',
  start: ({ evaluated, violated, records }) => ({
    onWrite({ request, program }) {
      evaluated();
      if (JSON.stringify(request.body).includes(NODE_SECRET))
        violated(placeOf(request), `${program}: writes a secret`);
    },
    onSaid(program, line) {
      evaluated();
      if (line.includes(NODE_SECRET)) violated(program, `${program}: says a secret`);
    },
    onEnd() {
      evaluated();
      for (const { event } of records.rows)
        if (JSON.stringify(event).includes(NODE_SECRET))
          violated(event.subject, `a row of kind ${event.kind} has a secret`);
    },
  }),
};

export const RECORD_RULES: readonly ProgramRule[] = [recorded, secretFree];
