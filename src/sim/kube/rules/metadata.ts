import { isObject, type Json, type JsonObject } from '../../../evidence/json.ts';
import type { KubeObject } from '../contract.ts';
import type { KubeKind } from '../kinds.ts';
import type { StatusCause } from '../refusal.ts';
import { metadataOf } from '../store.ts';
import { forbiddenField, listIn, textIn, wrong } from './fields.ts';
import { wordOf } from '../word.ts';

const SUBDOMAIN = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const LABEL_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const VALUE = '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?';

interface Form {
  readonly pattern: RegExp;
  readonly lengthMax: number;
  readonly why: string;
}

function form(source: string, lengthMax: number, words: string, example: string): Form {
  const why = `${words} (e.g. ${example}, regex used for validation is '${source}')`;
  return { pattern: new RegExp(`^${source}$`), lengthMax, why };
}

const EDGES = 'must start and end with an alphanumeric character';

const SUBDOMAIN_FORM = form(
  SUBDOMAIN,
  253,
  `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ` +
    `and ${EDGES}`,
  `'example.com'`,
);
const LABEL_FORM = form(
  LABEL,
  63,
  `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ` +
    `and ${EDGES}`,
  `'my-name',  or '123-abc'`,
);
const LABEL_1035_FORM = form(
  LABEL_1035,
  63,
  `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an ` +
    'alphabetic character, and end with an alphanumeric character',
  `'my-name',  or 'abc-123'`,
);
const QUALIFIED_FORM = form(
  QUALIFIED,
  63,
  `name part must consist of alphanumeric characters, '-', '_' or '.', and ${EDGES}`,
  `'MyName',  or 'my.name',  or '123-abc'`,
);
const VALUE_FORM = form(
  VALUE,
  63,
  `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ` +
    `and ${EDGES}`,
  `'MyValue',  or 'my_value',  or '12345'`,
);

/** Kinds whose names become parts of DNS names, and those that may be nearly anything. */
const NAME_FORMS: Readonly<Record<string, Form | null>> = {
  Namespace: LABEL_FORM,
  Service: LABEL_1035_FORM,
  ClusterRole: null,
  ClusterRoleBinding: null,
  Role: null,
  RoleBinding: null,
};

function offence(text: string, { pattern, lengthMax, why }: Form): readonly string[] {
  return [
    ...(text.length > lengthMax ? [`must be no more than ${lengthMax} characters`] : []),
    ...(pattern.test(text.slice(0, 1000)) ? [] : [why]),
  ];
}

/** Why a text is no name of this kind. */
export function nameOffences(kind: KubeKind, name: string): readonly string[] {
  const own = kind.custom === null ? NAME_FORMS[kind.kind] : SUBDOMAIN_FORM;
  if (own !== null) return offence(name, own ?? SUBDOMAIN_FORM).map(lengthInBytes);
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return name.includes('/') || name.includes('%') ? [`may not contain '/'`] : [];
}

function lengthInBytes(why: string): string {
  return why.replace(/^(must be no more than \d+) characters$/, '$1 bytes');
}

const REMEMBERED_MAX = 5000;

/** Keys and values are few, and each comes again with every object. */
function remembering(
  find: (text: string) => readonly string[],
): (text: string) => readonly string[] {
  const found = new Map<string, readonly string[]>();
  return (text) => {
    const known = found.get(text);
    if (known !== undefined) return known;
    const offences = find(text);
    if (found.size < REMEMBERED_MAX) found.set(text, offences);
    return offences;
  };
}

/** A key of labels, annotations and taints: a name behind an optional DNS prefix. */
export const keyOffences = remembering((key) => {
  const parts = key.split('/');
  if (parts.length > 2) return [QUALIFIED_WORDS];
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? parts[0] : null;
  const own = name === '' ? ['name part must be non-empty'] : [];
  const trouble = prefix === '' ? ['prefix part must be non-empty'] : [];
  if (prefix) trouble.push(...offence(prefix, SUBDOMAIN_FORM).map((why) => `prefix part ${why}`));
  return [
    ...trouble,
    ...own,
    ...offence(name, QUALIFIED_FORM).map((why) =>
      why.startsWith('must be') ? `name part ${why}` : why,
    ),
  ];
});

