/** One key for the variants of a message: numbers, quotes, capitals, blanks and wrapping. */

const VERB = /%(?:\[\d+\])?[-+# 0]*(?:\d+|\*)?(?:\.(?:\d+|\*)?)?[a-zA-Z]/g;

/** What stands where a value is printed. */
export const PLACE = '{}';

/** The message as people read it: verbs become places, a wrapped error goes. */
export function readable(text: string): string {
  return text
    .replaceAll('%%', '\u0000')
    .replaceAll(VERB, PLACE)
    .replaceAll('\u0000', '%')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Equal for all variants of one message. */
export function foldKey(text: string): string {
  return readable(text)
    .toLowerCase()
    .replaceAll(/["'`\\]/g, '')
    .replaceAll(/\d+/g, '#')
    .replaceAll(/(?:[\s:,=([]*\{\}[\s)\].]*)+$/g, '')
    .replaceAll(/^(?:\{\}[\s:,]*)+/g, '')
    .replaceAll(/[\s:;,.!]+$/g, '')
    .trim();
}

/** A message that is all values has no words to be known by. */
export function hasWords(key: string): boolean {
  return /[a-z]{2}/.test(key.replaceAll(PLACE, ''));
}
