import { type JsonObject, textAt } from '../../../evidence/json.ts';
import type { ApiUser } from '../../kube/contract.ts';
import type { World } from '../../world.ts';
import { keyOf } from '../objects/meta.ts';
import { parsedMs } from '../objects/stamp.ts';
import {
  type Actor,
  type ActorOptions,
  cacheOf,
  controllerUser,
  createActor,
  type Running,
} from '../running/actor.ts';
import { createSyncQueue } from '../running/work-queue.ts';
import { fromBase64, toBase64 } from './base64.ts';

const TOKEN_TYPE = 'bootstrap.kubernetes.io/token';
const JOIN_CONFIG_MAP = 'kube-public/cluster-info';
const SIGNATURE_PREFIX = 'jws-kubeconfig-';
/** The Secret was gone 0.2 s after its time. */
const EXPIRY_LATE_MS = 200;

export interface BootstrapToken {
  readonly id: string;
  readonly secret: string;
  readonly expiresMs: number | null;
  readonly mayAuthenticate: boolean;
  readonly maySign: boolean;
  readonly groups: readonly string[];
}

/** The token in a Secret of kube-system; null for other Secrets. */
export function tokenOf(secret: JsonObject): BootstrapToken | null {
  if (textAt(secret, 'type') !== TOKEN_TYPE) return null;
  const read = (key: string): string | null => {
    const encoded = textAt(secret, `data.${key}`);
    return encoded === null ? textAt(secret, `stringData.${key}`) : fromBase64(encoded);
  };
  const id = read('token-id');
  const value = read('token-secret');
  if (id === null || value === null) return null;
  const extra = read('auth-extra-groups') ?? '';
  return {
    id,
    secret: value,
    expiresMs: parsedMs(read('expiration')),
    mayAuthenticate: read('usage-bootstrap-authentication') === 'true',
    maySign: read('usage-bootstrap-signing') === 'true',
    groups: extra === '' ? [] : extra.split(',').map((group) => group.trim()),
  };
}

/** The API server's own check of a bootstrap token: `system:bootstrap:<id>`, or nobody. */
export function bootstrapUser(
  token: string,
  secrets: readonly JsonObject[],
  nowMs: number,
): ApiUser | null {
  const found = secrets.map(tokenOf).find((known) => known?.id === token.slice(0, 6));
  if (found === undefined || found === null || !found.mayAuthenticate) return null;
  if (token !== `${found.id}.${found.secret}`) return null;
  if (found.expiresMs !== null && found.expiresMs <= nowMs) return null;
  return {
    name: `system:bootstrap:${found.id}`,
    groups: ['system:bootstrappers', ...found.groups, 'system:authenticated'],
  };
}

/** What stands for the signature: it says which secret signed which text. */
export function signatureOf({ id, secret }: BootstrapToken, kubeconfig: string): string {
  const header = toBase64(JSON.stringify({ alg: 'HS256', kid: id })).replaceAll('=', '');
  const proof = toBase64(`${secret}/${kubeconfig.length}`).replaceAll('=', '');
  return `${header}..${proof}`;
}

/** The token cleaner and the bootstrap signer of kube-controller-manager. */
export function startBootstrapTokens(world: World, options: ActorOptions = {}): Running {
  const actor = createActor(world, 'bootstrap-signer', controllerUser('bootstrap-signer'), options);
  const signing = createSyncQueue(actor, () => {
    const tokens = [...secrets.values()].map(tokenOf).filter((token) => token !== null);
    signForJoining(actor, tokens);
  });
  const secrets = cacheOf(actor, 'Secret', keyOf, (type, secret) => {
    if (textAt(secret, 'type') !== TOKEN_TYPE) return;
    if (type !== 'DELETED') planExpiry(actor, secret);
    signing.add(JOIN_CONFIG_MAP);
  });
  actor.follow('ConfigMap', (type, object) => {
    if (type !== 'DELETED' && keyOf(object) === JOIN_CONFIG_MAP) signing.add(JOIN_CONFIG_MAP);
  });
  return actor;
}

function planExpiry(actor: Actor, secret: JsonObject): void {
  const expiresMs = tokenOf(secret)?.expiresMs ?? null;
  if (expiresMs === null) return;
  const waitMs = expiresMs - actor.kernel.nowMs() + EXPIRY_LATE_MS;
  actor.after(waitMs, () => {
    const now = actor.client.get('Secret', keyOf(secret));
    if (now === null || tokenOf(now)?.expiresMs !== expiresMs) return;
    actor.log(`deletes the expired token ${keyOf(secret)}`);
    actor.client.delete('Secret', keyOf(secret));
  });
}

function signForJoining(actor: Actor, tokens: readonly BootstrapToken[]): void {
  const object = actor.client.get('ConfigMap', JOIN_CONFIG_MAP);
  const kubeconfig = textAt(object ?? undefined, 'data.kubeconfig');
  if (object === null || kubeconfig === null) return;
  const known = Object.entries((object['data'] ?? {}) as JsonObject);
  const signed = tokens.filter(({ maySign }) => maySign);
  const changes: Record<string, string | null> = {};
  for (const [key] of known)
    if (key.startsWith(SIGNATURE_PREFIX) && !signed.some(({ id }) => key.endsWith(id)))
      changes[key] = null;
  for (const token of signed) {
    const key = `${SIGNATURE_PREFIX}${token.id}`;
    const signature = signatureOf(token, kubeconfig);
    if (!known.some(([name, value]) => name === key && value === signature))
      changes[key] = signature;
  }
  if (Object.keys(changes).length > 0)
    actor.client.patch('ConfigMap', JOIN_CONFIG_MAP, 'merge', { data: changes });
}
