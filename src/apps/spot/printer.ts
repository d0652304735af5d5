import type { Happening } from '../../collection/recording/change.ts';
import type { Json } from '../../evidence/json.ts';
import { printable, redactValue } from '../../evidence/redact.ts';
import { isoTime } from '../../evidence/time.ts';

export type WatchOutput = 'text' | 'json';

/** What a line of the watch is about. */
export interface SpotLine extends Pick<Happening, 'subject' | 'subjectKind' | 'kind' | 'what'> {
  /** ms since the Unix epoch. */
  readonly atMs: number;
  readonly more?: Happening['more'];
}

/** One line for each event: for people, or a JSON document. */
export function spotLine(line: SpotLine, output: WatchOutput): string {
  const time = isoTime({ ms: line.atMs, yearless: false, clock: 'utc' }) ?? '';
  const { subject, subjectKind, kind, what, more } = redactValue<Json>({
    ...line,
    more: line.more ?? {},
  }) as unknown as Required<SpotLine>;
  if (output === 'text') return `${time}  ${printable(what)}\n`;
  const document = {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'SpotEvent',
    event: kind,
    time,
    subject: { kind: subjectKind, name: subject },
    text: what,
    ...more,
  };
  return `${JSON.stringify(document)}\n`;
}
