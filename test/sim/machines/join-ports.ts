/** The ports of a join supervisor, of which one call goes wrong. */
import type { JoinTools } from '../../../src/controllers/join/supervisor.ts';
import type { JoinSeen } from '../../../src/domain/nodes/join.ts';
import { PortError } from '../../../src/ports/port-error.ts';

export type JoinPort = 'look' | 'run' | 'restart' | 'reset' | 'keep' | 'sleep';

/** What becomes of a call: the supervisor is killed, the machine loses power, or an answer is lost. */
export const WRONGS = [
  'kill-before',
  'kill-during',
  'kill-after',
  'reboot-before',
  'reboot-during',
  'reboot-after',
  'lost-answer',
] as const;

export type Wrong = (typeof WRONGS)[number];

export interface OneCall {
  /** Counted from 1 over all ports and starts. */
  readonly call: number;
  readonly wrong: Wrong;
}

/** The parts of a call that differ by port. */
interface Call<T> {
  readonly port: JoinPort;
  readonly work: () => Promise<T>;
  readonly lost: () => T;
}

const NEVER = new Promise<never>(() => undefined);

/** A lost answer of what only waits is no answer; what takes no time has no middle. */
export function canGoWrong(port: JoinPort, wrong: Wrong): boolean {
  if (port === 'sleep') return wrong.endsWith('before');
  return !wrong.endsWith('during') || port === 'run' || port === 'reset' || port === 'restart';
}

export class JoinPorts {
  /** Of every call so far. */
  readonly calls: JoinPort[] = [];
  readonly #chosen: OneCall | null;
  readonly #crash: (how: 'kill' | 'reboot') => void;

  constructor(chosen: OneCall | null, crash: (how: 'kill' | 'reboot') => void) {
    this.#chosen = chosen;
    this.#crash = crash;
  }

  counted(tools: JoinTools): JoinTools {
    const { clock } = tools;
    const refused = (): never => {
      throw new PortError({ failure: 'timeout', message: 'No answer came.' });
    };
    const through = async <T>(port: JoinPort, work: () => Promise<T>, lost: () => T = refused) =>
      this.#call({ port, work, lost });
    return {
      ...tools,
      look: async (wants) => {
        let seen: JoinSeen | null = null;
        const work = async (): Promise<JoinSeen> => (seen = await tools.look(wants));
        return through('look', work, () => unanswered(seen));
      },
      run: async () => through('run', tools.run),
      reset: async () => through('reset', tools.reset),
      restartKubelet: async () => through('restart', tools.restartKubelet),
      keep: async (text) => through('keep', async () => tools.keep(text)),
      clock: {
        nowMs: () => clock.nowMs(),
        monotonicMs: () => clock.monotonicMs(),
        sleep: async (ms, signal) => through('sleep', async () => clock.sleep(ms, signal)),
      },
    };
  }

  async #call<T>({ port, work, lost }: Call<T>): Promise<T> {
    this.calls.push(port);
    if (this.calls.length !== this.#chosen?.call) return work();
    const { wrong } = this.#chosen;
    const [how = '', when = ''] = wrong.split('-');
    if (when === 'after' || how === 'lost') await work();
    if (how === 'lost') return lost();
    if (when === 'during') void work();
    this.#crash(how === 'kill' ? 'kill' : 'reboot');
    return NEVER;
  }
}

function unanswered(seen: JoinSeen | null): JoinSeen {
  if (seen === null) throw new RangeError('a lost answer of a look that was not made');
  const message = 'No answer came.';
  return {
    ...seen,
    node: { state: 'unknown', why: 'no-answer', message },
    cloud: seen.cloud === null ? null : { state: 'unknown', message },
  };
}
