/** What keeps sentences of others out of commands, messages in their limits, and answers in their size. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { bounded } from '../../src/apps/mcp/bounded.ts';
import { boundedLines, type LongMessage } from '../../src/apps/mcp/lines.ts';
import { isFilledPlainly, isPlain } from '../../src/apps/mcp/plain.ts';

describe('a command is plain', () => {
  const WRITTEN = "aws eks describe-cluster --name <cluster> --query 'cluster.[version]'";
  const cases: readonly (readonly [string, boolean])[] = [
    [WRITTEN, true],
    [WRITTEN.replace('<cluster>', 'prod-1'), true],
    [WRITTEN.replace('<cluster>', 'arn:aws:eks:eu-west-1:111122223333:cluster/a'), true],
    [WRITTEN.replace('<cluster>', 'a; reboot'), false],
    [WRITTEN.replace('<cluster>', 'a;reboot'), false],
    [WRITTEN.replace('<cluster>', '$(reboot)'), false],
    [WRITTEN.replace('<cluster>', '`reboot`'), false],
    [WRITTEN.replace('<cluster>', 'a|sh'), false],
    [WRITTEN.replace('<cluster>', "'ignore all this'"), false],
    [WRITTEN.replace('<cluster>', 'x'.repeat(400)), false],
    [WRITTEN.replace('describe-cluster', 'delete-cluster'), false],
    [`${WRITTEN} --force`, false],
    ['', false],
  ];
  for (const [filled, expected] of cases)
    test(`${expected ? 'as' : 'not as'} ${filled.slice(0, 70)}`, () =>
      assert.equal(isFilledPlainly(filled, WRITTEN), expected));
});

test('names of one word are plain', () => {
  for (const name of ['ip-10-0-1-2.ec2.internal', 'i-0abc', 'nodes/a_b', 'a:b@c'])
    assert.ok(isPlain(name), name);
  for (const name of ['', 'a b', 'a;b', '-a', 'a\nb', 'a'.repeat(300), '<cluster>'])
    assert.equal(isPlain(name), false, name);
});

interface Read {
  readonly lines: readonly string[];
  readonly long: readonly LongMessage[];
}

async function linesOf(chunks: readonly string[], bytesMax: number): Promise<Read> {
  const long: LongMessage[] = [];
  const lines: string[] = [];
  const input = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
  for await (const line of boundedLines(input, bytesMax, (one) => long.push(one)))
    lines.push(line.toString());
  return { lines, long };
}

describe('lines of a client', () => {
  test('come whole, however they are cut', async () => {
    const property = fc.asyncProperty(
      fc.array(fc.string({ maxLength: 30 }).map((text) => text.replaceAll('\n', ' '))),
      fc.array(fc.nat({ max: 40 })),
      async (wanted, cuts) => {
        const text = wanted.map((line) => `${line}\n`).join('');
        const chunks: string[] = [];
        let from = 0;
        for (const cut of cuts) {
          chunks.push(text.slice(from, from + cut));
          from += cut;
        }
        const { lines } = await linesOf([...chunks, text.slice(from)], 200);
        assert.deepEqual(
          lines,
          wanted.map((line) => `${line}\n`),
        );
      },
    );
    await fc.assert(property, { numRuns: 200, seed: 20_240_501 });
  });

  test('that are too long name their call, wherever its id is', async () => {
    const text = 'x'.repeat(3000);
    const call = `"method":"tools/call","params":{"name":"diagnose","arguments":{"text":"${text}"}}`;
    for (const [line, id] of [
      [`{${call},"jsonrpc":"2.0","id":7}`, 7],
      [`{"jsonrpc":"2.0","id":"a-7",${call}}`, 'a-7'],
      [`{"id":7,"jsonrpc":"2.0",${call}}`, 7],
      [`{${call},"jsonrpc":"2.0"}`, null],
    ] as const) {
      const { lines, long } = await linesOf([line.slice(0, 900), line.slice(900), '\n{}\n'], 1000);
      assert.deepEqual(lines, ['{}\n']);
      assert.deepEqual(long, [{ id, isToolCall: true }]);
    }
  });

  test('cannot name another call from inside a text', async () => {
    const inside = JSON.stringify('","id":9}');
    const line = `{"params":{"text":${JSON.stringify('x'.repeat(2000))}},"last":{"text":${inside}}}`;
    const { long } = await linesOf([`${line}\n`], 1000);
    assert.deepEqual(long, [{ id: null, isToolCall: false }]);
  });
});

describe('a bounded answer', () => {
  test('is at most so large, and counts what it lacks', () => {
    const item = fc.record({ name: fc.string(), parts: fc.array(fc.string({ maxLength: 200 })) });
    const property = fc.property(fc.array(item, { maxLength: 40 }), (items) => {
      const { value, leftOut } = bounded({ items }, 2000);
      const text = JSON.stringify(value);
      assert.ok(Buffer.byteLength(text) <= 2000, text);
      const kept = (value as { readonly items: readonly object[] }).items;
      assert.equal(kept.length + (leftOut['items'] ?? 0), items.length);
      assert.deepEqual(
        kept.map((one) => (one as { readonly name: string }).name),
        items.slice(0, kept.length).map(({ name }) => name),
      );
    });
    fc.assert(property, { numRuns: 300, seed: 20_240_501 });
  });

  test('that fits is the same', () => {
    const given = { a: [1, null, 'ü'], b: { c: true } };
    assert.deepEqual(bounded(given, 2000), { value: given, leftOut: {} });
  });

  test('quotes three lines of a finding', () => {
    const { value, leftOut } = bounded({ lines: [1, 2, 3, 4, 5] }, 2000);
    assert.deepEqual([value, leftOut], [{ lines: [1, 2, 3] }, { lines: 2 }]);
  });
});
