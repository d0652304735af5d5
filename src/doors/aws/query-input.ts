/** Inputs of the Query protocols: `Filter.1.Value.2=x`, and `Names.member.1=x`. */
import type { Json, JsonObject } from '../../evidence/json.ts';
import type { Member, Shape } from './schema.ts';

/** A parameter has as many steps at most as the deepest input of EC2, and some more. */
const DEPTH_MAX = 16;
/** More parameters than any client sends. */
const PARAMETERS_MAX = 10_000;

/** Dotted names taken apart. */
interface Branch {
  text: string | null;
  readonly below: Map<string, Branch>;
}

function branch(): Branch {
  return { text: null, below: new Map() };
}

/** @returns null when there are more parameters than anyone sends, or one is too deep */
export function queryInput(
  parameters: URLSearchParams,
  input: Shape,
  isEc2: boolean,
): JsonObject | null {
  const root = branch();
  let count = 0;
  for (const [name, value] of parameters) {
    const steps = name.split('.');
    if (++count > PARAMETERS_MAX || steps.length > DEPTH_MAX) return null;
    let here = root;
    for (const step of steps) {
      const next = here.below.get(step) ?? branch();
      here.below.set(step, next);
      here = next;
    }
    here.text = value;
  }
  return structureOf(root, input, isEc2);
}

function structureOf(from: Branch, shape: Shape, isEc2: boolean): JsonObject {
  if (shape.kind !== 'structure') return {};
  const entries = shape.members.flatMap((member): [string, Json][] => {
    const below = from.below.get(wireName(member, isEc2));
    if (below === undefined) return [];
    const value = valueOf(below, member.shape(), isEc2);
    return value === undefined ? [] : [[member.name, value]];
  });
  return Object.fromEntries(entries);
}

/** EC2 has a name of its own, or its XML name with a capital (EC2 Query protocol of Smithy). */
function wireName({ name, traits }: Member, isEc2: boolean): string {
  if (!isEc2) return traits.xmlName ?? name;
  if (traits.ec2QueryName !== null) return traits.ec2QueryName;
  const text = traits.xmlName ?? name;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function valueOf(from: Branch, shape: Shape, isEc2: boolean): Json | undefined {
  switch (shape.kind) {
    case 'structure':
      return structureOf(from, shape, isEc2);
    case 'list':
      return itemsOf(from).map((one) => valueOf(one, shape.item.shape(), isEc2) ?? null);
    case 'map':
      return mapOf(from);
    case 'number':
      return numberOf(from.text);
    case 'flag':
      return from.text === null ? undefined : from.text.toLowerCase() === 'true';
    default:
      return from.text ?? undefined;
  }
}

function numberOf(text: string | null): Json | undefined {
  const number = text === null || text === '' ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : (text ?? undefined);
}

/** Items by their number, with or without a step such as `member` before it. */
function itemsOf(from: Branch): readonly Branch[] {
  const steps = [...from.below];
  const numbered = steps.filter(([step]) => /^\d{1,6}$/.test(step));
  if (numbered.length > 0)
    return numbered.toSorted(([a], [b]) => Number(a) - Number(b)).map(([, one]) => one);
  const [only] = steps;
  return only === undefined ? [] : itemsOf(only[1]);
}

function mapOf(from: Branch): JsonObject {
  const entries = itemsOf(from).map((one): [string, Json] => {
    const key = one.below.get('key') ?? one.below.get('Key');
    const value = one.below.get('value') ?? one.below.get('Value');
    return [key?.text ?? '', value?.text ?? ''];
  });
  return Object.fromEntries(entries);
}
