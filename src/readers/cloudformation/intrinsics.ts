import { at, isObject, type Json, type JsonObject, textAt } from '../../evidence/json.ts';
import { base64 } from '../written/base64.ts';
import {
  type Given,
  scalarText,
  known,
  LEFT_OUT,
  listOf,
  objectOf,
  onlyEntry,
  textOfParts,
  unknownOf,
} from './given.ts';

/** What the functions of a template refer to. */
export interface Scope {
  readonly parameters: JsonObject;
  readonly mappings: Json;
  readonly conditions: Json;
  /** Values that somebody gives to parameters, before their defaults. */
  readonly given: Readonly<Record<string, string>>;
  /** The address of a resource by its logical id; null for a name that is none. */
  addressOf(id: string): string | null;
}

type Intrinsic = (scope: Scope, argument: Json) => Given;

/** Conditions and values that name one another further than this are not followed. */
const DEPTH_MAX = 40;

/** What CloudFormation puts in for these in nearly every region; where it differs, names stay the same. */
const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
};

/** The value of any part of a template. */
export function evaluate(scope: Scope, node: Json): Given {
  if (Array.isArray(node))
    return listOf((node as readonly Json[]).map((one) => evaluate(scope, one)));
  // CloudFormation looks up `{{resolve:ssm:…}}` when it makes the resource.
  if (typeof node === 'string' && node.includes('{{resolve:')) return unknownOf();
  if (!isObject(node)) return known(node);
  const call = onlyEntry(node);
  if (call !== null) {
    const [name, argument] = call;
    if (Object.hasOwn(INTRINSICS, name)) return INTRINSICS[name]?.(scope, argument) ?? LEFT_OUT;
    if (name.startsWith('Fn::')) return unknownOf();
  }
  return objectOf(Object.entries(node).map(([name, one]) => [name, evaluate(scope, one)]));
}

const INTRINSICS: Readonly<Record<string, Intrinsic>> = {
  Ref: (scope, name) => (typeof name === 'string' ? refer(scope, name) : unknownOf()),
  'Fn::GetAtt': attribute,
  'Fn::Sub': substitute,
  'Fn::Join': joined,
  'Fn::If': chosen,
  'Fn::Select': selected,
  'Fn::Split': split,
  'Fn::FindInMap': mapped,
  'Fn::Base64': (scope, argument) => {
    const text = evaluate(scope, argument);
    if (typeof text.value !== 'string' || text.unknown !== false) return unknownOf(text.references);
    return { ...text, value: base64(text.value) };
  },
};

function refer(scope: Scope, name: string): Given {
  if (name === 'AWS::NoValue') return LEFT_OUT;
  const pseudo = Object.hasOwn(PSEUDO, name) ? PSEUDO[name] : undefined;
  if (pseudo !== undefined) return known(pseudo);
  if (Object.hasOwn(scope.parameters, name)) return parameter(scope, name);
  const address = scope.addressOf(name);
  return unknownOf(address === null ? [] : [address]);
}

/** How a parameter is called whose value SSM has. */
export function parameterAddress(name: string): string {
  return `data.aws_ssm_parameter.${name}`;
}

/** A default is what the stack gets unless somebody gives another value. */
function parameter({ parameters, given }: Scope, name: string): Given {
  const declared = parameters[name];
  const type = textAt(declared, 'Type') ?? 'String';
  const text =
    (Object.hasOwn(given, name) ? given[name] : undefined) ?? textAt(declared, 'Default');
  if (text === null) return unknownOf([`var.${name}`]);
  // The parameter of SSM has the value; what is given here is its name.
  if (type.startsWith('AWS::SSM::')) return unknownOf([parameterAddress(name)]);
  if (!/^List<|CommaDelimitedList/.test(type)) return known(text);
  return text === '' ? known([]) : known(text.split(',').map((one) => one.trim()));
}

/** `Resource.Attribute`, or both in a list. */
function attribute(scope: Scope, argument: Json): Given {
  const path = Array.isArray(argument) ? argument.join('.') : argument;
  if (typeof path !== 'string') return unknownOf();
  const id = path.split('.')[0] ?? '';
  const address = scope.addressOf(id);
  return unknownOf(address === null ? [] : [address]);
}

const VARIABLE = /\$\{([^{}$]{1,80})\}/g;

/** A text with variables in braces; `${!Literal}` stays as it is without its mark. */
function substitute(scope: Scope, argument: Json): Given {
  const [template, values] = Array.isArray(argument)
    ? (argument as readonly Json[])
    : [argument, {}];
  if (typeof template !== 'string') return unknownOf();
  const parts: Given[] = [];
  let end = 0;
  for (const match of template.matchAll(VARIABLE)) {
    parts.push(known(template.slice(end, match.index)), variable(scope, match[1] ?? '', values));
    end = match.index + match[0].length;
  }
  return textOfParts([...parts, known(template.slice(end))], '');
}

