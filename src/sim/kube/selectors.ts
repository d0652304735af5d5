import { at, isObject, type Json, textAt } from '../../evidence/json.ts';
import type { KubeObject } from './contract.ts';
import type { KubeKind } from './kinds.ts';
import { badRequest } from './refusal.ts';
import { metadataOf } from './store.ts';
import { wordOf } from './word.ts';

/** What a request chooses by; `nodeName` is known when a field selector asks for one node's pods. */
export interface Selector {
  readonly matches: (object: KubeObject) => boolean;
  readonly isEverything: boolean;
  readonly name: string | null;
  readonly nodeName: string | null;
}

type Labels = Readonly<Record<string, Json>>;
type Requirement = (labels: Labels) => boolean;

const SELECTORS_MAX = 2000;
const LABELS = new Map<string, readonly Requirement[]>();
const NO_LABELS: Labels = {};

/** @throws Refusal 400 for text that is no selector */
export function selectorOf(kind: KubeKind, labels: string, fields: string): Selector {
  const requirements = labelRequirements(labels);
  const terms = fieldTerms(kind, labels, fields);
  const equal = (field: string): string | null =>
    terms.find((term) => term.field === field && term.isEqual)?.value ?? null;
  return {
    isEverything: requirements.length === 0 && terms.length === 0,
    name: equal('metadata.name'),
    nodeName: kind.kind === 'Pod' ? equal('spec.nodeName') || null : null,
    matches: (object) =>
      terms.every((term) => (fieldOf(object, term.field) === term.value) === term.isEqual) &&
      meetsAll(requirements, object),
  };
}

function meetsAll(requirements: readonly Requirement[], object: KubeObject): boolean {
  if (requirements.length === 0) return true;
  const labels = metadataOf(object)['labels'];
  return requirements.every((meets) => meets(isObject(labels) ? labels : NO_LABELS));
}

function labelRequirements(text: string): readonly Requirement[] {
  const known = LABELS.get(text);
  if (known !== undefined) return known;
  const made = splitTerms(text).map(requirementOf);
  if (LABELS.size < SELECTORS_MAX) LABELS.set(text, made);
  return made;
}

/** Terms between commas that are outside of brackets. */
function splitTerms(text: string): readonly string[] {
  if (text.trim() === '') return [];
  return text.split(/,(?![^(]*\))/).map((term) => term.trim());
}

const SET = /^([\w./-]+)\s+(in|notin)\s*\(([^()]*)\)$/;
const COMPARED = /^([\w./-]+)\s*(==|=|!=|>|<)\s*([\w.-]*)$/;
const EXISTS = /^(!?)\s*([\w./-]+)$/;

function requirementOf(term: string): Requirement {
  const made = setRequirement(term) ?? comparison(term) ?? existence(term);
  if (made === null) throw badRequest(`unable to parse requirement: ${JSON.stringify(term)}`);
  return made;
}

function setRequirement(term: string): Requirement | null {
  const [whole, key = '', operator, list = ''] = SET.exec(term) ?? [];
  if (whole === undefined) return null;
  const values = new Set<Json | undefined>(list.split(',').map((value) => value.trim()));
  if (operator === 'in') return (labels) => Object.hasOwn(labels, key) && values.has(labels[key]);
  return (labels) => !Object.hasOwn(labels, key) || !values.has(labels[key]);
}

function comparison(term: string): Requirement | null {
  const [whole, key = '', operator, value = ''] = COMPARED.exec(term) ?? [];
  if (whole === undefined) return null;
  if (operator === '!=') return (labels) => !Object.hasOwn(labels, key) || labels[key] !== value;
  if (operator === '>') return (labels) => Number(labels[key]) > Number(value);
  if (operator === '<') return (labels) => Number(labels[key]) < Number(value);
  return (labels) => Object.hasOwn(labels, key) && labels[key] === value;
}

function existence(term: string): Requirement | null {
  const [whole, not, key = ''] = EXISTS.exec(term) ?? [];
  if (whole === undefined) return null;
  return not === '!'
    ? (labels) => !Object.hasOwn(labels, key)
    : (labels) => Object.hasOwn(labels, key);
}

interface FieldTerm {
  readonly field: string;
  readonly value: string;
  readonly isEqual: boolean;
}

/** Fields besides name and namespace that may be selected by, of each kind. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  Pod: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ],
  Event: [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  Node: ['spec.unschedulable'],
  Namespace: ['status.phase'],
  Secret: ['type'],
  ReplicaSet: ['status.replicas'],
  Job: ['status.successful'],
  CertificateSigningRequest: ['spec.signerName'],
};

function fieldTerms(kind: KubeKind, labels: string, text: string): readonly FieldTerm[] {
  return splitTerms(text).map((term) => {
    const [whole, field = '', operator, value = ''] = /^([^=!]+)(==|=|!=)(.*)$/.exec(term) ?? [];
    if (whole === undefined)
      throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`);
    if (!isSelectable(kind, field)) throw badRequest(unselectable(kind, labels, text, field));
    return { field, value, isEqual: operator !== '!=' };
  });
}

function isSelectable(kind: KubeKind, field: string): boolean {
  if (field === 'metadata.name') return true;
  if (field === 'metadata.namespace') return kind.isNamespaced;
  return FIELDS[kind.kind]?.includes(field) === true;
}

function unselectable(kind: KubeKind, labels: string, fields: string, field: string): string {
  if (kind.custom !== null) return `field label not supported: ${field}`;
  const own = FIELDS[kind.kind];
  if (own === undefined) {
    const known = ['metadata.name', ...(kind.isNamespaced ? ['metadata.namespace'] : [])];
    const list = known.map((one) => `"${one}"`).join(', ');
    return `"${field}" is not a known field selector: only ${list}`;
  }
  const what = `${kind.group}/${kind.version}, Resource=${kind.plural}`;
  const how = `label selector "${labels}", field selector "${fields}"`;
  return `Unable to find "${what}" that match ${how}: field label not supported: ${field}`;
}

/** As a selector compares it: absent is empty, or false where the field is a boolean. */
function fieldOf(object: KubeObject, field: string): string {
  if (field === 'source') return textAt(object, 'source.component') ?? '';
  if (field === 'spec.unschedulable' || field === 'spec.hostNetwork')
    return wordOf(at(object, field) === true);
  return textAt(object, field) ?? '';
}
