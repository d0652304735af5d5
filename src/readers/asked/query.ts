import { isObject, type Json, type JsonObject } from '../../evidence/json.ts';

/** One step of a JMESPath expression that takes a part of an answer. */
type Step =
  | { readonly kind: 'member'; readonly name: string }
  | { readonly kind: 'each' }
  | { readonly kind: 'item' }
  /** What is computed of the thing or picked out of it, which tells nothing of what the thing has. */
  | { readonly kind: 'computed' }
  /** Items picked out by what they are; with the member that all of them have alike, if that was asked. */
  | { readonly kind: 'some'; readonly member: string; readonly is: string | null }
  | {
      readonly kind: 'several';
      readonly paths: readonly (readonly Step[])[];
      /** Under which names the parts are printed; none where they are printed in order. */
      readonly names: readonly string[];
    };

const STEP =
  /\.?(?:(?<name>[A-Za-z_]\w{0,60}|"[\w./:-]{1,100}")|(?<each>\[\*?\])|(?<item>\[-?\d{1,3}\])|(?<some>\[\?[^[\]{}]{1,200}\])|(?<list>\[[^\][]{1,400}(?:\[(?:\*|\d{1,3}|\?[^\][]{1,200})?\][^\][]{0,400}){0,20}\])|(?<hash>\{[^{}]{1,800}\}))/y;

/** A function of one part, such as `length(Tags)`, as a part beside others. */
const COMPUTED = /^\s*[a-z_]{1,30}\([^(),]{0,200}\)\s*$/;
/** One value of what is picked out of a list, such as a tag by its key, as a part beside others. */
const PICKED = /^\s*[A-Za-z]\w{0,60}\[\?[^\][]{1,200}\][\w.]{0,100}\s{0,4}\|\s{0,4}\[0\]\s*$/;

function partOf(text: string): readonly Step[] | null {
  return COMPUTED.test(text) || PICKED.test(text) ? [{ kind: 'computed' }] : stepsOf(text);
}

function severalOf(text: string, isHash: boolean): Step | null {
  const parts = text.slice(1, -1).split(',');
  const paths = parts.map((part) => partOf(isHash ? part.replace(/^[^:]*:/, '') : part));
  const names = isHash ? parts.map((part) => part.replace(/:.*$/s, '').trim()) : [];
  const known = paths.filter((path) => path !== null);
  return known.length === paths.length ? { kind: 'several', paths: known, names } : null;
}

const EQUALS = /^\[\?\s*([A-Za-z]\w{0,60})\s*==\s*(?:'([^']*)'|`"?([^`"]*)"?`)\s*\]$/;

function someOf(text: string): Step {
  const [, member = '', quoted, literal] = EQUALS.exec(text) ?? [];
  const value = quoted ?? literal;
  const isText = value !== undefined && !/^(?:true|false|null|-?\d+)$/.test(value);
  return { kind: 'some', member, is: isText ? value : null };
}

function stepOf(groups: Readonly<Record<string, string | undefined>>): Step | null {
  const { name, each, item, some, list, hash } = groups;
  if (name !== undefined) return { kind: 'member', name: name.replaceAll('"', '') };
  if (each !== undefined) return { kind: 'each' };
  if (item !== undefined) return { kind: 'item' };
  if (some !== undefined) return someOf(some);
  return severalOf(list ?? hash ?? '', list === undefined);
}

/** What is picked out of a list within a thing would pass for all that the thing has. */
function picksWithin(steps: readonly Step[]): boolean {
  const at = steps.findIndex(({ kind }) => kind === 'some');
  const before = steps.slice(0, at).filter(({ kind }) => kind === 'each' || kind === 'item');
  const [list] = steps;
  const isInstances = list?.kind === 'member' && list.name === 'Reservations';
  return at >= 0 && before.length > (isInstances ? 1 : 0);
}

/** The steps of an expression; null for one that counts or computes. */
function stepsOf(query: string): readonly Step[] | null {
  const text = query.trim();
  const steps: Step[] = [];
  STEP.lastIndex = 0;
  let at = 0;
  while (at < text.length) {
    STEP.lastIndex = at;
    const match = STEP.exec(text);
    // The expression is asked again for the paths within.
    const end = STEP.lastIndex;
    const step = match === null ? null : stepOf(match.groups ?? {});
    if (match === null || step === null) return null;
    steps.push(step);
    at = end;
  }
  return steps.length === 0 || picksWithin(steps) ? null : steps;
}

