import { printable } from '../../../evidence/redact.ts';

const ASCII = /^[\u0020-\u007e]*$/;
/** East Asian wide and full-width blocks of Unicode; pictures are asked for by property. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{17000}-\u{18aff}\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
const UNSEEN = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]*$/u;
const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Text for one cell: on one line, without terminal sequences, control or bidirectional characters. */
export function cellText(text: string): string {
  return ASCII.test(text) ? text : printable(text.toWellFormed()).replace(/\s+/g, ' ').trim();
}

function graphemeWidth(grapheme: string): number {
  if (UNSEEN.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
}

/** Columns of a terminal that a text takes. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of SEGMENTER.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** The text in at most `width` columns; what is cut ends in `…`. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (ASCII.test(text)) return `${text.slice(0, Math.max(0, width - 1)).trimEnd()}…`;
  let kept = '';
  let used = 0;
  for (const { segment } of SEGMENTER.segment(text)) {
    used += graphemeWidth(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
