import type { LabelRequirement } from '../policy.ts';

/** What the requirements on one label leave of its values. */
interface Left {
  /** null for any value. */
  readonly among: ReadonlySet<string> | null;
  readonly without: ReadonlySet<string>;
  readonly canBeAbsent: boolean;
  readonly canBePresent: boolean;
}

const ANYTHING: Left = {
  among: null,
  without: new Set(),
  canBeAbsent: true,
  canBePresent: true,
};

function narrowed(left: Left, requirement: LabelRequirement): Left {
  switch (requirement.operator) {
    case 'Exists':
      return { ...left, canBeAbsent: false };
    case 'DoesNotExist':
      return { ...left, canBePresent: false };
    case 'NotIn':
      return { ...left, without: new Set([...left.without, ...requirement.values]) };
    default: {
      const wanted = requirement.values.filter((value) => left.among?.has(value) ?? true);
      return { ...left, among: new Set(wanted), canBeAbsent: false };
    }
  }
}

function isPossible({ among, without, canBeAbsent, canBePresent }: Left): boolean {
  if (canBeAbsent) return true;
  if (!canBePresent) return false;
  return among === null || [...among].some((value) => !without.has(value));
}

/** The label on which requirements leave nothing that a node could have; null when there is none. */
export function contradictedLabel(requirements: readonly LabelRequirement[]): string | null {
  const byKey = new Map<string, Left>();
  for (const requirement of requirements) {
    const { key } = requirement;
    byKey.set(key, narrowed(byKey.get(key) ?? ANYTHING, requirement));
  }
  const found = [...byKey].find(([, left]) => !isPossible(left));
  return found === undefined ? null : found[0];
}

/** True where one node could have labels that meet both. */
export function canOverlap(
  one: readonly LabelRequirement[],
  other: readonly LabelRequirement[],
): boolean {
  return contradictedLabel([...one, ...other]) === null;
}
