import { listAt, textAt } from '../../../evidence/json.ts';
import { isAtLeast } from '../../../domain/version.ts';
import type { Host } from '../host.ts';
import { PLAIN_KUBELET, type KubeletConfig, withFlags } from '../kubelet/config.ts';
import type { KubeletDisk } from '../kubelet/disk.ts';
import type { Kubelet } from '../kubelet/kubelet.ts';
import { type ApiResult, corePath, NodeApi } from '../kubelet/node-api.ts';
import type { PodTable } from '../kubelet/pod-table.ts';
import type { MachineNetwork } from '../network/network.ts';
import type { CommandResult } from '../contract.ts';
import {
  JOINED,
  KUBELET_UNHEALTHY,
  phaseError,
  READING_CONFIG,
  RESET,
  STARTING_KUBELET,
  TLS_BOOTSTRAP,
} from './kubeadm-output.ts';
import { joinConfiguration, type JoinConfiguration } from './join-configuration.ts';

/** What kubeadm works on. */
export interface KubeadmParts {
  readonly host: Host;
  readonly network: MachineNetwork;
  readonly disk: KubeletDisk;
  readonly kubelet: Kubelet;
  readonly pods: PodTable;
}

/** Time limits of v1beta4 `timeouts` (kubeadm 1.36). */
const DISCOVERY_MS = 300_000;
const TLS_BOOTSTRAP_MS = 300_000;
const API_CALL_MS = 60_000;
const HEALTH_MS = 240_000;
/** Discovery asks again after this time. */
const DISCOVERY_STEP_MS = 5000;

type Done = (result: CommandResult) => void;

/** Runs `kubeadm join`: its phases take their time, and `print` hears them as they happen. */
export function kubeadmJoin(
  parts: KubeadmParts,
  words: readonly string[],
  print: (text: string) => void,
  done: Done,
): void {
  new Join(
    parts,
    joinConfiguration(words, (path) => parts.host.files.read(path)),
    print,
    done,
  ).begin();
}

/** Runs `kubeadm reset -f`; the cluster is not told. */
export function kubeadmReset(parts: KubeadmParts, done: Done): void {
  const { disk, host, kubelet, pods } = parts;
  kubelet.stop();
  host.after(host.random.between(1300, 1600), () => {
    pods.vanish();
    disk.clear();
    done({ exitCode: 0, stdout: RESET, stderr: '' });
  });
}

class Join {
  readonly #parts: KubeadmParts;
  readonly #wanted: JoinConfiguration;
  readonly #print: (text: string) => void;
  readonly #done: Done;
  readonly #api: NodeApi;
  #startedMs = 0;

  constructor(
    parts: KubeadmParts,
    wanted: JoinConfiguration,
    print: (text: string) => void,
    done: Done,
  ) {
    this.#parts = parts;
    this.#wanted = wanted;
    this.#print = print;
    this.#done = done;
    this.#api = new NodeApi(parts.host, parts.network, { kind: 'anonymous' });
  }

  begin(): void {
    this.#startedMs = this.#parts.host.trueMs();
    this.#print('[preflight] Running pre-flight checks\n');
    const errors = this.#preflight();
    if (errors.length > 0) return this.#fail(`preflight: ${preflightText(errors)}`, 60);
    this.#after(80, () => this.#discover());
  }

  #preflight(): readonly string[] {
    const { files } = this.#parts.host;
    if (this.#wanted.ignoresPreflight) return [];
    const leftovers = LEFTOVERS.filter((path) => files.has(path)).map(
      (path) => `[ERROR FileAvailable-${path.replaceAll('/', '-')}]: ${path} already exists`,
    );
    const port = this.#parts.kubelet.isHealthy()
      ? ['[ERROR Port-10250]: Port 10250 is in use']
      : [];
    return [...leftovers, ...port];
  }

