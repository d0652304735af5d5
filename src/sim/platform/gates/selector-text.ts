type Labels = Readonly<Record<string, string>>;

const SET = /^(?<key>[^\s!=,()]+)\s+(?<operator>in|notin)\s*\((?<values>[^()]*)\)$/;
const EQUALITY = /^(?<key>[^\s!=,()]+)\s*(?<operator>==|=|!=)\s*(?<value>[^\s!=,()]*)$/;

/** One requirement of a label selector in its text form (apimachinery labels.Parse). */
function meetsRequirement(text: string, labels: Labels): boolean {
  const set = SET.exec(text)?.groups;
  if (set !== undefined) return meetsSet(set, labels);
  const equality = EQUALITY.exec(text)?.groups;
  if (equality !== undefined) {
    const isEqual = labels[equality['key'] ?? ''] === equality['value'];
    return equality['operator'] === '!=' ? !isEqual : isEqual;
  }
  return text.startsWith('!') ? labels[text.slice(1).trim()] === undefined : text in labels;
}

function meetsSet(set: Record<string, string>, labels: Labels): boolean {
  const value = labels[set['key'] ?? ''];
  const values = (set['values'] ?? '').split(',').map((entry) => entry.trim());
  const isIn = value !== undefined && values.includes(value);
  return set['operator'] === 'in' ? isIn : !isIn;
}

/** `a=b,c in (d, e),!f`: all of them; an empty text selects everything. */
export function meetsSelector(text: string, labels: Labels): boolean {
  return text
    .split(/,(?![^(]*\))/)
    .map((requirement) => requirement.trim())
    .every((requirement) => requirement === '' || meetsRequirement(requirement, labels));
}
