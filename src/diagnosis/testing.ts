/** What tests of this room are made of: only what is of matter is given. */
import assert from 'node:assert/strict';
import type { FactKind, FactTypes } from '../evidence/kinds.ts';
import type { MachineName, NameKind } from '../evidence/names.ts';
import type {
  DocumentSummary,
  FactRecord,
  Hit,
  Listing,
  Observations,
} from '../evidence/observations.ts';
import type { Quote } from '../evidence/sighting.ts';
import type { Stage } from '../evidence/stage.ts';
import { nodeOf } from '../evidence/testing.ts';
import type { Cause, Found } from './cause.ts';
import type { Finding, SubjectReport } from './document.ts';
import { type DiagnosisInput, type Examination, examine } from './examine.ts';
import { indexFacts } from './fact-index.ts';
import { createMemory } from './memory.ts';
import type { FoundCause, OpenSymptom, Standing } from './standing.ts';
import type { Subject } from './subject.ts';
import type { Symptom } from './symptom.ts';

/** A line of the kubelet, stamped at so many ms; null for one without a stamp. */
export function quoteOf(line: number, ms: number | null = null, document = 0): Quote {
  const when = ms === null ? null : { ms, yearless: false, clock: 'utc' };
  return {
    source: 'kubelet',
    locator: `kubelet.log:${line}`,
    excerpt: `line ${line}`,
    moment: { when, at: { document, line }, isState: false },
    captures: {},
  };
}

export function hitOf(owner: string, quote: Quote, change: Partial<Hit> = {}): Hit {
  const document = quote.moment.at.document;
  const seen = { count: 1, first: quote, last: quote, quotes: [quote] };
  const place = { about: null, document, onMachine: true };
  return { owner, sign: '0', object: '', ...place, ...seen, ...change };
}

export function factOf<K extends FactKind>(
  kind: K,
  value: FactTypes[K],
  about: readonly MachineName[] = [],
): FactRecord<K> {
  const moment = { when: null, at: { document: 0, line: 1 }, isState: true };
  return { kind, value, by: 'test', extent: 'whole', locator: 'test:1', moment, about };
}

/** Names written as `host web-1`. */
export function named(...texts: readonly string[]): readonly MachineName[] {
  return texts.map((text) => {
    const [kind = '', value = ''] = text.split(' ');
    return { kind: kind as NameKind, value };
  });
}

/** A line of a machine's own log, of nobody where no name is given. */
export function logOf(about: string | null, document = 0, change: Partial<Hit> = {}): Hit {
  const [machine = null] = about === null ? [] : named(about);
  const quote = quoteOf(document + 1, null, document);
  return hitOf('cause', quote, { about: machine, document, ...change });
}

export function fileOf(change: Partial<DocumentSummary> = {}): DocumentSummary {
  const nothing = { container: null, machines: [], sources: [], linesRead: 1, zoneOffsetMs: null };
  return { locator: 'file', ...nothing, ...change };
}

export function observationsOf(change: Partial<Observations> = {}): Observations {
  const said = { documents: [], hits: [], facts: [], links: [], listings: [] };
  const lists = { ...said, losses: [], troubled: [] };
  return { ...lists, collection: null, ...change };
}

export function causeOf(id: string, stage: Stage, change: Partial<Cause> = {}): Cause {
  return {
    id,
    stage,
    title: `title of ${id}`,
    scope: 'machine',
    signs: {},
    needs: [],
    symptoms: [],
    summary: () => '',
    remedy: () => [],
    decide: { text: '', command: null },
    page: { why: '', prevent: '', notThis: '', refs: [] },
    ...change,
  };
}

export function foundOf(cause: Cause, change: Partial<Found> = {}): FoundCause {
  const match: Found = { verdict: 'found', confidence: 'definite', details: {}, proof: [] };
  return { cause, match: { ...match, ...change } };
}

export function symptomOf(id: string, stage: Stage, blocksAbove = false): Symptom {
  return { id, stage, title: `title of ${id}`, signs: [], withdrawnBy: [], blocksAbove };
}

