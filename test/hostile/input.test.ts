import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { diagnoseObservations } from '../../src/engine/diagnose.ts';
import { type PileDocument, readPile } from '../../src/engine/pile.ts';
import type { DiagnosisDocument } from '../../src/diagnosis/document.ts';
import { renderText } from '../../src/diagnosis/report/text.ts';

const DECIDING =
  'kubelet[9]: getting credentials: exec plugin is configured to use API version client.authentication.k8s.io/v1beta1, plugin returned version client.authentication.k8s.io/v1alpha1\n';
const CAUSE = 'broken-exec-credential-plugin';
const encoder = new TextEncoder();

function pile(...documents: readonly (readonly [string, Uint8Array | string])[]): PileDocument[] {
  return documents.map(([locator, content]) => ({
    locator,
    container: null,
    chunks: [typeof content === 'string' ? encoder.encode(content) : content],
  }));
}

async function diagnosisOf(documents: Iterable<PileDocument>): Promise<DiagnosisDocument> {
  return diagnoseObservations(await readPile(documents));
}

/** The bad document beside a good one: the good one still decides, and the loss is said or nothing was lost. */
async function withBad(bad: Uint8Array | string): Promise<DiagnosisDocument> {
  const document = await diagnosisOf(pile(['bad.txt', bad], ['kubelet.log', DECIDING]));
  assert.equal(document.headline?.cause, CAUSE);
  return document;
}

describe('bad input leaves the rest of the evidence in use', () => {
  test('binary is left out by name', async () => {
    const document = await withBad(
      Uint8Array.from({ length: 50_000 }, (_, index) => ((index * 131) % 256) & 0x1f),
    );
    assert.match(document.losses[0]?.what ?? '', /bad\.txt is binary/);
  });

  test('NUL bytes and invalid UTF-8 within a log are read over', async () => {
    const bytes = encoder.encode(`\u0000\u0000some text\n${DECIDING}`);
    bytes[3] = 0xff;
    assert.equal((await diagnosisOf(pile(['mixed.log', bytes]))).headline?.cause, CAUSE);
  });

  for (const [label, mark] of [
    ['with', '\ufeff'],
    ['without', ''],
  ] as const) {
    test(`UTF-16 ${label} a byte order mark is read`, async () => {
      const text = `${mark}${DECIDING}`;
      const bytes = new Uint8Array(text.length * 2);
      for (let index = 0; index < text.length; index++)
        bytes[index * 2] = text.charCodeAt(index) & 0xff;
      if (mark !== '') bytes.set([0xff, 0xfe]);
      assert.equal((await diagnosisOf(pile(['utf16.log', bytes]))).headline?.cause, CAUSE);
    });
  }

  test('a line of 1 GB is passed over, with the next line read', async () => {
    function* chunks(): Generator<Uint8Array> {
      const filler = new Uint8Array(1 << 20).fill(120);
      for (let count = 0; count < 1024; count++) yield filler;
      yield encoder.encode(`\n${DECIDING}`);
    }
    const before = process.memoryUsage().rss;
    const document = await diagnosisOf([
      { locator: 'long.log', container: null, chunks: chunks() },
    ]);
    assert.equal(document.headline?.cause, CAUSE);
    assert.ok(process.memoryUsage().rss - before < 200 * (1 << 20));
  });
});

