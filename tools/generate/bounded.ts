/**
 * How often a repetition that is written without an end may turn. Messages are shorter than 2,000
 * characters; an expression costs the length of a line times this where its beginning comes again.
 */
const TURNS_MAX = {
  blanks: 100,
  /** Letters without a blank: names have 253 at most, addresses on the web a few more. */
  word: 400,
  passage: 1000,
  /** Of two or more of `.*`, whose turns are multiplied, and of words up to a sign: `[^"]*`. */
  partOfPassage: 400,
  /** In `(?!…)`, where to look less far would let a wrong name through. */
  refused: 2000,
} as const;

const PART =
  /(?<atom>\(\?(?:<?[=!]|<\w+>|:)|\\k<\w+>|\\[^]|\[(?:[^\]\\]|\\[^])*\]|[^\\[])(?<times>[*+]|\{\d+,\})?/g;

type Kind = keyof typeof TURNS_MAX;

interface Part {
  readonly atom: string;
  readonly times: string | undefined;
  /** Null for what is not repeated without an end. */
  readonly kind: Kind | null;
}

function kindOf(atom: string): Kind {
  if (atom === ')') return 'blanks';
  const set = new RegExp(`^(?:${atom})$`);
  if (!set.test(' ')) return 'word';
  if (!set.test('a')) return 'blanks';
  return atom === '.' ? 'passage' : 'partOfPassage';
}

function partsOf(source: string): readonly Part[] {
  const open: boolean[] = [];
  return Array.from(source.matchAll(PART), ({ groups = {} }) => {
    const { atom = '', times } = groups;
    if (atom.startsWith('(')) open.push(atom === '(?!');
    const isRefused = open.includes(true);
    if (atom === ')') open.pop();
    return { atom, times, kind: times === undefined ? null : isRefused ? 'refused' : kindOf(atom) };
  });
}

function boundedTimes(times: string, most: number): string {
  const least = times === '*' ? '0' : times === '+' ? '1' : times.slice(1, -2);
  return `{${least},${most}}`;
}

/** The same expression with an end to each repetition, so that its cost grows as a line does. */
export function bounded({ source, flags }: RegExp): RegExp {
  const parts = partsOf(source);
  const hasMany = parts.filter(({ kind }) => kind === 'passage').length > 1;
  const written = parts.map(({ atom, times = '', kind }) => {
    if (kind === null) return atom;
    const most = TURNS_MAX[kind === 'passage' && hasMany ? 'partOfPassage' : kind];
    return `${atom}${boundedTimes(times, most)}`;
  });
  return new RegExp(written.join(''), flags);
}
