import type { Selector, SelectorRequirement } from '../../evidence/kube/object.ts';
import type { Told } from '../../evidence/shape.ts';

type Labels = Readonly<Record<string, string>>;

/** One requirement of `matchExpressions` (apimachinery, meta/v1 LabelSelectorRequirement). */
function meets({ key, operator, values }: SelectorRequirement, labels: Labels): boolean {
  const value = labels[key ?? ''];
  const isAmong = value !== undefined && (values ?? []).includes(value);
  switch (operator) {
    case 'In':
      return isAmong;
    case 'NotIn':
      return !isAmong;
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}

/** True for a selector without requirements, which selects everything. */
export function selectsAll(selector: Told<Selector>): boolean {
  const labels = Object.keys(selector?.matchLabels ?? {});
  return labels.length === 0 && (selector?.matchExpressions ?? []).length === 0;
}

/** True when a label selector selects what carries these labels; an empty one selects everything. */
export function selects(selector: Told<Selector>, labels: Labels): boolean {
  const wanted = Object.entries(selector?.matchLabels ?? {});
  return (
    wanted.every(([key, value]) => labels[key] === value) &&
    (selector?.matchExpressions ?? []).every((entry) => meets(entry, labels))
  );
}
