/** Connections to AWS: kept open, through the proxy and the certificates that are configured. */
import { readFileSync } from 'node:fs';
import type { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { rootCertificates } from 'node:tls';
import { PortError } from '../../ports/port-error.ts';
import type { Environment } from './profile.ts';

// An import would read all names of `http`, of which `WebSocket` loads Node's own undici: 50 to 110 ms.
const http = process.getBuiltinModule('node:http');

export interface Agents {
  readonly httpAgent: HttpAgent;
  readonly httpsAgent: HttpsAgent;
}

const CONNECTIONS_MAX = 16;

/**
 * @param caBundle path of certificates to trust besides those of Node
 * @throws PortError `not-configured` when that file cannot be read
 */
export function openAgents(environment: Environment, caBundle: string | null): Agents {
  const common = { keepAlive: true, maxSockets: CONNECTIONS_MAX, proxyEnv: { ...environment } };
  const trust = caBundle === null ? {} : { ca: [...rootCertificates, readBundle(caBundle)] };
  return { httpAgent: new http.Agent(common), httpsAgent: new HttpsAgent({ ...common, ...trust }) };
}

function readBundle(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const message =
      `The certificates at ${path} cannot be read; ` +
      'correct AWS_CA_BUNDLE, or unset it to trust the usual ones';
    throw new PortError({ failure: 'not-configured', message, cause: error });
  }
}
