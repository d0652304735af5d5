import {
  boolYaml11Tag,
  constructFromEvents,
  CORE_SCHEMA,
  EVENT_ID,
  floatCoreTag,
  floatYaml11Tag,
  intCoreTag,
  intYaml11Tag,
  mergeTag,
  NOT_RESOLVED,
  nullYaml11Tag,
  parseEvents,
  YAMLException,
} from 'js-yaml';
import { isObject, type Json, type JsonObject } from '../../evidence/json.ts';
import type { AwsAuthEntry } from '../../evidence/kinds.ts';
import { lineAt, startsOf } from '../text/line-starts.ts';
import {
  controlQuirk,
  flowQuirk,
  lastBlockQuirk,
  lineQuirk,
  markQuirk,
  mergeQuirk,
  type Quirk,
} from './aws-auth-quirks.ts';
import { isBounded } from '../text/parse.ts';

type NumberTag = typeof intCoreTag;

/** A number in the forms of YAML 1.1 and in those of 1.2. */
function either(one: NumberTag, other: NumberTag): NumberTag {
  const resolve: NumberTag['resolve'] = (source, isExplicit, tagName) => {
    // Numbers to the base of sixty are texts.
    if (source.includes(':')) return NOT_RESOLVED;
    const value = one.resolve(source, isExplicit, tagName);
    return value === NOT_RESOLVED ? other.resolve(source, isExplicit, tagName) : value;
  };
  return { ...one, resolve };
}

/** The authenticator's parser merges `<<`, takes the last of two equal keys, and all these as no texts. */
const RULES = CORE_SCHEMA.withTags(
  nullYaml11Tag,
  boolYaml11Tag,
  either(intYaml11Tag, intCoreTag),
  either(floatYaml11Tag, floatCoreTag),
  mergeTag,
);
const DEPTH_MAX = 50;
const ALIASES_MAX = 1000;
/** Texts that the authenticator passes over (pkg/mapper/configmap isSkippable). */
const SKIPPED: ReadonlySet<string> = new Set(['', '``', '""', "''"]);

type Event = ReturnType<typeof parseEvents>[number];

/** A map of aws-auth as the authenticator reads it. */
export interface AuthenticatorMap {
  readonly ok: true;
  /** The elements of its list; null where the text holds nothing. */
  readonly list: readonly Json[] | null;
  /** Where elements begin, by their index: lines from 1. */
  readonly lines: readonly number[];
  /** True where the list is written in brackets. */
  readonly isFlow: boolean;
  /** Where the first document ends, after which nothing is read: an offset. */
  readonly end: number;
}

/** Why a map cannot be read, and where. */
export interface MapFault extends Quirk {
  readonly ok: false;
}

/** Reads a text of the ConfigMap as the authenticator does: its first document. */
export function readMapText(text: string): AuthenticatorMap | MapFault {
  if (SKIPPED.has(text.trim())) return emptyMap(text.length);
  const control = controlQuirk(text);
  if (control !== null) return { ok: false, ...control };
  const end = endOfDocument(text);
  try {
    return readDocument(text.slice(0, end), end);
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    return { ok: false, line: (error.mark?.line ?? 0) + 1, why: error.reason };
  }
}

function emptyMap(end: number): AuthenticatorMap {
  return { ok: true, list: null, lines: [], isFlow: false, end };
}

