/** Compares what was said of a live state with what is true of it. */
import { EXIT } from '../../../src/apps/cli/exit-code.ts';
import { judge, type Judged, type Said } from '../judge.ts';
import type { LiveState } from './state.ts';

/** Both APIs show whether a machine is usable, so that more is asked here than of files. */
export function judgeLive({ id, end, accept, stage }: LiveState, said: Said): Judged {
  const isBroken = end === 'broken';
  const healthy = end === 'well' || end === 'joining';
  const judged = judge(
    { id, stage, accept: isBroken ? accept : ['undetermined'], reject: [], healthy },
    said,
  );
  if (judged.outcome !== 'right') return judged;
  if (end === 'well' && said.code !== EXIT.usable)
    return { ...judged, outcome: 'silent', said: 'a healthy machine is not called usable' };
  if (end === 'joining' && said.code === EXIT.usable)
    return { ...judged, outcome: 'wrong', said: 'a machine without a Node is called usable' };
  return judged;
}
