import { eachLine, type PastedLines, splitLines } from './lines.ts';

/** The escape character as terminals, pagers, syslog and programs that print it write it. */
// biome-ignore lint: the escape character starts a terminal sequence
const COLOR =
  /(?:[\u001b\u009b\u241b]|\^\[|#033|\\(?:x1[bB]|u001[bB]|033|e))\[?[0-9;?]{0,20}[A-Za-z]/g;
/** What is left of a color where the escape character was lost. */
const BARE_COLOR = /\[(?:\d{1,2}(?:;\d{1,3}){0,4}m(?!\])|m(?![\]a-z\d]))|\[K/g;
const BARE_RESET = /\[(?:0m|m(?![\]a-z\d]))/;
const MAY_COLOR = /\[[0-9;]{0,12}[mK]/;

const INVISIBLE = /[\u200b-\u200d\u2060\ufeff]/g;
const CURLY_DOUBLE = /[\u201c\u201d\u201e\u00ab\u00bb\u2033]/g;
const CURLY_SINGLE = /[\u2018\u2019\u2032]/g;

function plainLetters(line: string): string {
  if (!/[\u00a0-\uffff]/.test(line)) return line;
  const letters = line
    .replace(/\u00a0/g, ' ')
    .replace(INVISIBLE, '')
    .replace(CURLY_SINGLE, "'");
  // Beside straight ones they are a part of what was printed.
  return letters.includes('"') ? letters : letters.replace(CURLY_DOUBLE, '"');
}

/** Without colors, and with the letters that programs print for those that editors make of them. */
export function plain(given: PastedLines): PastedLines {
  const isColored = given.lines.some((line) => MAY_COLOR.test(line));
  const isBare = isColored && given.lines.some((line) => BARE_RESET.test(line));
  return eachLine(given, (line) => {
    const letters = plainLetters(line);
    if (!isColored) return letters;
    const uncolored = letters.replace(COLOR, '');
    return isBare ? uncolored.replace(BARE_COLOR, '') : uncolored;
  });
}

const TAG =
  /<\/?(?:pre|code|div|span|p|br|b|i|em|strong|a|td|th|tr|table|tbody|thead|ul|ol|li|blockquote|html|body|h[1-6]|tt|samp|kbd|font|hr|details|summary)(?:\s[^<>]{0,300})?\/?>/gi;
/** A text is a page where an element ends, or a line does. */
const PAGE = /<\/(?:pre|code|div|span|p|td|li|blockquote|samp)>|<br\s{0,3}\/?>/i;
const LINE_END = /<br\s{0,3}\/?>|<\/(?:p|div|tr|li|h[1-6])>/i;

const ENTITY = /&(?:quot|lt|gt|amp|nbsp|apos|#x?[0-9a-f]{2,5});/i;
const ENTITIES = /&(quot|lt|gt|amp|nbsp|apos|#x?[0-9a-f]{2,5});/gi;
const NAMED: Readonly<Record<string, string>> = {
  quot: '"',
  lt: '<',
  gt: '>',
  amp: '&',
  nbsp: ' ',
  apos: "'",
};

function characterOf(name: string): string {
  const known = NAMED[name.toLowerCase()];
  if (known !== undefined) return known;
  const isHexadecimal = /^#x/i.test(name);
  const code = Number.parseInt(name.slice(isHexadecimal ? 2 : 1), isHexadecimal ? 16 : 10);
  return code === 160 || !(code >= 32 && code <= 0xffff) ? ' ' : String.fromCharCode(code);
}

/** A quote beside others belongs to what was printed, as in user data inside JSON. */
function unescaped(line: string): string {
  if (!line.includes('&')) return line;
  const hasQuotes = line.includes('"');
  return line.replace(ENTITIES, (entity, name: string) => {
    const character = characterOf(name);
    return character === '"' && hasQuotes ? entity : character;
  });
}

function withoutTags(line: string): readonly string[] | null {
  if (!line.includes('<')) return null;
  const parts = line.split(LINE_END);
  const texts = parts.map((part) => part.replace(TAG, ''));
  // An end of a line at the end of a line ends it once.
  return texts.length > 1 && texts.at(-1)?.trim() === '' ? texts.slice(0, -1) : texts;
}

/** The text of a page whose source was copied. */
export function textOfPage(given: PastedLines): PastedLines {
  const isPage = given.lines.some((line) => PAGE.test(line));
  const text = isPage ? splitLines(given, withoutTags) : given;
  return text.lines.some((line) => ENTITY.test(line)) ? eachLine(text, unescaped) : text;
}
