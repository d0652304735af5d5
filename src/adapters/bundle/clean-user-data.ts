import { markOfAuthority } from '../../evidence/checksum.ts';
import { redact } from '../../evidence/redact.ts';

/** The first bytes of what gzip wrote, which tell that user data is compressed. */
const GZIP = '\u001f\u008b';
const BASE64_COLUMNS = 76;
/** A part of user data holds no parts of its own. */
const DEPTH_MAX = 1;

const AUTHORITY =
  /((?:certificateAuthority|cluster-certificate)["']?\s*[:=]\s*["']?)([A-Za-z0-9+/=]{100,8192})(?![A-Za-z0-9+/=])/g;

/** A bootstrap token; its first part is its public id, by which the cluster lists it. */
const TOKEN = /(?<![A-Za-z0-9.])([a-z0-9]{6})\.[a-z0-9]{16}(?![A-Za-z0-9.])/g;
/** What stands in the quotes of a flag is cut out with them, so a token's go before. */
const QUOTED_TOKEN = /(--[\w-]{1,60}(?:=|\s{1,20}))(["'])([a-z0-9]{6}\.[a-z0-9]{16})\2/g;

/**
 * User data in base64, its secrets cut out, the cluster's certificate authority replaced by its
 * checksum and a bootstrap token by its id; of what is no text, only whether it is compressed.
 */
export function cleanUserData(encoded: string): string {
  return cleanBase64(encoded, DEPTH_MAX);
}

function cleanBase64(encoded: string, depth: number): string {
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.toString('latin1', 0, GZIP.length) === GZIP)
    return Buffer.from(GZIP, 'latin1').toString('base64');
  const text = bytes.toString('utf8');
  const clean = text.includes('\ufffd') ? '' : cleanText(text, depth);
  return Buffer.from(clean).toString('base64');
}

function cleanText(text: string, depth: number): string {
  const marked = text
    .replace(AUTHORITY, (_, before: string, value: string) => before + markOfAuthority(value))
    .replace(QUOTED_TOKEN, '$1$3')
    .replace(TOKEN, '‹token $1›');
  const lines = marked.split('\n');
  const parts = depth === 0 ? [] : base64Parts(lines);
  const clean: string[] = [];
  let from = 0;
  for (const { start, end } of parts) {
    clean.push(...lines.slice(from, start).map(redact));
    clean.push(...folded(cleanBase64(lines.slice(start, end).join(''), depth - 1)));
    from = end;
  }
  return [...clean, ...lines.slice(from).map(redact)].join('\n');
}

interface Lines {
  readonly start: number;
  /** The line behind the last. */
  readonly end: number;
}

/** Bodies of MIME parts that are in base64, each from behind its headers to the next boundary. */
function base64Parts(lines: readonly string[]): readonly Lines[] {
  const parts: Lines[] = [];
  for (let index = 0; index < lines.length; index++) {
    if (!/^content-transfer-encoding:\s*base64\s*$/i.test(lines[index] ?? '')) continue;
    const start = following(lines, index, (line) => line.trim() === '') + 1;
    const end = following(lines, start, (line) => line.startsWith('--'));
    parts.push({ start, end });
    index = end;
  }
  return parts;
}

function following(
  lines: readonly string[],
  from: number,
  isIt: (line: string) => boolean,
): number {
  let index = from;
  while (index < lines.length && !isIt(lines[index] ?? '')) index++;
  return index;
}

function folded(text: string): readonly string[] {
  const count = Math.ceil(text.length / BASE64_COLUMNS);
  return Array.from({ length: count }, (_, index) =>
    text.slice(index * BASE64_COLUMNS, (index + 1) * BASE64_COLUMNS),
  );
}
