import { isObject, type Json, type JsonObject, textAt } from '../../../evidence/json.ts';
import type { ApiUser, KubeObject } from '../contract.ts';
import { notFound } from '../refusal.ts';
import { listIn, objectAt } from '../rules/fields.ts';
import { type Core, type Scope, secondsStamp } from '../scope.ts';
import type { IssuedToken } from './issued-token.ts';
import { metadataOf } from '../store.ts';
import { wordOf } from '../word.ts';

const ISSUER = 'https://kubernetes.default.svc.cluster.local';

/** By default the API server is called what it signs as (kube-apiserver, `--api-audiences`). */
function issuerOf({ hooks }: Core): string {
  return hooks.issuer ?? ISSUER;
}
const HOUR_SECONDS = 3600;

/** Issues a token for a service account (TokenRequest). @throws Refusal 404 */
export function issueToken(scope: Scope, account: KubeObject, body: Json): KubeObject {
  const spec = objectAt(isObject(body) ? body : {}, 'spec');
  const seconds = Number(spec['expirationSeconds'] ?? HOUR_SECONDS);
  const nowMs = scope.core.kernel.nowMs();
  const pod = boundPod(scope, objectAt(spec, 'boundObjectRef'));
  const asked = listIn(spec, 'audiences').map(wordOf);
  const audiences = asked.length === 0 ? [issuerOf(scope.core)] : asked;
  const { name = '', uid = '' } = metadataOf(account);
  const issued: IssuedToken = {
    namespace: scope.namespace ?? '',
    account: wordOf(name),
    uid: wordOf(uid),
    audiences,
    expiresMs: nowMs + seconds * 1000,
    pod,
  };
  const token = tokenText(scope.core, issued, nowMs);
  scope.core.tokens.set(token, issued);
  const metadata = {
    name,
    namespace: issued.namespace,
    uid,
    creationTimestamp: secondsStamp(nowMs),
  };
  return {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata,
    spec: { ...spec, audiences, expirationSeconds: seconds },
    status: { token, expirationTimestamp: secondsStamp(issued.expiresMs) },
  };
}

function boundPod({ core, namespace }: Scope, reference: JsonObject): IssuedToken['pod'] {
  if (reference['kind'] !== 'Pod') return null;
  const name = wordOf(reference['name'] ?? '');
  const pod = core.store.table('/pods').get(`${namespace ?? ''}/${name}`);
  const kind = core.kinds.named('Pod');
  if (pod === null && kind !== null) throw notFound(kind, name);
  return { name, uid: textAt(pod ?? {}, 'metadata.uid') ?? '' };
}

/** A token that reads like a JWT; its signature is a number that only this server has given. */
function tokenText(core: Core, issued: IssuedToken, nowMs: number): string {
  const { namespace, account, uid, audiences, expiresMs, pod } = issued;
  const bound = pod === null ? {} : { pod };
  const claims: Json = {
    aud: audiences,
    exp: Math.floor(expiresMs / 1000),
    iat: Math.floor(nowMs / 1000),
    iss: issuerOf(core),
    'kubernetes.io': { namespace, serviceaccount: { name: account, uid }, ...bound },
    nbf: Math.floor(nowMs / 1000),
    sub: `system:serviceaccount:${namespace}:${account}`,
  };
  const parts = [{ alg: 'RS256', kid: 'simulated' }, claims].map((part) => encoded(part));
  return [...parts, core.random.hex(64)].join('.');
}

function encoded(part: Json): string {
  const text = btoa(JSON.stringify(part));
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** The service account behind a token that this server issued and that still holds. */
export function accountOfToken(core: Core, token: string): ApiUser | null {
  const issued = core.tokens.get(token);
  if (issued === undefined || issued.expiresMs <= core.kernel.nowMs()) return null;
  const { namespace, account, uid, audiences, pod } = issued;
  if (!audiences.includes(issuerOf(core))) return null;
  const found = core.store.table('/serviceaccounts').get(`${namespace}/${account}`);
  if (found === null || metadataOf(found)['uid'] !== uid) return null;
  if (pod !== null && !isThere(core, namespace, pod)) return null;
  return {
    name: `system:serviceaccount:${namespace}:${account}`,
    groups: [
      'system:serviceaccounts',
      `system:serviceaccounts:${namespace}`,
      'system:authenticated',
    ],
  };
}

function isThere(core: Core, namespace: string, pod: NonNullable<IssuedToken['pod']>): boolean {
  const found = core.store.table('/pods').get(`${namespace}/${pod.name}`);
  return found !== null && metadataOf(found)['uid'] === pod.uid;
}
