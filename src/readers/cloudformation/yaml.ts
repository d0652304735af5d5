import {
  CORE_SCHEMA,
  defineMappingTag,
  defineScalarTag,
  defineSequenceTag,
  load,
  type TagDefinition,
} from 'js-yaml';
import { isObject, type Json } from '../../evidence/json.ts';
import { isBounded } from '../text/parse.ts';

/** CloudFormation takes templates of 1 MB; one of more is none. */
const BYTES_MAX = 2 * 1024 * 1024;

const SHORT_FORMS = [
  'And',
  'Base64',
  'Cidr',
  'Equals',
  'FindInMap',
  'GetAtt',
  'GetAZs',
  'If',
  'ImportValue',
  'Join',
  'Length',
  'Not',
  'Or',
  'Select',
  'Split',
  'Sub',
  'ToJsonString',
  'Transform',
] as const;

/** `!Sub text` is `Fn::Sub: text`; only Ref and Condition have no such prefix. */
function tagsOf(short: string, long: string): readonly TagDefinition[] {
  const wrap = (value: unknown): unknown => ({ [long]: value });
  const identify = (): boolean => false;
  return [
    defineScalarTag(`!${short}`, { resolve: (source) => wrap(source), identify }),
    defineSequenceTag(`!${short}`, {
      create: (): unknown[] => [],
      addItem: (items, item) => void items.push(item),
      finalize: wrap,
      identify,
    }),
    defineMappingTag(`!${short}`, {
      create: () => new Map<string, unknown>(),
      addPair: (map, key, value) => {
        map.set(String(key), value);
        return '';
      },
      has: (map, key) => map.has(String(key)),
      keys: () => [],
      get: () => undefined,
      finalize: (map) => wrap(Object.fromEntries(map)),
      identify,
    }),
  ];
}

const SCHEMA = CORE_SCHEMA.withTags([
  ...SHORT_FORMS.flatMap((name) => tagsOf(name, `Fn::${name}`)),
  ...tagsOf('Ref', 'Ref'),
  ...tagsOf('Condition', 'Condition'),
]);

/** A template in YAML with the short forms of its functions; null for a text that is none. */
export function parseTemplateYaml(text: string): Json | null {
  if (text.length > BYTES_MAX) return null;
  try {
    const value: unknown = load(text, { schema: SCHEMA });
    return isBounded(value) && isObject(value as Json) ? (value as Json) : null;
  } catch {
    return null;
  }
}