export function subjectOf(
  change: Partial<Subject> = {},
  facts: readonly FactRecord[] = [],
): Subject {
  return {
    kind: 'Machine',
    name: 'node00',
    instanceId: null,
    node: null,
    cluster: null,
    names: [],
    hits: [],
    facts: indexFacts(facts),
    sources: new Set(),
    ...change,
  };
}

export function standingOf(
  founds: readonly FoundCause[],
  symptoms: readonly OpenSymptom[] = [],
  subject: Subject = subjectOf(),
): Standing {
  return { subject, founds, symptoms, ruledOut: new Set() };
}

export function findingOf(cause: string, stage: Stage, change: Partial<Finding> = {}): Finding {
  return {
    cause,
    stage,
    role: 'root',
    explainedBy: null,
    confidence: 'definite',
    summary: '',
    evidence: [],
    remedy: [],
    decide: null,
    ...change,
  };
}

export function reportOf(name: string, change: Partial<SubjectReport> = {}): SubjectReport {
  return {
    kind: 'Machine',
    name,
    instanceId: null,
    node: null,
    verdict: 'not-usable',
    stage: null,
    ladder: [],
    findings: [],
    notObservable: [],
    timeline: [],
    ...change,
  };
}

export const A_NODE = factOf('kube/Node', nodeOf('a'), named('node a'));
export const A_LEASE = factOf('kube/Lease', {} as never, named('node a'));
export const A_CLUSTER = factOf('aws/cluster', { name: 'shop' } as never);
export const A_LOG = hitOf('e', quoteOf(9));

/** What is seen at one look; the rest is as at every look. */
export interface Seen {
  readonly own?: readonly FactRecord[];
  readonly shared?: readonly FactRecord[];
  readonly hits?: readonly Hit[];
  readonly clusterHits?: readonly Hit[];
  readonly listings?: readonly Listing[];
  readonly refusals?: readonly string[];
  readonly atMs?: number;
  readonly machine?: Partial<Subject>;
  readonly pile?: readonly Hit[];
}

const OWN = [A_NODE];
const ALL_SHARED = [A_CLUSTER];
export const NO_HITS: readonly Hit[] = [];

export function seenPile({
  atMs = 1000,
  refusals = [],
  listings = [],
  pile = NO_HITS,
}: Seen): Observations {
  const why = { message: '', failure: 'denied', permission: null };
  const asked = { cluster: null, asked: [], shortened: [] };
  const collection = { atMs, ...asked, refusals: refusals.map((call) => ({ call, ...why })) };
  return observationsOf({ collection, listings, hits: pile });
}

export function seenSubjects(seen: Seen): readonly Subject[] {
  const { own = OWN, shared = ALL_SHARED, hits = NO_HITS, clusterHits = NO_HITS } = seen;
  const common = indexFacts(shared);
  const facts = indexFacts(own, common);
  const all = indexFacts([...own, ...shared]);
  return [
    subjectOf({ name: 'a', node: 'a', names: named('node a'), hits, ...seen.machine, facts }),
    subjectOf({ kind: 'Cluster', name: 'shop', hits: clusterHits, facts: all }),
  ];
}

/** Looks one after the other with one memory, and hears what is asked. */
export interface Watch {
  /** What the causes noted in `asked` since the last look. */
  readonly look: (seen?: Seen, holdsMs?: number) => readonly string[];
  readonly examination: () => Examination;
}

/** @param asked where the causes note that they are asked */
export function watchOf(causes: readonly Cause[], asked: string[]): Watch {
  const memory = createMemory();
  let last: Examination | null = null;
  return {
    look(seen = {}, holdsMs = 0) {
      const input: DiagnosisInput = {
        observations: seenPile(seen),
        subjects: seenSubjects(seen),
        causes,
        catalogueVersion: '7',
        memory,
      };
      memory.look(input, holdsMs);
      last = examine(input);
      return asked.splice(0);
    },
    examination: () => last ?? assert.fail('nobody looked'),
  };
}
