import { isObject, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import { PortError } from '../../ports/port-error.ts';
import type { KubeconfigEntry } from './kubeconfig-file.ts';
import { notConfigured } from './not-configured.ts';
import { besideFile } from './kubeconfig-files.ts';
import type { CredentialSource, ExecSource } from './target.ts';
import { quoted, shown } from './words.ts';

/** @throws PortError `unsupported` for an auth-provider or an exec of an old version */
export function credentialOf(user: KubeconfigEntry | null): CredentialSource {
  if (user === null) return { kind: 'none' };
  const { body } = user;
  const tokenFile = textAt(body, 'tokenFile') ?? '';
  if (tokenFile !== '') return { kind: 'token-file', path: besideFile(user.path, tokenFile) };
  const token = textAt(body, 'token') ?? '';
  if (token !== '') return { kind: 'token', token: checkedToken(user, token.trim()) };
  const username = textAt(body, 'username') ?? '';
  if (username !== '') return { kind: 'basic', username, password: textAt(body, 'password') ?? '' };
  if (isObject(body['exec'])) return { kind: 'exec', exec: execOf(user, body['exec']) };
  if (isObject(body['auth-provider'])) throw oldProvider(user, body['auth-provider']);
  return { kind: 'none' };
}

/** A header takes printable characters only. */
function checkedToken(user: KubeconfigEntry, token: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw notConfigured(
    `The token of user ${shown(user.name)} in ${shown(user.path)} has characters that no token ` +
      `has; write it again: kubectl config set-credentials ${quoted(user.name)} --token=TOKEN`,
  );
}

const REPLACEMENTS: Readonly<Record<string, string>> = {
  gcp: 'gcloud container clusters get-credentials CLUSTER',
  azure: 'kubelogin convert-kubeconfig',
  oidc: 'kubectl oidc-login setup --oidc-issuer-url=URL --oidc-client-id=ID',
};

function oldProvider(user: KubeconfigEntry, provider: JsonObject): PortError {
  const name = textAt(provider, 'name') ?? '';
  const replacement = Object.hasOwn(REPLACEMENTS, name) ? REPLACEMENTS[name] : undefined;
  return new PortError({
    failure: 'unsupported',
    message:
      `The user ${shown(user.name)} in ${shown(user.path)} signs in by the auth-provider ` +
      `${shown(name)}, which Rollcall does not support; replace it with an exec credential:  ` +
      (replacement ?? `kubectl config set-credentials ${quoted(user.name)} --exec-command=COMMAND`),
  });
}

const VERSIONS = [
  'client.authentication.k8s.io/v1',
  'client.authentication.k8s.io/v1beta1',
] as const;

function execOf(user: KubeconfigEntry, exec: JsonObject): ExecSource {
  const command = textAt(exec, 'command') ?? '';
  if (command === '')
    throw notConfigured(
      `The user ${shown(user.name)} in ${shown(user.path)} has an exec without a command; for ` +
        'EKS write it again: aws eks update-kubeconfig --name CLUSTER --region REGION',
    );
  return {
    apiVersion: versionOf(user, textAt(exec, 'apiVersion') ?? ''),
    command: /[/\\]/.test(command) ? besideFile(user.path, command) : command,
    args: listAt(exec, 'args').map(String),
    env: environmentOf(exec),
    installHint: textAt(exec, 'installHint'),
    interactiveMode: modeOf(textAt(exec, 'interactiveMode')),
    provideClusterInfo: exec['provideClusterInfo'] === true,
  };
}

function versionOf(user: KubeconfigEntry, version: string): ExecSource['apiVersion'] {
  const known = VERSIONS.find((one) => one === version);
  if (known !== undefined) return known;
  throw new PortError({
    failure: 'unsupported',
    message:
      `The exec of user ${shown(user.name)} in ${shown(user.path)} has the version ` +
      `${shown(version) || '(none)'}, which kubectl has dropped; for EKS write it again: ` +
      'aws eks update-kubeconfig --name CLUSTER --region REGION',
  });
}

function modeOf(mode: string | null): ExecSource['interactiveMode'] {
  return mode === 'Never' || mode === 'Always' ? mode : 'IfAvailable';
}

function environmentOf(exec: JsonObject): Readonly<Record<string, string>> {
  const pairs = listAt(exec, 'env').map((item): [string, string] => [
    textAt(item, 'name') ?? '',
    textAt(item, 'value') ?? '',
  ]);
  return Object.fromEntries(pairs.filter(([name]) => name !== ''));
}
