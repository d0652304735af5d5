import assert from 'node:assert/strict';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { CONTAINERS, ENCODINGS } from './containers.ts';
import { check, OUTPUTS, printedFor } from './run.ts';
import { type Carried, SECRETS } from './secrets.ts';
import { ENVELOPES, PARTS, STRUCTURED, type Write } from './shapes.ts';

const ROOT = join(import.meta.dirname, '../..');
const FILE = 'test/hostile/secrets-in-shapes.test.ts';
const MARK = '‹redacted›';
const anySecret: fc.Arbitrary<Carried> = fc.oneof(...Object.values(SECRETS));

function assertSecretless(printed: string, secret: Carried): void {
  for (const part of secret.parts)
    assert.ok(!printed.includes(part), `${part} of ${secret.text} is printed:\n${printed}`);
}

function source(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

async function checkWriting(write: Write, numRuns: number): Promise<void> {
  const property = fc.asyncProperty(
    anySecret,
    fc.constantFrom(...OUTPUTS),
    async (secret, output) => {
      const printed = await printedFor(`${write(secret.text)}\n`, output);
      assertSecretless(printed, secret);
      assert.ok(printed.includes(MARK) || printed.includes('now'), `it is not quoted: ${printed}`);
    },
  );
  await check(property, numRuns, FILE);
}

describe('no secret in any envelope is printed', () => {
  test('every envelope that a reader unwraps is here', () => {
    const known = [...source('src/readers/line/envelope.ts').matchAll(/^const ([A-Z_]+) = \//gm)];
    assert.ok(known.length > 0);
    for (const [, name = ''] of known) assert.ok(name in ENVELOPES, `add ${name} to shapes.ts`);
  });
  for (const [name, write] of Object.entries(ENVELOPES)) test(name, () => checkWriting(write, 20));
});

describe('no secret in any structured text is printed', () => {
  test('every structured reader is here', () => {
    const files = globSync('{kube,aws,text}/*.ts', { cwd: join(ROOT, 'src/readers') });
    const here = [...Object.keys(STRUCTURED), ...PARTS];
    const missing = files.filter((file) => !file.endsWith('.test.ts') && !here.includes(file));
    assert.deepEqual(missing, [], 'add what it reads to shapes.ts');
  });
  for (const [name, write] of Object.entries(STRUCTURED))
    test(name, () => checkWriting(write, /items|document/.test(name) ? 3 : 25));
});

/** Names that opened files may have: an archive takes any, a folder none with a slash. */
const named: fc.Arbitrary<Carried> = anySecret.filter(({ text }) => text.length < 90);
const journal = (words: string): string => ENVELOPES['journal, short']?.(words) ?? '';
const failure = journal('now');

describe('no secret in a container is printed', () => {
  test('every format that is opened is here', () => {
    const names = source('src/adapters/bundle/recognise.ts').matchAll(
      /kind: '(?:compression|archive)', name: '([\w-]+)'/g,
    );
    for (const [, name = ''] of names) assert.ok(name in CONTAINERS, `add a container: ${name}`);
  });
  for (const [name, pack] of Object.entries(CONTAINERS)) {
    test(name, async () => {
      const property = fc.asyncProperty(
        named,
        anySecret,
        fc.constantFrom(...OUTPUTS),
        async (inName, inText, output) => {
          const content = `${failure}\n${journal(inText.text)}\n`;
          const bytes = await pack(`logs/${inName.text}.log`, content);
          const printed = await printedFor(bytes, output);
          assertSecretless(printed, inName);
          assertSecretless(printed, inText);
          assert.match(printed, /Unable to register node with API server/);
        },
      );
      await check(property, 12, FILE);
    });
  }

  test('folder', async (t) => {
    const property = fc.asyncProperty(
      named.map((secret) => ({ ...secret, text: secret.text.replaceAll('/', ':') })),
      fc.constantFrom(...OUTPUTS),
      async (secret, output) => {
        const folder = temporaryFolder(t);
        mkdirSync(join(folder, 'logs'));
        writeFileSync(join(folder, 'logs', secret.text), `${failure}\n`);
        const printed = await printedFor('', output, [folder]);
        assertSecretless(printed, secret);
        assert.match(printed, /Unable to register node with API server/);
      },
    );
    await check(property, 12, FILE);
  });
});

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-secrets-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Characters that hide a secret from a reader, between any two of its letters. */
const HIDDEN = ['\u0000', '\u202e', '\u200b', '\u001b[31m', '\u2066', '\u0008'];

describe('no secret in any encoding is printed', () => {
  for (const [name, encode] of Object.entries(ENCODINGS)) {
    test(name, async () => {
      const property = fc.asyncProperty(
        anySecret,
        fc.constantFrom(...OUTPUTS),
        async (s, output) => {
          const text = `${journal(s.text)}\n`;
          const printed = await printedFor(encode(text), output);
          assertSecretless(printed, s);
          assert.match(printed, /Unable to register node with API server/);
        },
      );
      await check(property, 15, FILE);
    });
  }

  test('characters that are not shown, within the secret', async () => {
    const property = fc.asyncProperty(
      anySecret,
      fc.constantFrom(...HIDDEN),
      fc.nat(60),
      async (secret, hidden, at) => {
        const words = `${secret.text.slice(0, at)}${hidden}${secret.text.slice(at)}`;
        const printed = await printedFor(`${journal(words)}\n`, 'json');
        assertSecretless(printed, secret);
      },
    );
    await check(property, 60, FILE);
  });
});
