import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DocumentSummary, FactRecord, Hit } from '../evidence/observations.ts';
import type { LineSource } from '../evidence/source.ts';
import { type Drift, readDrifts } from './drift.ts';
import { factOf, fileOf, hitOf, observationsOf, quoteOf } from './testing.ts';

const HOUR_MS = 3_600_000;
const WEB = { kind: 'host', value: 'web-1' } as const;
const DB = { kind: 'host', value: 'db-1' } as const;
/** The clock here is so much ahead: the time signed with, then AWS's. */
const signed = (own: string, aws: string, word = 'expired', than = 'now earlier'): string =>
  `Signature ${word}: ${own} is ${than} than 20261122T094500Z (${aws} - 15 min.)`;
const EARLY =
  'certificate has expired or is not yet valid: current time 2026-11-22T10:00:00Z is before 2026-11-23';

function line(words: string, change: Partial<Hit> = {}, source: LineSource = 'kubelet'): Hit {
  const quote = { ...quoteOf(1), excerpt: words, source };
  return hitOf('cause', quote, change);
}

function clock(
  aheadMs: number | null,
  by: string,
  about = [WEB] as readonly (typeof WEB | typeof DB)[],
): FactRecord {
  return { ...factOf('host/clock', { aheadMs, isSynchronised: true }, about), by };
}

interface Given {
  readonly hits: readonly Hit[];
  readonly documents?: readonly DocumentSummary[];
  readonly facts?: readonly FactRecord[];
}

/** The drift of the last hit. */
function drift({ hits, documents = [fileOf()], facts = [] }: Given): Drift | null {
  const last = hits.at(-1) ?? assert.fail();
  return readDrifts(observationsOf({ hits, documents, facts }))(last);
}

const ahead = (given: Given): number | null | undefined => drift(given)?.aheadMs;

const WRONG_CLOCKS = [
  ['is behind', signed('20261122T093000Z', '20261122T100000Z'), -HOUR_MS / 2],
  [
    'is ahead',
    signed('20261122T103001Z', '20261122T100000Z', 'not yet current', 'still later'),
    HOUR_MS / 2 + 1000,
  ],
  ['is days ahead', signed('20261124T100000Z', '20261122T100000Z'), 48 * HOUR_MS],
  ['is a month ahead', signed('20261222T100000Z', '20261122T100000Z'), 30 * 24 * HOUR_MS],
  ['is years behind', signed('20241122T100000Z', '20261122T100000Z'), -730 * 24 * HOUR_MS],
  ['is wrong by an unknown amount', EARLY, null],
] as const;

describe('the clock of a machine by its own lines', () => {
  for (const [title, words, aheadMs] of WRONG_CLOCKS)
    test(title, () => {
      const seen = drift({ hits: [line(words, { about: WEB }), line('words', { about: WEB })] });
      assert.ok(seen !== null);
      assert.equal(seen.aheadMs, aheadMs);
      assert.equal(seen.zoneOffsetMs, 0);
      assert.match(seen.clock, /^machine /);
    });

  for (const words of [
    signed('20261122T100000Z', '20261122T100000Z'),
    'Signature expired: yesterday',
    'is not yet valid: current time x is before then',
    'words',
  ])
    test(`stands as it is after "${words.slice(0, 40)}"`, () => {
      assert.equal(drift({ hits: [line(words, { about: WEB })] }), null);
    });

  test('is nobody else’s: not of another machine, not of the cluster', () => {
    const wrong = line(EARLY, { about: WEB });
    const documents = [fileOf(), fileOf()];
    const other = line('words', { about: DB, document: 1 });
    assert.equal(drift({ hits: [wrong, other], documents }), null);
    const cluster = line('words', { about: WEB, onMachine: false });
    assert.equal(drift({ hits: [wrong, cluster] }), null);
    const event = line('words', { about: WEB }, 'event');
    assert.equal(drift({ hits: [wrong, event] }), null);
    assert.equal(
      drift({
        hits: [line(EARLY, { about: WEB, onMachine: false }), line('words', { about: WEB })],
      }),
      null,
    );
  });

  test('is that of its document and of its archive', () => {
    const nameless = line('words');
    assert.equal(ahead({ hits: [line(EARLY, { about: WEB }), nameless] }), null);
    const archive = [fileOf({ container: 'a.tar' }), fileOf({ container: 'a.tar' })];
    const beside = line('words', { document: 1 });
    assert.equal(ahead({ hits: [line(EARLY), beside], documents: archive }), null);
    const others = [fileOf({ container: 'a.tar' }), fileOf({ container: 'b.tar' })];
    assert.equal(ahead({ hits: [line(EARLY), beside], documents: others }), undefined);
    assert.equal(
      ahead({ hits: [line(EARLY), beside], documents: [fileOf(), fileOf()] }),
      undefined,
    );
  });

  test('is better known by a measure than by a certificate', () => {
    const measure = line(signed('20261122T093000Z', '20261122T100000Z'), { about: WEB });
    const certificate = line(EARLY, { about: WEB });
    for (const hits of [
      [measure, certificate],
      [certificate, measure],
    ])
      assert.equal(ahead({ hits }), -HOUR_MS / 2);
  });
});

