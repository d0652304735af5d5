/** Who may make a call. */
import type { AwsCall, AwsService } from '../../ports/aws-api.ts';
import { documentsOf } from './iam/roles.ts';
import { judge, type AccessDecision } from './iam/policies.ts';
import { actionOf, type Operation, type Request } from './operation.ts';
import { type RefusedError, refused } from './refusal.ts';

/** Asked by everyone who has keys at all (STS API reference). */
const FREE = new Set(['sts:GetCallerIdentity']);

/** Asked without keys: what is sent along says who asks (STS API reference). */
const KEYLESS = new Set(['sts:AssumeRoleWithWebIdentity']);

/** @throws RefusedError when no policy of the caller allows it */
export function authorize(request: Request, call: AwsCall, operation: Operation): void {
  const action = actionOf(call.service, call.operation);
  if (KEYLESS.has(action)) return;
  const { account, identity } = request;
  const keys = account.keys.get(identity.accessKeyId);
  if (keys === undefined) throw unknownKeys(call.service);
  if (keys.expiresMs <= account.kernel.nowMs()) throw expiredKeys(call.service);
  if (FREE.has(action)) return;
  const resource = operation.resource?.(request) ?? '*';
  const context = { 'aws:requestedregion': account.region, 'aws:principalarn': keys.arn };
  const policies = [
    ...documentsOf(account, keys.principal, Infinity),
    ...account.denials.map((pattern) => ({
      Statement: [{ Effect: 'Deny', Action: pattern, Resource: '*' }],
    })),
  ];
  const verdict = judge(policies, { action, resource, context });
  if (verdict !== 'allowed')
    throw denied(call.service, { action, resource, arn: keys.arn, verdict });
}

interface Denied {
  readonly action: string;
  readonly resource: string;
  readonly arn: string;
  readonly verdict: AccessDecision;
}

/** As each service words it (service API references, "Common Errors"). */
function denied(service: AwsService, { action, resource, arn, verdict }: Denied): RefusedError {
  const why =
    verdict === 'explicitDeny'
      ? 'with an explicit deny in an identity-based policy'
      : `because no identity-based policy allows the ${action} action`;
  const on = resource === '*' ? '' : ` on resource: ${resource}`;
  const what = `User: ${arn} is not authorized to perform: ${action}${on} ${why}`;
  if (service === 'ec2') {
    const message = `You are not authorized to perform this operation. ${what}`;
    return refused('UnauthorizedOperation', message, 403);
  }
  if (JSON_SERVICES.has(service)) {
    const status = service === 'eks' ? 403 : 400;
    return refused('AccessDeniedException', what, status);
  }
  return refused('AccessDenied', what, 403);
}

/** Those that speak JSON, whose codes end in Exception. */
export const JSON_SERVICES: ReadonlySet<AwsService> = new Set<AwsService>([
  'eks',
  'kms',
  'ecr',
  'cloudtrail',
  'ssm',
  'logs',
]);

/** What a key that nobody has is told. */
export function unknownKeys(service: AwsService): RefusedError {
  if (service === 'ec2') {
    const message = 'AWS was not able to validate the provided access credentials';
    return refused('AuthFailure', message, 401);
  }
  const message = 'The security token included in the request is invalid.';
  if (!JSON_SERVICES.has(service)) return refused('InvalidClientTokenId', message, 403);
  return refused('UnrecognizedClientException', message, service === 'eks' ? 403 : 400);
}

function expiredKeys(service: AwsService): RefusedError {
  const message = 'The security token included in the request is expired';
  if (service === 'ec2') return refused('RequestExpired', 'Request has expired.', 400);
  if (!JSON_SERVICES.has(service)) return refused('ExpiredToken', message, 403);
  return refused('ExpiredTokenException', message, service === 'eks' ? 403 : 400);
}
