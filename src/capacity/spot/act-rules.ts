import { means } from './rules.ts';

/** What a rule acts on: EC2 takes the instance, recommends to replace it, or the pool is too dear. */
export const TRIGGERS = ['interruption', 'rebalance', 'price'] as const;
export type Trigger = (typeof TRIGGERS)[number];

/** `drain` cordons too; `replace` drains too, and has the group or Karpenter launch another. */
export const DEEDS = ['cordon', 'drain', 'replace'] as const;
export type Deed = (typeof DEEDS)[number];

/** One rule that acts on Nodes of Spot Instances. */
export interface ActRule {
  /** Ties records and budgets to the rule. */
  readonly name: string;
  readonly on: Trigger;
  readonly when: {
    /** Types, families or patterns; empty for all. */
    readonly types: readonly string[];
    /** Empty for all. */
    readonly zones: readonly string[];
    /** Dollars an hour that a node may cost; only with `on: price`. */
    readonly above: number | null;
  };
  readonly do: Deed;
  readonly budget: {
    /** Nodes on which it begins to act within one hour. */
    readonly perHour: number;
    /** Largest share of the Spot Nodes on which rules act at one time, above 0. */
    readonly share: number;
  };
}

/** Why a rule cannot hold beside those before it; `key` is the field to look at. */
export interface ActContradiction {
  /** Place of the rule, from 0. */
  readonly at: number;
  readonly key: string;
  readonly sentence: string;
}

/** What contradicts itself or an earlier rule. */
export function actContradictions(rules: readonly ActRule[]): readonly ActContradiction[] {
  return rules.flatMap((rule, at) => {
    const found = ownContradiction(rule) ?? againstEarlier(rule, rules.slice(0, at));
    return found === null ? [] : [{ at, ...found }];
  });
}

type Found = Omit<ActContradiction, 'at'>;

function ownContradiction({ name, on, when, do: deed }: ActRule): Found | null {
  if (on === 'price' && when.above === null)
    return { key: 'on', sentence: `rule ${name} acts on the price and has no when.above` };
  if (on !== 'price' && when.above !== null)
    return { key: 'when', sentence: `rule ${name}: when.above belongs to on: price, not to ${on}` };
  if (on === 'interruption' && deed === 'replace')
    return {
      key: 'do',
      sentence: `rule ${name}: EC2 takes the instance within two minutes and its group replaces it anyway; use do: drain`,
    };
  return null;
}

function againstEarlier(rule: ActRule, earlier: readonly ActRule[]): Found | null {
  const { name, on, do: deed } = rule;
  if (earlier.some((one) => one.name === name))
    return { key: 'name', sentence: `two rules are called ${name}` };
  const other = earlier.find((one) => one.on === on && overlap(one, rule));
  if (other === undefined) return null;
  const both = `rules ${other.name} and ${name} both act on ${on} of the same nodes`;
  const then = deed === other.do ? 'keep one of them' : `one by ${other.do}, one by ${deed}`;
  return { key: 'do', sentence: `${both}, ${then}` };
}

function overlap({ when: one }: ActRule, { when: other }: ActRule): boolean {
  const zones = one.zones.length === 0 || other.zones.length === 0;
  const isZoneShared = zones || one.zones.some((zone) => other.zones.includes(zone));
  return isZoneShared && arePatternsShared(one.types, other.types);
}

function arePatternsShared(one: readonly string[], other: readonly string[]): boolean {
  if (one.length === 0 || other.length === 0) return true;
  return one.some((a) => other.some((b) => intersect(wholeOf(a), wholeOf(b))));
}

/** Without a dot it means a family. */
function wholeOf(pattern: string): string {
  return pattern.includes('.') ? pattern : `${pattern}.*`;
}

/** Whether some text fits both patterns; in steps that grow with the product of the lengths. */
function intersect(a: string, b: string): boolean {
  // fits[j]: the rest of `a` from i on and the rest of `b` from j on have a text in common.
  let below = Array.from({ length: b.length + 1 }, (_one, j) => /^\**$/.test(b.slice(j)));
  for (let i = a.length - 1; i >= 0; i--) {
    const fits: boolean[] = Array<boolean>(b.length + 1).fill(false);
    fits[b.length] = /^\**$/.test(a.slice(i));
    for (let j = b.length - 1; j >= 0; j--)
      fits[j] =
        a[i] === '*' || b[j] === '*'
          ? below[j] === true || fits[j + 1] === true
          : a[i] === b[j] && below[j + 1] === true;
    below = fits;
  }
  return below[0] === true;
}

/** Whether a rule is about a pool. */
export function isAbout({ when }: ActRule, type: string, zone: string): boolean {
  const isType = when.types.length === 0 || when.types.some((pattern) => means(pattern, type));
  return isType && (when.zones.length === 0 || when.zones.includes(zone));
}