const QUALIFIED_WORDS =
  `a qualified name must consist of alphanumeric characters, '-', '_' or '.', and ${EDGES} ` +
  `(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED}') ` +
  `with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`;

export const valueOffences = remembering((value) => offence(value, VALUE_FORM));

/** Annotations of one object together may have this many bytes (256 KiB). */
const ANNOTATION_BYTES_MAX = 256 * 1024;

/** What is wrong with the metadata of an object that comes or changes. */
export function metadataCauses(kind: KubeKind, object: KubeObject): readonly StatusCause[] {
  const metadata = metadataOf(object);
  const name = textIn(metadata, 'name');
  return [
    ...nameOffences(kind, name).map((why) => wrong('metadata.name', name, why)),
    ...labelCauses(metadata),
    ...annotationCauses(metadata),
    ...ownerCauses(metadata),
    ...finalizerCauses(kind, metadata),
  ];
}

function entries(metadata: JsonObject, key: string): readonly [string, Json][] {
  const found = metadata[key];
  return isObject(found) ? Object.entries(found) : [];
}

function labelCauses(metadata: JsonObject): readonly StatusCause[] {
  return entries(metadata, 'labels').flatMap(([key, value]) => [
    ...keyOffences(key).map((why) => wrong('metadata.labels', key, why)),
    ...valueOffences(wordOf(value)).map((why) => wrong('metadata.labels', value, why)),
  ]);
}

function annotationCauses(metadata: JsonObject): readonly StatusCause[] {
  const all = entries(metadata, 'annotations');
  const bytes = all.reduce((sum, [key, value]) => sum + key.length + wordOf(value).length, 0);
  const message = `Too long: may not be more than ${ANNOTATION_BYTES_MAX} bytes`;
  const long = { reason: 'FieldValueTooLong', message, field: 'metadata.annotations' };
  return [
    ...all.flatMap(([key]) =>
      keyOffences(key.toLowerCase()).map((why) => wrong('metadata.annotations', key, why)),
    ),
    ...(bytes > ANNOTATION_BYTES_MAX ? [long] : []),
  ];
}

function ownerCauses(metadata: JsonObject): readonly StatusCause[] {
  const owners = listIn(metadata, 'ownerReferences');
  const place = 'metadata.ownerReferences';
  const causes = owners.flatMap((owner) => [
    ...(textIn(owner, 'apiVersion') === ''
      ? [wrong(`${place}.apiVersion`, '', 'version must not be empty')]
      : []),
    ...['kind', 'name', 'uid']
      .filter((key) => textIn(owner, key) === '')
      .map((key) => wrong(`${place}.${key}`, '', 'must not be empty')),
  ]);
  return causes;
}

/** Only the older groups ask for a domain in the name of a finalizer. */
const LENIENT_GROUPS = new Set(['coordination.k8s.io', 'policy', 'scheduling.k8s.io']);
const STANDARD_FINALIZERS = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

function finalizerCauses(kind: KubeKind, metadata: JsonObject): readonly StatusCause[] {
  return listIn(metadata, 'finalizers').flatMap((one, index) => {
    const name = wordOf(one);
    const field = `metadata.finalizers[${index}]`;
    const offences = keyOffences(name);
    if (offences.length > 0) return offences.map((why) => wrong(field, name, why));
    const isKnown = name.includes('/') || STANDARD_FINALIZERS.has(name);
    if (isKnown || kind.custom !== null || LENIENT_GROUPS.has(kind.group)) return [];
    const why = 'name is neither a standard finalizer name nor is it fully qualified';
    return [wrong(field, name, why)];
  });
}

/** What may not change in metadata while the object lives. */
export function metadataUpdateCauses(
  object: KubeObject,
  before: KubeObject,
): readonly StatusCause[] {
  const [now, was] = [metadataOf(object), metadataOf(before)];
  if (was['deletionTimestamp'] === undefined) return [];
  const known = new Set(listIn(was, 'finalizers'));
  const added = listIn(now, 'finalizers').filter((one) => !known.has(one));
  if (added.length === 0) return [];
  const list = added.map((one) => JSON.stringify(one)).join(', ');
  const why =
    'no new finalizers can be added if the object is being deleted, found new finalizers ' +
    `[]string{${list}}`;
  return [forbiddenField('metadata.finalizers', why)];
}
