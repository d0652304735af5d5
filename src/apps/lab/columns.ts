import { wrap } from '../../diagnosis/report/wrap.ts';
import type { StoryLine } from '../../sim/stories/story.ts';

/** `12:05` of a time in the story. */
const TIME_WIDTH = 7;
const GAP = 2;
/** Narrower columns would break every word. */
const COLUMN_LEAST = 24;

export interface TwoColumns {
  readonly head: () => readonly string[];
  readonly line: (line: StoryLine) => readonly string[];
}

function clock(atMs: number): string {
  const seconds = Math.floor(atMs / 1000);
  const minutes = String(Math.floor(seconds / 60)).padStart(2, '0');
  return `${minutes}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Lines of what people saw on the left, of what Rollcall said on the right. */
export function twoColumns(width: number): TwoColumns {
  const column = Math.max(COLUMN_LEAST, Math.floor((width - TIME_WIDTH - GAP) / 2));
  const place = (side: StoryLine['side'], text: string): string =>
    side === 'seen' ? text : `${' '.repeat(column + GAP)}${text}`;
  return {
    head: () => {
      const left = 'what happens'.padEnd(column + GAP);
      const rule = '-'.repeat(TIME_WIDTH + 2 * column + GAP);
      return [`${'time'.padEnd(TIME_WIDTH)}${left}what Rollcall reports`, rule];
    },
    line: ({ atMs, side, text }) =>
      wrap(text, column).map((part, index) => {
        const time = index === 0 ? clock(atMs) : '';
        return `${time.padEnd(TIME_WIDTH)}${place(side, part)}`;
      }),
  };
}