function variable(scope: Scope, written: string, values: Json | undefined): Given {
  const name = written.trim();
  if (name.startsWith('!')) return known(`\${${name.slice(1)}}`);
  if (isObject(values) && Object.hasOwn(values, name)) return evaluate(scope, values[name] ?? null);
  return name.includes('.') ? attribute(scope, name) : refer(scope, name);
}

function joined(scope: Scope, argument: Json): Given {
  const [delimiter, list] = Array.isArray(argument) ? (argument as readonly Json[]) : [];
  const parts = evaluate(scope, list ?? null);
  if (typeof delimiter !== 'string' || !Array.isArray(parts.value))
    return unknownOf(parts.references);
  if (parts.unknown !== false) return unknownOf(parts.references);
  return { ...parts, value: (parts.value as readonly Json[]).map(String).join(delimiter) };
}

/** One of both where the condition is known; else all that either comes from. */
function chosen(scope: Scope, argument: Json): Given {
  const [condition, one = null, other = null] = Array.isArray(argument)
    ? (argument as readonly Json[])
    : [];
  const isTrue = typeof condition === 'string' ? isMet(scope, condition) : null;
  if (isTrue !== null) return evaluate(scope, isTrue ? one : other);
  const both = [evaluate(scope, one), evaluate(scope, other)];
  return unknownOf(both.flatMap(({ references }) => references));
}

function selected(scope: Scope, argument: Json): Given {
  const [index, list = null] = Array.isArray(argument) ? (argument as readonly Json[]) : [];
  const place = Number(index);
  // An item that only the stack will know still says what it comes from.
  if (Array.isArray(list) && Number.isInteger(place)) return evaluate(scope, list[place] ?? null);
  const whole = evaluate(scope, list);
  const item =
    Array.isArray(whole.value) && whole.unknown === false ? whole.value[place] : undefined;
  return item === undefined ? unknownOf(whole.references) : known(item as Json);
}

function split(scope: Scope, argument: Json): Given {
  const [delimiter, text = null] = Array.isArray(argument) ? (argument as readonly Json[]) : [];
  const whole = evaluate(scope, text);
  if (typeof delimiter !== 'string' || delimiter === '' || typeof whole.value !== 'string')
    return unknownOf(whole.references);
  return { ...whole, value: whole.value.split(delimiter) };
}

function mapped(scope: Scope, argument: Json): Given {
  const keys = Array.isArray(argument)
    ? (argument as readonly Json[]).slice(0, 3).map((one) => evaluate(scope, one))
    : [];
  if (keys.length < 3 || keys.some(({ unknown }) => unknown !== false)) return unknownOf();
  let here: Json | undefined = scope.mappings;
  for (const { value } of keys) {
    const name = scalarText(value);
    here = isObject(here) && Object.hasOwn(here, name) ? here[name] : undefined;
  }
  return here === undefined ? unknownOf() : known(here);
}

/** Whether a condition is met; null where only the stack will know. */
export function isMet(scope: Scope, name: string, depth = DEPTH_MAX): boolean | null {
  const condition = at(scope.conditions, name);
  return depth === 0 || name.includes('.') ? null : truthOf(scope, condition, depth - 1);
}

function truthOf(scope: Scope, node: Json | undefined, depth: number): boolean | null {
  const [name, argument] = (isObject(node) ? onlyEntry(node) : null) ?? [];
  if (name === 'Condition' && typeof argument === 'string') return isMet(scope, argument, depth);
  const list = Array.isArray(argument) ? (argument as readonly Json[]) : [];
  if (name === 'Fn::Equals') return areEqual(list.map((one) => evaluate(scope, one)));
  const truths = list.map((one) => truthOf(scope, one, depth));
  if (name === 'Fn::Not') return truths[0] === undefined || truths[0] === null ? null : !truths[0];
  if (name === 'Fn::And') return decided(truths, false);
  return name === 'Fn::Or' ? decided(truths, true) : null;
}

/** What ends the question at once, else its opposite where everything is known. */
function decided(truths: readonly (boolean | null)[], ends: boolean): boolean | null {
  if (truths.includes(ends)) return ends;
  return truths.includes(null) || truths.length === 0 ? null : !ends;
}

function areEqual([one, other]: readonly Given[]): boolean | null {
  if (one === undefined || other === undefined) return null;
  if (one.unknown !== false || other.unknown !== false) return null;
  return JSON.stringify(one.value ?? null) === JSON.stringify(other.value ?? null);
}
