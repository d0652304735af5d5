import type { ProgramRule } from './rules.ts';

const SAID_MOST_MS = 60_000;
/** What a write without a right is answered with. */
const FORBIDDEN = 403;

/** What a program may not read or write is said by it within a minute, with the kind's name. */
const told: ProgramRule = {
  rule: 'I-30',
  start({ kernel, evaluated, violated }) {
    /** By program and plural: the true time of the first refusal, ms; null when it was said. */
    const refused = new Map<string, number | null>();
    const note = (program: string, plural: string): void => {
      const key = `${program} ${plural}`;
      if (!refused.has(key)) refused.set(key, kernel.nowMs());
    };
    const judge = (): void => {
      for (const [key, atMs] of refused) {
        if (atMs === null || kernel.nowMs() - atMs <= SAID_MOST_MS) continue;
        violated(key, `${key}: refused, and not said within a minute`);
      }
    };
    kernel.every(SAID_MOST_MS / 10, judge);
    return {
      onRead(program, plural, how) {
        if (how === 'refused') note(program, plural);
      },
      onWrite({ program, request: { path }, code }) {
        if (code === FORBIDDEN) note(program, path.plural);
      },
      onSaid(program, line) {
        for (const [key, atMs] of refused) {
          if (atMs === null || !key.startsWith(`${program} `)) continue;
          if (!line.includes(key.slice(program.length + 1))) continue;
          evaluated();
          refused.set(key, null);
        }
      },
      onEnd: judge,
    };
  },
};

export const REFUSAL_RULES: readonly ProgramRule[] = [told];
