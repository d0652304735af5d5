import type { Session } from './session.ts';
import { counted, quoted, shown } from './words.ts';

/** Why an entry of a folder or an archive was left out without a look at its content. */
export type SkippedKind =
  | 'symbolic-link'
  | 'hard-link'
  | 'device'
  | 'fifo'
  | 'socket'
  | 'absolute'
  | 'climbing'
  | 'encrypted'
  | 'method';

interface Wording {
  readonly one: string;
  readonly many: string;
  readonly why: (place: string) => string;
}

const unpack = (place: string): string =>
  place.includes('!') ? 'unpack it' : `unpack ${quoted(place)}`;

const WORDINGS: Readonly<Record<SkippedKind, Wording>> = {
  'symbolic-link': {
    one: 'symbolic link',
    many: 'symbolic links',
    why: () => 'Links are never followed; give the files they point at if those matter.',
  },
  'hard-link': {
    one: 'hard link',
    many: 'hard links',
    why: () => 'Their content is read under the name it is stored with.',
  },
  device: { one: 'device file', many: 'device files', why: () => 'They hold no evidence.' },
  fifo: { one: 'named pipe', many: 'named pipes', why: () => 'They hold no evidence.' },
  socket: { one: 'socket', many: 'sockets', why: () => 'They hold no evidence.' },
  absolute: {
    one: 'entry with an absolute name',
    many: 'entries with absolute names',
    why: (place) => `To include them, ${unpack(place)} into a folder and give the folder.`,
  },
  climbing: {
    one: "entry whose name climbs out with '..'",
    many: "entries whose names climb out with '..'",
    why: () => 'No collector writes such names; the archive may be forged.',
  },
  encrypted: {
    one: 'encrypted entry',
    many: 'encrypted entries',
    why: (place) =>
      place.includes('!')
        ? 'Unpack it with its password into a folder and give the folder.'
        : `Run \`unzip ${quoted(place)} -d unpacked\` with its password and give the folder.`,
  },
  method: {
    one: 'entry packed with an unsupported method',
    many: 'entries packed with unsupported methods',
    why: (place) => `To include them, ${unpack(place)} into a folder and give the folder.`,
  },
};

/** Counts what is left out of one folder or archive, and says it once per kind at the end. */
export class Skipped {
  readonly #counts = new Map<SkippedKind, { count: number; readonly first: string }>();

  add(kind: SkippedKind, name: string): void {
    const known = this.#counts.get(kind);
    if (known === undefined) this.#counts.set(kind, { count: 1, first: shown(name) });
    else known.count += 1;
  }

  say(session: Session, place: string): void {
    for (const [kind, { count, first }] of this.#counts) {
      const { one, many, why } = WORDINGS[kind];
      const first_ = count === 1 ? `'${first}'` : `the first is '${first}'`;
      const what = `${place} has ${counted(count, one, many)} (${first_}), not read. ${why(place)}`;
      session.say(place, what);
    }
    this.#counts.clear();
  }
}
