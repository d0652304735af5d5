import { isOfLease, type ProgramRule } from './rules.ts';

const WINDOW_MS = 60_000;
/** A silent watch is asked after every three seconds, and a failing request repeated ever later. */
const REQUESTS_MOST = 60;
const LISTS_MOST = 12;
/** A Lease is renewed every two seconds; a report is made, filled, changed and taken away. */
const WRITES_MOST = 120;

/** How many of these fell into the last minute. */
function recent(times: number[], nowMs: number): number {
  times.push(nowMs);
  while ((times[0] ?? nowMs) <= nowMs - WINDOW_MS) times.shift();
  return times.length;
}

/** Requests of a program stay within their budget for each kind, also while it is refused. */
const budgeted: ProgramRule = {
  rule: 'I-33',
  start({ kernel, evaluated, violated }) {
    const all = new Map<string, number[]>();
    const count = (name: string): number => {
      const times = all.get(name) ?? [];
      all.set(name, times);
      return recent(times, kernel.nowMs());
    };
    return {
      onRead(program, plural, how) {
        if (how === 'event' || how === 'get' || how === 'refused') return;
        evaluated();
        const isListed = how === 'listed';
        const times = count(`${program} ${isListed ? 'lists' : 'asks for'} ${plural}`);
        if (times > (isListed ? LISTS_MOST : REQUESTS_MOST))
          violated(
            plural,
            `${program}: ${isListed ? 'lists' : 'asks for'} ${plural} too often in a minute`,
          );
      },
      onWrite(entry) {
        const { program } = entry;
        if (!isOfLease(entry) && count(`${program} writes`) > WRITES_MOST)
          violated(program, `${program}: writes too often in a minute`);
      },
    };
  },
};

export const LOAD_RULES: readonly ProgramRule[] = [budgeted];
