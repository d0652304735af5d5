import { isObject, type JsonObject, textAt } from '../../evidence/json.ts';
import { PortError, type PortFailure } from '../../ports/port-error.ts';
import { codeOf, type KubeCommandResult, type KubeEnvironment } from './environment.ts';
import { profileOf } from './describe-context.ts';
import type { ClientCertificate, ExecSource, KubeTarget } from './target.ts';
import { clientCertificate } from './tls-files.ts';
import { quoted, reasonOf, shown } from './words.ts';

/** What a credential program printed. */
export interface ExecCredential {
  readonly token: string | null;
  readonly client: ClientCertificate | null;
  /** ms since the Unix epoch; null for as long as the server takes it. */
  readonly expiresAtMs: number | null;
}

const OUTPUT_BYTES_MAX = 1024 * 1024;

/**
 * Runs the credential program of a user.
 * @throws PortError `timeout`, `not-configured` (not installed, needs a terminal),
 *   `unauthenticated` (it refused) or `malformed` (it printed something else)
 */
export async function execCredential(
  environment: KubeEnvironment,
  target: KubeTarget,
  exec: ExecSource,
  timeoutMs: number,
): Promise<ExecCredential> {
  const isInteractive = interactivity(environment, exec);
  const result = await ran(environment, exec, {
    argv: [exec.command, ...exec.args],
    env: { ...exec.env, KUBERNETES_EXEC_INFO: requestOf(target, exec, isInteractive) },
    timeoutMs,
    bytesMax: OUTPUT_BYTES_MAX,
    isInteractive,
  });
  if (result.isTimedOut) throw hung(exec, timeoutMs);
  if (result.exitCode !== 0) throw refused(exec, result);
  return read(exec, result, target.origin);
}

/** The command as one would type it, without what could be a secret. */
export function commandLine(exec: ExecSource): string {
  return shown([exec.command, ...exec.args].map(quoted).join(' '));
}

/** The same with the variables that the kubeconfig sets for it, to be pasted in a shell. */
function pastedLine(exec: ExecSource): string {
  const set = Object.entries(exec.env).map(([name, value]) => `${name}=${quoted(value)} `);
  return shown(`${set.join('')}${commandLine(exec)}`);
}

function failed(failure: PortFailure, message: string, cause?: unknown): PortError {
  return new PortError({ failure, message, cause });
}

function interactivity(environment: KubeEnvironment, exec: ExecSource): boolean {
  const isPossible = environment.isInteractive === true;
  if (exec.interactiveMode === 'Always' && !isPossible)
    throw failed(
      'not-configured',
      `The credential command ${commandLine(exec)} needs a terminal; run it ` +
        `once manually: ${pastedLine(exec)}`,
    );
  return isPossible && exec.interactiveMode !== 'Never';
}

async function ran(
  environment: KubeEnvironment,
  exec: ExecSource,
  command: Parameters<KubeEnvironment['run']>[0],
): Promise<KubeCommandResult> {
  try {
    return await environment.run(command);
  } catch (error) {
    if (codeOf(error) === '') throw error;
    throw notStarted(exec, error);
  }
}

function notStarted(exec: ExecSource, error: unknown): PortError {
  const name = shown(exec.command);
  const hint = exec.installHint === null ? '' : ` (its hint: ${shown(exec.installHint)})`;
  const what =
    codeOf(error) === 'ENOENT' ? 'is not installed' : `does not start (${reasonOf(error)})`;
  return failed(
    'not-configured',
    `The credential command ${name} ${what}${hint}; see where it should be: ` +
      `command -v ${quoted(exec.command)}`,
    error,
  );
}

function hung(exec: ExecSource, timeoutMs: number): PortError {
  return failed(
    'timeout',
    `The credential command ${commandLine(exec)} printed no complete answer within ` +
      `${timeoutMs / 1000} s and was stopped; see where it hangs: ${pastedLine(exec)}`,
  );
}