function merged(values: readonly Json[]): Json {
  const objects = values.filter(isObject);
  const result: Record<string, Json> = {};
  for (const [name, value] of objects.flatMap((object) => Object.entries(object))) {
    const before = result[name];
    result[name] = isObject(before) && isObject(value) ? merged([before, value]) : value;
  }
  return result;
}

function isLastEach(rest: readonly Step[]): boolean {
  return !rest.some(({ kind }) => kind === 'each' || kind === 'some');
}

/** Lists in lists are told as one. */
function itemsBehind(
  value: Json,
  rest: readonly Step[],
  inner: (one: Json) => Json | undefined,
): Json | undefined {
  if (!Array.isArray(value)) return undefined;
  const items = isLastEach(rest) ? (value as readonly Json[]) : [value];
  const behind = items.map(inner).filter((one) => one !== undefined);
  return behind.length === items.length ? behind : undefined;
}

/**
 * The parts as they stand in the list that was asked for, whether printed under names or in order:
 * rows of text and of tables have what was asked for under names in the order of the names.
 */
function partsIn(
  { paths, names }: Extract<Step, { kind: 'several' }>,
  value: Json,
): readonly Json[] {
  if (Array.isArray(value)) {
    const cells = value as readonly Json[];
    const sorted = names.toSorted();
    return names.length === 0 || cells.length !== names.length
      ? cells
      : names.map((name) => cells[sorted.indexOf(name)] ?? null);
  }
  if (!isObject(value) || names.length !== paths.length) return [];
  return names.flatMap((name) => (value[name] === undefined ? [] : [value[name]]));
}

/** The answer of which steps took `value`, as far as that tells; undefined where it cannot be. */
function answerBehind([step, ...rest]: readonly Step[], value: Json): Json | undefined {
  if (step === undefined) return value;
  const inner = (one: Json): Json | undefined => answerBehind(rest, one);
  switch (step.kind) {
    case 'member': {
      const behind = inner(value);
      return behind === undefined ? undefined : { [step.name]: behind };
    }
    case 'item': {
      const behind = inner(value);
      return behind === undefined ? undefined : [behind];
    }
    case 'each':
      return itemsBehind(value, rest, inner);
    case 'computed':
      return {};
    case 'some': {
      const behind = itemsBehind(value, rest, inner);
      // Nothing picked out says nothing of what else there is.
      if (!Array.isArray(behind) || behind.length === 0) return undefined;
      const alike = step.is === null ? {} : { [step.member]: step.is };
      return behind.map((one: Json) => (isObject(one) ? { ...alike, ...one } : one));
    }
    case 'several': {
      const given = partsIn(step, value);
      if (given.length !== step.paths.length) return undefined;
      const parts = step.paths.map((path, index) => answerBehind(path, given[index] as Json));
      const known = parts.filter((one) => one !== undefined);
      return known.length === parts.length ? merged(known) : undefined;
    }
    default:
      return undefined;
  }
}

/** The pipes between the parts of an expression, and not those within brackets of a list. */
const STAGES = /\s{0,4}(?<!\|)\|(?!\||\s{0,4}\[\d{1,3}\]\s{0,4}[,\]}])\s{0,4}/;
const STAGES_MAX = 4;

/** What decides the form of the output: the expression behind the last pipe. */
export function lastStage(query: string): string {
  return query.split(STAGES).at(-1)?.trim() ?? '';
}

/** The answer of which an expression took `value`, as far as that tells; undefined where it cannot be. */
export function answerOf(query: string, value: Json): Json | undefined {
  if (query.trim() === '') return value;
  const stages = query.split(STAGES).map(stepsOf);
  if (stages.length > STAGES_MAX) return undefined;
  return stages.reduceRight<Json | undefined>(
    (behind, steps) =>
      behind === undefined || steps === null ? undefined : answerBehind(steps, behind),
    value,
  );
}

/** Adds what the question named to the only item of a list that does not name it. */
export function withAsked(answer: JsonObject, list: string, id: string, value: string): JsonObject {
  const items = answer[list];
  const [only] = Array.isArray(items) && items.length === 1 ? (items as readonly Json[]) : [];
  return isObject(only) && only[id] === undefined
    ? { ...answer, [list]: [{ [id]: value, ...only }] }
    : answer;
}
