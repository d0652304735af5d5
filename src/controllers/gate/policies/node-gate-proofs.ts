import { VALUE_CHARS_MAX } from '../node-facts.ts';
import type { ConditionStatus, Proof } from '../policy.ts';
import type { Fields } from './fields.ts';
import { isQualifiedName } from './parts.ts';

const STATUSES: readonly ConditionStatus[] = ['True', 'False', 'Unknown'];
const PROOFS_MAX = 32;

function named(fields: Fields): string {
  const name = fields.text('name');
  if (name === '') fields.refuse('name', 'is missing');
  return name;
}

function metadataProof(kind: 'label' | 'annotation', fields: Fields): Proof {
  const key = fields.text('key');
  const value = fields.value('value') === undefined ? null : fields.text('value');
  if (!isQualifiedName(key)) fields.refuse('key', `is no ${kind} key`);
  if (value !== null && value.length > VALUE_CHARS_MAX)
    fields.refuse('value', `has more than ${VALUE_CHARS_MAX} characters`);
  return { kind, key, value };
}

function whenMissing(fields: Fields): ConditionStatus | null {
  if (fields.value('whenMissing') === undefined) return null;
  return fields.choice('whenMissing', STATUSES) as ConditionStatus;
}

const READERS: Readonly<
  Record<string, { readonly fields: readonly string[]; readonly read: (fields: Fields) => Proof }>
> = {
  daemonSet: {
    fields: ['namespace', 'name'],
    read: (fields) => ({
      kind: 'daemonset',
      namespace: fields.text('namespace'),
      name: named(fields),
    }),
  },
  condition: {
    fields: ['type', 'status', 'whenMissing'],
    read: (fields) => ({
      kind: 'condition',
      type: fields.text('type'),
      status: fields.choice('status', STATUSES, 'True') as ConditionStatus,
      whenMissing: whenMissing(fields),
    }),
  },
  csiDriver: { fields: ['name'], read: (fields) => ({ kind: 'csi-driver', name: named(fields) }) },
  label: { fields: ['key', 'value'], read: (fields) => metadataProof('label', fields) },
  annotation: { fields: ['key', 'value'], read: (fields) => metadataProof('annotation', fields) },
  resource: { fields: ['name'], read: (fields) => ({ kind: 'resource', name: named(fields) }) },
};

const KINDS = Object.keys(READERS);

function readProof(fields: Fields): readonly Proof[] {
  const kinds = KINDS.filter((kind) => fields.value(kind) !== undefined);
  const [kind = ''] = kinds;
  const reader = READERS[kind];
  if (kinds.length === 1 && reader !== undefined)
    return [reader.read(fields.inside(kind, reader.fields))];
  fields.refuse(KINDS.join('|'), 'must be there exactly once');
  return [];
}

/** Reads the list of proofs; one that is empty is refused, as it would open nothing. */
export function readProofs(spec: Fields, field: string): readonly Proof[] {
  const items = spec.items(field, KINDS, PROOFS_MAX);
  if (items.length === 0) spec.refuse(field, 'is empty; name at least one');
  return items.flatMap(readProof);
}
