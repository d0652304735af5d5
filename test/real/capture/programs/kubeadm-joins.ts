/** Joins with kubeadm that cannot succeed, each for one reason. */
import type { ExampleFile } from '../../../causes/example.ts';
import type { ControlPlane } from '../../control-plane.ts';
import { until } from '../../bench.ts';
import { layNode } from '../objects.ts';
import type { Truth } from '../scenario.ts';
import { NODE_NAME, type Stage } from '../stage.ts';

/** One run of `kubeadm join`; what is not said is as it should be. */
export interface Attempt {
  readonly token?: string;
  readonly pin?: string;
  readonly endpoint?: string;
  /** Laid over the registration of the node. */
  readonly node?: Readonly<Record<string, unknown>>;
  /** Checks that are warnings here. */
  readonly ignored?: readonly string[];
  readonly configText?: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Run in the machine before. */
  readonly before?: string;
}

export interface Join extends Truth, Attempt {
  readonly what: string;
  /** Completes “kubeadm v1.36.3, joining …”. */
  readonly broken: string;
  readonly breakCluster?: (plane: ControlPlane) => Promise<void>;
  /** Addresses under which the machine sees the API server besides its own. */
  readonly reaches?: readonly string[];
  /** Behind containerd's configuration; null where it does not run. */
  readonly containerd?: string | null;
  /** Runs the unit of the kubelet; its journal is part of the example unless `unseen`. */
  readonly kubelet?: 'seen' | 'unseen';
  /** A second attempt. */
  readonly again?: Attempt;
  readonly look?: (stage: Stage) => Promise<ExampleFile>;
}

const PUBLIC_KUBECONFIG = '/api/v1/namespaces/kube-public/configmaps/cluster-info';
const SECRETS = '/api/v1/namespaces/kube-system/secrets';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const PINNED = 'sha256:8cb2de97839780a412b93877f8507ad6c94f73add17d5d7058e91741c9d5ec78';
const BLACK_HOLE = '10.0.30.4:6443';

const PREFLIGHT: Truth = { cause: 'kubeadm-preflight-failed', expect: 'found' };
const CONFIG: Truth = { cause: 'unusable-join-configuration', expect: 'found' };

/** A token that runs out while the machine boots. */
async function expireToken({ client }: ControlPlane): Promise<void> {
  await client.patch(`${SECRETS}/bootstrap-token-k3x9pd`, {
    stringData: { expiration: new Date(Date.now() + 2_000).toISOString().replace(/\.\d+/, '') },
  });
  await until('the end of the token', async () =>
    (await client.text(PUBLIC_KUBECONFIG)).includes('jws-kubeconfig') ? null : true,
  );
}

/** A file of another kind of discovery than kubeadm knows. */
function document(version: string, more: object): string {
  return JSON.stringify(
    { apiVersion: `kubeadm.k8s.io/${version}`, kind: 'JoinConfiguration', ...more },
    null,
    1,
  );
}

const DISCOVERY = {
  discovery: {
    bootstrapToken: {
      token: 'k3x9pd.7f2m4q8s1w6v0z5y',
      apiServerEndpoint: '10.0.16.4:6443',
      caCertHashes: [PINNED],
    },
  },
};

const SWAP =
  "printf 'Filename\\t\\t\\t\\tType\\t\\tSize\\t\\tUsed\\t\\tPriority\\n/swapfile                               file\\t\\t2097148\\t\\t0\\t\\t-2\\n' > /run/swaps; mount --bind /run/swaps /proc/swaps";

