const STAMP =
  /\b\d{4}-\d\d-\d\d[T ]\d[\d:.,]{4,20}(?:Z|[+-]\d\d:?\d\d)?|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}\d{1,2} \d[\d:.]{4,16}|\b[IWEF]\d{4} \d[\d:.]{4,20} {1,8}\d{1,10}/g;
const IDENTIFIER = /\b(i|vpc|subnet|sg|eni|ami|vol|rtb|lt|eipalloc|nat|igw)-[0-9a-f]{6,17}\b/g;
const ADDRESS = /\b(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?(?:\/\d{1,2})?/g;
const NODE_NAME = /\bip-(?:\d{1,3}-){3}\d{1,3}\b/g;
const HEX = /\b(?=[a-z]{0,40}\d)[0-9a-f]{8,64}\b/gi;
const WORD = /[a-z0-9_#]+/g;

/**
 * The words of a line as all lines of the same wording share them: small letters, without stamps,
 * and with ids, addresses and numbers folded into one word of each kind.
 */
export function foldedWords(text: string): readonly string[] {
  const folded = text
    .replace(STAMP, ' ')
    .replace(IDENTIFIER, ' $1_# ')
    .replace(NODE_NAME, ' ip_# ')
    .replace(ADDRESS, ' #address ')
    .replace(HEX, ' # ')
    .replace(/\d+/g, '0')
    .toLowerCase();
  return folded.match(WORD) ?? [];
}
