import type { FactKind } from '../../src/evidence/kinds.ts';
import type { Hit, Observations } from '../../src/evidence/observations.ts';
import type { Quote } from '../../src/evidence/sighting.ts';
import type { When } from '../../src/evidence/time.ts';
import type { Cause, CauseSpec, Sign } from '../../src/diagnosis/cause.ts';
import { NO_FACTS } from '../../src/diagnosis/fact-index.ts';
import type { Subject } from '../../src/diagnosis/subject.ts';

/** A cause of three lines for tests of the engine. */
export function plainCause(id: string, change: Partial<CauseSpec<FactKind, string>> = {}): Cause {
  const deciding: Sign = {
    in: ['kubelet'],
    anchors: ['deciding line'],
    pattern: /deciding line/,
    weight: 'definite',
  };
  return {
    id,
    stage: 'authenticated',
    title: `the title of ${id}`,
    scope: 'machine',
    signs: { deciding },
    needs: [],
    symptoms: [],
    summary: () => `${id} is so.`,
    remedy: () => [],
    decide: { text: 'look', command: `look --for ${id}` },
    page: { why: '', prevent: '', notThis: '', refs: [] },
    ...change,
  };
}

export function quoteAt(
  line: number,
  when: When | null = null,
  document = 0,
  isState = false,
): Quote {
  return {
    source: 'kubelet',
    locator: `kubelet.log:${line}`,
    excerpt: `line ${line}`,
    moment: { when, at: { document, line }, isState },
    captures: {},
  };
}

export function hitAt(owner: string, sign: string, line: number, change: Partial<Hit> = {}): Hit {
  const quote = quoteAt(line, null, change.document ?? 0);
  return {
    owner,
    sign,
    object: '',
    about: null,
    document: 0,
    onMachine: true,
    count: 1,
    first: quote,
    last: quote,
    quotes: [quote],
    ...change,
  };
}

export function machineWith(hits: readonly Hit[], change: Partial<Subject> = {}): Subject {
  return {
    kind: 'Machine',
    name: 'ip-10-0-1-2.ec2.internal',
    instanceId: null,
    cluster: null,
    node: 'ip-10-0-1-2.ec2.internal',
    names: [],
    hits,
    facts: NO_FACTS,
    sources: new Set(['kubelet']),
    ...change,
  };
}

export const NOTHING_OBSERVED: Observations = {
  documents: [],
  hits: [],
  facts: [],
  links: [],
  listings: [],
  losses: [],
  troubled: [],
  collection: null,
};
