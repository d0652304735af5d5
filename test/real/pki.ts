/** Keys and certificates of a test cluster: made once, kept in the cache, worth nothing elsewhere. */
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../tools/real-parts/places.ts';

const run = promisify(execFile);

/** Raised when what is below the folder changes, so that an older one is left alone. */
const FORMAT = 2;
const DAYS = '3650';

export interface Subject {
  /** The common name: to the API server, the user. */
  readonly user: string;
  /** The organisations: to the API server, the groups. */
  readonly groups: readonly string[];
  /** As openssl takes them, such as `IP:127.0.0.1`; present for servers only. */
  readonly names?: readonly string[];
}

export interface Credentials {
  readonly certificatePath: string;
  readonly keyPath: string;
}

/** Every certificate that a control plane needs from the beginning. */
const SUBJECTS: Readonly<Record<string, Subject>> = {
  apiserver: {
    user: 'kube-apiserver',
    groups: [],
    // The last is where a captured machine sees it.
    names: [
      'DNS:localhost',
      'DNS:kubernetes.default.svc',
      'IP:127.0.0.1',
      'IP:10.96.0.1',
      'IP:10.0.16.4',
    ],
  },
  admin: { user: 'admin', groups: ['system:masters'] },
  'kube-controller-manager': { user: 'system:kube-controller-manager', groups: [] },
  'kube-scheduler': { user: 'system:kube-scheduler', groups: [] },
};

/** @returns the folder with the authority, the service account keys, and a pair per subject */
export async function openPki(): Promise<string> {
  const cache = cacheFolder();
  const folder = join(cache, `pki-${FORMAT}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  // The only folder whose content is secret; mkdtemp makes it the owner's alone.
  const fresh = mkdtempSync(`${folder}-`);
  await fill(fresh);
  try {
    renameSync(fresh, folder);
  } catch (error) {
    // Another test file was faster.
    rmSync(fresh, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

async function fill(folder: string): Promise<void> {
  const authority = writeKeys(join(folder, 'ca'));
  const subject = ['-subj', '/CN=rollcall-test-authority', '-days', DAYS];
  await openssl('req', '-x509', '-new', '-key', authority, ...subject, '-out', caPath(folder));
  writeKeys(join(folder, 'service-accounts'));
  for (const [name, one] of Object.entries(SUBJECTS)) await issue(folder, join(folder, name), one);
}

export function caPath(folder: string): string {
  return join(folder, 'ca.crt');
}

/** @param base path without ending */
export function credentialsAt(base: string): Credentials {
  return { certificatePath: `${base}.crt`, keyPath: `${base}.key` };
}

/** @returns the path of the private key; the public one is beside it as `.pub` */
function writeKeys(base: string): string {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { keyPath } = credentialsAt(base);
  writeFileSync(keyPath, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  writeFileSync(`${base}.pub`, publicKey.export({ type: 'spki', format: 'pem' }));
  return keyPath;
}

/**
 * Has the authority sign a certificate.
 *
 * @param folder of the authority
 * @param base path of the new pair, without ending
 */
export async function issue(folder: string, base: string, subject: Subject): Promise<Credentials> {
  const credentials = credentialsAt(base);
  const [request, extensions] = [`${base}.csr`, `${base}.ext`];
  writeFileSync(extensions, extensionsOf(subject));
  const key = writeKeys(base);
  await openssl('req', '-new', '-key', key, '-subj', distinguishedName(subject), '-out', request);
  const signer = ['-CA', caPath(folder), '-CAkey', join(folder, 'ca.key')];
  // A number of their own keeps tests that sign at the same time from sharing a counter file.
  const serial = ['-set_serial', `0x${crypto.randomUUID().replaceAll('-', '')}`];
  const how = [...signer, ...serial, '-days', DAYS, '-extfile', extensions];
  const output = ['-out', credentials.certificatePath];
  await openssl('x509', '-req', '-in', request, ...how, ...output);
  return credentials;
}

function extensionsOf({ names }: Subject): string {
  if (names === undefined) return 'extendedKeyUsage=clientAuth\n';
  return `extendedKeyUsage=serverAuth\nsubjectAltName=${names.join(',')}\n`;
}

function distinguishedName({ user, groups }: Subject): string {
  const parts = [...groups.map((group) => ['O', group]), ['CN', user]];
  return parts.map(([key, text = '']) => `/${key}=${text.replaceAll(/[\\/+]/g, '\\$&')}`).join('');
}

async function openssl(...args: readonly string[]): Promise<void> {
  await run('openssl', args);
}
