import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import { readPile } from '../../src/engine/pile.ts';
import { isLineSource, type LineSource, SOURCES } from '../../src/evidence/source.ts';
import type { Captures } from '../../src/evidence/sighting.ts';
import { createCollector } from '../../src/readers/collector.ts';
import { type Quoted, quotedBySource } from './forms.ts';
import { check, OUTPUTS, type Output, printedFor } from './run.ts';
import { type Carried, SECRETS } from './secrets.ts';

const READERS = join(import.meta.dirname, '../../src/readers');
const FILE = 'test/hostile/secrets.test.ts';
const MARK = '‹redacted›';

const readerCode = globSync('**/*.ts', { cwd: READERS })
  .filter((path) => !path.endsWith('.test.ts'))
  .map((path) => readFileSync(join(READERS, path), 'utf8'))
  .join('\n');

/** Programs whose lines some reader can tell; the others exist for signs that are tried elsewhere. */
const recognised = Object.keys(SOURCES)
  .filter((source) => new RegExp(`'${source}'|^ +${source}: `, 'm').test(readerCode))
  .filter(isLineSource);

const anySecret: fc.Arbitrary<Carried> = fc.oneof(...Object.values(SECRETS));

function assertSecretless(printed: string, secret: Carried, where: string): void {
  for (const part of secret.parts)
    assert.ok(!printed.includes(part), `${part} of ${secret.text} is printed for ${where}`);
}

/** What the program prints, and what causes are given before anything is printed. */
async function everythingFor(text: string, output: Output): Promise<string> {
  const chunks = [new TextEncoder().encode(text)];
  const { hits } = await readPile([{ locator: 'evidence.txt', container: null, chunks }]);
  return `${await printedFor(text, output)}${JSON.stringify(hits)}`;
}

describe('no secret in a quoted line is printed', () => {
  let quoted: ReadonlyMap<LineSource, Quoted> = new Map();
  before(async () => {
    quoted = await quotedBySource(recognised);
  });

  test('every program that a reader can tell has a line here', () => {
    const missing = recognised.filter((source) => !quoted.has(source));
    assert.deepEqual(missing, [], 'add a found example to a cause, or a line to OWN in forms.ts');
  });

  for (const source of recognised) {
    test(`line of ${source}`, async () => {
      let runs = 0;
      let marked = 0;
      await check(
        fc.asyncProperty(
          anySecret,
          fc.nat(50),
          fc.constantFrom(...OUTPUTS),
          async (secret, place, output) => {
            const text = quoted.get(source)?.put(secret.text, place) ?? '';
            const printed = await everythingFor(text, output);
            assertSecretless(printed, secret, `${output} of ${text}`);
            runs++;
            if (printed.includes(MARK)) marked++;
          },
        ),
        24,
        FILE,
      );
      assert.ok(marked * 3 > runs, `the rest of the line stays: ${marked} of ${runs}`);
    });
  }
});

describe('every kind of secret, in every output', () => {
  const line = (words: string): string =>
    `Jun 06 19:42:03 ip-10-0-0-1 kubelet[21]: E0606 19:42:03.8 3214 kubelet_node_status.go:96] "Unable to register node with API server" err="Unauthorized ${words}" node="ip-10-0-0-1.ec2.internal"\n`;
  for (const [kind, secrets] of Object.entries(SECRETS)) {
    for (const output of OUTPUTS) {
      test(`${kind} in ${output}`, async () => {
        await check(
          fc.asyncProperty(secrets, fc.nat(420), async (secret, filler) => {
            const text = line(`${'x'.repeat(filler)} ${secret.text}`);
            const printed = await printedFor(text, output);
            assertSecretless(printed, secret, text);
            assert.match(printed, /Unable to register node with API server/);
          }),
          10,
          FILE,
        );
      });
    }
  }
});

describe('no secret is captured', () => {
  const patterns = [
    /Refused: (?<all>.*)/,
    /Refused: .*?(?<tail>\S{4,})$/,
    /[=: "'](?<value>[^\s=:"']{6,})["']?$/,
    /(?<start>\S{6,})\S* gone$/,
    /Refused: .{4}(?<cut>.*)/,
  ];
  for (const [index, pattern] of patterns.entries()) {
    test(`by ${pattern.source}`, async () => {
      const property = fc.asyncProperty(
        anySecret,
        fc.constantFrom('', ' gone'),
        fc.constantFrom(0, 290, 1190, 5000),
        async (secret, end, filler) => {
          const text = `${'x '.repeat(filler / 2)}Refused: ${secret.text}${end}`;
          const captures = JSON.stringify(capturedBy(pattern, text));
          assertSecretless(captures, secret, `capture ${index}`);
        },
      );
      await check(property, 200, FILE);
    });
  }

  test('the rest of a capture stays', () => {
    const quotes = capturedBy(/Refused: (?<why>.*)/, 'Refused: no role, password=hunter2hunter2');
    assert.deepEqual(quotes, [{ why: `no role, password=${MARK}` }]);
    const long = `${'x'.repeat(5000)} Refused: no role, token=hunter2hunter2`;
    assert.deepEqual(capturedBy(/Refused: (?<why>.*)/, long), [{ why: `no role, token=${MARK}` }]);
  });
});

function capturedBy(pattern: RegExp, text: string): readonly Captures[] {
  const collector = createCollector();
  const opened = collector.openDocument('a.log', null);
  const row = { owner: 'a', name: 'b', anchors: [''], strict: false, per: [] };
  const line = { line: 1, lineEnd: 1, when: null, host: null, about: null, isState: false };
  collector.tryRows(opened, { ...line, text, source: 'kubelet' }, [
    { ...row, in: ['kubelet'], pattern },
  ]);
  return collector.finish().hits.map((hit) => hit.first.captures);
}
