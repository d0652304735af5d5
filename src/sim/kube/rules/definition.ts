import { isObject } from '../../../evidence/json.ts';
import { metadataOf } from '../store.ts';
import {
  changedPart,
  filled,
  IMMUTABLE,
  listIn,
  objectAt,
  required,
  textIn,
  wrong,
} from './fields.ts';
import type { KindRules } from './rules.ts';

/** CustomResourceDefinitions. */
export const DEFINITION: KindRules = {
  defaults: (definition) =>
    changedPart(definition, 'spec', (spec) => {
      const whole = filled(spec, { conversion: { strategy: 'None' } });
      return changedPart(whole, 'names', (names) => {
        const kind = textIn(names, 'kind');
        return filled(names, { singular: kind.toLowerCase(), listKind: `${kind}List` });
      });
    }),
  created: (definition) => {
    const versions = listIn(objectAt(definition, 'spec'), 'versions');
    const stored = versions.find((one) => isObject(one) && one['storage'] === true);
    const status = {
      acceptedNames: { kind: '', plural: '' },
      storedVersions: [textIn(stored, 'name')],
    };
    return { ...definition, status };
  },
  validate: (definition) => {
    const spec = objectAt(definition, 'spec');
    const [group, plural] = [textIn(spec, 'group'), textIn(objectAt(spec, 'names'), 'plural')];
    const { name = '' } = metadataOf(definition);
    const versions = listIn(spec, 'versions');
    const stored = versions.filter((one) => isObject(one) && one['storage'] === true);
    const expected = `${plural}.${group}`;
    return [
      ...(name === expected
        ? []
        : [wrong('metadata.name', name, `must be spec.names.plural+"."+spec.group`)]),
      ...(group === '' ? [required('spec.group')] : []),
      ...(stored.length === 1
        ? []
        : [
            wrong(
              'spec.versions',
              versions,
              'must have exactly one version marked as storage version',
            ),
          ]),
    ];
  },
  validateUpdate: (definition, before) => {
    const [now, was] = [objectAt(definition, 'spec'), objectAt(before, 'spec')];
    return ['group', 'scope']
      .filter((key) => now[key] !== was[key])
      .map((key) => wrong(`spec.${key}`, now[key] ?? '', IMMUTABLE));
  },
};
