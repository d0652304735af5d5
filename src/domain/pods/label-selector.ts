import type { Selector, SelectorRequirement } from '../../evidence/kube/object.ts';

type Labels = Readonly<Record<string, string>>;

/** One requirement of `matchExpressions` (apimachinery, meta/v1 LabelSelectorRequirement). */
function meets(requirement: SelectorRequirement, labels: Labels): boolean {
  const value = labels[requirement.key ?? ''];
  const values = requirement.values ?? [];
  switch (requirement.operator ?? null) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}

/** True for a selector without requirements, which selects everything. */
export function selectsAll(selector: Selector | undefined): boolean {
  const labels = Object.keys(selector?.matchLabels ?? {});
  return labels.length === 0 && (selector?.matchExpressions ?? []).length === 0;
}

/** True when a label selector selects what carries these labels; an empty one selects everything. */
export function selects(selector: Selector | undefined, labels: Labels): boolean {
  const wanted = Object.entries(selector?.matchLabels ?? {});
  return (
    wanted.every(([key, value]) => labels[key] === value) &&
    (selector?.matchExpressions ?? []).every((entry) => meets(entry, labels))
  );
}
