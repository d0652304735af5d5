import type { ApiUser, Credential, KubeObject } from '../contract.ts';
import { isoMs } from '../../../evidence/time.ts';
import { textOfBase64 } from '../rules/base64.ts';
import { objectAt, textIn } from '../rules/fields.ts';
import type { Core } from '../scope.ts';
import { metadataOf } from '../store.ts';
import { accountOfToken } from '../sub/token.ts';

const ANONYMOUS: ApiUser = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/** Who holds a credential; anonymous without one, null for one that nobody has. */
export function authenticated(core: Core, credential: Credential): ApiUser | null {
  const { bearerToken, certificate } = credential;
  if (certificate !== null) {
    const { commonName, organizations } = certificate;
    return { name: commonName, groups: [...organizations, 'system:authenticated'] };
  }
  if (bearerToken === null) return ANONYMOUS;
  return (
    accountOfToken(core, bearerToken) ??
    bootstrapUser(core, bearerToken) ??
    core.hooks.authenticateToken?.(bearerToken) ??
    null
  );
}

/** Bootstrap tokens are Secrets of their own type (cluster-bootstrap token/api). */
const BOOTSTRAP = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;

function bootstrapUser(core: Core, token: string): ApiUser | null {
  const [, id = '', secret = ''] = BOOTSTRAP.exec(token) ?? [];
  if (id === '') return null;
  const found = core.store.table('/secrets').get(`kube-system/bootstrap-token-${id}`);
  if (found === null || !isUsable(core, found, id, secret)) return null;
  const extra = valueOf(found, 'auth-extra-groups');
  const groups = extra === '' ? [] : extra.split(',').map((group) => group.trim());
  return {
    name: `system:bootstrap:${id}`,
    groups: ['system:bootstrappers', ...groups, 'system:authenticated'],
  };
}

function valueOf(secret: KubeObject, key: string): string {
  return textOfBase64(textIn(objectAt(secret, 'data'), key));
}

function isUsable(core: Core, object: KubeObject, id: string, secret: string): boolean {
  const expiration = valueOf(object, 'expiration');
  const isExpired = expiration !== '' && !((isoMs(expiration) ?? 0) > core.kernel.nowMs());
  return (
    object['type'] === 'bootstrap.kubernetes.io/token' &&
    metadataOf(object)['deletionTimestamp'] === undefined &&
    valueOf(object, 'token-id') === id &&
    valueOf(object, 'token-secret') === secret &&
    valueOf(object, 'usage-bootstrap-authentication') === 'true' &&
    !isExpired
  );
}
