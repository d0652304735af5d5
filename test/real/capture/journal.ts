/** Lines as the journal of a machine shows them, for programs that write to it without a stamp. */

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
/** `E1123 16:20:11.048210    3011 file.go:12] words` */
const KLOG = /^[IWEF](?<month>\d\d)(?<day>\d\d) (?<time>\d\d:\d\d:\d\d)\.\d+ +(?<pid>\d+) /;

interface Stamp {
  readonly month: number;
  readonly day: number;
  readonly time: string;
}

function stampOf(line: string): Stamp | null {
  const groups = KLOG.exec(line)?.groups;
  if (groups === undefined) return null;
  return {
    month: Number(groups['month']),
    day: Number(groups['day']),
    time: groups['time'] ?? '',
  };
}

function shortStamp({ month, day, time }: Stamp): string {
  return `${MONTHS[month - 1] ?? ''} ${String(day).padStart(2, '0')} ${time}`;
}

function firstStamp(lines: readonly string[], now: Date): Stamp {
  const own = lines.map(stampOf).find((stamp) => stamp !== null);
  const time = now.toISOString().slice(11, 19);
  return own ?? { month: now.getUTCMonth() + 1, day: now.getUTCDate(), time };
}

/**
 * `journalctl -u UNIT`: the stamp of a line of klog is its own; other lines are given that of the
 * line before them.
 */
export function journal(host: string, unit: string, text: string, pid = 3011): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  let stamp = firstStamp(lines, new Date());
  return lines
    .map((line) => {
      stamp = stampOf(line) ?? stamp;
      return `${shortStamp(stamp)} ${host} ${unit}[${pid}]: ${line}`;
    })
    .join('\n');
}
