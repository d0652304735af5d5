const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

function withRest(whole: number, rest: number, unit: string, restUnit: string): string {
  return rest === 0 ? `${whole}${unit}` : `${whole}${unit}${rest}${restUnit}`;
}

/**
 * A duration as kubectl prints ages: two units where the first says little, as
 * k8s.io/apimachinery `duration.HumanDuration` does.
 */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 2 * MINUTE) return `${seconds}s`;
  const minutes = Math.trunc(seconds / MINUTE);
  if (minutes < 10) return withRest(minutes, seconds % MINUTE, 'm', 's');
  if (minutes < 3 * 60) return `${minutes}m`;
  const hours = Math.trunc(seconds / HOUR);
  if (hours < 8) return withRest(hours, minutes % 60, 'h', 'm');
  if (hours < 48) return `${hours}h`;
  if (hours < 8 * 24) return withRest(Math.trunc(hours / 24), hours % 24, 'd', 'h');
  const days = Math.trunc(seconds / DAY);
  if (hours < 2 * 365 * 24) return `${days}d`;
  const years = Math.trunc(seconds / YEAR);
  return hours < 8 * 365 * 24 ? withRest(years, days % 365, 'y', 'd') : `${years}y`;
}

/** How long ago a moment was. */
export function ageOf(stamp: string | null, nowMs: number): string {
  const ms = stamp === null ? Number.NaN : Date.parse(stamp);
  return Number.isNaN(ms) ? '<unknown>' : humanDuration(nowMs - ms);
}