describe('bad documents leave the rest of the evidence in use', () => {
  test('JSON nested 100,000 deep', async () => {
    await withBad(`${'['.repeat(100_000)}1${']'.repeat(100_000)}`);
    await withBad(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`);
  });

  test('a YAML bomb of aliases is left out with the reason', async () => {
    const levels = Array.from(
      { length: 12 },
      (_, level) =>
        `l${level + 1}: &l${level + 1} [${Array.from({ length: 12 }, () => `*l${level}`).join(', ')}]`,
    );
    const document = await withBad(
      `kind: ConfigMap\napiVersion: v1\nl0: &l0 lol\n${levels.join('\n')}\n`,
    );
    assert.match(
      document.losses.map((loss) => loss.what).join(' '),
      /whose aliases make it endless/,
    );
  });

  test('YAML tags build no objects', async () => {
    await withBad(
      'apiVersion: v1\nkind: !!js/function "function () { throw 1 }"\nmetadata: !!python/object:os.system {}\n',
    );
  });

  test('prototype keys stay data', async () => {
    await withBad(
      '{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1","labels":{"__proto__":"x","constructor":"y"}},"__proto__":{"polluted":true}}',
    );
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  });

  test('a JSON or YAML document cut in the middle is read as lines', async () => {
    await withBad(
      '{"apiVersion":"v1","kind":"NodeList","items":[{"kind":"Node","metadata":{"name":"ip-10-0',
    );
    await withBad('apiVersion: v1\nkind: ConfigMap\ndata:\n  mapRoles: "- rolearn: [\n');
  });

  test('rejects one dump of more than 64 MB that is not a list by name', async () => {
    function* chunks(): Generator<Uint8Array> {
      yield encoder.encode('apiVersion: v1\nkind: ConfigMap\ndata:\n');
      const filler = encoder.encode(`  key: ${'x'.repeat(1 << 20)}\n`);
      for (let count = 0; count < 70; count++) yield filler;
    }
    const document = await diagnosisOf([
      { locator: 'huge.yaml', container: null, chunks: chunks() },
      ...pile(['kubelet.log', DECIDING]),
    ]);
    assert.equal(document.headline?.cause, CAUSE);
    assert.match(document.losses[0]?.what ?? '', /huge\.yaml is one document of more than 64 MB/);
  });
});

describe('quoted text cannot control a terminal', () => {
  test('escape sequences, control and bidirectional characters are gone', async () => {
    const evil = `\u001b[2J\u001b]0;owned\u0007\u202egnp.exe\u0008 ${DECIDING.trim()} \u001b[31mred\u2066\n`;
    const document = await diagnosisOf(pile(['evil.log', evil]));
    const text = renderText(document, { columns: 100, colour: false, paths: [] });
    assert.equal(document.headline?.cause, CAUSE);
    assert.doesNotMatch(
      `${text}${JSON.stringify(document)}`,
      /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\\u00[01]/,
    );
  });

  test('values from evidence are quoted in commands', async () => {
    const line = 'kubelet[9]: getting credentials: exec: executable aws;rm$(reboot) not found\n';
    const document = await diagnosisOf(pile(['evil.log', line]));
    const commands = document.subjects
      .flatMap((subject) => subject.findings)
      .flatMap((finding) => finding.remedy)
      .map((step) => step.command ?? '');
    assert.ok(commands.length > 0);
    for (const command of commands) assert.doesNotMatch(command.replace(/'[^']*'/g, ''), /reboot/);
  });
});

describe('any bytes at all end in a document', () => {
  const shapes = fc.oneof(
    fc.uint8Array({ maxLength: 3000 }),
    fc.string({ maxLength: 2000 }).map((text) => encoder.encode(text)),
    fc.json({ maxDepth: 6 }).map((text) => encoder.encode(text)),
    fc
      .tuple(
        fc.constantFrom(
          'NAME  STATUS  ROLES  AGE  VERSION',
          'LAST SEEN  TYPE  REASON  OBJECT  MESSAGE',
          'Name:  x\nRoles:  y',
          'apiVersion: v1\nkind: Node',
          '{"kind":"List","apiVersion":"v1","items":[',
        ),
        fc.string({ maxLength: 500 }),
      )
      .map(([head, rest]) => encoder.encode(`${head}\n${rest}\n`)),
  );

  test('without a throw, in chunks of any size', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, fc.integer({ min: 1, max: 700 }), async (bytes, size) => {
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        );
        const document = await diagnosisOf([{ locator: 'any', container: null, chunks }]);
        assert.equal(document.kind, 'Diagnosis');
      }),
      { numRuns: 300 },
    );
  });
});
