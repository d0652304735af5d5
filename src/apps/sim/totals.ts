import { Marks, MARKS, type MarkId } from '../../sim/marks/marks.ts';
import type { RunResult } from '../../sim/run/log.ts';

/** Sums over many seeds. */
export class Totals {
  readonly marks = new Marks();
  readonly evaluations = new Map<string, number>();
  readonly faults = new Map<string, number>();
  seeds = 0;
  events = 0;
  joins = 0;
  looks = 0;
  worldMs = 0;
  wallMs = 0;

  add({ counts, marks }: RunResult, worldMs: number, wallMs: number): void {
    this.seeds++;
    this.events += counts.events;
    this.joins += counts.joins;
    this.looks += counts.looks;
    this.worldMs += worldMs;
    this.wallMs += wallMs;
    addTo(this.evaluations, counts.evaluations);
    addTo(this.faults, counts.faults);
    for (const [id, times] of marks) for (let each = 0; each < times; each++) this.marks.reach(id);
  }

  /** Marks that no seed has reached. */
  missing(): readonly MarkId[] {
    return (Object.keys(MARKS) as MarkId[]).filter((id) => !this.marks.reached().has(id));
  }

  toJson(): Readonly<Record<string, unknown>> {
    return {
      seeds: this.seeds,
      events: this.events,
      joins: this.joins,
      joinsPerHour: this.joins / (Math.max(1, this.wallMs) / 3_600_000),
      looks: this.looks,
      worldHours: this.worldMs / 3_600_000,
      wallSeconds: this.wallMs / 1000,
      evaluations: Object.fromEntries(this.evaluations),
      faults: Object.fromEntries(this.faults),
      marks: Object.fromEntries(this.marks.reached()),
      marksMissing: this.missing(),
    };
  }
}

function addTo(sums: Map<string, number>, counts: ReadonlyMap<string, number>): void {
  for (const [key, value] of counts) sums.set(key, (sums.get(key) ?? 0) + value);
}

/** What many seeds came to, in a few lines. */
export function totalsText(totals: Totals): string {
  const rate = totals.worldMs / Math.max(1, totals.wallMs);
  const sum = (counts: ReadonlyMap<string, number>): number =>
    [...counts.values()].reduce((all, one) => all + one, 0);
  const faults = sum(totals.faults);
  const wallHours = Math.max(1, totals.wallMs) / 3_600_000;
  const lines = [
    `${totals.seeds} seed${totals.seeds === 1 ? '' : 's'}, ${(totals.worldMs / 3_600_000).toFixed(1)} simulated hours in ${(totals.wallMs / 1000).toFixed(1)} s (${Math.round(rate)} x)`,
    `${totals.joins} joins (${Math.round(totals.joins / wallHours)} per hour of computing), ${totals.looks} looks, ${faults} ${faults === 1 ? 'fault' : 'faults'}, ${sum(totals.evaluations)} evaluations of invariants`,
    ...(totals.seeds > 1 && totals.missing().length > 0
      ? [`never reached: ${totals.missing().join(', ')}`]
      : []),
  ];
  return `${lines.join('\n')}\n`;
}
