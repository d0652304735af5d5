import { type Json, listAt, textAt, textsAt } from '../../evidence/json.ts';

type Labels = Readonly<Record<string, string>>;

/** One requirement of `matchExpressions` (apimachinery, meta/v1 LabelSelectorRequirement). */
function meets(requirement: Json, labels: Labels): boolean {
  const value = labels[textAt(requirement, 'key') ?? ''];
  const values = listAt(requirement, 'values');
  switch (textAt(requirement, 'operator')) {
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
export function selectsAll(selector: Json | undefined): boolean {
  const labels = Object.keys(textsAt(selector, 'matchLabels'));
  return labels.length === 0 && listAt(selector, 'matchExpressions').length === 0;
}

/** True when a label selector selects what carries these labels; an empty one selects everything. */
export function selects(selector: Json | undefined, labels: Labels): boolean {
  const wanted = Object.entries(textsAt(selector, 'matchLabels'));
  return (
    wanted.every(([key, value]) => labels[key] === value) &&
    listAt(selector, 'matchExpressions').every((entry) => meets(entry, labels))
  );
}
