import type { Seen, WhyUnknown } from '../../evidence/fact.ts';
import { at, type Json, listAt, textAt } from '../../evidence/json.ts';
import { allowing, allowsAllBut, policyDocument } from './policies.ts';

/** Kinds that together show what a role may do. */
export const RIGHTS_KINDS = [
  'aws/attached-policies',
  'aws/role-policies',
  'aws/role-policy',
  'aws/policy-version',
] as const;

type RightsKind = (typeof RIGHTS_KINDS)[number];

/** What a cause's view gives of roles. */
export interface RightsFacts {
  /** When the evidence was collected, ms since the epoch; null for evidence of others. */
  readonly nowMs: number | null;
  list(kind: RightsKind): readonly Seen<Json>[];
}

/** A right that a role should have. */
export interface WantedRight {
  /** Such as `ec2:CreateNetworkInterface`. */
  readonly action: string;
  /** Names of AWS's own policies that give it. */
  readonly given: RegExp;
  /** Names of AWS's own policies that are known not to give it. */
  readonly without: RegExp;
}

/** What a role holds, and whether the wanted right is among it. */
export interface HeldRight {
  readonly right: 'given' | 'missing' | 'unknown';
  /** The list of its attached policies. */
  readonly attached: Seen<Json>;
  /** Names of all its policies, for sentences. */
  readonly names: string;
  /** Why nobody can say, for `unknown`. */
  readonly why: WhyUnknown;
}

const ALL_RIGHTS = /^(?:AdministratorAccess|PowerUserAccess)$/;

type Answer = 'given' | 'missing' | 'unknown';

/** Looks for a right in the policies of a role; null where its attached policies were not read. */
export function rightOf(facts: RightsFacts, role: string, wanted: WantedRight): HeldRight | null {
  const attached = factOf(facts, 'aws/attached-policies', role);
  if (attached === undefined) return null;
  const inline = factOf(facts, 'aws/role-policies', role);
  const policies = listAt(attached.value, 'AttachedPolicies');
  const inlineNames = listAt(inline?.value, 'PolicyNames').map(String);
  const answers = [
    ...policies.map((policy) => ofPolicy(facts, policy, wanted)),
    ...inlineNames.map((name) => ofInline(facts, role, name, wanted)),
    // Others who show attached policies alone rarely have inline ones that they do not mention.
    inline === undefined && facts.nowMs !== null ? 'unknown' : 'missing',
  ];
  const names = [...policies.map((one) => textAt(one, 'PolicyName') ?? ''), ...inlineNames];
  const right = (['given', 'unknown'] as const).find((one) => answers.includes(one)) ?? 'missing';
  return { right, attached, names: names.join(', ') || 'none', why: whyUnknown(role, wanted) };
}

function factOf(facts: RightsFacts, kind: RightsKind, role: string): Seen<Json> | undefined {
  return facts.list(kind).find(({ value }) => textAt(value, 'RoleName') === role);
}

function whyUnknown(role: string, { action }: WantedRight): WhyUnknown {
  return {
    reason: 'not-collected',
    detail: `whether the inline or own policies of the role ${role} allow ${action}`,
    collect: `aws iam list-role-policies --role-name ${role}`,
  };
}

function ofPolicy(facts: RightsFacts, policy: Json, wanted: WantedRight): Answer {
  const arn = textAt(policy, 'PolicyArn') ?? '';
  const name = textAt(policy, 'PolicyName') ?? '';
  const isAccounts = /:iam::\d+:policy\//.test(arn);
  if (!isAccounts && (wanted.given.test(name) || ALL_RIGHTS.test(name))) return 'given';
  if (!isAccounts) return wanted.without.test(name) ? 'missing' : 'unknown';
  const version = facts
    .list('aws/policy-version')
    .find(({ value }) => textAt(value, 'PolicyArn') === arn);
  return ofDocument(at(version?.value, 'PolicyVersion.Document'), wanted);
}

function ofInline(facts: RightsFacts, role: string, name: string, wanted: WantedRight): Answer {
  const policy = facts
    .list('aws/role-policy')
    .find(
      ({ value }) => textAt(value, 'RoleName') === role && textAt(value, 'PolicyName') === name,
    );
  return ofDocument(at(policy?.value, 'PolicyDocument'), wanted);
}

function ofDocument(given: Json | undefined, { action }: WantedRight): Answer {
  const document = policyDocument(given);
  if (document === null || allowsAllBut(document)) return 'unknown';
  return allowing(document, action).length > 0 ? 'given' : 'missing';
}
