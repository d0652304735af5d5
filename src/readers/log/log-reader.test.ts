import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { SignRow } from '../../evidence/sign-row.ts';
import { createCollector } from '../collector.ts';
import { cleanLine } from '../line/clean.ts';
import { unwrapLine } from '../line/envelope.ts';
import { NOT_KNOWN, originOf } from '../line/origin.ts';
import { isCommandEcho } from '../line/prompt.ts';
import { parseWhen } from '../line/timestamps.ts';
import { compileSigns, rowsOf, type SignTable } from '../sign-table.ts';
import { createLineScanner } from '../scan/anchor-scanner.ts';
import type { Observations } from '../../evidence/observations.ts';
import { readHere } from './read-here.ts';

function row(name: string, anchors: readonly string[], pattern: RegExp, rest = {}): SignRow {
  const where = { in: ['kubelet', 'containerd'], strict: false, per: [] } as const;
  return { owner: 'some-cause', name, anchors, pattern, ...where, ...rest };
}

const TABLE = compileSigns([
  row('started', ['Started pod'], /Started pod (?<pod>\S+)/, { per: ['pod'] }),
  row('named', ['Started pod', 'Node is'], /Node is (?<node>ip-[\d-]+)/),
  row('pool', ['pool stats'], /pool stats: (?<total>\d+)/),
  row('empty', ['pool stats'], /pool stats: 0 of \d+ (?:free|left)/),
  row('optional', ['Node is'], /Node is(?: (?<node>ip-[\d-]+))?/),
  row('elsewhere', ['pool stats'], /pool/, { in: ['containerd'], strict: true }),
]);

/** Every line by itself, as it is read in small documents. */
function plainly(table: SignTable, text: string): Observations {
  const collector = createCollector();
  const document = collector.openDocument('a.log', null);
  collector.sawSource(document, 'unknown');
  const scanner = createLineScanner(table.anchorSet, ({ anchors, lineNumber, text: raw }) => {
    if (isCommandEcho(raw)) return;
    const line = cleanLine(unwrapLine(raw));
    const rows = rowsOf(table, anchors).filter(({ pattern }) => pattern.test(line));
    if (rows.length === 0) return;
    const { source, isKnown, host } = originOf(line, NOT_KNOWN);
    collector.sawSource(document, source);
    const place = { line: lineNumber, lineEnd: lineNumber, about: null, isState: false };
    const read = { text: line, source, isKnown, host, when: parseWhen(line), ...place };
    collector.tryRows(document, read, rows);
  });
  scanner.push(new TextEncoder().encode(text));
  scanner.end();
  collector.countLines(document, scanner.lines);
  return collector.finish();
}

function asLog(table: SignTable, text: string): Observations {
  const collector = createCollector();
  const document = collector.openDocument('a.log', null);
  const log = readHere(table)(NOT_KNOWN, (findings) => collector.addLog(document, findings));
  log.push(new TextEncoder().encode(text));
  log.end();
  return collector.finish();
}

const two = (value: number): string => String(value).padStart(2, '0');

function stamped(rank: number, host: string, tag: string): string {
  return `Nov 02 10:${two(Math.floor(rank / 60) % 60)}:${two(rank % 60)} ${host} ${tag}: `;
}

const HOSTS = ['ip-10-0-0-1', 'ip-10-0-0-2'];
const TAGS = ['kubelet[17]', 'containerd[4]', 'kubelet[18]', 'bash[1]'];
const SAYINGS = [
  (id: number) => `pool stats: ${id} of 29 used`,
  (id: number) => `pool stats: 0 of ${id} left`,
  () => 'pool stats: none',
  (id: number) => `Started pod web-${id % 3} at last`,
  () => 'Started pod ',
  (id: number) => `Node is ip-10-0-1-${id % 2}`,
  () => 'Node is gone',
  (id: number) => `Started pod x, Node is ip-10-0-2-${id}`,
  () => 'nothing of note',
];

/** A log that says few things over and over, and now and then another one. */
const LOG = fc
  .array(
    fc.record({
      host: fc.nat(HOSTS.length - 1),
      tag: fc.nat(TAGS.length - 1),
      saying: fc.nat(SAYINGS.length - 1),
      times: fc.constantFrom(1, 2, 90, 400),
      ids: fc.constantFrom(1, 7, 1000),
      isTagged: fc.boolean(),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => {
    let rank = 0;
    return parts
      .flatMap(({ host, tag, saying, times, ids, isTagged }) =>
        Array.from({ length: times }, () => {
          rank++;
          const prefix = isTagged ? stamped(rank, HOSTS[host] ?? '', TAGS[tag] ?? '') : '';
          return `${prefix}${SAYINGS[saying]?.(rank % ids) ?? ''}\n`;
        }),
      )
      .join('');
  });

describe('a large log with most lines not read', () => {
  it('says what it says when every line is read', () => {
    fc.assert(
      fc.property(LOG, (text) => {
        const { hits, documents, links } = asLog(TABLE, text);
        const expected = plainly(TABLE, text);
        assert.deepEqual(hits, expected.hits);
        assert.deepEqual(links, expected.links);
        assert.deepEqual(documents[0]?.linesRead, expected.documents[0]?.linesRead);
        assert.deepEqual(
          documents[0]?.sources.toSorted(),
          expected.documents[0]?.sources.toSorted(),
        );
      }),
      { numRuns: 100 },
    );
  });

  it('tells one failure among 100,000 lines that begin alike', () => {
    const usual = Array.from(
      { length: 100_000 },
      (_, rank) => `${stamped(rank, 'ip-10-0-0-1', 'kubelet[17]')}pool stats: 7 of 29 used\n`,
    );
    usual[77_777] = `${stamped(77_777, 'ip-10-0-0-1', 'kubelet[17]')}pool stats: 0 of 29 left\n`;
    const { hits } = asLog(TABLE, usual.join(''));
    const [pool, empty] = hits;
    assert.deepEqual([hits.length, pool?.sign, pool?.last.locator], [2, 'pool', 'a.log:100000']);
    assert.deepEqual([empty?.sign, empty?.count, empty?.last.locator], ['empty', 1, 'a.log:77778']);
  });

  it('tells where each of two rows of the same lines was seen last', () => {
    const line = (rank: number, words: string): string =>
      `${stamped(rank, 'ip-10-0-0-1', 'kubelet[17]')}pool stats: ${words}\n`;
    const lines = Array.from({ length: 800 }, (_, rank) =>
      line(rank, rank < 500 ? `0 of ${rank % 90} left` : `${rank % 90} of 29 used`),
    );
    const { hits } = asLog(TABLE, lines.join(''));
    assert.deepEqual(
      hits.map(({ sign, last }) => [sign, last.locator]),
      [
        ['pool', 'a.log:800'],
        ['empty', 'a.log:500'],
      ],
    );
  });

  it('tells machines apart that a line names behind the name of its host', () => {
    const lines = Array.from({ length: 400 }, (_, rank) => {
      const node = rank < 300 ? 'ip-10-0-0-1' : 'ip-10-0-0-3';
      return `${stamped(rank, 'ip-10-0-0-1', 'kubelet[17]')}Node is ${node}\n`;
    });
    const named = asLog(TABLE, lines.join('')).hits.filter(({ sign }) => sign === 'named');
    assert.deepEqual(
      named.map(({ about, count, last }) => [about?.value, count, last.locator]),
      [
        ['ip-10-0-0-1', 64, 'a.log:300'],
        ['ip-10-0-0-3', 64, 'a.log:400'],
      ],
    );
  });
});
