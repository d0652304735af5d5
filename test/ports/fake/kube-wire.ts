/** What tests of the connections to an API server share. */
import type { AddressInfo, Server } from 'node:net';
import type { TestContext } from 'node:test';
import { DEFAULT_KUBE_LIMITS } from '../../../src/adapters/kubernetes/limits.ts';
import type { KubeTarget } from '../../../src/adapters/kubernetes/target.ts';
import type { WireAnswer, WireRequest } from '../../../src/adapters/kubernetes/wire.ts';
import { authority } from './kube-certificates.ts';

const CA = authority();
const SERVER = CA.issue({ commonName: 'kubernetes', dnsNames: ['kubernetes.default.svc'] });
export const CLIENT = CA.issue({ commonName: 'agent' });
/** For a server, which asks for a certificate of whoever speaks to it. */
export const TLS = {
  cert: SERVER.certificatePem,
  key: SERVER.keyPem,
  ca: CA.certificatePem,
  requestCert: true,
  rejectUnauthorized: false,
};
export const LIMITS = {
  ...DEFAULT_KUBE_LIMITS,
  connectTimeoutMs: 100,
  headersTimeoutMs: 100,
  bodyTimeoutMs: 100,
};

export function targetOf(
  server: string,
  serverName: string | null = 'kubernetes.default.svc',
): KubeTarget {
  return {
    contextName: null,
    clusterEntry: null,
    userEntry: null,
    origin: 'the test',
    server,
    namespace: 'default',
    tls: { authorityPem: CA.certificatePem, client: null, serverName, isUnverified: false },
    proxyUrl: null,
    credential: { kind: 'none' },
    impersonation: null,
  };
}

/** @returns its port */
export async function listening(context: TestContext, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

export async function textOf({ body }: WireAnswer): Promise<string> {
  let text = '';
  for await (const chunk of body) text += String(chunk);
  return text;
}

export function asked(origin: string, change: Partial<WireRequest> = {}): WireRequest {
  return { origin, path: '/', method: 'GET', headers: {}, ...change };
}

export function failsWith(code: string): (error: unknown) => boolean {
  return (error) => (error as NodeJS.ErrnoException).code === code;
}
