import { isoTime } from '../../evidence/time.ts';
import type { FixStep } from '../fix/fix.ts';
import type { LostMapping, LostVerdict } from './facts.ts';

/** So long a machine whose mapping came back has a word about it, ms. */
const KEPT_MS = 3_600_000;
const MACHINES_MAX = 5000;

const STAYS: Partial<Readonly<Record<LostVerdict, string>>> = {
  remapped: 'another entry maps the role, so it is left as it is',
  resting: 'it was put back within the last hour and taken away again, so it stays out',
  'over-budget': 'enough mappings were put back within the last hour, so it stays out',
};

interface Kept {
  readonly text: string;
  readonly untilMs: number;
}

/** What the keeper of aws-auth did for a machine, or why it did nothing: a word in its report. */
export class MachineNotes {
  readonly #kept = new Map<string, Kept>();

  /** What is lost now and stays out. */
  lost(lost: readonly LostMapping[], nowMs: number): void {
    for (const one of lost) {
      const why = STAYS[one.verdict];
      if (why !== undefined) this.keep(one.machines, `${goneOf(one)}; ${why}`, nowMs);
    }
  }

  /** What became of a restoration. */
  ended(lost: LostMapping, { outcome, why }: FixStep, nowMs: number): void {
    const at = isoTime({ ms: nowMs, yearless: false, clock: 'utc' }) ?? '';
    const end =
      outcome === 'written' ? `it was put back at ${at}` : `it was not put back at ${at}: ${why}`;
    this.keep(lost.machines, `${goneOf(lost)}; ${end}`, nowMs);
  }

  /** null where there is nothing to say. */
  of(instanceId: string | null, nowMs: number): string | null {
    const kept = instanceId === null ? undefined : this.#kept.get(instanceId);
    return kept === undefined || kept.untilMs <= nowMs ? null : kept.text;
  }

  /** A word of an hour about some machines. */
  keep(machines: readonly string[], text: string, nowMs: number): void {
    for (const [id, { untilMs }] of this.#kept) if (untilMs <= nowMs) this.#kept.delete(id);
    for (const id of machines)
      if (this.#kept.has(id) || this.#kept.size < MACHINES_MAX)
        this.#kept.set(id, { text, untilMs: nowMs + KEPT_MS });
  }
}

function goneOf({ mapping, by }: LostMapping): string {
  const who = by === null ? '' : ` (last written by ${by})`;
  return `aws-auth${who} lost the mapping of ${mapping.arn}`;
}
