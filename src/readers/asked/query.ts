import { isObject, type Json, type JsonObject } from '../../evidence/json.ts';

/** One step of a JMESPath expression that takes a part of an answer. */
type Step =
  | { readonly kind: 'member'; readonly name: string }
  | { readonly kind: 'each' }
  | { readonly kind: 'item' }
  | { readonly kind: 'several'; readonly paths: readonly (readonly Step[])[] };

const STEP =
  /\.?(?:(?<name>[A-Za-z_]\w{0,60}|"[\w./:-]{1,100}")|(?<each>\[\*?\])|(?<item>\[\d{1,3}\])|(?<list>\[[^\][]{1,400}(?:\[(?:\*|\d{1,3})?\][^\][]{0,400}){0,20}\])|(?<hash>\{[^{}]{1,800}\}))/y;

function severalOf(text: string, isHash: boolean): Step | null {
  const parts = text.slice(1, -1).split(',');
  const paths = parts.map((part) => stepsOf(isHash ? part.replace(/^[^:]*:/, '') : part));
  const known = paths.filter((path) => path !== null);
  return known.length === paths.length ? { kind: 'several', paths: known } : null;
}

function stepOf(groups: Readonly<Record<string, string | undefined>>): Step | null {
  const { name, each, item, list, hash } = groups;
  if (name !== undefined) return { kind: 'member', name: name.replaceAll('"', '') };
  if (each !== undefined) return { kind: 'each' };
  if (item !== undefined) return { kind: 'item' };
  return severalOf(list ?? hash ?? '', list === undefined);
}

/** The steps of an expression; null for one that filters, counts or computes. */
export function stepsOf(query: string): readonly Step[] | null {
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
  return steps.length === 0 ? null : steps;
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
  return !rest.some(({ kind }) => kind === 'each');
}

/** The answer of which an expression took `value`, as far as that tells; undefined where it cannot be. */
export function answerBehind([step, ...rest]: readonly Step[], value: Json): Json | undefined {
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
    case 'each': {
      if (!Array.isArray(value)) return undefined;
      // Lists in lists are told as one.
      const items = isLastEach(rest) ? (value as readonly Json[]) : [value];
      const behind = items.map(inner).filter((one) => one !== undefined);
      return behind.length === items.length ? behind : undefined;
    }
    case 'several': {
      const given = isObject(value) ? Object.values(value) : value;
      if (!Array.isArray(given) || given.length !== step.paths.length) return undefined;
      const parts = step.paths.map((path, index) => answerBehind(path, given[index] as Json));
      const known = parts.filter((one) => one !== undefined);
      return known.length === parts.length ? merged(known) : undefined;
    }
    default:
      return undefined;
  }
}

/** Adds what the question named to the only item of a list that does not name it. */
export function withAsked(answer: JsonObject, list: string, id: string, value: string): JsonObject {
  const items = answer[list];
  const [only] = Array.isArray(items) && items.length === 1 ? (items as readonly Json[]) : [];
  return isObject(only) && only[id] === undefined
    ? { ...answer, [list]: [{ [id]: value, ...only }] }
    : answer;
}
