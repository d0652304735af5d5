/** Whether policies allow an action, as far as the calls here need it. */
import { isObject, type Json, type JsonObject } from '../../../evidence/json.ts';

/** What a call is judged by. */
export interface Demand {
  /** `ec2:DescribeInstances`. */
  readonly action: string;
  /** The ARN of what it is about, `*` for no one thing. */
  readonly resource: string;
  /** Keys of the request such as `aws:RequestedRegion`, in lower case. */
  readonly context: Readonly<Record<string, string>>;
}

export type AccessDecision = 'allowed' | 'explicitDeny' | 'implicitDeny';

/** An explicit denial wins over all; what nothing allows is denied (IAM user guide). */
export function judge(policies: readonly JsonObject[], demand: Demand): AccessDecision {
  const effects = new Set(
    policies
      .flatMap(statementsOf)
      .filter((statement) => applies(statement, demand))
      .map((statement) => statement['Effect']),
  );
  if (effects.has('Deny')) return 'explicitDeny';
  return effects.has('Allow') ? 'allowed' : 'implicitDeny';
}

function statementsOf(policy: JsonObject): readonly JsonObject[] {
  return listOf(policy['Statement']).filter(isObject);
}

function listOf(value: Json | undefined): readonly Json[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly Json[]) : [value];
}

function textsOf(value: Json | undefined): readonly string[] {
  return listOf(value).map(String);
}

function applies(statement: JsonObject, demand: Demand): boolean {
  return (
    names(statement, 'Action', demand.action, true) &&
    names(statement, 'Resource', demand.resource, false) &&
    conditionsHold(statement['Condition'], demand.context)
  );
}

/** `Action` or `NotAction`, `Resource` or `NotResource`; without either it is about everything. */
function names(statement: JsonObject, member: string, value: string, isCaseless: boolean): boolean {
  const matches = (pattern: string): boolean =>
    isCaseless
      ? isLike(pattern.toLowerCase(), value.toLowerCase())
      : isLike(pattern, value) || value === '*';
  if (Object.hasOwn(statement, member)) return textsOf(statement[member]).some(matches);
  const not = `Not${member}`;
  return !Object.hasOwn(statement, not) || !textsOf(statement[not]).some(matches);
}

/** A pattern of `*` and `?`, in time linear to the text for each star. */
export function isLike(pattern: string, text: string): boolean {
  let place = 0;
  let at = 0;
  let star = -1;
  let resume = 0;
  while (at < text.length) {
    if (pattern[place] === '*') {
      star = place++;
      resume = at;
    } else if (pattern[place] === '?' || pattern[place] === text[at]) {
      place++;
      at++;
    } else if (star >= 0) {
      place = star + 1;
      at = ++resume;
    } else return false;
  }
  while (pattern[place] === '*') place++;
  return place === pattern.length;
}

type Test = (pattern: string, value: string) => boolean;

const equal: Test = (pattern, value) => pattern === value;
const equalCaseless: Test = (pattern, value) => pattern.toLowerCase() === value.toLowerCase();

/** Operators that the policies around nodes use; another one never holds. */
const OPERATORS: Readonly<Record<string, { readonly test: Test; readonly negated: boolean }>> = {
  StringEquals: { test: equal, negated: false },
  StringNotEquals: { test: equal, negated: true },
  StringEqualsIgnoreCase: { test: equalCaseless, negated: false },
  StringLike: { test: isLike, negated: false },
  StringNotLike: { test: isLike, negated: true },
  ArnEquals: { test: isLike, negated: false },
  ArnLike: { test: isLike, negated: false },
  ArnNotLike: { test: isLike, negated: true },
  Bool: { test: equalCaseless, negated: false },
};

function conditionsHold(
  conditions: Json | undefined,
  context: Readonly<Record<string, string>>,
): boolean {
  if (!isObject(conditions)) return true;
  return Object.entries(conditions).every(([operator, keys]) =>
    isObject(keys)
      ? Object.entries(keys).every(([key, wanted]) => holds(operator, key, wanted, context))
      : false,
  );
}

function holds(
  operator: string,
  key: string,
  wanted: Json,
  context: Readonly<Record<string, string>>,
): boolean {
  const isOptional = operator.endsWith('IfExists');
  const single = operator.replace(/^ForAnyValue:/, '');
  const known = OPERATORS[isOptional ? single.slice(0, -'IfExists'.length) : single];
  if (known === undefined) return false;
  const value = context[key.toLowerCase()];
  if (value === undefined) return isOptional || known.negated;
  return textsOf(wanted).some((pattern) => known.test(pattern, value)) !== known.negated;
}
