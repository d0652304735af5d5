/** AssumeRoleForPodIdentity of EKS Auth, which the agent on a node asks for its pods. */
import { isObject, type JsonObject, textAt } from '../../../evidence/json.ts';
import { type Account, arnOf, isoMoment } from '../account.ts';
import { assumeRole } from '../iam/credentials.ts';
import { judge } from '../iam/policies.ts';
import { nameOf } from '../iam/roles.ts';
import { checkSignature, readWebToken, type WebToken } from '../iam/web-token.ts';
import { listIn, type Request, textIn, textsIn } from '../operation.ts';
import { refused } from '../refusal.ts';
import { clusterOf } from './clusters.ts';
import { missing } from './kept.ts';

/** What the tokens of Pod Identity are for, and whom roles trust (EKS user guide). */
const SERVICE = 'pods.eks.amazonaws.com';
/** EKS user guide, "Understand how EKS Pod Identity works". */
const SESSION_MS = 6 * 3_600_000;
const SESSION_NAME_MAX = 64;

export function assumeForPod({ account, input }: Request, cluster: string): JsonObject {
  const text = textIn(input, 'token') ?? '';
  const token = ownToken(account, cluster, text);
  const { namespace, serviceAccount } = token;
  const association = associationOf(account, cluster, token);
  const roleArn = textAt(association, 'roleArn') ?? '';
  assertTrusted(account, cluster, token, roleArn);
  const keys = assumeRole(account, roleArn, sessionName(account, cluster, token), SESSION_MS);
  return {
    subject: { namespace, serviceAccount },
    audience: SERVICE,
    podIdentityAssociation: {
      associationArn: textAt(association, 'associationArn') ?? '',
      associationId: textAt(association, 'associationId') ?? '',
    },
    assumedRoleUser: { arn: keys.arn, assumeRoleId: keys.userId },
    credentials: {
      accessKeyId: keys.accessKeyId,
      secretAccessKey: keys.secretAccessKey,
      sessionToken: keys.sessionToken,
      expiration: isoMoment(keys.expiresMs),
    },
  };
}

function ownToken(account: Account, cluster: string, text: string): WebToken {
  const token = readWebToken(text);
  const issuer = textAt(clusterOf(account, cluster), 'identity.oidc.issuer');
  const isOwn =
    token !== null &&
    token.issuer === issuer &&
    token.audiences.includes(SERVICE) &&
    checkSignature(account, token.issuer, text) === 'signed';
  if (!isOwn)
    throw refused('InvalidTokenException', 'The token included in the request is invalid.');
  const nowMs = account.kernel.nowMs();
  if (token.expiresMs > nowMs) return token;
  const [now, end] = [nowMs, token.expiresMs].map(isoMoment);
  throw refused(
    'ExpiredTokenException',
    `The token included in the request is expired: current date/time ${now} must be before the expiration date/time ${end}`,
  );
}

function associationOf(
  account: Account,
  cluster: string,
  { namespace, serviceAccount }: WebToken,
): JsonObject {
  const found = account.plain['pod-identity']
    .values()
    .find(
      (one) =>
        one['clusterName'] === cluster &&
        one['namespace'] === namespace &&
        one['serviceAccount'] === serviceAccount,
    );
  if (found !== undefined) return found;
  throw missing(
    `No Pod Identity Association found for service account ${serviceAccount} in namespace ${namespace}`,
  );
}

/** `eks-CLUSTER-POD-UUID`, cut to what a session may be called. */
function sessionName(account: Account, cluster: string, { pod }: WebToken): string {
  const uuid = account.ids.uuid();
  const whose = `eks-${cluster}-${pod}`.slice(0, SESSION_NAME_MAX - uuid.length - 1);
  return `${whose}-${uuid}`;
}

/** EKS Auth tags every session, so it needs both actions. */
function assertTrusted(account: Account, cluster: string, token: WebToken, roleArn: string): void {
  const document = account.plain.role.get(nameOf(roleArn))?.['AssumeRolePolicyDocument'];
  const Statement = listIn(isObject(document) ? document : {}, 'Statement')
    .filter(isObject)
    .filter(
      ({ Principal }) => isObject(Principal) && textsIn(Principal, 'Service').includes(SERVICE),
    );
  const context = {
    'aws:sourceaccount': account.accountId,
    'aws:sourcearn': arnOf(account, 'eks', `cluster/${cluster}`),
    'aws:requesttag/kubernetes-namespace': token.namespace,
    'aws:requesttag/kubernetes-service-account': token.serviceAccount,
  };
  const isTrusted = ['sts:AssumeRole', 'sts:TagSession'].every(
    (action) => judge([{ Statement }], { action, resource: '*', context }) === 'allowed',
  );
  if (isTrusted) return;
  throw refused(
    'AccessDeniedException',
    'Unauthorized Exception! EKS does not have permissions to assume the associated role.',
  );
}
