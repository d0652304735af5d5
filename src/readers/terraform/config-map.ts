import { at, type Json, textAt } from '../../evidence/json.ts';
import type { AwsAuth } from '../../evidence/kinds.ts';
import { parseAwsAuth } from '../kube/aws-auth.ts';
import { nameBy } from './links.ts';
import { type Directory, originsOf } from './references.ts';
import { blockOf, isUnknownIn, type Resource } from './resource.ts';

const TYPES = /^kubernetes_config_map(?:_v1)?(?:_data)?$/;

/** True for a resource that writes the ConfigMap aws-auth of kube-system. */
export function isAwsAuth(resource: Resource): boolean {
  if (!TYPES.test(resource.type) || resource.isLookedUp) return false;
  const metadata = blockOf(resource, 'metadata');
  return textAt(metadata, 'name') === 'aws-auth' && textAt(metadata, 'namespace') === 'kube-system';
}

/** The ConfigMap as it will be, and whether all of it is known. */
export interface PlannedAwsAuth {
  readonly value: AwsAuth;
  readonly isWhole: boolean;
}

/**
 * Reads the map. Of a text that is known after apply, the roles count that it is made from: what
 * names a role here maps it.
 */
export function awsAuthOf(directory: Directory, resource: Resource): PlannedAwsAuth {
  const unknownMaps: Json | undefined = at(resource.unknown, 'data');
  const value = parseAwsAuth({ data: at(resource.values, 'data') ?? {} });
  if (!isUnknownIn(unknownMaps)) return { value, isWhole: true };
  const { resources } = originsOf(directory, resource, 'data');
  const roles = resources
    .filter(({ type }) => type === 'aws_iam_role')
    .map((role) => ({ arn: nameBy(role, 'arn'), username: null, groups: [] }));
  return { value: { ...value, roles: [...value.roles, ...roles] }, isWhole: false };
}
