const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Milliseconds of a duration such as `90s`, `15m`, `2h` or `1d`, null when it is none. */
export function durationMs(text: string): number | null {
  const match = /^(\d{1,6})([smhd])$/.exec(text);
  if (match === null) return null;
  return Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
}

const DAY_MS = UNIT_MS.d;

/** `90s`, `15m`, `24h` or `30d`, whichever holds it whole; less than a second is lost. */
export function durationText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (ms > DAY_MS && ms % DAY_MS === 0) return `${ms / DAY_MS}d`;
  if (seconds % 3600 === 0) return `${seconds / 3600}h`;
  return seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
}
