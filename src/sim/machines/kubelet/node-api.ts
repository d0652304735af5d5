import { textAt } from '../../../evidence/json.ts';
import type { ApiPath, ApiUser, KubeClient, KubeObject, Outcome } from '../../kube/contract.ts';
import type { Host } from '../host.ts';
import { eksToken } from '../network/token.ts';
import type { MachineNetwork } from '../network/network.ts';

export type ApiResult =
  | { readonly ok: true; readonly object: KubeObject }
  /** `code` 0 where no answer came. */
  | {
      readonly ok: false;
      readonly code: number;
      readonly message: string;
      readonly tookMs: number;
    };

/** An answer lives this long in the API server's cache (`--authentication-token-webhook-cache-ttl`). */
const TOKEN_CACHE_MS = 120_000;
/** Time limit of a request of the kubelet (heartbeat client of cmd/kubelet/app/server.go). */
const REQUEST_TIMEOUT_MS = 10_000;

/** Who holds a client certificate. */
export interface CertificateSubject {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

export type NodeCredential =
  | { readonly kind: 'certificate'; readonly subject: CertificateSubject }
  | { readonly kind: 'bootstrap-token'; readonly token: string }
  | { readonly kind: 'aws-token' }
  | { readonly kind: 'anonymous' };

const UNAUTHORIZED: ApiResult = { ok: false, code: 401, message: 'Unauthorized', tookMs: 5 };

/** The API server as one machine asks it: with its credential, over its network. */
export class NodeApi {
  readonly #host: Host;
  readonly #network: MachineNetwork;
  #credential: NodeCredential;
  #client: KubeClient | null = null;
  #user: ApiUser | null = null;
  #checkedMs = Number.NEGATIVE_INFINITY;

  constructor(host: Host, network: MachineNetwork, credential: NodeCredential) {
    this.#host = host;
    this.#network = network;
    this.#credential = credential;
  }

  use(credential: NodeCredential): void {
    this.#credential = credential;
    this.#checkedMs = Number.NEGATIVE_INFINITY;
  }

  credential(): NodeCredential {
    return this.#credential;
  }

  /** `system:node:…` as the API server knew it at the last request; empty before. */
  userName(): string {
    return this.#user?.name ?? '';
  }

  /** @param what `nodes/X`, as the address of the request has it in an error */
  ask(what: string, request: (client: KubeClient) => Outcome): ApiResult {
    if (this.#network.isLost('api-server')) return this.#lost(what);
    const client = this.#authenticated();
    if (client === null) return UNAUTHORIZED;
    const outcome = request(client);
    if (outcome.ok) return outcome;
    const { code, message } = outcome.failure;
    if (code === 401) this.#checkedMs = Number.NEGATIVE_INFINITY;
    return { ok: false, code, message: code === 401 ? 'Unauthorized' : message, tookMs: 5 };
  }

  /** A read, with the server's own words when it refuses. */
  get(path: ApiPath): ApiResult {
    const what = `${path.plural}/${path.name}`;
    if (this.#network.isLost('api-server')) return this.#lost(what);
    if (this.#authenticated() === null || this.#user === null) return UNAUTHORIZED;
    const answer = this.#host.world.api.answer({
      user: this.#user,
      verb: 'get',
      path,
      query: {},
      body: null,
      patchType: null,
    });
    if (answer.code < 300) return { ok: true, object: answer.object };
    const message = answer.code === 401 ? 'Unauthorized' : (textAt(answer.object, 'message') ?? '');
    return { ok: false, code: answer.code, message, tookMs: 5 };
  }

  #lost(what: string): ApiResult {
    const { endpoint } = this.#host.settings;
    const message = `Get "${endpoint}/api/v1/${what}?timeout=10s": net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)`;
    return { ok: false, code: 0, message, tookMs: REQUEST_TIMEOUT_MS };
  }

  #authenticated(): KubeClient | null {
    const nowMs = this.#host.trueMs();
    if (nowMs - this.#checkedMs < TOKEN_CACHE_MS) return this.#client;
    const user = this.#authenticate();
    this.#client = user === null ? null : this.#host.world.client(user);
    // A refusal is cached for seconds only, so that a repaired mapping is seen soon.
    this.#checkedMs = user === null ? nowMs - TOKEN_CACHE_MS + REFUSAL_CACHE_MS : nowMs;
    this.#user = user;
    return this.#client;
  }

  #authenticate(): ApiUser | null {
    const { api } = this.#host.world;
    switch (this.#credential.kind) {
      case 'certificate':
        return api.authenticate({ bearerToken: null, certificate: this.#credential.subject });
      case 'bootstrap-token':
        return api.authenticate({ bearerToken: this.#credential.token, certificate: null });
      case 'aws-token': {
        const bearerToken = this.#awsToken();
        return bearerToken === null ? null : api.authenticate({ bearerToken, certificate: null });
      }
      default:
        return { name: 'system:anonymous', groups: ['system:unauthenticated'] };
    }
  }

  #awsToken(): string | null {
    const { world, settings } = this.#host;
    const accessKeyId = this.#host.accessKeyId();
    if (accessKeyId === null) return null;
    return eksToken({
      region: world.aws.region,
      clusterName: settings.clusterName,
      accessKeyId,
      signedMs: this.#host.nowMs(),
      signature: this.#host.random.hex(64),
    });
  }
}

/** A token that was refused is asked about again after this time (failure TTL of the webhook). */
const REFUSAL_CACHE_MS = 2000;

export function corePath(plural: string, name: string, namespace: string | null = null): ApiPath {
  return { group: '', version: 'v1', plural, namespace, name, subresource: null };
}
