import type { Verdict } from '../../evidence/verdict.ts';
import { type Attribute, ATTRIBUTES, type SharedAttribute } from './document.ts';
import { fisherGreater, logFactorials } from './fisher.ts';

/** What a machine is compared by; an attribute that nobody saw is left out, which is not "no". */
export interface Compared {
  readonly verdict: Verdict;
  /** Id of the cause its headline names, null without one. */
  readonly cause: string | null;
  readonly attributes: Readonly<Partial<Record<Attribute, string>>>;
}

/** Below this many failures a coincidence looks like a rule. */
export const FAILURES_LEAST = 4;
/** Chance, over all values tried together, with which a coincidence may be claimed. */
export const CHANCE_MAX = 0.01;

interface Tally {
  readonly attribute: Attribute;
  readonly value: string;
  failing: number;
  usable: number;
  /** undefined before the first failing machine; null once two differ or one has none. */
  cause: string | null | undefined;
}

interface Counted {
  readonly tallies: readonly Tally[];
  /** Machines that have any value of the attribute. */
  readonly failing: number;
  readonly usable: number;
}

function countOf(machines: readonly Compared[], attribute: Attribute): Counted {
  const tallies = new Map<string, Tally>();
  let failing = 0;
  let usable = 0;
  for (const { attributes, verdict, cause } of machines) {
    const value = attributes[attribute];
    if (value === undefined) continue;
    const fresh: Tally = { attribute, value, failing: 0, usable: 0, cause: undefined };
    const tally = tallies.get(value) ?? fresh;
    tallies.set(value, tally);
    if (verdict === 'usable') {
      usable++;
      tally.usable++;
    } else {
      failing++;
      tally.failing++;
      tally.cause = tally.cause === undefined || tally.cause === cause ? cause : null;
    }
  }
  return { tallies: [...tallies.values()], failing, usable };
}

function chanceOf(tally: Tally, counted: Counted, logs: Float64Array): number {
  const table = {
    failingWith: tally.failing,
    failingWithout: counted.failing - tally.failing,
    usableWith: tally.usable,
    usableWithout: counted.usable - tally.usable,
  };
  return fisherGreater(table, logs);
}

/**
 * Values that failing machines have more often than usable ones, beyond what chance explains:
 * Fisher's exact test, p < 0.01 after Bonferroni over every value of every attribute seen. Machines
 * of which nobody can tell count on neither side. Under four failures nothing is claimed.
 *
 * @returns the surest first
 */
export function sharedAttributes(machines: readonly Compared[]): readonly SharedAttribute[] {
  const decided = machines.filter(({ verdict }) => verdict !== 'cannot-tell');
  const failingOfAll = decided.filter(({ verdict }) => verdict === 'not-usable').length;
  if (failingOfAll < FAILURES_LEAST) return [];
  const logs = logFactorials(decided.length);
  const counts = ATTRIBUTES.map((attribute) => countOf(decided, attribute));
  const tried = counts.reduce((sum, { tallies }) => sum + tallies.length, 0);
  return counts
    .flatMap((counted) =>
      counted.tallies.map((tally) => ({ tally, chance: chanceOf(tally, counted, logs) * tried })),
    )
    .filter(({ chance }) => chance < CHANCE_MAX)
    .toSorted((a, b) => a.chance - b.chance)
    .map(({ tally: { attribute, value, failing, usable, cause } }) => ({
      attribute,
      value,
      failing,
      failingOfAll,
      usable,
      cause: cause ?? null,
    }));
}

const WORDS: Readonly<Record<Attribute, string>> = {
  subnet: '',
  image: '',
  launchTemplate: 'launch template ',
  zone: 'zone ',
  instanceType: 'type ',
  role: 'instance profile ',
  kubeletVersion: 'kubelet ',
  group: 'group ',
};

/** The claim in a sentence: `11 of 14 failures share subnet-0ab1 (0 of 40 usable machines have it)`. */
export function sharedSentence(shared: SharedAttribute, usableOfAll: number): string {
  const { attribute, value, failing, failingOfAll, usable, cause } = shared;
  const because = cause === null ? '' : `; cause: ${cause}`;
  return `${failing} of ${failingOfAll} failures share ${WORDS[attribute]}${value} (${usable} of ${usableOfAll} usable machines have it)${because}`;
}
