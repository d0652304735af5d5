import type { AssociationTarget, IdentityTarget } from '../evidence/detail-target.ts';
import { type Json, type JsonObject, listAt, textAt } from '../evidence/json.ts';
import type { Ask } from './asking.ts';
import { filters } from './aws-calls.ts';

/** Inline policies of one role that are read at most; IAM's quota is of characters, not of these. */
const POLICIES_MAX = 10;
const BATCH_MAX = 200;

/** Reads what decides whether machines and pods have the rights that they need. */
export async function askIdentities(ask: Ask, target: IdentityTarget): Promise<void> {
  await Promise.all([
    ...target.roleNames.map(async (RoleName) => askInline(ask, RoleName)),
    ...target.policyArns.map(async (PolicyArn) => askPolicy(ask, PolicyArn)),
    ...target.associations.map(async (association) => askAssociation(ask, association)),
    ...target.providerArns.map(async (OpenIDConnectProviderArn) =>
      ask({
        service: 'iam',
        operation: 'GetOpenIDConnectProvider',
        input: { OpenIDConnectProviderArn },
        isOptional: true,
      }),
    ),
    askProfiles(ask, target.instanceIds),
    target.isRegistryAsked
      ? ask({ service: 'ecr', operation: 'GetAuthorizationToken', input: {} })
      : null,
  ]);
}

async function askInline(ask: Ask, RoleName: string): Promise<void> {
  const input = { RoleName };
  const listed = await ask({ service: 'iam', operation: 'ListRolePolicies', input });
  const names = listed.flatMap((answer) => listAt(answer, 'PolicyNames').map(String));
  await Promise.all(
    ask
      .first(names, POLICIES_MAX, 'inline policies of a role')
      .map((PolicyName) =>
        ask({ service: 'iam', operation: 'GetRolePolicy', input: { RoleName, PolicyName } }),
      ),
  );
}

/** A policy says which of its versions counts; only that one is read. */
async function askPolicy(ask: Ask, PolicyArn: string): Promise<void> {
  const [answer] = await ask({ service: 'iam', operation: 'GetPolicy', input: { PolicyArn } });
  const VersionId = textAt(answer, 'Policy.DefaultVersionId');
  if (VersionId === null) return;
  await ask({ service: 'iam', operation: 'GetPolicyVersion', input: { PolicyArn, VersionId } });
}

/** The list of associations names no roles; each of them does, and the roles say whom they trust. */
async function askAssociation(
  ask: Ask,
  { clusterName, associationId }: AssociationTarget,
): Promise<void> {
  const answers = await ask({
    service: 'eks',
    operation: 'DescribePodIdentityAssociation',
    input: { clusterName, associationId },
    isOptional: true,
  });
  await Promise.all(
    rolesOf(answers[0]).map((RoleName) =>
      ask({ service: 'iam', operation: 'GetRole', input: { RoleName }, isOptional: true }),
    ),
  );
}

/** A target role of another account is not to be read from here. */
function rolesOf(answer: JsonObject | undefined): readonly string[] {
  const of = (path: string): string => textAt(answer, `association.${path}`) ?? '';
  const own = of('roleArn');
  const target = of('targetRoleArn');
  const arns = accountOf(target) === accountOf(own) ? [own, target] : [own];
  return arns.filter((arn) => arn !== '').map((arn) => arn.split('/').at(-1) ?? '');
}

function accountOf(arn: string): string {
  return arn.split(':')[4] ?? '';
}

async function askProfiles(ask: Ask, instanceIds: readonly string[]): Promise<void> {
  const batches: Json[][] = [];
  for (let from = 0; from < instanceIds.length; from += BATCH_MAX)
    batches.push(instanceIds.slice(from, from + BATCH_MAX));
  await Promise.all(
    batches.map((ids) =>
      ask({
        service: 'ec2',
        operation: 'DescribeIamInstanceProfileAssociations',
        input: { Filters: filters({ 'instance-id': ids.map(String) }) },
      }),
    ),
  );
}
