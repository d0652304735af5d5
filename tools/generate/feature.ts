/** One feature of the program with what it asks of Kubernetes and AWS. */
import type { FeaturePermissions, KubePermission } from '../../src/collection/permissions.ts';
import type { AwsCall } from '../../src/ports/aws-api.ts';
import { sorted } from './permission-texts.ts';

/** What was asked, or what a part declares that it asks. */
export interface Asked {
  readonly permissions: KubePermission[];
  /** `on` is the one document that is granted. */
  readonly calls: (Pick<AwsCall, 'operation'> & {
    readonly service: string;
    readonly on?: string;
  })[];
}

/** Actions that IAM does not ask about (Service Authorization Reference: no policy can deny them). */
const FREE: ReadonlySet<string> = new Set(['sts:GetCallerIdentity']);

/** Actions that another one depends on (Service Authorization Reference, Amazon Route 53). */
const DEPENDENT: Readonly<Record<string, readonly string[]>> = {
  'route53:ListHostedZonesByVPC': ['ec2:DescribeVpcs'],
};

function actionsOf(calls: Readonly<Asked['calls']>): readonly string[] {
  const actions = calls.map(
    ({ service, operation, on }) => `${service}:${operation}${on === undefined ? '' : `/${on}`}`,
  );
  const all = actions.flatMap((action) => [action, ...(DEPENDENT[action] ?? [])]);
  return [...new Set(all)].filter((action) => !FREE.has(action)).toSorted();
}

export function feature(
  name: string,
  purpose: string,
  asked: readonly { readonly [K in keyof Asked]: Readonly<Asked[K]> }[],
  warning: string | null = null,
): FeaturePermissions {
  return {
    feature: name,
    for: purpose,
    warning,
    kubernetes: sorted(asked.flatMap(({ permissions }) => permissions)),
    aws: actionsOf(asked.flatMap(({ calls }) => calls)),
  };
}
