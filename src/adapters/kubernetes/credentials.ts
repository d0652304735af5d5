import { X509Certificate } from 'node:crypto';
import { isObject, type JsonObject, textAt } from '../../evidence/json.ts';
import type { Clock } from '../../ports/clock.ts';
import { codeOf, type KubeEnvironment } from './environment.ts';
import { commandLine, type ExecCredential, execCredential } from './exec-credential.ts';
import { notConfigured, unreadable } from './not-configured.ts';
import type { ClientCertificate, CredentialSource, ExecSource, KubeTarget } from './target.ts';
import { quoted, shown } from './words.ts';

/** What one request proves its identity with. */
export interface Credential {
  /** The Authorization header; null when there is none. */
  readonly authorization: string | null;
  readonly client: ClientCertificate | null;
}

/** The credential of a target, read again when it is old. */
export interface Credentials {
  current(): Promise<Credential>;
  /**
   * Forgets a credential that the server refused.
   * @returns true when asking again may give another one
   */
  renew(refused: Credential): boolean;
  /** The credential in words, never the secret itself, for when it is refused. */
  refusal(refused: Credential): CredentialRefusal;
}

export interface CredentialRefusal {
  readonly what: string;
  /** A clause that ends with the command to run. */
  readonly remedy: string;
}

export interface CredentialContext {
  readonly environment: KubeEnvironment;
  readonly clock: Clock;
  readonly execTimeoutMs: number;
}

/** A bound service account token is replaced on disk well before it expires. */
const TOKEN_FILE_MAX_AGE_MS = 60_000;
/** A credential about to expire would not survive its way to the server. */
const EXPIRY_MARGIN_MS = 10_000;

export function credentialsOf(target: KubeTarget, context: CredentialContext): Credentials {
  const source = target.credential;
  if (source.kind === 'exec') return new ExecCredentials(target, source.exec, context);
  if (source.kind === 'token-file') return new FileCredentials(target, source.path, context);
  return fixedCredentials(target, source, context.clock);
}

type FixedSource = Exclude<CredentialSource, { readonly kind: 'exec' | 'token-file' }>;

function fixedCredentials(target: KubeTarget, source: FixedSource, clock: Clock): Credentials {
  const credential = { authorization: headerOf(source), client: target.tls.client };
  return {
    current: async () => credential,
    renew: () => false,
    refusal: () => fixedRefusal(target, source, clock.nowMs()),
  };
}

function headerOf(source: FixedSource): string | null {
  if (source.kind === 'token') return bearer(source.token);
  if (source.kind === 'none') return null;
  const pair = Buffer.from(`${source.username}:${source.password}`).toString('base64');
  return `Basic ${pair}`;
}

function bearer(token: string): string {
  return `Bearer ${token}`;
}

function fixedRefusal(target: KubeTarget, source: FixedSource, nowMs: number): CredentialRefusal {
  const user = target.userEntry ?? '(none)';
  const owner = `of user ${shown(user)} in ${shown(target.origin)}`;
  const edit = `kubectl config set-credentials ${quoted(target.userEntry ?? 'USER')} --token=TOKEN`;
  if (source.kind === 'token') {
    const when = expired(tokenExpiry(source.token), nowMs);
    return { what: `the token ${owner}${when}`, remedy: `write a new one: ${edit}` };
  }
  if (source.kind === 'basic') {
    const what = `the password ${owner}, which API servers since 1.19 do not take`;
    return { what, remedy: `use a token: ${edit}` };
  }
  return target.tls.client === null
    ? anonymousRefusal(owner)
    : certificateRefusal(owner, target.tls.client, nowMs);
}

function anonymousRefusal(owner: string): CredentialRefusal {
  const what = `a request without a credential, as the kubeconfig has none ${owner}`;
  const command = 'aws eks update-kubeconfig --name CLUSTER --region REGION';
  return { what, remedy: `for EKS write one: ${command}` };
}

function certificateRefusal(
  owner: string,
  client: ClientCertificate,
  nowMs: number,
): CredentialRefusal {
  const expiry = Date.parse(new X509Certificate(client.certificatePem).validTo);
  const what = `the client certificate ${owner}${expired(expiry, nowMs)}`;
  const remedy = 'on a kubeadm control plane renew it: sudo kubeadm certs renew admin.conf';
  return { what, remedy };
}

