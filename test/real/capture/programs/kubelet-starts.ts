/** A real kubelet that is told something at its start that it cannot take. */
import type { Truth } from '../scenario.ts';

export interface Start extends Truth {
  readonly what: string;
  /** Completes “kubelet v1.36.3, started with …”. */
  readonly broken: string;
  readonly flags?: readonly string[];
  /** Laid over the configuration that works. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** In place of the whole configuration file. */
  readonly configText?: string;
  /** Run in the machine before the kubelet starts. */
  readonly before?: string;
  readonly until?: RegExp;
  readonly limitMs?: number;
  /** How often systemd starts it again; once where nobody says. */
  readonly starts?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Runs containerd, with this text behind its configuration. */
  readonly containerd?: string;
  readonly form?: 'raw';
}

const REFUSED: Truth = { cause: 'rejected-kubelet-flag-or-config', expect: 'found' };

/** Everything that ends before the kubelet asks anybody. */
export const STARTS: readonly Start[] = [
  {
    what: 'removed-container-runtime',
    broken: '--container-runtime=remote, which is gone',
    flags: ['--container-runtime=remote'],
    ...REFUSED,
  },
  {
    what: 'removed-network-plugin',
    broken: '--network-plugin=cni, which is gone',
    flags: ['--network-plugin=cni'],
    starts: 3,
    ...REFUSED,
  },
  {
    what: 'removed-cloud-config',
    broken: '--cloud-provider=aws, which is built in no more',
    flags: ['--cloud-provider=aws'],
    containerd: '',
    ...REFUSED,
  },
  {
    what: 'misspelt-flag',
    broken: '--node-label instead of --node-labels',
    flags: ['--node-label=team=orders'],
    form: 'raw',
    ...REFUSED,
  },
  { what: 'max-pods-no-number', broken: '--max-pods=many', flags: ['--max-pods=many'], ...REFUSED },
  {
    what: 'bad-duration',
    broken: '--node-status-update-frequency=10',
    flags: ['--node-status-update-frequency=10'],
    ...REFUSED,
  },
  {
    what: 'bad-label',
    broken: 'a node label that is no label',
    flags: ['--node-labels=team=a b'],
    ...REFUSED,
  },
  {
    what: 'bad-taint',
    broken: '--register-with-taints without an effect',
    flags: ['--register-with-taints=dedicated=batch'],
    ...REFUSED,
  },
  {
    what: 'unknown-feature-gate',
    broken: 'a feature gate that nobody knows',
    config: { featureGates: { NoSuchGate: true } },
    ...REFUSED,
  },
  {
    what: 'locked-feature-gate',
    broken: 'a feature gate turned off that is locked on',
    config: { featureGates: { KubeletTracing: false, CPUManager: false } },
    ...REFUSED,
  },
  {
    what: 'config-not-yaml',
    broken: 'a configuration that is no YAML',
    configText: 'kind: KubeletConfiguration\n apiVersion: kubelet.config.k8s.io/v1beta1\n',
    ...REFUSED,
  },
  {
    what: 'config-wrong-type',
    broken: 'maxPods as a word',
    config: { maxPods: 'many' },
    ...REFUSED,
  },
  {
    what: 'config-other-version',
    broken: 'a configuration of a version that does not exist',
    config: { apiVersion: 'kubelet.config.k8s.io/v1' },
    ...REFUSED,
  },
  { what: 'config-empty', broken: 'an empty configuration file', configText: '', ...REFUSED },
  {
    what: 'config-unknown-field',
    broken: 'a field that the configuration does not have, which is let pass',
    config: { maxPodz: 110 },
    containerd: '',
    form: 'raw',
    ...REFUSED,
    expect: 'clear',
  },
  {
    what: 'config-duplicate-key',
    broken: 'the same field twice, which is let pass',
    configText:
      'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nfailCgroupV1: false\nmaxPods: 17\nmaxPods: 29\n',
    containerd: '',
    form: 'raw',
    ...REFUSED,
    expect: 'clear',
  },
  {
    what: 'eviction-percentage',
    broken: 'an eviction threshold over 100 %',
    config: { evictionHard: { 'memory.available': '110%' } },
    containerd: '',
    ...REFUSED,
  },
  {
    what: 'eviction-signal',
    broken: 'an eviction signal that does not exist',
    config: { evictionHard: { 'memory.free': '5%' } },
    containerd: '',
    ...REFUSED,
  },
  {
    what: 'topology-policy',
    broken: 'a topology manager policy that does not exist',
    config: { topologyManagerPolicy: 'single-numa' },
    ...REFUSED,
  },
  {
    what: 'image-gc-order',
    broken: 'image collection thresholds in the wrong order',
    config: { imageGCHighThresholdPercent: 70, imageGCLowThresholdPercent: 80 },
    ...REFUSED,
  },
  { what: 'negative-pods', broken: 'maxPods below zero', config: { maxPods: -1 }, ...REFUSED },
  {
    what: 'cpu-policy',
    broken: 'a CPU manager policy that does not exist',
    config: { cpuManagerPolicy: 'exclusive' },
    containerd: '',
    ...REFUSED,
  },
  {
    what: 'reserved-quantity',
    broken: 'reserved memory that is no quantity',
    config: { kubeReserved: { memory: '1 GB' } },
    containerd: '',
    ...REFUSED,
  },
  {
    what: 'graceful-shutdown',
    broken: 'critical pods’ grace longer than the whole',
    config: { shutdownGracePeriod: '10s', shutdownGracePeriodCriticalPods: '20s' },
    ...REFUSED,
  },
  {
    what: 'reserved-label-role',
    broken: 'the label node-role.kubernetes.io/worker in --node-labels',
    flags: ['--node-labels=node-role.kubernetes.io/worker='],
    cause: 'reserved-label-in-kubelet-flags',
    expect: 'found',
  },
  {
    what: 'reserved-labels',
    broken: 'two labels of kubernetes.io in --node-labels',
    flags: ['--node-labels=kubernetes.io/role=node,k8s.io/cluster=orders'],
    starts: 3,
    cause: 'reserved-label-in-kubelet-flags',
    expect: 'found',
  },
  {
    what: 'deprecated-flags',
    broken: 'flags that are deprecated, and a missing file',
    flags: [
      '--max-pods=29',
      '--register-with-taints=dedicated=batch:NoSchedule',
      '--config=/etc/kubernetes/kubelet/config.json',
    ],
    ...REFUSED,
    expect: 'clear',
    instead: 'kubelet-without-kubeconfig',
  },
  {
    what: 'config-missing',
    broken: 'no configuration file, as before a join',
    before: 'rm -f /var/lib/kubelet/config.yaml',
    starts: 4,
    cause: 'kubelet-without-kubeconfig',
    expect: 'found',
  },
  {
    what: 'cgroup-v1',
    broken: 'cgroup v1 on the host',
    config: { failCgroupV1: true },
    cause: 'cgroup-driver-mismatch',
    expect: 'found',
  },
  {
    what: 'no-systemd',
    broken: 'cgroupDriver systemd where systemd does not run',
    config: { cgroupDriver: 'systemd' },
    flags: ['--cgroup-root=/'],
    containerd: '',
    until: /systemd not running/,
    cause: 'cgroup-driver-mismatch',
    expect: 'found',
  },
  {
    what: 'runtime-socket-missing',
    broken: 'no container runtime',
    starts: 4,
    cause: 'container-runtime-down',
    expect: 'found',
  },
  {
    what: 'runtime-socket-refuses',
    broken: 'a socket of a container runtime that has ended',
    before:
      'mkdir -p /run/containerd; python3 -c "import socket; socket.socket(socket.AF_UNIX).bind(\'/run/containerd/containerd.sock\')"',
    starts: 4,
    cause: 'container-runtime-down',
    expect: 'found',
  },
  {
    what: 'runtime-socket-once',
    broken: 'no container runtime yet',
    cause: 'container-runtime-down',
    expect: 'unknown',
  },
  {
    what: 'cri-disabled',
    broken: 'a containerd whose CRI plugin is disabled',
    containerd: 'disabled_plugins = ["io.containerd.grpc.v1.cri"]\n',
    cause: 'container-runtime-down',
    expect: 'found',
  },
  {
    what: 'runtime-endpoint',
    broken: 'the endpoint of dockershim',
    flags: ['--container-runtime-endpoint=unix:///var/run/dockershim.sock'],
    starts: 4,
    cause: 'container-runtime-down',
    expect: 'found',
  },
  {
    what: 'swap',
    broken: 'swap in use',
    config: { failSwapOn: true },
    before:
      "printf 'Filename\\t\\t\\t\\tType\\t\\tSize\\t\\tUsed\\t\\tPriority\\n/swapfile                               file\\t\\t2097148\\t\\t0\\t\\t-2\\n' > /run/swaps; mount --bind /run/swaps /proc/swaps",
    containerd: '',
    until: /swap on is not supported/,
    cause: 'swap-enabled',
    expect: 'found',
  },
  {
    what: 'kernel-defaults',
    broken: 'protectKernelDefaults and other kernel settings',
    config: { protectKernelDefaults: true },
    containerd: '',
    until: /invalid kernel flag/i,
    cause: 'unexpected-kernel-parameters',
    expect: 'found',
  },
  {
    what: 'reserved-over-capacity',
    broken: 'more memory reserved than the machine has',
    config: { kubeReserved: { memory: '64Gi' }, enforceNodeAllocatable: ['pods'] },
    containerd: '',
    until: /Failed to start ContainerManager|Node Allocatable/,
    cause: 'stale-kubelet-state',
    expect: 'found',
  },
  {
    what: 'cpu-state',
    broken: 'a CPU state file of another policy',
    before:
      'mkdir -p /var/lib/kubelet; echo \'{"policyName":"static","defaultCpuSet":"0-7","checksum":2086119518}\' > /var/lib/kubelet/cpu_manager_state',
    containerd: '',
    until: /Failed to (?:start|run|initialize)|could not restore|failed to run/,
    cause: 'stale-kubelet-state',
    expect: 'found',
  },
  {
    what: 'client-ca-missing',
    broken: 'a client CA file that is not there',
    config: { authentication: { x509: { clientCAFile: '/etc/kubernetes/pki/ca.crt' } } },
    before: 'rm -rf /etc/kubernetes/pki',
    cause: 'invalid-cluster-ca-file',
    expect: 'found',
  },
  {
    what: 'client-ca-garbage',
    broken: 'a client CA file that holds no certificate',
    before: 'mkdir -p /etc/kubernetes/pki; echo "None" > /etc/kubernetes/pki/ca.crt',
    cause: 'invalid-cluster-ca-file',
    expect: 'found',
  },
  {
    what: 'credential-provider-folder',
    broken: 'a folder of credential providers that is not there',
    flags: [
      '--image-credential-provider-config=/etc/eks/image-credential-provider/config.json',
      '--image-credential-provider-bin-dir=/etc/eks/image-credential-provider',
    ],
    containerd: '',
    until: /credential provider|failed to run/,
    cause: 'image-credential-provider-missing',
    expect: 'found',
  },
  {
    what: 'credential-provider-program',
    broken: 'a credential provider whose program is missing',
    flags: [
      '--image-credential-provider-config=/etc/eks/config.json',
      '--image-credential-provider-bin-dir=/etc/eks/bin',
    ],
    before: `mkdir -p /etc/eks/bin; echo '{"apiVersion":"kubelet.config.k8s.io/v1","kind":"CredentialProviderConfig","providers":[{"name":"ecr-credential-provider","matchImages":["*.dkr.ecr.*.amazonaws.com"],"defaultCacheDuration":"12h","apiVersion":"credentialprovider.kubelet.k8s.io/v1"}]}' > /etc/eks/config.json`,
    containerd: '',
    until: /credential provider|failed to run/,
    cause: 'image-credential-provider-missing',
    expect: 'found',
  },
  {
    what: 'disk-full',
    broken: 'a full file system under /var/lib/kubelet',
    before:
      'cp /var/lib/kubelet/config.yaml /etc/kubernetes/kubelet.yaml; mount -t tmpfs -o size=16k tmpfs /var/lib/kubelet; head -c 16384 /dev/zero > /var/lib/kubelet/fill',
    flags: ['--config=/etc/kubernetes/kubelet.yaml'],
    containerd: '',
    until: /no space left/,
    cause: 'root-volume-full-at-boot',
    expect: 'found',
  },
];
