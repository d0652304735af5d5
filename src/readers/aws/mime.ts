export interface MimePart {
  /** Media type in lower case, `text/plain` where none is given. */
  readonly type: string;
  readonly body: string;
  readonly isBase64: boolean;
}

export interface MimeReading {
  readonly parts: readonly MimePart[];
  /** What breaks the structure, in words; null when it is sound. */
  readonly fault: string | null;
}

interface Headers {
  readonly fields: ReadonlyMap<string, string>;
  /** The first line that is no header where an empty line had to be, null when none is. */
  readonly intruder: string | null;
  /** Index of the first line after the headers and their empty line. */
  readonly next: number;
}

const HEADER =
  /^(content-[a-z-]+|mime-version|merge-type|number-attachments|launch-index|x-[a-z-]+|from|to|subject|date):\s*(.*)$/i;
const WORDS_MAX = 60;

function readHeaders(lines: readonly string[], start: number, end: number): Headers {
  const fields = new Map<string, string>();
  let last = '';
  for (let index = start; index < end; index += 1) {
    const line = lines[index] ?? '';
    if (line === '') return { fields, intruder: null, next: index + 1 };
    const header = HEADER.exec(line);
    if (header !== null) {
      last = (header[1] ?? '').toLowerCase();
      fields.set(last, header[2] ?? '');
    } else if (/^[ \t]/.test(line) && last !== '') {
      fields.set(last, `${fields.get(last) ?? ''} ${line.trim()}`);
    } else {
      return { fields, intruder: line.trim().slice(0, WORDS_MAX), next: index };
    }
  }
  return { fields, intruder: null, next: end };
}

/** True for text that begins as a MIME document of several parts. */
export function looksLikeMime(text: string): boolean {
  return /^\s*(?:mime-version:|content-type:\s*multipart\/)/i.test(text);
}

function partOf(lines: readonly string[], start: number, end: number): MimePart | string {
  const { fields, intruder, next } = readHeaders(lines, start, end);
  if (intruder !== null) return `“${intruder}” follows the headers of a part without an empty line`;
  const type = (fields.get('content-type') ?? 'text/plain').split(';')[0] ?? '';
  return {
    type: type.trim().toLowerCase(),
    body: lines.slice(next, end).join('\n'),
    isBase64: /base64/i.test(fields.get('content-transfer-encoding') ?? ''),
  };
}

/** How many lines a MIME document of several parts has from the first on; 0 for any other text. */
export function mimeLineCount(lines: readonly string[]): number {
  if (!looksLikeMime(lines[0] ?? '')) return 0;
  const { fields, next } = readHeaders(lines, 0, lines.length);
  const boundary = boundaryIn(fields);
  if (boundary === null) return 0;
  const closed = lines.findIndex((line) => line.trimEnd() === `--${boundary}--`);
  return closed < 0 ? next : closed + 1;
}

function boundaryIn(fields: ReadonlyMap<string, string>): string | null {
  return /boundary="?([^";\s]+)"?/i.exec(fields.get('content-type') ?? '')?.[1] ?? null;
}

function otherBoundary(lines: readonly string[]): string {
  const other = lines.find((line) => /^--[\w=/+.]{1,70}$/.test(line));
  return other === undefined ? '' : ` (there is “${other}” instead)`;
}

/** Reads user data of several parts as strictly as nodeadm does. */
export function readMime(text: string): MimeReading {
  const lines = text.trimStart().split(/\r?\n/);
  const head = readHeaders(lines, 0, lines.length);
  const boundary = boundaryIn(head.fields);
  if (boundary === null)
    return { parts: [], fault: 'its Content-Type header declares no boundary' };
  if (head.intruder !== null)
    return { parts: [], fault: `“${head.intruder}” follows the headers without an empty line` };
  return readParts(lines, head.next, boundary);
}

function readParts(lines: readonly string[], start: number, boundary: string): MimeReading {
  const opens: number[] = [];
  let closed = -1;
  for (let index = start; index < lines.length && closed < 0; index += 1) {
    const line = (lines[index] ?? '').trimEnd();
    if (line === `--${boundary}`) opens.push(index);
    else if (line === `--${boundary}--`) closed = index;
  }
  if (opens.length === 0) {
    const fault = `no line is “--${boundary}”, the boundary that its header declares${otherBoundary(lines.slice(start))}`;
    return { parts: [], fault };
  }
  const end = closed < 0 ? lines.length : closed;
  return collectParts(lines, [...opens, end], closed < 0 ? boundary : null);
}

function collectParts(
  lines: readonly string[],
  bounds: readonly number[],
  unclosed: string | null,
): MimeReading {
  const parts: MimePart[] = [];
  for (const [order, open] of bounds.slice(0, -1).entries()) {
    const part = partOf(lines, open + 1, bounds[order + 1] ?? lines.length);
    if (typeof part === 'string') return { parts, fault: part };
    parts.push(part);
  }
  const fault = unclosed === null ? null : `the closing line “--${unclosed}--” is missing`;
  // What stands in the part that is never closed is not read to its end.
  return { parts: fault === null ? parts : parts.slice(0, -1), fault };
}
