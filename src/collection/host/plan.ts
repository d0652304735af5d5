import type { LineSource } from '../../evidence/source.ts';

export interface CommandPlan {
  readonly argv: readonly string[];
  /** How it is called in reports, where its arguments are many. */
  readonly title?: string;
  readonly name: string;
  readonly source?: LineSource;
  /** True where a program, unit or file that is missing is nothing to speak of. */
  readonly isOptional?: boolean;
}

export interface FilePlan {
  readonly path: string;
  readonly name: string;
  readonly source?: LineSource;
  readonly holdsSecrets?: boolean;
}

export interface FolderPlan {
  readonly path: string;
  /** Which names in it are read. */
  readonly names: RegExp;
  /** The file in each folder of such a name; without it the names are files. */
  readonly inside?: string;
  readonly name: string;
  readonly source?: LineSource;
  readonly holdsSecrets?: boolean;
}

const JOURNAL_LINES = '5000';
const JOURNAL = ['-o', 'short-iso', '--no-pager', '-n', JOURNAL_LINES] as const;

function unitJournal(unit: string, name: string): CommandPlan {
  return { argv: ['journalctl', '-u', unit, ...JOURNAL], name };
}

/** Units of EKS, kOps, OpenShift, kubeadm and Ubuntu images, and the names of their journals. */
const UNIT_JOURNALS = {
  kubelet: 'kubelet/kubelet.log',
  'snap.kubelet-eks.daemon': 'kubelet/kubelet-eks.log',
  'nodeadm-boot-hook': 'nodeadm/nodeadm-boot-hook.log',
  'nodeadm-config': 'nodeadm/nodeadm-config.log',
  'nodeadm-run': 'nodeadm/nodeadm-run.log',
  'cloud-final': 'cloud-init/cloud-final.log',
  'kops-configuration': 'kops/kops-configuration.log',
  containerd: 'containerd/containerd-log.txt',
  crio: 'crio/crio.log',
  docker: 'docker/docker.log',
  'nm-cloud-setup': 'networking/nm-cloud-setup.log',
} as const;

export const JOURNAL_UNITS: readonly string[] = Object.keys(UNIT_JOURNALS);

export const JOURNALS: readonly CommandPlan[] = [
  ...Object.entries(UNIT_JOURNALS).map(([unit, name]) => unitJournal(unit, name)),
  { argv: ['journalctl', '-t', 'ignition', ...JOURNAL], name: 'ignition/ignition.log' },
  { argv: ['journalctl', '-k', ...JOURNAL], name: 'kernel/dmesg.current' },
];

/** Where the lines of a journal go when there is no journalctl. */
export const SYSLOGS: readonly FilePlan[] = [
  { path: '/var/log/messages', name: 'var_log/messages' },
  { path: '/var/log/syslog', name: 'var_log/syslog' },
];

const UNITS = [
  'kubelet',
  'snap.kubelet-eks.daemon',
  'containerd',
  'crio',
  'docker',
  'nodeadm-boot-hook',
  'nodeadm-config',
  'nodeadm-run',
  'cloud-final',
  'kops-configuration',
  'protokube',
  'chronyd',
  'systemd-timesyncd',
].map((unit) => `${unit}.service`);

export const COMMANDS: readonly CommandPlan[] = [
  {
    argv: ['systemctl', 'status', '--no-pager', '--full', '-n', '0', ...UNITS],
    title: 'systemctl status',
    name: 'system/services.txt',
  },
  {
    argv: ['systemctl', 'list-unit-files', '--no-pager', '--no-legend', ...UNITS],
    title: 'systemctl list-unit-files',
    name: 'system/unit-files.txt',
    isOptional: true,
  },
  { argv: ['ip', 'addr'], name: 'networking/ipaddr.txt', source: 'host-file' },
  {
    argv: ['ip', 'route', 'show', 'table', 'all'],
    name: 'networking/iproute.txt',
    source: 'host-file',
  },
  { argv: ['ip', 'rule'], name: 'networking/iprule.txt', source: 'host-file' },
  {
    argv: ['iptables-save', '-c'],
    name: 'networking/iptables-save.txt',
    source: 'host-file',
    isOptional: true,
  },
  {
    argv: ['nft', 'list', 'ruleset'],
    name: 'networking/nftables.txt',
    source: 'host-file',
    isOptional: true,
  },
  { argv: ['df', '-h'], name: 'storage/df.txt', source: 'host-file' },
  { argv: ['df', '-i'], name: 'storage/inodes.txt', source: 'host-file' },
  { argv: ['free', '-m'], name: 'system/free.txt', source: 'host-file' },
  { argv: ['uname', '-a'], name: 'kernel/uname.txt', source: 'host-file' },
  { argv: ['timedatectl'], name: 'system/timedatectl.txt', source: 'host-file', isOptional: true },
  {
    argv: ['timedatectl', 'timesync-status'],
    name: 'system/timesync.txt',
    source: 'host-file',
    isOptional: true,
  },
  { argv: ['ntpq', '-pn'], name: 'system/ntpq.txt', source: 'host-file', isOptional: true },
  {
    argv: ['chronyc', '-n', 'tracking'],
    name: 'system/chrony.txt',
    source: 'host-file',
    isOptional: true,
  },
  {
    argv: ['ls', '-l', '/usr/bin/nodeadm'],
    name: 'nodeadm/program.txt',
    source: 'host-file',
    isOptional: true,
  },
  { argv: ['crictl', 'ps', '-a'], name: 'containerd/crictl-ps.txt', isOptional: true },
  { argv: ['crictl', 'pods'], name: 'containerd/crictl-pods.txt', isOptional: true },
  { argv: ['crictl', 'info'], name: 'containerd/crictl-info.json', isOptional: true },
];

