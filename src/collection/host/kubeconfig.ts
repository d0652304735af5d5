import type { Host } from '../../ports/host.ts';
import { shortText } from './machine.ts';
import { KUBECONFIGS } from './plan.ts';

const BYTES_MAX = 256 * 1024;
const HTTPS = /^https:\/\/(\[[\d:a-f]{2,45}\]|[\w.-]{1,253})(?::(\d{1,5}))?/i;

/** What a kubeconfig says about the API server. */
export interface ApiServer {
  /** The file that says so. */
  readonly from: string;
  readonly url: string;
  readonly name: string;
  readonly port: number;
  /** PEM of the authority, null when the file names none that can be read. */
  readonly caPem: string | null;
}

/** The API server of the first kubeconfig that names one, null when none does. */
export async function apiServerOf(host: Host): Promise<ApiServer | null> {
  for (const path of KUBECONFIGS) {
    const text = await shortText(host, path, BYTES_MAX);
    const server = text === null ? null : await serverIn(host, path, text);
    if (server !== null) return server;
  }
  return null;
}

/** The API server that one kubeconfig names. */
export async function serverIn(host: Host, from: string, text: string): Promise<ApiServer | null> {
  // URL would write the name in small letters, unlike every other program.
  const [url, name, port] = HTTPS.exec(fieldOf(text, 'server') ?? '') ?? [];
  if (url === undefined || name === undefined) return null;
  return {
    from,
    url,
    name: name.replace(/^\[|\]$/g, ''),
    port: Number(port ?? 443),
    caPem: await authorityIn(host, text),
  };
}

/** A field of the first cluster; kubeconfigs on nodes have one cluster, written plainly. */
function fieldOf(text: string, name: string): string | null {
  const line = new RegExp(`^[ -]*"?${name}"?:[ ]*["']?([^"'\\s,]+)`, 'm').exec(text);
  return line?.[1] ?? null;
}

async function authorityIn(host: Host, text: string): Promise<string | null> {
  const encoded = fieldOf(text, 'certificate-authority-data');
  const path = fieldOf(text, 'certificate-authority');
  const pem =
    encoded === null
      ? path === null
        ? null
        : await shortText(host, path, BYTES_MAX)
      : Buffer.from(encoded, 'base64').toString('utf8');
  return pem?.includes('-----BEGIN CERTIFICATE-----') === true ? pem : null;
}
