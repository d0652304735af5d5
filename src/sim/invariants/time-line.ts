import type { SubjectReport } from '../../diagnosis/document.ts';
import type { Invariant } from './contract.ts';

/** Clocks of machines may be off by so much without anybody's saying so, ms. */
const SKEW_MS = 30_000;

/** The first entry that is earlier than the one before it by more than the skew. */
function disorder({ timeline }: SubjectReport): string | null {
  let latestMs = -Infinity;
  for (const { time, what } of timeline) {
    const ms = time === null ? Number.NaN : Date.parse(time);
    if (Number.isNaN(ms)) continue;
    if (ms < latestMs - SKEW_MS) return what;
    latestMs = Math.max(latestMs, ms);
  }
  return null;
}

/** In a timeline no effect stands before its cause. */
export const timeLine: Invariant = {
  rule: 'I-31',
  look({ document, way }, { evaluated, violated }) {
    for (const subject of document.subjects) {
      evaluated();
      const what = disorder(subject);
      if (what !== null) violated(subject.name, `${way}: out of order in its timeline: ${what}`);
    }
  },
};
