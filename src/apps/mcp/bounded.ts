/** An answer within its size; what is left out of it is counted by the name of its list. */
export interface Bounded {
  readonly value: unknown;
  readonly leftOut: Readonly<Record<string, number>>;
}

/** Items of a list before its size is looked at, by name of the list. */
const ITEMS_MAX: Readonly<Record<string, number>> = {
  lines: 3,
  timeline: 10,
  notSeen: 4,
  losses: 10,
};
const OTHER_ITEMS_MAX = 200;
const TEXT_CHARS_MAX = 20_000;

interface Copied {
  value: unknown;
  bytes: number;
}

/** A list in the copy that can be made shorter. */
interface List {
  readonly name: string;
  readonly items: unknown[];
  bytes: number;
}

const encoder = new TextEncoder();

function bytesOf(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).length;
}

/** The copy of a value, with its longest lists cut, and the lists in it. */
class Copy {
  readonly leftOut: Record<string, number> = {};
  lists: List[] = [];

  count(name: string, times: number): void {
    if (times > 0) this.leftOut[name] = (this.leftOut[name] ?? 0) + times;
  }

  of(value: unknown, name: string): Copied {
    if (typeof value === 'string') return this.#text(value, name);
    if (typeof value !== 'object' || value === null) return { value, bytes: bytesOf(value) };
    if (Array.isArray(value)) return this.#list(value, name);
    const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
    const copies = entries.map(([key, entry]) => [key, this.of(entry, key)] as const);
    const bytes = copies.reduce((sum, [key, one]) => sum + bytesOf(key) + one.bytes + 2, 2);
    return { value: Object.fromEntries(copies.map(([key, one]) => [key, one.value])), bytes };
  }

  #text(text: string, name: string): Copied {
    const shown = text.length <= TEXT_CHARS_MAX ? text : `${text.slice(0, TEXT_CHARS_MAX - 1)}…`;
    this.count(`characters of ${name}`, text.length - shown.length);
    return { value: shown, bytes: bytesOf(shown) };
  }

  #list(items: readonly unknown[], name: string): Copied {
    const most = Object.hasOwn(ITEMS_MAX, name) ? (ITEMS_MAX[name] ?? 0) : OTHER_ITEMS_MAX;
    this.count(name, items.length - Math.min(items.length, most));
    const copies = items.slice(0, most).map((item) => this.of(item, name));
    const bytes = copies.reduce((sum, one) => sum + one.bytes + 1, 2);
    const value = copies.map((one) => one.value);
    this.lists.push({ name, items: value, bytes });
    return { value, bytes };
  }
}

/** Longer lists go first; a list of one item only where nothing else is left. */
function largest(lists: readonly List[]): List | null {
  const several = lists.filter(({ items }) => items.length > 1);
  const one = lists.filter(({ items }) => items.length === 1);
  const [most = null] = (several.length > 0 ? several : one).toSorted((a, b) => b.bytes - a.bytes);
  return most;
}

/**
 * A copy of the value that is at most so large as JSON: of the largest list the second half goes,
 * again and again, so lists begin with what matters most.
 */
export function bounded(value: object, bytesMax: number): Bounded {
  const leftOut: Record<string, number> = {};
  let rest: unknown = value;
  for (;;) {
    const copy = new Copy();
    const { value: copied, bytes } = copy.of(rest, 'answer');
    for (const [name, times] of Object.entries(copy.leftOut))
      leftOut[name] = (leftOut[name] ?? 0) + times;
    const list = bytes <= bytesMax ? null : largest(copy.lists);
    if (list === null) return { value: copied, leftOut };
    const kept = Math.floor(list.items.length / 2);
    leftOut[list.name] = (leftOut[list.name] ?? 0) + list.items.length - kept;
    list.items.length = kept;
    rest = copied;
  }
}