  /** The signed cluster-info, asked for by nobody in particular. */
  #discover(): void {
    const answer = this.#api.get(corePath('configmaps', 'cluster-info', 'kube-public'));
    const id = this.#wanted.token.split('.')[0] ?? '';
    const problem = this.#discoveryProblem(answer, id);
    if (problem === null) return this.#authenticate();
    const isFinal = problem.startsWith('failed to verify') || problem.startsWith('token');
    const tookMs = answer.ok ? 10 : answer.tookMs;
    const isLate = this.#parts.host.trueMs() - this.#startedMs >= DISCOVERY_MS;
    if (isFinal || isLate)
      return this.#fail(
        `preflight: couldn't validate the identity of the API Server: ${problem}`,
        tookMs,
      );
    this.#after(tookMs + DISCOVERY_STEP_MS, () => this.#discover());
  }

  #discoveryProblem(answer: ApiResult, id: string): string | null {
    if (!answer.ok) return `failed to request the cluster-info ConfigMap: ${answer.message}`;
    if (textAt(answer.object, `data.jws-kubeconfig-${id}`) === null)
      return `could not find a JWS signature in the cluster-info ConfigMap for token ID ${JSON.stringify(id)}`;
    const credential = { bearerToken: this.#wanted.token, certificate: null };
    if (this.#parts.host.world.api.authenticate(credential) === null)
      return "failed to verify JWS signature of received cluster info object, can't trust this API Server";
    return null;
  }

  #authenticate(): void {
    this.#api.use({ kind: 'bootstrap-token', token: this.#wanted.token });
    this.#print(READING_CONFIG);
    const config = this.#api.get(corePath('configmaps', 'kubeadm-config', 'kube-system'));
    if (!config.ok) {
      const text = `preflight: unable to fetch the kubeadm-config ConfigMap: failed to get config map: ${config.message}`;
      return this.#fail(text, API_CALL_MS);
    }
    this.#after(150, () => this.#startKubelet());
  }

  #nodeName(): string {
    return (this.#wanted.nodeName ?? this.#parts.host.hostname()).toLowerCase();
  }

  #startKubelet(): void {
    const name = this.#nodeName();
    const existing = this.#api.get(corePath('nodes', name));
    if (existing.ok && isReady(existing.object)) {
      const text = `kubelet-start: a Node with name ${JSON.stringify(name)} and status "Ready" already exists in the cluster. You must delete the existing Node or change the name of this new joining Node`;
      return this.#fail(text, 30);
    }
    const { disk, host, kubelet } = this.#parts;
    kubelet.stop();
    host.files.write('/etc/kubernetes/pki/ca.crt', CA);
    host.files.write('/var/lib/kubelet/config.yaml', KUBELET_CONFIG_FILE);
    host.files.write('/var/lib/kubelet/kubeadm-flags.env', this.#flagsFile());
    disk.writeBootstrap(this.#wanted.token, host.settings.endpoint);
    disk.config = this.#config();
    this.#print(STARTING_KUBELET);
    kubelet.start();
    this.#after(500, () => this.#health(this.#parts.host.trueMs()));
  }

  #config(): KubeletConfig {
    const flagged = withFlags(PLAIN_KUBELET, this.#wanted.kubeletFlags);
    if (this.#wanted.nodeName === null) return flagged;
    return { ...flagged, hostnameOverride: flagged.hostnameOverride ?? this.#nodeName() };
  }

  #flagsFile(): string {
    const name = this.#wanted.nodeName === null ? '' : ` --hostname-override=${this.#nodeName()}`;
    return `KUBELET_KUBEADM_ARGS="--container-runtime-endpoint=unix:///run/containerd/containerd.sock${name} ${this.#wanted.kubeletFlags}"\n`;
  }

  #health(sinceMs: number): void {
    const { host, kubelet } = this.#parts;
    if (kubelet.isHealthy()) {
      this.#print(
        `[kubelet-check] The kubelet is healthy after 50${host.random.below(10)}.${host.random.below(1_000_000)}ms\n`,
      );
      this.#print(TLS_BOOTSTRAP);
      return this.#waitForCertificate(host.trueMs());
    }
    if (host.trueMs() - sinceMs < HEALTH_MS) return this.#after(1000, () => this.#health(sinceMs));
    this.#print(KUBELET_UNHEALTHY);
    this.#fail(
      `kubelet-wait-bootstrap: failed while waiting for the kubelet to start: The HTTP call equal to 'curl -sSL http://127.0.0.1:10248/healthz' returned error: Get "http://127.0.0.1:10248/healthz": dial tcp 127.0.0.1:10248: connect: connection refused`,
      0,
    );
  }

  #waitForCertificate(sinceMs: number): void {
    const { disk, host } = this.#parts;
    if (disk.certificate !== null) return this.#nameCriSocket(host.trueMs());
    if (host.trueMs() - sinceMs < TLS_BOOTSTRAP_MS)
      return this.#after(100, () => this.#waitForCertificate(sinceMs));
    this.#print(KUBELET_UNHEALTHY);
    disk.removeBootstrap();
    this.#fail(
      'kubelet-wait-bootstrap: failed while waiting for TLS bootstrap: context deadline exceeded',
      0,
    );
  }

  /** Until 1.34 the socket is written on the Node, which must exist under the name kubeadm expects. */
  #nameCriSocket(sinceMs: number): void {
    const { disk, host } = this.#parts;
    if (isAtLeast(host.settings.kubernetesVersion, '1.35.0') === true) return this.#joined();
    if (disk.certificate !== null)
      this.#api.use({ kind: 'certificate', subject: disk.certificate });
    const name = this.#nodeName();
    const patch = {
      metadata: {
        annotations: {
          'kubeadm.alpha.kubernetes.io/cri-socket': 'unix:///run/containerd/containerd.sock',
        },
      },
    };
    const answer = this.#api.ask(`nodes/${name}`, (client) =>
      client.patch('Node', name, 'strategic', patch),
    );
    if (answer.ok) return this.#joined();
    if (host.trueMs() - sinceMs < API_CALL_MS)
      return this.#after(500, () => this.#nameCriSocket(sinceMs));
    this.#fail(`kubelet-start: error uploading crisocket: ${answer.message}`, 0);
  }

  #joined(): void {
    this.#parts.disk.removeBootstrap();
    this.#after(20, () => {
      this.#print(JOINED);
      this.#done({ exitCode: 0, stdout: '', stderr: '' });
    });
  }

  #fail(text: string, afterMs: number): void {
    this.#after(afterMs, () => {
      this.#print(phaseError(text));
      this.#done({ exitCode: 1, stdout: '', stderr: '' });
    });
  }

  #after(delayMs: number, task: () => void): void {
    this.#parts.host.after(delayMs, task);
  }
}

const LEFTOVERS = ['/etc/kubernetes/kubelet.conf', '/etc/kubernetes/pki/ca.crt'];
const CA = '-----BEGIN CERTIFICATE-----\nMIIDBTCCAe2gAwIBAgIIEXAMPLE\n-----END CERTIFICATE-----\n';
const KUBELET_CONFIG_FILE =
  'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\ncgroupDriver: systemd\nrotateCertificates: true\n';

function preflightText(errors: readonly string[]): string {
  const lines = errors.map((error) => `\t${error}\n`).join('');
  return `[preflight] Some fatal errors occurred:\n${lines}[preflight] If you know what you are doing, you can make a check non-fatal with \`--ignore-preflight-errors=...\``;
}

function isReady(node: Parameters<typeof listAt>[0]): boolean {
  return listAt(node, 'status.conditions').some(
    (one) => textAt(one, 'type') === 'Ready' && textAt(one, 'status') === 'True',
  );
}
