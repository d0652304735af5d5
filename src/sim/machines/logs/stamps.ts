const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const DAYS = 'Sun Mon Tue Wed Thu Fri Sat'.split(' ');

function two(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

function clockOf(date: Date): string {
  return `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
}

/** Digits below the millisecond, which the world does not count: from the moment itself. */
function microDigits(atMs: number): string {
  const whole = Math.floor(atMs);
  return `${String(whole % 1000).padStart(3, '0')}${String((whole * 7919) % 1000).padStart(3, '0')}`;
}

/** `2026-11-21T21:24:29` */
function untilSecond(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 19);
}

/** `2026-11-21T21:24:29Z`, as Kubernetes writes times into objects. */
export function secondStamp(atMs: number): string {
  return `${untilSecond(atMs)}Z`;
}

/** `2026-11-21T21:24:29.907113Z`, as Kubernetes writes MicroTime. */
export function microStamp(atMs: number): string {
  return `${untilSecond(atMs)}.${microDigits(atMs)}Z`;
}

/** `2026-11-21T21:24:29.907Z`, as zap writes times. */
export function milliStamp(atMs: number): string {
  return new Date(atMs).toISOString();
}

/** `2026-11-21T21:24:29.907113271Z`, or with the offset of local time, as Go's RFC3339Nano has it. */
export function nanoStamp(atMs: number, zoneMinutes = 0): string {
  const nanos = String((Math.floor(atMs) * 271) % 1000).padStart(3, '0');
  const zone = zoneMinutes === 0 ? 'Z' : offsetOf(zoneMinutes, ':');
  return `${microStamp(local(atMs, zoneMinutes)).slice(0, -1)}${nanos}${zone}`;
}

/** The moment whose UTC text local time reads at this one. */
function local(atMs: number, zoneMinutes: number): number {
  return atMs + zoneMinutes * 60_000;
}

/** `+0530`, or `+05:30` */
function offsetOf(zoneMinutes: number, separator: '' | ':'): string {
  const minutes = Math.abs(zoneMinutes);
  const sign = zoneMinutes < 0 ? '-' : '+';
  return `${sign}${two(Math.floor(minutes / 60))}${separator}${two(minutes % 60)}`;
}

/** `1121 21:24:29.907113`, the middle of a klog header. */
export function klogStamp(atMs: number): string {
  const date = new Date(atMs);
  return `${two(date.getUTCMonth() + 1)}${two(date.getUTCDate())} ${clockOf(date)}.${microDigits(atMs)}`;
}

/** `Nov 21 21:24:29`, as syslog and `journalctl -o short` have it: local time. */
export function syslogStamp(atMs: number, zoneMinutes = 0): string {
  const date = new Date(local(atMs, zoneMinutes));
  return `${MONTHS[date.getUTCMonth()]} ${two(date.getUTCDate())} ${clockOf(date)}`;
}

/** `Nov 21 21:24:29.907113`, as `journalctl -o short-precise` has it. */
export function preciseStamp(atMs: number, zoneMinutes = 0): string {
  return `${syslogStamp(atMs, zoneMinutes)}.${microDigits(atMs)}`;
}

/** `2026-11-21T21:24:29+0000`, as `journalctl -o short-iso` has it. */
export function isoStamp(atMs: number, zoneMinutes = 0): string {
  return `${untilSecond(local(atMs, zoneMinutes))}${offsetOf(zoneMinutes, '')}`;
}

/** `Sat, 21 Nov 2026 21:24:27 +0000`, as cloud-init prints when a stage begins. */
export function mailStamp(atMs: number): string {
  const date = new Date(atMs);
  const day = `${DAYS[date.getUTCDay()]}, ${two(date.getUTCDate())} ${MONTHS[date.getUTCMonth()]}`;
  return `${day} ${date.getUTCFullYear()} ${clockOf(date)} +0000`;
}

/** `2026-11-21 21:24:27.907`, as calico prints it. */
export function spacedStamp(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 23).replace('T', ' ');
}

/** `2026/11/21 21:24:27`, as Go's `log` prints it. */
export function slashedStamp(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 19).replaceAll('-', '/').replace('T', ' ');
}

/** `20261121T212427Z`, as signatures of AWS have it. */
export function compactStamp(atMs: number): string {
  return secondStamp(atMs).replaceAll(/[-:]/g, '');
}