/** What may stand before the mark with which a document begins. */
const BEFORE_START = /^(?:\s*(?:#.*)?|%.*)$/;

/** The offset at which the first document of a text ends: at a mark that follows on its content. */
function endOfDocument(text: string): number {
  const starts = startsOf(text);
  let hasBegun = false;
  for (const [index, start] of starts.entries()) {
    const line = text.slice(start, starts[index + 1] ?? text.length).trimEnd();
    const isMark = /^(?:---|\.\.\.)(?:\s|$)/.test(line);
    if (isMark && hasBegun) return start;
    hasBegun ||= isMark || !BEFORE_START.test(line);
  }
  return text.length;
}

function readDocument(text: string, end: number): AuthenticatorMap | MapFault {
  const events = parseEvents(text, { maxDepth: DEPTH_MAX });
  const options = { source: text, schema: RULES, json: true, maxAliases: ALIASES_MAX };
  const [value = null] = constructFromEvents(events, options) as readonly Json[];
  const places = placesOf(text, events);
  const quirk = quirkOf(text, events, places.isFlow);
  if (quirk !== null) return { ok: false, ...quirk };
  if (value === null && isNothing(text)) return emptyMap(end);
  if (!Array.isArray(value)) return { ok: false, line: firstLine(text), why: 'it is not a list' };
  if (!isBounded(value)) return { ok: false, line: 1, why: 'its aliases make it endless' };
  return { ok: true, list: value as readonly Json[], ...places, end };
}

const NOTHING: ReadonlySet<string> = new Set(['', 'null', 'Null', 'NULL', '~']);

/** True for a document of marks, comments and a word for nothing: an anchor alone is none. */
function isNothing(text: string): boolean {
  return NOTHING.has(text.replaceAll(/#[^\n]*|^%YAML 1\.1|^---/gm, '').trim());
}

function quirkOf(text: string, events: readonly Event[], isFlow: boolean): Quirk | null {
  return (
    lineQuirk(text, isFlow) ??
    markQuirk(text) ??
    lastBlockQuirk(text, events) ??
    mergeQuirk(text, events) ??
    (isFlow ? flowQuirk(text) : null)
  );
}

/** The first line with content. */
function firstLine(text: string): number {
  return text.split('\n').findIndex((line) => !BEFORE_START.test(line)) + 1;
}

function startOf(event: Event): number {
  if (event.type === EVENT_ID.SCALAR) return event.valueStart;
  if (event.type === EVENT_ID.ALIAS) return event.anchorStart;
  return event.type === EVENT_ID.SEQUENCE || event.type === EVENT_ID.MAPPING ? event.start : -1;
}

function opens({ type }: Event): boolean {
  return type === EVENT_ID.DOCUMENT || type === EVENT_ID.SEQUENCE || type === EVENT_ID.MAPPING;
}

function placesOf(
  text: string,
  events: readonly Event[],
): Pick<AuthenticatorMap, 'lines' | 'isFlow'> {
  const starts = startsOf(text);
  const lines: number[] = [];
  let [depth, isFlow] = [0, false];
  for (const event of events) {
    const start = startOf(event);
    if (depth === 1 && start >= 0) isFlow = text[start] === '[';
    if (depth === 2 && start >= 0) lines.push(lineAt(starts, start));
    if (opens(event)) depth += 1;
    else if (event.type === EVENT_ID.POP) depth -= 1;
  }
  return { lines, isFlow };
}

/** Values of a field in the order in which Go takes them: by key, whatever its case. */
function valuesOf(element: JsonObject, name: string): readonly Json[] {
  return Object.keys(element)
    .filter((key) => key.toLowerCase() === name)
    .toSorted()
    .map((key) => element[key] ?? null);
}

/** The last text that a field is given; a value of another type changes nothing. */
function textOf(element: JsonObject, name: string): string | null {
  const last = valuesOf(element, name).findLast((value) => typeof value === 'string');
  return typeof last === 'string' && last !== '' ? last : null;
}

/** The last list, or none where nothing is given in its place. */
function groupsOf(element: JsonObject): readonly string[] {
  const last = valuesOf(element, 'groups').findLast(
    (value) => value === null || Array.isArray(value),
  );
  const listed = Array.isArray(last) ? (last as readonly Json[]) : [];
  return listed.filter((group) => typeof group === 'string' && group !== '') as string[];
}

/** An element of a map as the authenticator understands it; null for one that it passes over. */
export function entryOf(element: Json, arnField: string): AwsAuthEntry | null {
  if (!isObject(element)) return null;
  const arn = textOf(element, arnField);
  if (arn === null) return null;
  return { arn, username: textOf(element, 'username'), groups: groupsOf(element) };
}

/** True for an element that maps a permission set of single sign-on in place of an ARN. */
export function isSingleSignOn(element: Json): boolean {
  return isObject(element) && valuesOf(element, 'sso').some(isObject);
}
