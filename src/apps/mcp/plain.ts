/** Names and commands without a place for a sentence of somebody else. */

const PLAIN_NAME = /^[A-Za-z0-9][\w.:/@+=,-]{0,252}$/;
const PLACEHOLDER = /<[a-z][a-z-]*>/g;
const PLAIN_VALUE = "['\\w.:/@+=,{}-]{1,300}";

/** True for a name of one word, as Kubernetes and AWS give them. */
export function isPlain(name: string): boolean {
  return PLAIN_NAME.test(name);
}

/** The name where it is plain; null where it is missing, or is shown as untrusted text instead. */
export function plainName(name: string | null): string | null {
  return name !== null && isPlain(name) ? name : null;
}

function wordsOf(text: string): readonly string[] {
  return text.split(' ');
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function isFilling(word: string, written: string): boolean {
  if (word === written) return true;
  const parts = written.split(PLACEHOLDER);
  if (parts.length < 2) return false;
  return new RegExp(`^${parts.map(escaped).join(PLAIN_VALUE)}$`).test(word);
}

/** True where a command is the one that was written, with plain values in its placeholders. */
export function isFilledPlainly(filled: string, written: string): boolean {
  const [words, own] = [wordsOf(filled), wordsOf(written)];
  return words.length === own.length && words.every((word, at) => isFilling(word, own[at] ?? ''));
}
