import type { MachineFiles } from '../logs/files.ts';
import type { KubeletConfig } from './config.ts';
import type { CertificateSubject } from './node-api.ts';

/** What a kubelet finds on its machine's disk when it starts; it outlives restarts and reboots. */
export class KubeletDisk {
  readonly #files: MachineFiles;
  config: KubeletConfig | null = null;
  bootstrapToken: string | null = null;
  certificate: CertificateSubject | null = null;

  constructor(files: MachineFiles) {
    this.#files = files;
  }

  /** @param endpoint `https://10.0.0.10:6443` */
  writeBootstrap(token: string, endpoint: string): void {
    this.bootstrapToken = token;
    this.#files.write(
      BOOTSTRAP_PATH,
      kubeconfig(endpoint, 'tls-bootstrap-token-user', 'token: REDACTED'),
    );
  }

  removeBootstrap(): void {
    this.bootstrapToken = null;
    this.#files.remove(BOOTSTRAP_PATH);
  }

  /** The kubelet writes its kubeconfig before it has a certificate; only the latter proves a join. */
  writeKubeconfig(endpoint: string): void {
    const key = `client-certificate: ${CERTIFICATE_PATH}\n    client-key: ${CERTIFICATE_PATH}`;
    this.#files.write(KUBECONFIG_PATH, kubeconfig(endpoint, 'default-auth', key));
  }

  writeCertificate(subject: CertificateSubject): void {
    this.certificate = subject;
    const organization = subject.organizations.join(', O = ');
    const text = `subject=O = ${organization}, CN = ${subject.commonName}\n`;
    this.#files.write(CERTIFICATE_PATH, text);
  }

  /** As `kubeadm reset` leaves it. */
  clear(): void {
    this.config = null;
    this.bootstrapToken = null;
    this.certificate = null;
    this.#files.removeBelow('/etc/kubernetes');
    this.#files.removeBelow('/var/lib/kubelet');
  }
}

const BOOTSTRAP_PATH = '/etc/kubernetes/bootstrap-kubelet.conf';
const KUBECONFIG_PATH = '/etc/kubernetes/kubelet.conf';
const CERTIFICATE_PATH = '/var/lib/kubelet/pki/kubelet-client-current.pem';

function kubeconfig(endpoint: string, user: string, credential: string): string {
  return [
    'apiVersion: v1',
    'kind: Config',
    'clusters:',
    '- cluster:',
    '    certificate-authority: /etc/kubernetes/pki/ca.crt',
    `    server: ${endpoint}`,
    '  name: default-cluster',
    'contexts:',
    '- context:',
    '    cluster: default-cluster',
    `    user: ${user}`,
    '  name: default-context',
    'current-context: default-context',
    'users:',
    `- name: ${user}`,
    '  user:',
    `    ${credential}`,
    '',
  ].join('\n');
}
