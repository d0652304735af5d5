/** Which objects a selection holds, as an API server reads it; sets of labels are left out. */
import { isObject, type JsonObject, textAt } from '../../../src/evidence/json.ts';
import type { KubeSelection } from '../../../src/ports/kube-api.ts';

export function isSelected(object: JsonObject, selection: KubeSelection): boolean {
  const { namespace, labelSelector = '', fieldSelector = '' } = selection;
  const isHere = (namespace ?? null) === null || textAt(object, 'metadata.namespace') === namespace;
  const labels = isObject(object['metadata']) ? object['metadata']['labels'] : undefined;
  const labelOf = (key: string): string | null =>
    isObject(labels) && typeof labels[key] === 'string' ? labels[key] : null;
  return (
    isHere &&
    requirements(labelSelector).every((one) => holds(one, labelOf(one.key))) &&
    requirements(fieldSelector).every((one) => holds(one, textAt(object, one.key) ?? ''))
  );
}

interface Requirement {
  readonly key: string;
  /** null to ask only whether the label is there. */
  readonly value: string | null;
  readonly isNegated: boolean;
}

function requirements(selector: string): readonly Requirement[] {
  return selector
    .split(',')
    .filter((part) => part !== '')
    .map((part) => {
      const [, key = '', mark = '', value = ''] = /^!?([^!=]+)(!=|==?)?(.*)$/.exec(part) ?? [];
      const isNegated = mark === '!=' || part.startsWith('!');
      return { key, value: mark === '' ? null : value, isNegated };
    });
}

function holds({ value, isNegated }: Requirement, found: string | null): boolean {
  const isMet = value === null ? found !== null : found === value;
  return isMet !== isNegated;
}
