import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Observations } from '../evidence/observations.ts';
import type { SignRow } from '../evidence/sign-row.ts';
import type { LineSource } from '../evidence/source.ts';
import { decodeText, isBinary, needsDecoding } from './encoding.ts';
import { createReading } from './reading.ts';
import { compileSigns } from './sign-table.ts';

const row = (owner: string, sources: readonly LineSource[], pattern: RegExp): SignRow => ({
  owner,
  name: 'word',
  in: sources,
  anchors: ['WANTED'],
  pattern,
  strict: true,
  per: [],
});
const SIGNS = compileSigns([
  row('of-kubelet', ['kubelet'], /WANTED/),
  row('of-nidhogg', ['nidhogg'], /WANTED/),
  row('of-anybody', ['unknown', 'kubelet', 'nidhogg', 'containerd'], /WANTED more/),
]);

const LARGE = 2 * 1024 * 1024;
const KUBELET = 'Nov 22 10:00:00 web-1 kubelet[12]: ';
/** As many log lines as make a document large. */
const filler = (line: string): string => `${line}\n`.repeat(Math.ceil(LARGE / line.length));

function readBytes(pieces: readonly Uint8Array[], likely?: LineSource): Observations {
  const reading = createReading(SIGNS);
  const reader = reading.open('file', null, likely);
  for (const piece of pieces) reader.push(piece);
  reader.end();
  return reading.finish();
}

function read(text: string, likely?: LineSource, pieceBytes = 65_536): Observations {
  const bytes = new TextEncoder().encode(text);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes)
    pieces.push(bytes.slice(at, at + pieceBytes));
  return readBytes(pieces, likely);
}

const hits = (seen: Observations): readonly string[] =>
  seen.hits.map(({ owner, first, about, count }) =>
    [owner, first.source, first.locator, about?.value ?? '-', count].join(' '),
  );

describe('a small document', () => {
  test('is taken apart passage by passage, however it comes in pieces', () => {
    for (const pieceBytes of [1, 7, 65_536]) {
      const seen = read(`a\n${KUBELET}WANTED\n`, undefined, pieceBytes);
      assert.deepEqual(hits(seen), ['of-kubelet kubelet file:2 web-1 1']);
      assert.equal(seen.documents[0]?.linesRead, 3);
    }
  });

  test('an empty or binary document has no facts, and a binary one is reported as left out', () => {
    assert.deepEqual(
      read('')
        .losses.map(({ what }) => what)
        .join(' ')
        .includes('binary'),
      false,
    );
    const { losses, hits: none } = readBytes([
      new Uint8Array(1000),
      new TextEncoder().encode('WANTED'),
    ]);
    assert.deepEqual(
      losses.map(({ locator, what }) => [locator, what]),
      [['file', 'file is binary and was left out.']],
    );
    assert.deepEqual(none, []);
  });

  for (const [text, machines] of [
    [' i-0123456789abcdef0\n', ['i-0123456789abcdef0']],
    ['i-01234567', ['i-01234567']],
    ['i-0123456789abcdef0 words', []],
    ['i-0123456', []],
    [`${' '.repeat(64)}i-01234567`, []],
  ] as const)
    test(`${JSON.stringify(text.trim())} ${machines.length > 0 ? 'names its machine' : 'names none'}`, () => {
      assert.deepEqual(
        read(text).documents[0]?.machines.map(({ value }) => value),
        machines,
      );
    });
});

describe('a large log', () => {
  const HEAD = filler(`${KUBELET}words and more words that fill a line`);

  test('is scanned line by line: who printed each, on which machine', () => {
    const seen = read(`${HEAD}$ kubectl logs WANTED more\nWANTED\n${KUBELET}WANTED\n`);
    const lines = HEAD.split('\n').length - 1;
    assert.deepEqual(hits(seen), [
      `of-kubelet kubelet file:${lines + 2} - 1`,
      `of-kubelet kubelet file:${lines + 3} web-1 1`,
    ]);
    assert.deepEqual(
      [seen.documents[0]?.linesRead, seen.documents[0]?.sources],
      [lines + 3, ['kubelet']],
    );
  });

  test('has lines of other programs', () => {
    const seen = read(`${HEAD}Nov 22 10:00:00 web-1 containerd[9]: WANTED more\nnidhogg WANTED\n`);
    assert.deepEqual(
      seen.hits.map(({ owner, first }) => `${owner} ${first.source}`),
      ['of-anybody containerd', 'of-nidhogg nidhogg'],
    );
    assert.deepEqual(seen.documents[0]?.sources, ['kubelet', 'containerd', 'nidhogg']);
    const { sources } =
      read(`${HEAD}Nov 22 10:00:00 web-1 dockerd[9]: WANTED\n`).documents[0] ?? assert.fail();
    assert.deepEqual(sources, ['kubelet', 'containerd']);
  });

  test('whose lines do not say what they are is what its collector knows', () => {
    const plain = filler('words and more words that fill a line');
    assert.deepEqual(
      read(`${plain}WANTED\n`, 'kubelet').hits.map(({ owner }) => owner),
      ['of-kubelet'],
    );
    assert.deepEqual(read(`${plain}WANTED\n`).hits, []);
    assert.deepEqual(
      read(`${HEAD}WANTED\n`, 'nidhogg').hits.map(({ owner }) => owner),
      ['of-kubelet'],
    );
  });

  test('knows its zone, and when each line was printed', () => {
    const zone = '   Time zone: Europe/Berlin (CET, +0100)\n';
    const seen = read(`${zone}${HEAD}${KUBELET}WANTED\n`);
    assert.equal(seen.documents[0]?.zoneOffsetMs, 3_600_000);
    assert.equal(seen.hits[0]?.first.moment.when?.ms, Date.UTC(2000, 10, 22, 10));
  });

  test('begins above two megabytes', () => {
    const text = (bytes: number): string => `${' '.repeat(bytes - 1)}\n`;
    for (const [bytes, lines] of [
      [LARGE, 2],
      [LARGE + 1, 1],
    ] as const)
      assert.equal(read(text(bytes)).documents[0]?.linesRead, lines);
  });
});

