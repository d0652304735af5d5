/** What a run found, in lines. */
import type { Mutant } from './instrument.ts';

export type Fate = 'killed' | 'timeout' | 'survived' | 'no coverage' | 'accepted';

export interface Judged {
  readonly mutant: Mutant;
  readonly fate: Fate;
}

interface Row {
  readonly name: string;
  readonly judged: readonly Judged[];
}

/** A mutant's text is shown as far as it tells it from others. */
const TEXT_MAX = 70;

export function reportLines(room: string, judged: readonly Judged[]): readonly string[] {
  const files = Map.groupBy(judged, ({ mutant }) => mutant.file);
  const rows: Row[] = [...files].map(([name, of]) => ({ name, judged: of }));
  const survivors = rows.flatMap((row) => survivorLines(row));
  const width = Math.max(...rows.map(({ name }) => name.length));
  return [
    ...survivors,
    ...(survivors.length > 0 ? [''] : []),
    ...rows.map((row) => figures(row, width)),
    figures({ name: room, judged }, width),
  ];
}

function survivorLines({ judged }: Row): readonly string[] {
  return judged
    .filter(({ fate }) => fate === 'survived' || fate === 'no coverage')
    .toSorted((one, other) => one.mutant.line - other.mutant.line)
    .map(({ mutant, fate }) => {
      return `${mutant.file}:${mutant.line}: ${fate}: ${changeOf(mutant)}`;
    });
}

/** Both texts from a little before the place where they begin to differ. */
function changeOf({ original, replacement }: Mutant): string {
  const [from, to] = [original, replacement].map((text) => text.replaceAll(/\s+/g, ' '));
  const same = (from ?? '').split('').findIndex((sign, index) => sign !== to?.[index]);
  const start = Math.max(0, same - TEXT_MAX / 2);
  return [from, to].map((text) => short(text ?? '', start)).join(' → ');
}

function short(text: string, start: number): string {
  const isWhole = text.length <= TEXT_MAX;
  const shown = isWhole ? text : text.slice(start, start + TEXT_MAX);
  const isCut = !isWhole && start + TEXT_MAX < text.length;
  return `${!isWhole && start > 0 ? '…' : ''}${shown}${isCut ? '…' : ''}`;
}

function figures({ name, judged }: Row, width: number): string {
  const count = (...fates: readonly Fate[]): number =>
    judged.filter(({ fate }) => fates.includes(fate)).length;
  const killed = count('killed', 'timeout');
  const counted = judged.length - count('accepted');
  const share = counted === 0 ? '  –' : `${Math.floor((100 * killed) / counted)}`.padStart(3);
  return [
    `${name.padEnd(width)}  ${share} % of ${counted}:`,
    `${killed} killed, ${count('survived')} survived, ${count('no coverage')} no coverage`,
    ...(count('accepted') > 0 ? [`(and ${count('accepted')} accepted)`] : []),
  ].join(' ');
}