function expired(expiresAtMs: number | null, nowMs: number): string {
  if (expiresAtMs === null || Number.isNaN(expiresAtMs) || expiresAtMs > nowMs) return '';
  return `, which expired at ${new Date(expiresAtMs).toISOString()}`;
}

/** The `exp` claim of a JWT in ms; null for a token of another kind. */
function tokenExpiry(token: string): number | null {
  const claims = claimsOf(token.split('.')[1] ?? '');
  const seconds = Number(textAt(claims ?? {}, 'exp') ?? Number.NaN);
  const isTime = seconds > 0 && seconds < 8.64e12;
  return isTime ? seconds * 1000 : null;
}

function claimsOf(part: string): JsonObject | null {
  try {
    const value = JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as JsonObject;
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** A token in a file that somebody else replaces. */
class FileCredentials implements Credentials {
  readonly #target: KubeTarget;
  readonly #path: string;
  readonly #context: CredentialContext;
  #held: { readonly credential: Credential; readonly readAtMs: number } | null = null;

  constructor(target: KubeTarget, path: string, context: CredentialContext) {
    this.#target = target;
    this.#path = path;
    this.#context = context;
  }

  async current(): Promise<Credential> {
    const nowMs = this.#context.clock.monotonicMs();
    if (this.#held !== null && nowMs - this.#held.readAtMs < TOKEN_FILE_MAX_AGE_MS)
      return this.#held.credential;
    const credential = { authorization: await this.#read(), client: this.#target.tls.client };
    this.#held = { credential, readAtMs: nowMs };
    return credential;
  }

  renew(refused: Credential): boolean {
    if (this.#held?.credential === refused) this.#held = null;
    return true;
  }

  refusal(refused: Credential): CredentialRefusal {
    const token = refused.authorization?.replace('Bearer ', '') ?? '';
    const when = expired(tokenExpiry(token), this.#context.clock.nowMs());
    const remedy = `see when it was written: ls -l ${quoted(this.#path)}`;
    return { what: `the token in ${shown(this.#path)}${when}`, remedy };
  }

  async #read(): Promise<string> {
    const path = this.#path;
    const subject = `The token file ${shown(path)}`;
    try {
      const token = new TextDecoder().decode(await this.#context.environment.readFile(path)).trim();
      if (/^[\x21-\x7e]+$/.test(token)) return bearer(token);
    } catch (error) {
      if (codeOf(error) === '') throw error;
      throw unreadable(subject, path, error);
    }
    throw notConfigured(`${subject} holds no token; look at its size: ls -l ${quoted(path)}`);
  }
}

/** A credential that a program prints, held until it expires. */
class ExecCredentials implements Credentials {
  readonly #target: KubeTarget;
  readonly #exec: ExecSource;
  readonly #context: CredentialContext;
  #held: { readonly credential: Credential; readonly printed: ExecCredential } | null = null;
  /** Requests that come while the program runs wait for the same run. */
  #running: Promise<Credential> | null = null;

  constructor(target: KubeTarget, exec: ExecSource, context: CredentialContext) {
    this.#target = target;
    this.#exec = exec;
    this.#context = context;
  }

  async current(): Promise<Credential> {
    if (this.#held !== null && this.#isFresh(this.#held.printed)) return this.#held.credential;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
    return await this.#running;
  }

  renew(refused: Credential): boolean {
    if (this.#held?.credential === refused) this.#held = null;
    return true;
  }

  refusal(): CredentialRefusal {
    const command = commandLine(this.#exec);
    const isAws = /(?:^|[/\\])aws(?:-iam-authenticator)?(?:\.exe)?$/.test(this.#exec.command);
    const remedy = isAws
      ? 'see whose it is, for which the cluster needs an access entry: aws sts get-caller-identity'
      : `look at what it prints: ${command}`;
    return { what: `the credential that ${command} prints`, remedy };
  }

  #isFresh({ expiresAtMs }: ExecCredential): boolean {
    return expiresAtMs === null || this.#context.clock.nowMs() < expiresAtMs - EXPIRY_MARGIN_MS;
  }

  async #run(): Promise<Credential> {
    const { environment, execTimeoutMs } = this.#context;
    const printed = await execCredential(environment, this.#target, this.#exec, execTimeoutMs);
    const authorization = printed.token === null ? null : bearer(printed.token);
    const credential = { authorization, client: printed.client ?? this.#target.tls.client };
    this.#held = { credential, printed };
    return credential;
  }
}
