import type { HitLine } from './anchor-scanner.ts';
import { compileAnchors, createLineScanner, LINE_BYTES_MAX } from './anchor-scanner.ts';
import { escapedForms } from './escaped-forms.ts';

export interface Scan {
  readonly hits: readonly HitLine[];
  readonly lines: number;
  readonly bytes: number;
}

/** Scans `bytes` in pieces; `sizes` are their lengths, used again from the start when exhausted. */
export function scanInPieces(
  anchors: readonly string[],
  bytes: Uint8Array,
  sizes: readonly number[],
): Scan {
  const hits: HitLine[] = [];
  const scanner = createLineScanner(compileAnchors(anchors), (hit) => hits.push(hit));
  for (let at = 0, piece = 0; at < bytes.length; piece++) {
    const size = sizes[piece % sizes.length] ?? bytes.length;
    scanner.push(bytes.subarray(at, at + size));
    at += size;
  }
  scanner.end();
  return { hits, lines: scanner.lines, bytes: scanner.bytes };
}

function anchorsIn(text: string, anchors: readonly string[]): readonly number[] {
  return anchors.flatMap((anchor, rank) =>
    escapedForms(anchor).some((form) => text.includes(Buffer.from(form).toString('latin1')))
      ? [rank]
      : [],
  );
}

/** The obvious way: cut at each newline, look for each anchor with `includes`. */
export function scanPlainly(anchors: readonly string[], bytes: Uint8Array): Scan {
  const rows = Buffer.from(bytes).toString('latin1').split('\n');
  const last = rows.length - 1;
  const hits: HitLine[] = [];
  let byteOffset = 0;
  for (const [rank, row] of rows.entries()) {
    const cut = row.length > LINE_BYTES_MAX;
    const kept = cut ? row.slice(0, LINE_BYTES_MAX) : row;
    const text = new TextDecoder().decode(
      Buffer.from(cut ? kept : kept.replace(/\r$/, ''), 'latin1'),
      { stream: cut },
    );
    const found = anchorsIn(kept, anchors);
    const place = { lineNumber: rank + 1, byteOffset, text, cut };
    if (found.length > 0) hits.push({ ...place, anchors: found });
    byteOffset += row.length + 1;
  }
  const lines = rows.at(-1) === '' ? last : rows.length;
  return { hits, lines, bytes: bytes.length };
}
