import { listAt, textAt, type Json } from '../../evidence/json.ts';
import { linkOf, linksOf, nameBy } from './links.ts';
import { type Made, type Maker, ofType, ownedBy, type Owning, type Plan } from './made.ts';
import { type Resource, textOf, textsOf } from './resource.ts';

const ROLE = { types: ['aws_iam_role'], by: 'name' };
const POLICY = { types: ['aws_iam_policy'], by: 'arn' };

/** A role that this plan makes has no policies but those of the plan. */
export const role: Maker = (plan, resource) => {
  const name = nameBy(resource, 'name');
  const answer = {
    Arn: nameBy(resource, 'arn'),
    AssumeRolePolicyDocument: textOf(resource, 'assume_role_policy') ?? undefined,
    RoleName: name,
    Path: textOf(resource, 'path'),
  };
  const made: Made[] = [{ kind: 'aws/role', answer }];
  if (resource.change !== 'create') return made;
  return [
    ...made,
    ...inlinePolicies(plan, resource, name),
    ...attachedPolicies(plan, resource, name),
  ];
};

/** IAM takes no role with more. */
const POLICIES_MAX = 200;

function ofRole(plan: Plan, name: string, type: string): readonly Resource[] {
  const owning: Owning = {
    types: [type],
    ownerOf: ({ directory }, one) => linkOf(directory, one, 'role', ROLE),
  };
  return ownedBy(plan, name, owning).slice(0, POLICIES_MAX);
}

const BY_NAME = new WeakMap<Plan, ReadonlyMap<string, Resource>>();

function roleNamed(plan: Plan, name: string): Resource | undefined {
  const known =
    BY_NAME.get(plan) ??
    new Map(ofType(plan, 'aws_iam_role').map((one) => [nameBy(one, 'name'), one]));
  BY_NAME.set(plan, known);
  return known.get(name);
}

function inlinePolicies(plan: Plan, resource: Resource, name: string): readonly Made[] {
  const blocks = listAt(resource.values, 'inline_policy').filter(
    (block) => textAt(block, 'name') !== null,
  );
  const own = ofRole(plan, name, 'aws_iam_role_policy');
  const documents = [
    ...blocks.map((block) => ({
      name: textAt(block, 'name') ?? '',
      text: textAt(block, 'policy'),
    })),
    ...own.map((one) => ({ name: nameBy(one, 'name'), text: textOf(one, 'policy') })),
  ];
  return [
    {
      kind: 'aws/role-policies',
      answer: { RoleName: name, PolicyNames: documents.map((one) => one.name) },
    },
    ...documents.map(
      (one): Made => ({
        kind: 'aws/role-policy',
        answer: { RoleName: name, PolicyName: one.name, PolicyDocument: one.text },
      }),
    ),
  ];
}

function attachedPolicies(plan: Plan, resource: Resource, name: string): readonly Made[] {
  const own = ofRole(plan, name, 'aws_iam_role_policy_attachment');
  const arns = [
    ...textsOf(resource.values, 'managed_policy_arns'),
    ...own.flatMap((one) => policiesOf(plan, one)),
  ];
  const attached = arns.map((arn) => ({
    PolicyArn: arn,
    PolicyName: arn.split('/').at(-1) ?? arn,
  }));
  return [
    { kind: 'aws/attached-policies', answer: { RoleName: name, AttachedPolicies: attached } },
  ];
}

/** A policy that nobody can tell yet keeps the place of one. */
function policiesOf(plan: Plan, attachment: Resource): readonly string[] {
  const { names, isExact } = linksOf(plan.directory, attachment, 'policy_arn', POLICY);
  return isExact ? names : [...names, attachment.address];
}

export const attachment: Maker = (plan, resource) =>
  linkOf(plan.directory, resource, 'role', ROLE) === undefined
    ? [{ doubt: 'aws/attached-policies', what: 'which role this policy is attached to' }]
    : [];

/** `aws_iam_policy_attachment` and the exclusive kinds name roles in ways that are not followed. */
export const otherAttachment: Maker = () => [
  { doubt: 'aws/attached-policies', what: 'which policies this gives to which role' },
];

/** The role of a profile, by its name or, where that is known after apply, by its address. */
export function roleOfProfile(plan: Plan, profile: Resource): readonly Json[] | undefined {
  const name = linkOf(plan.directory, profile, 'role', ROLE);
  if (name === undefined) return undefined;
  if (name === null) return [];
  const known = roleNamed(plan, name);
  return [{ RoleName: name, ...(known === undefined ? {} : { Arn: nameBy(known, 'arn') }) }];
}

export const oidcProvider: Maker = (_plan, resource) => [
  {
    kind: 'aws/oidc-provider',
    answer: {
      ClientIDList: textsOf(resource.values, 'client_id_list'),
      Url: (textOf(resource, 'url') ?? resource.address).replace('https://', ''),
    },
  },
];

export const profile: Maker = (plan, resource) => [
  {
    kind: 'aws/instance-profile',
    answer: {
      Arn: nameBy(resource, 'arn'),
      InstanceProfileName: nameBy(resource, 'name'),
      Roles: roleOfProfile(plan, resource),
    },
  },
];
