import { PortError, type PortFailure } from '../../ports/port-error.ts';
import { codeOf } from './environment.ts';
import type { KubeClientLimits } from './limits.ts';
import type { KubeTarget } from './target.ts';
import { ProxyRefusal } from './tunnel.ts';
import { listed, quoted, reasonOf, shown } from './words.ts';

export interface ConnectionScene {
  readonly target: KubeTarget;
  readonly limits: KubeClientLimits;
  /** Wall clock of this machine, ms since the Unix epoch. */
  readonly nowMs: number;
}

interface Named {
  readonly failure: PortFailure;
  readonly what: string;
  readonly remedy: string;
}

/** Why no answer came: name, network, proxy, TLS or time. */
export function connectionFailure(error: unknown, scene: ConnectionScene): PortError {
  const root = rootOf(error);
  const code = codeOf(root);
  const named =
    proxyFailure(root, scene) ??
    tlsFailure(code, root, scene) ??
    timeFailure(code, scene) ??
    networkFailure(code, root, scene);
  return new PortError({
    failure: named.failure,
    message: `${named.what}; ${named.remedy}`,
    cause: error,
  });
}

/** A connection that was up, and went. */
const CUT: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** True for a connection that was closed under a request. */
export function isCut(error: unknown): boolean {
  return CUT.has(codeOf(rootOf(error)));
}

/** The error below those that wrap it: one address of several, the socket of a request. */
function rootOf(error: unknown): unknown {
  let root = error;
  for (let depth = 0; depth < 5; depth++) {
    const { cause, errors } = root as { readonly cause?: unknown; readonly errors?: unknown };
    const inner = Array.isArray(errors) ? (errors as readonly unknown[])[0] : cause;
    if (!(inner instanceof Error) || codeOf(inner) === '') return root;
    root = inner;
  }
  return root;
}

function probe({ server }: KubeTarget): string {
  return `curl -vk ${quoted(`${server}/healthz`)}`;
}

function via({ proxyUrl }: KubeTarget): string {
  return proxyUrl === null ? '' : ` through the proxy ${proxyName(proxyUrl)}`;
}

/** Without the user and password that may stand in it. */
function proxyName(proxyUrl: string): string {
  const { protocol, host } = new URL(proxyUrl);
  return shown(`${protocol}//${host}`);
}

function proxyFailure(error: unknown, { target }: ConnectionScene): Named | null {
  if (target.proxyUrl === null) return null;
  if (!(error instanceof ProxyRefusal)) return null;
  const { host } = new URL(target.server);
  return {
    failure: 'unreachable',
    what: `The proxy ${proxyName(target.proxyUrl)} answered HTTP ${error.status} to a tunnel to ${host}`,
    remedy: `let it pass, or go around it: NO_PROXY=${new URL(target.server).hostname} rollcall`,
  };
}

const UNTRUSTED = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'INVALID_CA',
]);

function tlsFailure(code: string, error: unknown, scene: ConnectionScene): Named | null {
  const { target } = scene;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return wrongName(error, target);
  if (UNTRUSTED.has(code)) return unknownAuthority(target);
  if (code === 'CERT_HAS_EXPIRED') return expiredCertificate(scene);
  if (code === 'CERT_NOT_YET_VALID') return futureCertificate(scene);
  if (/^ERR_SSL_.*ALERT/.test(code)) return refusedHandshake(code, target);
  if (/^ERR_SSL_|^EPROTO$|^HPE_/.test(code)) return notTls(code, target);
  return null;
}

function wrongName(error: unknown, target: KubeTarget): Named {
  const names = namesIn(error);
  const wanted = target.tls.serverName ?? new URL(target.server).hostname;
  const cluster = quoted(target.clusterEntry ?? 'CLUSTER');
  return {
    failure: 'unreachable',
    what: `The certificate of ${target.server} is for ${listed(names)} and not for ${shown(wanted)}`,
    remedy:
      'use one of these names as the server, or say which to expect: ' +
      `kubectl config set-cluster ${cluster} --tls-server-name=${quoted(names[0] ?? 'NAME')}`,
  };
}

function namesIn(error: unknown): readonly string[] {
  const { cert } = error as { readonly cert?: { readonly subjectaltname?: unknown } };
  const names = typeof cert?.subjectaltname === 'string' ? cert.subjectaltname : '';
  return names.split(', ').map((name) => name.replace(/^[^:]*:/, ''));
}