describe('the clock of a machine as a program measured it', () => {
  const hits = [line('words', { about: WEB })];

  for (const [title, facts, aheadMs] of [
    ['that is wrong', [clock(5000, 'chronyc tracking')], 5000],
    ['that is a second off', [clock(-1000, 'chronyc tracking')], -1000],
    ['that is right', [clock(999, 'chronyc tracking')], undefined],
    ['that was not measured', [clock(null, 'timedatectl')], undefined],
    [
      'by the most exact program',
      [clock(9000, 'rollcall probe'), clock(5000, 'chronyc tracking')],
      5000,
    ],
    [
      'that the most exact program found right',
      [clock(9000, 'rollcall probe'), clock(0, 'chronyc tracking')],
      undefined,
    ],
    ['of another machine', [clock(5000, 'chronyc tracking', [DB])], undefined],
  ] as const)
    test(title, () => {
      const elsewhere = facts.map((fact) => ({
        ...fact,
        moment: { ...fact.moment, at: { document: 1, line: 1 } },
      }));
      assert.equal(ahead({ hits, facts: elsewhere, documents: [fileOf(), fileOf()] }), aheadMs);
    });

  test('counts before what its lines say', () => {
    const wrong = line(EARLY, { about: WEB });
    assert.equal(ahead({ hits: [wrong], facts: [clock(5000, 'chronyc tracking')] }), 5000);
  });

  test('of nobody is that of the only machine here', () => {
    const loose = {
      ...clock(5000, 'chronyc tracking', []),
      moment: { when: null, at: { document: 2, line: 1 }, isState: true },
    };
    const documents = [fileOf(), fileOf(), fileOf()];
    assert.equal(ahead({ hits, facts: [loose], documents }), 5000);
    assert.equal(ahead({ hits: [line('words')], facts: [loose], documents }), 5000);
    const two = [line('words', { about: DB, document: 1 }), ...hits];
    assert.equal(ahead({ hits: two, facts: [loose], documents }), undefined);
    const archived = [fileOf(), fileOf(), fileOf({ container: 'a.tar' })];
    assert.equal(ahead({ hits, facts: [loose], documents: archived }), undefined);
  });
});

describe('the zone of stamps without one', () => {
  const zone = (
    documents: readonly DocumentSummary[],
    source: LineSource = 'kubelet',
  ): number | undefined => drift({ hits: [line('words', {}, source)], documents })?.zoneOffsetMs;

  test('is that of the document, and the clock is true', () => {
    const seen = drift({ hits: [line('words')], documents: [fileOf({ zoneOffsetMs: HOUR_MS })] });
    assert.deepEqual(seen, { zoneOffsetMs: HOUR_MS, aheadMs: 0, clock: 'utc' });
    assert.equal(zone([fileOf({ zoneOffsetMs: 0 })]), undefined);
    assert.equal(zone([]), undefined);
  });

  for (const source of [
    'kubelet',
    'containerd',
    'nodeadm',
    'cloud-init',
    'nodeup',
    'kubeadm',
    'kernel',
    'journal',
  ] as const)
    test(`is that of another file of the archive for ${source}`, () => {
      const own = fileOf({ container: 'a.tar' });
      assert.equal(
        zone([own, fileOf({ container: 'a.tar', zoneOffsetMs: HOUR_MS })], source),
        HOUR_MS,
      );
      assert.equal(
        zone([own, fileOf({ container: 'b.tar', zoneOffsetMs: HOUR_MS })], source),
        undefined,
      );
      assert.equal(zone([fileOf(), fileOf({ zoneOffsetMs: HOUR_MS })], source), undefined);
    });

  test('is UTC for programs of containers', () => {
    const documents = [
      fileOf({ container: 'a.tar' }),
      fileOf({ container: 'a.tar', zoneOffsetMs: HOUR_MS }),
    ];
    assert.equal(zone(documents, 'aws-node'), undefined);
  });
});
