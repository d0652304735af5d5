import { X509Certificate } from 'node:crypto';
import { documentOf, type HostItem, lossOf, lossOfError } from './document.ts';
import { type Reach, refusal } from './reach.ts';

const BYTES_MAX = 64 * 1024;

/** The certificate by which the kubelet is known; the file also holds its key, which is not kept. */
export const CLIENT_CERTIFICATE = '/var/lib/kubelet/pki/kubelet-client-current.pem';

/** Whose the client certificate is and until when, in the words of `openssl x509`. */
export async function certificateItems({ host }: Reach): Promise<readonly HostItem[]> {
  try {
    const pem = new TextDecoder().decode(await host.readFile(CLIENT_CERTIFICATE, BYTES_MAX));
    const described = describe(pem);
    if (described !== null) return [documentOf(...described)];
    const what = `${CLIENT_CERTIFICATE} holds no certificate that can be read.`;
    return [lossOf(CLIENT_CERTIFICATE, what)];
  } catch (error) {
    const failure = refusal(error);
    return failure.failure === 'not-found' ? [] : [lossOfError(CLIENT_CERTIFICATE, failure)];
  }
}

function describe(pem: string): [locator: string, name: string, text: string] | null {
  const certificate = certificateIn(pem);
  if (certificate === null) return null;
  const subject = certificate.subject.split('\n').join(', ');
  const issuer = certificate.issuer.split('\n').join(', ');
  const text = [
    `subject=${subject}`,
    `issuer=${issuer}`,
    `notBefore=${certificate.validFrom}`,
    `notAfter=${certificate.validTo}`,
    '',
  ].join('\n');
  const command = `openssl x509 -noout -subject -issuer -dates -in ${CLIENT_CERTIFICATE}`;
  return [command, 'kubelet/client-certificate.txt', text];
}

/** The first certificate in a text; null when there is none that can be read. */
export function certificateIn(pem: string): X509Certificate | null {
  const block = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(pem)?.[0];
  if (block === undefined) return null;
  try {
    return new X509Certificate(block);
  } catch {
    return null;
  }
}
