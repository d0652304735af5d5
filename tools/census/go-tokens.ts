/** The tokens of Go source that a search for messages needs; comments are left out. */

export interface GoToken {
  /** `text` holds what a string means, not how it is written. */
  readonly kind: 'name' | 'string' | 'mark';
  readonly text: string;
  readonly line: number;
}

const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|`[^`]*`|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'|[\p{L}_][\p{L}\p{N}_]*|\d[\w.]*|\S/gu;

const ESCAPE = /\\(?:([abfnrtv\\'"])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/g;

const CONTROLS: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Takes the tokens of one file in one pass. */
export function goTokens(source: string): readonly GoToken[] {
  const tokens: GoToken[] = [];
  let line = 1;
  let at = 0;
  for (const match of source.matchAll(TOKEN)) {
    line += newlines(source, at, match.index);
    at = match.index;
    const token = tokenOf(match[0], line);
    if (token !== null) tokens.push(token);
  }
  return tokens;
}

function newlines(source: string, from: number, to: number): number {
  let count = 0;
  for (let at = source.indexOf('\n', from); at >= 0 && at < to; at = source.indexOf('\n', at + 1))
    count += 1;
  return count;
}

function tokenOf(written: string, line: number): GoToken | null {
  if (written.startsWith('//') || written.startsWith('/*')) return null;
  if (written.startsWith('`') && written.length > 1)
    return { kind: 'string', text: written.slice(1, -1), line };
  if (written.startsWith('"') && written.length > 1)
    return { kind: 'string', text: unescapeGo(written.slice(1, -1)), line };
  const kind = /^[\p{L}_]/u.test(written) ? 'name' : 'mark';
  return { kind, text: written, line };
}

function unescapeGo(text: string): string {
  return text.replaceAll(
    ESCAPE,
    (_, control?: string, ...codes: readonly (string | undefined)[]) =>
      control === undefined ? codeOf(codes) : (CONTROLS[control] ?? control),
  );
}

function codeOf(codes: readonly (string | undefined)[]): string {
  const code = codes.slice(0, 3).find((one) => one !== undefined);
  const point = Number.parseInt(code ?? 'fffd', 16);
  return point > 0x10ffff ? '\ufffd' : String.fromCodePoint(point);
}