/** The kubelet's own first; the one that it bootstraps with counts until that is there. */
export const KUBECONFIGS: readonly string[] = [
  '/var/lib/kubelet/kubeconfig',
  '/etc/kubernetes/kubelet.conf',
  '/etc/kubernetes/kubeconfig',
  '/etc/kubernetes/bootstrap-kubelet.conf',
  '/var/lib/kubelet/bootstrap-kubeconfig',
];

function plain(path: string): FilePlan {
  return { path, name: `files${path}`, source: 'host-file' };
}

export const FILES: readonly FilePlan[] = [
  { path: '/var/log/cloud-init-output.log', name: 'var_log/cloud-init-output.log' },
  { path: '/var/log/cloud-init.log', name: 'var_log/cloud-init.log' },
  { path: '/var/log/user-data.log', name: 'var_log/user-data.log' },
  ...KUBECONFIGS.map((path) => ({ ...plain(path), holdsSecrets: true })),
  ...[
    '/etc/kubernetes/kubelet/config.json',
    '/etc/kubernetes/kubelet/kubelet-config.json',
    '/var/lib/kubelet/config.yaml',
    '/var/lib/kubelet/kubeadm-flags.env',
    '/etc/kubernetes/node.env',
    '/etc/systemd/system/kubelet.service',
    '/etc/sysconfig/kubelet',
    '/etc/default/kubelet',
    '/etc/eks/kubelet/environment',
    '/etc/eks/image-credential-provider/config.json',
    '/etc/crictl.yaml',
    '/etc/resolv.conf',
    '/run/systemd/resolve/resolv.conf',
    '/etc/hosts',
    '/etc/hostname',
    '/etc/os-release',
    '/proc/swaps',
    '/proc/cmdline',
  ].map(plain),
  { ...plain('/etc/containerd/config.toml'), holdsSecrets: true },
];

const NODE_PODS =
  /^(?:aws-node|kube-proxy|kiam-agent|kube2iam|calico-node|cilium|ebs-csi-node|eks-pod-identity-agent|kops-controller|nodelocaldns|node-local-dns)[\w.-]*\.log$/;

/** Where systemd-networkd, dhclient and NetworkManager keep what DHCP gave. */
const LEASES: readonly FolderPlan[] = [
  { path: '/run/systemd/netif/leases', names: /^\d{1,9}$/ },
  { path: '/var/lib/dhclient', names: /\.leases?$/ },
  { path: '/var/lib/dhcp', names: /\.leases?$/ },
  { path: '/var/lib/NetworkManager', names: /\.lease$/ },
].map((folder) => ({ ...folder, name: `networking/leases${folder.path}`, source: 'host-file' }));

export const FOLDERS: readonly FolderPlan[] = [
  {
    path: '/var/log/aws-routed-eni',
    names: /^[\w-]+\.log$/,
    name: 'var_log/aws-routed-eni',
  },
  { path: '/var/log/containers', names: NODE_PODS, name: 'var_log/containers' },
  { path: '/etc/cni/net.d', names: /\.(?:conf|conflist|json)$/, name: 'cni', source: 'host-file' },
  ...[
    { path: '/etc/kubernetes/kubelet/config.json.d', names: /\.(?:conf|json)$/ },
    { path: '/etc/systemd/system/kubelet.service.d', names: /\.conf$/ },
    { path: '/etc/eks/nodeadm.d', names: /\.(?:ya?ml|json)$/ },
    { path: '/etc/containerd/config.d', names: /\.toml$/ },
    { path: '/etc/containerd/certs.d', names: /^[\w.:-]+$/, inside: 'hosts.toml' },
  ].map((folder) => ({
    ...folder,
    name: `files${folder.path}`,
    source: 'host-file' as const,
    holdsSecrets: true,
  })),
  ...LEASES,
];

/** Kernel parameters that the kubelet, the pod networks and the AWS guides speak of. */
export const SYSCTLS: readonly string[] = [
  'net.ipv4.ip_forward',
  'net.ipv4.conf.all.rp_filter',
  'net.ipv4.conf.default.rp_filter',
  'net.ipv6.conf.all.forwarding',
  'net.ipv6.conf.all.disable_ipv6',
  'net.bridge.bridge-nf-call-iptables',
  'net.netfilter.nf_conntrack_count',
  'net.netfilter.nf_conntrack_max',
  'net.core.somaxconn',
  'vm.overcommit_memory',
  'vm.panic_on_oom',
  'vm.swappiness',
  'kernel.panic',
  'kernel.panic_on_oops',
  'kernel.pid_max',
  'kernel.threads-max',
  'fs.inotify.max_user_watches',
  'fs.inotify.max_user_instances',
  'fs.file-nr',
];
