import { isObject, type Json, type JsonObject, textAt } from '../json.ts';
import { type Leaf, text } from '../shape.ts';

/** One statement of a policy; where a policy may write one text or a list, it is a list. */
export interface PolicyStatement {
  /** `Allow` or `Deny`. */
  readonly Effect: string | null;
  readonly Action: readonly string[];
  /** True where it is about all but some actions, which are not read further. */
  readonly hasNotAction: boolean;
  /** Whom it is about, by `AWS`, `Service` or `Federated`; anybody's text is under `*`. */
  readonly Principal: Readonly<Record<string, readonly string[]>>;
  /** Wanted values, by operator and key. */
  readonly Condition: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

export interface Policy {
  readonly Statement: readonly PolicyStatement[];
}

/** Longer than any that IAM or KMS take: a key policy has 32 kB, any other less. */
const POLICY_CHARACTERS_MAX = 40_000;

function many(value: Json | undefined): readonly string[] {
  const all = Array.isArray(value) ? (value as readonly Json[]) : [value];
  return all.flatMap((one) => (one === undefined ? [] : (text.take(one) ?? [])));
}

function byName<T>(value: Json | undefined, of: (entry: Json) => T): Readonly<Record<string, T>> {
  if (!isObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, of(entry)]));
}

function statementOf(value: JsonObject): PolicyStatement {
  const { Principal: principal } = value;
  return {
    Effect: textAt(value, 'Effect'),
    Action: many(value['Action']),
    hasNotAction: Object.hasOwn(value, 'NotAction'),
    Principal: isObject(principal) ? byName(principal, many) : { '*': many(principal) },
    Condition: byName(value['Condition'], (entries) => byName(entries, many)),
  };
}

function decoded(given: string): Json | undefined {
  if (given.length > POLICY_CHARACTERS_MAX) return undefined;
  try {
    return JSON.parse(given.startsWith('%') ? decodeURIComponent(given) : given) as Json;
  } catch {
    return undefined;
  }
}

/** A policy as an API gives it (text, percent-encoded by IAM) or as the command line prints it. */
export const policy: Leaf<Policy> = {
  take: (value) => {
    const given = typeof value === 'string' ? decoded(value) : value;
    if (!isObject(given)) return undefined;
    const { Statement: own } = given;
    if (isObject(own)) return { Statement: [statementOf(own)] };
    if (!Array.isArray(own)) return undefined;
    return { Statement: (own as readonly Json[]).filter(isObject).map(statementOf) };
  },
};