describe('a large list', () => {
  const node = (name: string): object => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, note: 'x'.repeat(2000) },
  });
  const many = Array.from({ length: 1100 }, (_, index) => node(`n${index}`));

  test('of Nodes is read one by one, and is all of them', () => {
    const seen = read(JSON.stringify({ apiVersion: 'v1', items: many }));
    assert.equal(seen.facts.length, 1100);
    assert.deepEqual(
      seen.listings.map(({ kind, by, locator }) => [kind, by, locator]),
      [['kube/Node', 'kubectl get nodes', 'file']],
    );
    assert.deepEqual(seen.losses, []);
  });

  test('a list of Nodes and other objects is not a complete list of Nodes', () => {
    const mixed = [...many, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } }];
    const seen = read(JSON.stringify(mixed));
    assert.deepEqual([seen.facts.length, seen.listings], [1101, []]);
  });

  test('of AWS keeps the member that it was in', () => {
    const subnets = many.map((_, index) => ({
      SubnetId: `subnet-${index}`,
      note: 'x'.repeat(2000),
    }));
    const seen = read(JSON.stringify({ Subnets: subnets }));
    assert.equal(seen.facts.filter(({ kind }) => kind === 'aws/subnet').length, 1100);
  });

  test('loses elements of more than 8 MB, and says so; its lines are found', () => {
    const huge = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x'.repeat(9 * 1024 * 1024) } };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      status: { conditions: [{ message: 'nidhogg WANTED more' }] },
    };
    const seen = read(JSON.stringify([huge, pod]));
    assert.match(seen.losses[0]?.what ?? '', /^file: 1 list elements of more than 8 MB/);
    assert.equal(seen.facts.length, 1);
  });
});

describe('a large dump', () => {
  test('is taken apart as a whole, to 64 MB', () => {
    const dump = (bytes: number): string =>
      `apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n${'#'.repeat(bytes)}`;
    assert.equal(read(dump(3 * 1024 * 1024)).facts.length, 1);
    const piece = new Uint8Array(4 * 1024 * 1024).fill(35);
    const head = new TextEncoder().encode(dump(1));
    const { losses, documents } = readBytes([head, ...Array<Uint8Array>(17).fill(piece)]);
    assert.match(
      losses[0]?.what ?? '',
      /^file is one document of more than 64 MB and was left out; split it/,
    );
    assert.equal(documents[0]?.linesRead, 0);
  });
});

describe('bytes', () => {
  const utf16 = (text: string, isBig: boolean, mark: readonly number[]): Uint8Array => {
    const bytes = Buffer.from(text, 'utf16le');
    return new Uint8Array([...mark, ...(isBig ? bytes.swap16() : bytes)]);
  };

  for (const [title, bytes, needs] of [
    ['little-endian with a mark', utf16('WANTED ü', false, [0xff, 0xfe]), true],
    ['big-endian with a mark', utf16('WANTED ü', true, [0xfe, 0xff]), true],
    ['little-endian without one', utf16('WANTED ü', false, []), true],
    ['UTF-8', new TextEncoder().encode('WANTED ü'), false],
  ] as const)
    test(`of text in ${title} are decoded`, () => {
      assert.equal(decodeText(bytes), 'WANTED ü');
      assert.equal(needsDecoding(bytes), needs);
      assert.equal(isBinary(bytes), false);
    });

  for (const head of [
    [0xff, 0xff],
    [0xfe, 0xfe],
    [8, 0, 65, 0],
    [127, 0, 65, 0],
    [65, 0, 8, 0],
    [65, 1, 65, 0],
    [65, 0, 65, 1],
    [65, 0],
    [65],
  ])
    test(`${head.join(' ')} are no UTF-16`, () => {
      assert.equal(needsDecoding(new Uint8Array(head)), false);
    });

  for (const [control, binary] of [
    [0, true],
    [6, true],
    [7, false],
    [13, false],
    [14, true],
    [26, true],
    [27, false],
    [31, true],
    [32, false],
  ] as const)
    test(`are ${binary ? '' : 'not '}binary with many of ${control}`, () => {
      const bytes = (share: number): Uint8Array =>
        new Uint8Array(100).fill(65).fill(control, 0, share);
      assert.equal(isBinary(bytes(11)), binary);
      assert.equal(isBinary(bytes(10)), false);
      assert.equal(isBinary(new Uint8Array(20_000).fill(65, 0, 8192)), false);
    });

  test('in UTF-16 are found in a large log too', () => {
    const text = `${`${'W'.repeat(1000)}\n`.repeat(1100)}${KUBELET}WANTED\n`;
    const seen = readBytes([utf16(text, false, [0xff, 0xfe])]);
    assert.deepEqual(
      seen.hits.map(({ owner }) => owner),
      ['of-kubelet'],
    );
  });
});

test('what is read later is not in what was finished before', () => {
  const reading = createReading(SIGNS);
  const node = (name: string) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } });
  reading.take('one.json', node('web-1'));
  const { facts } = reading.finish();
  reading.take('two.json', node('web-2'));
  assert.equal(facts.length, 1);
  assert.equal(reading.finish().facts.length, 2);
});
