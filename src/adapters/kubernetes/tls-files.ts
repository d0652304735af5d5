import { createPrivateKey, X509Certificate } from 'node:crypto';
import { textAt } from '../../evidence/json.ts';
import type { KubeEnvironment } from './environment.ts';
import type { KubeconfigEntry } from './kubeconfig-file.ts';
import { besideFile } from './kubeconfig-files.ts';
import { notConfigured, unreadable } from './not-configured.ts';
import type { ClientCertificate, KubeTls } from './target.ts';
import { quoted, shown } from './words.ts';

/** Certificates and keys of a cluster and its user; data in the kubeconfig goes before files. */
export async function readTls(
  environment: KubeEnvironment,
  cluster: KubeconfigEntry,
  user: KubeconfigEntry | null,
): Promise<KubeTls> {
  const authorityPem = await authorityOf(environment, cluster);
  const isUnverified = textAt(cluster.body, 'insecure-skip-tls-verify') === 'true';
  if (isUnverified && authorityPem !== null)
    throw notConfigured(
      `The cluster ${shown(cluster.name)} names an authority and insecure-skip-tls-verify, which ` +
        'contradict each other; take one away: ' +
        `kubectl config unset clusters.${quoted(cluster.name)}.insecure-skip-tls-verify`,
    );
  return {
    authorityPem,
    client: user === null ? null : await clientOf(environment, user),
    serverName: textAt(cluster.body, 'tls-server-name') || null,
    isUnverified,
  };
}

async function authorityOf(
  environment: KubeEnvironment,
  cluster: KubeconfigEntry,
): Promise<string | null> {
  const subject = `The certificate-authority of cluster ${shown(cluster.name)}`;
  const pem = await pemOf(environment, cluster, 'certificate-authority', subject);
  if (pem !== null) certificatesIn(pem, subject, cluster.path);
  return pem;
}

async function clientOf(
  environment: KubeEnvironment,
  user: KubeconfigEntry,
): Promise<ClientCertificate | null> {
  const subject = `The client certificate of user ${shown(user.name)}`;
  const certificatePem = await pemOf(environment, user, 'client-certificate', subject);
  const keySubject = `The client key of user ${shown(user.name)}`;
  const keyPem = await pemOf(environment, user, 'client-key', keySubject);
  if (certificatePem === null && keyPem === null) return null;
  return clientCertificate({ certificatePem, keyPem }, subject, user.path);
}

/**
 * @param subject whose certificate it is, for messages
 * @param path the file to look at when it is none
 * @throws PortError `not-configured` when one half is missing, unreadable or of another pair
 */
export function clientCertificate(
  pair: { readonly certificatePem: string | null; readonly keyPem: string | null },
  subject: string,
  path: string,
): ClientCertificate {
  const { certificatePem, keyPem } = pair;
  const remedy = `fix it in: ${quoted(path)}`;
  if (certificatePem === null)
    throw notConfigured(`${subject} is missing while its key is there; ${remedy}`);
  if (keyPem === null)
    throw notConfigured(`${subject} has no key (client-key or client-key-data); ${remedy}`);
  const [first] = certificatesIn(certificatePem, subject, path);
  if (first?.checkPrivateKey(keyOf(keyPem, subject, path)) !== true)
    throw notConfigured(`${subject} and its key are not of one pair; ${remedy}`);
  return { certificatePem, keyPem };
}

function keyOf(pem: string, subject: string, path: string): ReturnType<typeof createPrivateKey> {
  try {
    return createPrivateKey(pem);
  } catch {
    throw notConfigured(
      `${subject} has a key that is not an unencrypted PEM key; fix it in: ${quoted(path)}`,
    );
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]{1,100000}-----END CERTIFICATE-----/g;

function certificatesIn(pem: string, subject: string, path: string): readonly X509Certificate[] {
  const blocks = pem.match(CERTIFICATE) ?? [];
  try {
    if (blocks.length > 0) return blocks.map((block) => new X509Certificate(block));
  } catch {
    throw notConfigured(`${subject} is a damaged PEM certificate; fix it in: ${quoted(path)}`);
  }
  throw notConfigured(`${subject} is not a PEM certificate; fix it in: ${quoted(path)}`);
}

async function pemOf(
  environment: KubeEnvironment,
  entry: KubeconfigEntry,
  key: string,
  subject: string,
): Promise<string | null> {
  const inline = textAt(entry.body, `${key}-data`) ?? '';
  if (inline !== '') return decoded(inline, key, subject, entry.path);
  const named = textAt(entry.body, key) ?? '';
  if (named === '') return null;
  const path = besideFile(entry.path, named);
  try {
    return new TextDecoder().decode(await environment.readFile(path));
  } catch (error) {
    throw unreadable(`${subject} (${shown(path)})`, path, error);
  }
}

function decoded(inline: string, key: string, subject: string, path: string): string {
  const text = inline.replaceAll(/\s/g, '');
  if (/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return Buffer.from(text, 'base64').toString('utf8');
  throw notConfigured(`${subject} (${key}-data) is not base64; fix it in: ${quoted(path)}`);
}