export const JOINS: readonly Join[] = [
  {
    what: 'token-unknown',
    broken: 'with a token that the cluster does not know',
    token: 'a1b2c3.0123456789abcdef',
    cause: 'expired-bootstrap-token',
    expect: 'found',
  },
  {
    what: 'token-expired',
    broken: 'with a token that has run out, at a higher verbosity',
    breakCluster: expireToken,
    flags: ['--v=5'],
    cause: 'expired-bootstrap-token',
    expect: 'found',
  },
  {
    what: 'token-expired-then-new',
    broken: 'with a token that the cluster does not know, and once more with a good one',
    token: 'a1b2c3.0123456789abcdef',
    again: {},
    kubelet: 'unseen',
    cause: 'expired-bootstrap-token',
    expect: 'clear',
  },
  {
    what: 'token-of-other-secret',
    broken: 'with a token whose second half is another',
    token: 'k3x9pd.0000000000000000',
    cause: 'ca-pin-mismatch',
    expect: 'found',
  },
  {
    what: 'pin-of-other-cluster',
    broken: 'with the hash of another cluster’s CA',
    pin: PINNED,
    cause: 'ca-pin-mismatch',
    expect: 'found',
  },
  {
    what: 'pin-cut-off',
    broken: 'with a hash that was cut off',
    pin: 'sha256:8cb2de97839780a412b93877f8507ad6',
    ...CONFIG,
  },
  {
    what: 'endpoint-refuses',
    broken: 'where nothing listens, at a higher verbosity',
    endpoint: '10.0.16.4:443',
    flags: ['--v=5'],
    cause: 'control-plane-down',
    expect: 'found',
  },
  {
    what: 'endpoint-silent',
    broken: 'where packets are dropped',
    endpoint: BLACK_HOLE,
    cause: 'api-port-blocked',
    expect: 'unknown',
  },
  {
    what: 'endpoint-unresolvable',
    broken: 'by a name that nobody resolves',
    endpoint: 'api.orders.example.com:6443',
    cause: 'api-name-unresolvable',
    expect: 'found',
  },
  {
    what: 'endpoint-not-in-certificate',
    broken: 'by an address that the certificate does not name',
    endpoint: '10.0.16.5:6443',
    reaches: ['10.0.16.5:6443'],
    cause: 'untrusted-api-certificate',
    expect: 'found',
  },
  {
    what: 'cluster-info-forbidden',
    broken: 'where anonymous requests may not read cluster-info',
    breakCluster: ({ client }) =>
      client.remove(
        `${RBAC}/namespaces/kube-public/rolebindings/kubeadm:bootstrap-signer-clusterinfo`,
      ),
    cause: 'cluster-info-unreadable',
    expect: 'found',
  },
  {
    what: 'cluster-info-absent',
    broken: 'where cluster-info was deleted',
    breakCluster: ({ client }) => client.remove(PUBLIC_KUBECONFIG),
    cause: 'cluster-info-unreadable',
    expect: 'found',
  },
  {
    what: 'group-not-bound',
    broken: 'with a token of a group that nobody bound',
    breakCluster: async ({ client }) => {
      await client.patch(`${SECRETS}/bootstrap-token-k3x9pd`, {
        stringData: { 'auth-extra-groups': 'system:bootstrappers:orders' },
      });
    },
    cause: 'bootstrap-group-not-bound',
    expect: 'found',
  },
  {
    what: 'node-not-readable',
    broken: 'where tokens may not read Nodes',
    breakCluster: ({ client }) => client.remove(`${RBAC}/clusterrolebindings/kubeadm:get-nodes`),
    cause: 'bootstrap-token-without-node-read',
    expect: 'found',
  },
  {
    what: 'node-exists',
    broken: 'where a Ready Node has its name',
    breakCluster: ({ client }) => layNode(client, { name: NODE_NAME }),
    cause: 'duplicate-node-name',
    expect: 'found',
  },
  {
    what: 'joined-before',
    broken: 'a machine that has joined before',
    before:
      'mkdir -p /etc/kubernetes/pki; touch /etc/kubernetes/kubelet.conf /etc/kubernetes/pki/ca.crt',
    ...PREFLIGHT,
  },
  {
    what: 'joined-before-then-cleared',
    broken: 'a machine that has joined before, and once more after its files were removed',
    before:
      'mkdir -p /etc/kubernetes/pki; touch /etc/kubernetes/kubelet.conf /etc/kubernetes/pki/ca.crt',
    again: { before: 'rm -rf /etc/kubernetes' },
    kubelet: 'unseen',
    ...PREFLIGHT,
    expect: 'clear',
  },
  {
    what: 'port-in-use',
    broken: 'a machine on which something listens on port 10250',
    before: 'setsid python3 -m http.server 10250 >/dev/null 2>&1 & sleep 1',
    ...PREFLIGHT,
  },
  {
    what: 'no-forwarding',
    broken: 'a machine whose kernel does not forward',
    before: 'echo 0 > /proc/sys/net/ipv4/ip_forward',
    ...PREFLIGHT,
  },
  {
    what: 'runtime-absent',
    broken: 'a machine whose container runtime does not run',
    containerd: null,
    cause: 'container-runtime-down',
    expect: 'found',
  },
  {
    what: 'cri-disabled',
    broken: 'a machine whose containerd has its CRI plugin disabled',
    containerd: 'disabled_plugins = ["io.containerd.grpc.v1.cri"]\n',
    cause: 'container-runtime-down',
    expect: 'found',
  },
  {
    what: 'proxy-gone',
    broken: 'through a proxy that does not run',
    env: { HTTPS_PROXY: 'http://10.0.16.4:3128' },
    cause: 'wrong-proxy-configuration',
    expect: 'found',
  },
  {
    what: 'config-of-old-version',
    broken: 'with a configuration of a version that is gone',
    configText: document('v1beta1', DISCOVERY),
    ...CONFIG,
  },
  {
    what: 'config-of-unknown-version',
    broken: 'with a configuration of a version that does not exist',
    configText: document('v2', DISCOVERY),
    ...CONFIG,
  },
  {
    what: 'config-without-discovery',
    broken: 'with a configuration without discovery',
    configText: document('v1beta4', {}),
    ...CONFIG,
  },
  {
    what: 'config-without-token',
    broken: 'with an empty token',
    configText: document('v1beta4', {
      discovery: { bootstrapToken: { token: '', apiServerEndpoint: '10.0.16.4:6443' } },
    }),
    ...CONFIG,
  },
  {
    what: 'config-not-yaml',
    broken: 'with a configuration that is indented wrongly',
    configText:
      '    apiVersion: kubeadm.k8s.io/v1beta4\nkind: JoinConfiguration\nnodeRegistration:\n  name: worker\n',
    ...CONFIG,
  },
  {
    what: 'config-absent',
    broken: 'with an empty configuration file',
    configText: '\n',
    ...CONFIG,
  },
  {
    what: 'kubelet-dead',
    broken: 'a machine whose kubelet ends at a flag that is gone, its journal unseen',
    node: { kubeletExtraArgs: [{ name: 'network-plugin', value: 'cni' }] },
    kubelet: 'unseen',
    cause: 'rejected-kubelet-flag-or-config',
    expect: 'unknown',
  },
  {
    what: 'kubelet-dead-journal',
    broken: 'a machine whose kubelet ends at a flag that is gone',
    node: { kubeletExtraArgs: [{ name: 'network-plugin', value: 'cni' }] },
    kubelet: 'seen',
    cause: 'rejected-kubelet-flag-or-config',
    expect: 'found',
  },
  {
    what: 'swap',
    broken: 'a machine with swap in use, where the kubelet refuses it',
    before: SWAP,
    node: { kubeletExtraArgs: [{ name: 'fail-swap-on', value: 'true' }] },
    kubelet: 'seen',
    cause: 'swap-enabled',
    expect: 'found',
  },
  {
    what: 'request-not-approved',
    broken: 'where nobody approves the certificate request',
    breakCluster: ({ client }) =>
      client.remove(`${RBAC}/clusterrolebindings/kubeadm:node-autoapprove-bootstrap`),
    kubelet: 'unseen',
    look: async (stage) => ({
      name: 'csr.txt',
      text: (await stage.kubectl(['get', 'csr'])).text,
    }),
    cause: 'unapproved-client-csr',
    expect: 'unknown',
  },
];
