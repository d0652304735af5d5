import type { JsonObject } from '../../../evidence/json.ts';

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const LENGTH = 10;

const HASHES = new WeakMap<object, string>();

/** A label value that changes with the template, as pod-template-hash does. */
export function templateHash(template: JsonObject): string {
  const known = HASHES.get(template);
  if (known !== undefined) return known;
  const hash = hashOf(template);
  HASHES.set(template, hash);
  return hash;
}

function hashOf(template: JsonObject): string {
  const text = JSON.stringify(template);
  let hash = 0x811c9dc5;
  let word = '';
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  for (let index = 0; index < LENGTH; index++) {
    word += ALPHABET[hash % ALPHABET.length] ?? '';
    hash = (Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) + index) >>> 0;
  }
  return word;
}
