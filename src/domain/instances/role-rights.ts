import type { Seen, WhyUnknown } from '../../evidence/fact.ts';
import type { AttachedPolicies, AttachedPolicy } from '../../evidence/aws/iam.ts';
import type { Policy } from '../../evidence/aws/policy.ts';
import type { FactTypes } from '../../evidence/kinds.ts';
import type { Told } from '../../evidence/shape.ts';
import { allowing, allowsAllBut } from './policies.ts';

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
  list<N extends RightsKind>(kind: N): readonly Seen<FactTypes[N]>[];
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
  readonly attached: Seen<AttachedPolicies>;
  /** Names of all its policies, for sentences. */
  readonly names: string;
  /** Why nobody can say, for `unknown`. */
  readonly why: WhyUnknown;
}

const ALL_RIGHTS = /^(?:AdministratorAccess|PowerUserAccess)$/;

type Answer = 'given' | 'missing' | 'unknown';

/** Looks for a right in the policies of a role; null where its attached policies were not read. */
export function rightOf(facts: RightsFacts, role: string, wanted: WantedRight): HeldRight | null {
  const attached = ofRole(facts.list('aws/attached-policies'), role);
  if (attached === undefined) return null;
  const inline = ofRole(facts.list('aws/role-policies'), role);
  const policies = attached.value.AttachedPolicies ?? [];
  const inlineNames = inline?.value.PolicyNames ?? [];
  const answers = [
    ...policies.map((policy) => ofPolicy(facts, policy, wanted)),
    ...inlineNames.map((name) => ofInline(facts, role, name, wanted)),
    // Others who show attached policies alone rarely have inline ones that they do not mention.
    inline === undefined && facts.nowMs !== null ? 'unknown' : 'missing',
  ];
  const names = [...policies.map((one) => one.PolicyName ?? ''), ...inlineNames];
  const right = (['given', 'unknown'] as const).find((one) => answers.includes(one)) ?? 'missing';
  return { right, attached, names: names.join(', ') || 'none', why: whyUnknown(role, wanted) };
}

function ofRole<T extends { readonly RoleName: Told<string> }>(
  facts: readonly Seen<T>[],
  role: string,
): Seen<T> | undefined {
  return facts.find(({ value }) => value.RoleName === role);
}

function whyUnknown(role: string, { action }: WantedRight): WhyUnknown {
  return {
    reason: 'not-collected',
    detail: `whether the inline or customer-managed policies of the role ${role} allow ${action}`,
    collect: `aws iam list-role-policies --role-name ${role}`,
  };
}

function ofPolicy(facts: RightsFacts, policy: AttachedPolicy, wanted: WantedRight): Answer {
  const { PolicyArn: arn, PolicyName: name } = policy;
  const isAccounts = /:iam::\d+:policy\//.test(arn ?? '');
  if (isAccounts) {
    const version = facts.list('aws/policy-version').find(({ value }) => value.PolicyArn === arn);
    return ofDocument(version?.value.PolicyVersion?.Document, wanted);
  }
  if (wanted.given.test(name ?? '') || ALL_RIGHTS.test(name ?? '')) return 'given';
  return wanted.without.test(name ?? '') ? 'missing' : 'unknown';
}

function ofInline(facts: RightsFacts, role: string, name: string, wanted: WantedRight): Answer {
  const policy = facts
    .list('aws/role-policy')
    .find(({ value }) => value.RoleName === role && value.PolicyName === name);
  return ofDocument(policy?.value.PolicyDocument, wanted);
}

function ofDocument(document: Told<Policy>, { action }: WantedRight): Answer {
  if (document === null || document === undefined || allowsAllBut(document)) return 'unknown';
  return allowing(document, action).length > 0 ? 'given' : 'missing';
}
