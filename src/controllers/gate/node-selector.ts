import type { LabelRequirement, NodeSelector } from './policy.ts';

type Labels = Readonly<Record<string, string>>;

function meets(requirement: LabelRequirement, labels: Labels): boolean {
  const { key, operator } = requirement;
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && requirement.values.includes(value);
    case 'NotIn':
      return value === undefined || !requirement.values.includes(value);
    case 'Exists':
      return value !== undefined;
    default:
      return value === undefined;
  }
}

/** True when the labels meet every requirement. */
export function hasLabels(requirements: readonly LabelRequirement[], labels: Labels): boolean {
  return requirements.every((requirement) => meets(requirement, labels));
}

/** True for a selector that selects every node. */
export function selectsAll({ requirements, placedBy }: NodeSelector): boolean {
  return requirements.length === 0 && placedBy === null;
}