function refused(exec: ExecSource, { exitCode, stderr }: KubeCommandResult): PortError {
  const said = shown(stderr.trim().split('\n').slice(-2).join(' ')) || 'nothing';
  return failed(
    'unauthenticated',
    `The credential command ${commandLine(exec)} ended with ${exitCode ?? 'a signal'} and said: ` +
      `${said}; ${isLoggedOut(stderr) ? loginOf(exec) : `run it manually: ${pastedLine(exec)}`}`,
  );
}

/** True for what the AWS CLI says where a login by SSO is no longer good. */
function isLoggedOut(stderr: string): boolean {
  return /\bSSO\b/i.test(stderr) && /expired|does not exist|invalid|refresh/i.test(stderr);
}

function loginOf(exec: ExecSource): string {
  const profile = profileOf(exec);
  return `log in: aws sso login${profile === null ? '' : ` --profile ${quoted(profile)}`}`;
}

function requestOf(target: KubeTarget, exec: ExecSource, interactive: boolean): string {
  const cluster = exec.provideClusterInfo ? { cluster: clusterOf(target) } : {};
  return JSON.stringify({
    apiVersion: exec.apiVersion,
    kind: 'ExecCredential',
    spec: { interactive, ...cluster },
  });
}

function clusterOf({ server, tls, proxyUrl }: KubeTarget): JsonObject {
  return {
    server,
    ...(tls.serverName === null ? {} : { 'tls-server-name': tls.serverName }),
    ...(tls.isUnverified ? { 'insecure-skip-tls-verify': true } : {}),
    ...(tls.authorityPem === null
      ? {}
      : { 'certificate-authority-data': Buffer.from(tls.authorityPem).toString('base64') }),
    ...(proxyUrl === null ? {} : { 'proxy-url': proxyUrl }),
  };
}

function read(exec: ExecSource, result: KubeCommandResult, origin: string): ExecCredential {
  const answer = answerOf(exec, result);
  const token = textAt(answer, 'status.token') || null;
  const client = clientOf(exec, answer, origin);
  if (token === null && client === null)
    throw garbage(exec, 'an ExecCredential without a token or certificate');
  return { token, client, expiresAtMs: expiryOf(exec, answer) };
}

function answerOf(exec: ExecSource, { stdout, isCut }: KubeCommandResult): JsonObject {
  const answer = isCut ? null : parsed(stdout);
  if (answer === null) throw garbage(exec, isCut ? 'more than 1 MiB' : 'output that is not JSON');
  const kind = textAt(answer, 'kind') ?? 'object without a kind';
  if (kind !== 'ExecCredential') throw garbage(exec, `a JSON ${shown(kind)}`);
  const version = textAt(answer, 'apiVersion') ?? '';
  if (version === exec.apiVersion) return answer;
  throw garbage(
    exec,
    `an ExecCredential of ${shown(version) || 'no version'} where the kubeconfig asks for ` +
      exec.apiVersion,
  );
}

function parsed(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value as JsonObject) ? (value as JsonObject) : null;
  } catch {
    return null;
  }
}

/** What was printed is not quoted: a part of it may be the secret. */
function garbage(exec: ExecSource, what: string): PortError {
  return failed(
    'malformed',
    `The credential command ${commandLine(exec)} printed ${what} instead of an ExecCredential; ` +
      `look at what it prints: ${pastedLine(exec)}`,
  );
}

function clientOf(exec: ExecSource, answer: JsonObject, origin: string): ClientCertificate | null {
  const certificatePem = textAt(answer, 'status.clientCertificateData') || null;
  const keyPem = textAt(answer, 'status.clientKeyData') || null;
  if (certificatePem === null && keyPem === null) return null;
  const subject = `The certificate printed by ${commandLine(exec)}`;
  return clientCertificate({ certificatePem, keyPem }, subject, origin);
}

function expiryOf(exec: ExecSource, answer: JsonObject): number | null {
  const text = textAt(answer, 'status.expirationTimestamp') || null;
  if (text === null) return null;
  const expiresAtMs = Date.parse(text);
  if (Number.isNaN(expiresAtMs)) throw garbage(exec, 'an expirationTimestamp that is not a time');
  return expiresAtMs;
}
