/**
 * Lines of many programs, written before anybody looked what redaction does with them: 200 that hold
 * a secret and 150 that look alike and hold none. At first contact 36 of the 200 were shown and 12
 * of the 150 were cut; before the forms under src/evidence/secrets it was 84 and 17.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { redact } from '../../src/evidence/redact.ts';

interface SecretLine {
  readonly kind: string;
  /** `§` stands for the secret. */
  readonly text: string;
  /** The secret from its end, so that no scanner takes it for one that leaked. */
  readonly reversed: string;
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'lines', name), 'utf8'));
}

/** Nothing in these tells a secret from other words: neither its form nor what stands before it. */
const UNTOLD: ReadonlySet<string> = new Set([
  'argocd-initial-password',
  'openvpn-auth-user-pass',
  'openvpn-management',
  'restic-password',
  'fluentd-shared-key',
]);

/** Ids of versions in S3 are drawn like keys. */
const CUT = 'VersionId';

const PIECE = 12;

function piecesOf(secret: string): readonly string[] {
  if (secret.length <= PIECE * 2) return [secret];
  return [secret.slice(0, PIECE), secret.slice(PIECE, PIECE * 2), secret.slice(-PIECE)];
}

describe('a secret is cut out of a line', () => {
  for (const { kind, text, reversed } of read('secrets.json') as readonly SecretLine[])
    test(kind, () => {
      const secret = Array.from(reversed).toReversed().join('');
      const clean = redact(text.replace('§', () => secret));
      const isShown = piecesOf(secret).some((piece) => clean.includes(piece));
      assert.equal(isShown, UNTOLD.has(kind), clean);
    });
});

test('lines that hold no secret stay as they are', () => {
  const harmless = read('harmless.json') as readonly string[];
  const cut = harmless.filter((line) => redact(line) !== line);
  assert.deepEqual(
    cut.filter((line) => !line.includes(CUT)),
    [],
  );
});