function unknownAuthority(target: KubeTarget): Named {
  const trusted =
    target.tls.authorityPem === null
      ? 'the authorities of this system do not include'
      : `the certificate-authority of cluster ${shown(target.clusterEntry ?? '(this pod)')} is not`;
  return {
    failure: 'unreachable',
    what: `The certificate of ${target.server} was signed by an authority that ${trusted}`,
    remedy:
      'the cluster was recreated or a proxy intercepts TLS; for EKS fetch the authority: ' +
      'aws eks update-kubeconfig --name CLUSTER --region REGION',
  };
}

function expiredCertificate({ target, nowMs }: ConnectionScene): Named {
  return {
    failure: 'unreachable',
    what: `The certificate of ${target.server} has expired (the clock here says ${iso(nowMs)})`,
    remedy: 'if that is right, renew it on the control plane: sudo kubeadm certs renew apiserver',
  };
}

function futureCertificate({ target, nowMs }: ConnectionScene): Named {
  return {
    failure: 'unreachable',
    what:
      `The certificate of ${target.server} is not valid yet, as the clock here says ` +
      `${iso(nowMs)}, which is behind`,
    remedy: 'set the clock: sudo timedatectl set-ntp true',
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function refusedHandshake(code: string, target: KubeTarget): Named {
  const user = target.userEntry ?? '(none)';
  return {
    failure: 'unauthenticated',
    what: `${target.server} refused the client certificate of user ${shown(user)} (${code})`,
    remedy: `see what it contains: ${probe(target)}`,
  };
}

function notTls(code: string, target: KubeTarget): Named {
  const { protocol } = new URL(target.server);
  return {
    failure: 'malformed',
    what: `What answers at ${target.server}${via(target)} does not speak ${protocol.slice(0, -1)} (${code})`,
    remedy: `see what it is: ${probe(target)}`,
  };
}

function timeFailure(code: string, { target, limits }: ConnectionScene): Named | null {
  const { hostname } = new URL(target.server);
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT')
    return {
      failure: 'timeout',
      what:
        `${target.server}${via(target)} accepted no connection within ` +
        `${limits.connectTimeoutMs / 1000} s, as behind a firewall, a security group or a private ` +
        'endpoint',
      remedy: `test the way to it: nc -vz -w 5 ${quoted(hostname)} ${portOf(target)}`,
    };
  if (code === 'UND_ERR_HEADERS_TIMEOUT')
    return silent('no answer', limits.headersTimeoutMs, target);
  if (code === 'UND_ERR_BODY_TIMEOUT')
    return silent('half an answer and then nothing', limits.bodyTimeoutMs, target);
  return null;
}

function silent(what: string, timeoutMs: number, target: KubeTarget): Named {
  return {
    failure: 'timeout',
    what: `${target.server}${via(target)} accepted the request and returned ${what} within ${timeoutMs / 1000} s`,
    remedy: 'ask how it is: kubectl get --raw /readyz?verbose',
  };
}

function portOf({ server }: KubeTarget): string {
  const { port, protocol } = new URL(server);
  return port === '' ? (protocol === 'http:' ? '80' : '443') : port;
}

function networkFailure(code: string, error: unknown, { target }: ConnectionScene): Named {
  const { hostname } = new URL(target.server);
  const through = via(target);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    const { hostname: found } = error as { readonly hostname?: unknown };
    const asked = typeof found === 'string' ? found : hostname;
    return {
      failure: 'unreachable',
      what: `The name ${shown(asked)} of the API server${through} is not resolved (${code})`,
      remedy: `look it up: nslookup ${quoted(asked)}`,
    };
  }
  return {
    failure: 'unreachable',
    what: networkWords(code, error, target),
    remedy: `see whether it runs: ${probe(target)}`,
  };
}

function networkWords(code: string, error: unknown, target: KubeTarget): string {
  const where = `${target.server}${via(target)}`;
  if (code === 'ECONNREFUSED') return `Nothing listens at ${where} (connection refused)`;
  if (CUT.has(code)) return `The connection to ${where} was cut (${reasonOf(error)})`;
  if (code === 'ENETUNREACH' || code === 'EHOSTUNREACH')
    return `There is no route to ${where} (${code})`;
  return `The connection to ${where} ended (${code === '' ? reasonOf(error) : code})`;
}
