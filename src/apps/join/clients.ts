import { createHash } from 'node:crypto';
import type { OpenedAws } from '../../adapters/aws/open.ts';
import type { KubeClient } from '../../adapters/kubernetes/client.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import { systemRandom } from '../../adapters/system/random.ts';
import { CLIENT_CERTIFICATE } from '../../collection/host/certificate.ts';
import { shortText } from '../../collection/host/machine.ts';
import type { AwsApi } from '../../ports/aws-api.ts';
import type { Host } from '../../ports/host.ts';
import type { KubeApi } from '../../ports/kube-api.ts';

const BYTES_MAX = 256 * 1024;
const CREDENTIAL_MS = 10_000;

/** The kubelet's own way to the API server, opened again when its files change, and EC2. */
export class JoinClients {
  readonly #host: Host;
  readonly #region: string | null;
  #kube: { readonly files: string; readonly client: KubeClient } | null = null;
  #aws: OpenedAws | null = null;

  constructor(host: Host, region: string | null) {
    this.#host = host;
    this.#region = region;
  }

  /** @throws PortError for a kubeconfig that cannot be used */
  async kube(path: string): Promise<KubeApi> {
    const files = await this.#filesOf(path);
    if (this.#kube?.files === files) return this.#kube.client;
    await this.#kube?.client.close();
    this.#kube = null;
    const client = await openKube(path);
    this.#kube = { files, client };
    return client;
  }

  async aws(): Promise<AwsApi> {
    const { openAws } = await import('../../adapters/aws/open.ts');
    this.#aws ??= openAws({
      region: this.#region,
      profile: null,
      env: process.env,
      clock: systemClock,
      random: systemRandom,
      credentialTimeoutMs: CREDENTIAL_MS,
    });
    return this.#aws;
  }

  async close(): Promise<void> {
    this.#aws?.close();
    await this.#kube?.client.close();
  }

  /** Of the kubeconfig and the certificate, which is renewed beside it. */
  async #filesOf(path: string): Promise<string> {
    const hash = createHash('sha256');
    for (const file of [path, CLIENT_CERTIFICATE])
      hash.update(`${(await shortText(this.#host, file, BYTES_MAX)) ?? ''}\0`);
    return hash.digest('hex');
  }
}

/** Loaded when there is a kubeconfig: while COMMAND runs, there is none. */
async function openKube(path: string): Promise<KubeClient> {
  const { kubeClient } = await import('../../adapters/kubernetes/client.ts');
  const { loadKubeTarget } = await import('../../adapters/kubernetes/kubeconfig.ts');
  const { systemKubeEnvironment } = await import('../../adapters/kubernetes/system-environment.ts');
  const environment = systemKubeEnvironment(systemClock);
  const target = await loadKubeTarget(environment, { kubeconfig: path });
  return kubeClient(target, { environment, clock: systemClock });
}
