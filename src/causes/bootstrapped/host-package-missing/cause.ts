import { defineCause, type Details, step } from '../../../diagnosis/cause.ts';
import { definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** Programs which the join, the runtime or the kubelet call and which no container brings along. */
export default defineCause({
  id: 'host-package-missing',
  stage: 'bootstrapped',
  title: 'a program or kernel module that the join needs is not on the image',
  scope: 'machine',
  signs: {
    preflight: definite(
      ['kubeadm', 'cloud-init', 'console'],
      /\[ERROR FileExisting-(?<program>[\w.+-]{1,60})\]/,
    ),
    bridgeFilter: definite(
      ['kubeadm', 'cloud-init', 'console', 'journal', 'client-output'],
      /\[ERROR FileContent--proc-sys-net-bridge-bridge-nf-call-ip6?tables\]: .{0,60}does not exist|cannot stat \/proc\/sys\/net\/bridge\/bridge-nf-call-ip6?tables|setting key "?net[./]bridge[./]bridge-nf-call-ip6?tables"?: No such file/,
    ),
    moduleMissing: likely(
      ['cloud-init', 'console', 'journal', 'kernel', 'containerd', 'kubelet', 'client-output'],
      /\bmodule '?(?<module>br_netfilter|overlay|nf_(?:conntrack|nat|tables)\w{0,20}|ip_(?:tables|vs)\w{0,20}|iptable_nat|xt_\w{1,30})'? (?:not found|is not found|doesn't exist)|failed to find module '(?<module2>br_netfilter|overlay|nf_conntrack)'/i,
      {
        anchors: [
          'Module br_netfilter',
          'Module overlay',
          'Module xt_',
          'Module nf_',
          'Module ip',
          "module 'br_netfilter'",
          "module 'overlay'",
        ],
      },
    ),
    notInPath: likely(
      ['kubelet', 'containerd', 'kubeadm', 'cloud-init', 'event', 'journal', 'kube-proxy'],
      /^(?!.*(?:\bWARNING\b|: skip plugin)).*exec: "?(?<program>conntrack|iptables(?:-restore|-save)?|ip6tables(?:-restore|-save)?|socat|ethtool|ebtables|ipset|tc|nft|nsenter|modprobe|runc|crun|containerd-shim-runc-v2|crictl|mount|ip)"?: executable file not found in \$PATH/,
      { anchors: ['executable file not found in $PATH'] },
    ),
    // mount(8) and its helpers, for file systems whose module or program the image lacks.
    mountUnsupported: likely(
      ['csi-driver', 'kubelet', 'event', 'journal', 'pod-status', 'client-output'],
      /mount\.(?<filesystem>lustre|nfs4?|cifs|ceph|glusterfs)(?::| ).{0,600}failed: No such device\b|\bAre the (?<filesystem2>lustre) modules loaded\?|mount: .{0,300}unknown filesystem type '(?<filesystem3>nfs4?|cifs|efs|lustre|ceph|glusterfs|fuse\.[\w.-]{1,40})'|you might need a \/sbin\/mount\.(?<filesystem4>[\w.]{2,20}) helper program/,
      {
        anchors: [
          'failed: No such device',
          'modules loaded?',
          'unknown filesystem type',
          'you might need a /sbin/mount.',
        ],
      },
    ),
    forwarderMissing: definite(
      ['client-output', 'kubelet', 'event', 'containerd'],
      /unable to do port forwarding: (?<program>socat|nsenter) not found/,
    ),
    joined: withdraws(['kubeadm', 'cloud-init', 'console'], /This node has joined the cluster/),
  },
  needs: [],
  symptoms: ['user-data-script-failed'],
  explains: [
    'kubeadm-preflight-failed',
    'container-runtime-down',
    'failed-user-script',
    'kubelet-without-kubeconfig',
  ],
  withdrawnBy: ['joined', 'node-registered', 'node-ready'],
  summary: ({ machine, program, module, module2, ...mount }) =>
    filesystemOf(mount) !== undefined
      ? `${machine ?? 'The machine'} lacks the kernel module or the mount program for ${filesystemOf(mount) ?? ''}, so no volume of it is mounted.`
      : `${machine ?? 'The machine'} lacks ${program !== undefined ? `the program ${program}` : `the kernel module ${module ?? module2 ?? 'br_netfilter'}`}, so the join or the kubelet cannot continue.`,
  remedy: ({ program, module, module2, ...mount }) => [
    ...stepsOfMount(filesystemOf(mount)),
    program === undefined
      ? step(
          'Load the module now and at each boot; if it is not there, install the kernel’s extra modules.',
          `sudo modprobe ${module ?? module2 ?? 'br_netfilter'} && echo ${module ?? module2 ?? 'br_netfilter'} | sudo tee /etc/modules-load.d/kubernetes.conf; uname -r; ls /lib/modules`,
        )
      : step(
          'Install the package (dnf or apt-get, as the system has it), better in the image build.',
          `sudo dnf install -y ${packageOf(program)} || sudo apt-get install -y ${packageOf(program)}`,
        ),
    step('Then join again.', 'kubeadm token create --print-join-command'),
  ],
  decide: step(
    'See which of them the machine has.',
    "ls -l /usr/sbin/conntrack /usr/bin/socat /usr/sbin/iptables /usr/sbin/ethtool /usr/sbin/tc /usr/bin/runc /usr/sbin/runc; lsmod | grep -E '^(br_netfilter|overlay|nf_conntrack) '",
  ),
  page: {
    why: 'Minimal images leave out conntrack, socat or iptables, and cloud kernels put br_netfilter and overlay into a package of their own. kubeadm checks for them; the kubelet and the runtime only fail when they call them.',
    prevent:
      'Install the packages and list the modules in /etc/modules-load.d when the image is built.',
    notThis:
      '[WARNING FileExisting-…] stops nothing. A setting that is 0 although the module is loaded is kubeadm-preflight-failed. A missing aws-iam-authenticator or aws is broken-exec-credential-plugin; iptables of another backend is iptables-backend-mismatch.',
    alsoKnownAs: [
      '[ERROR FileExisting-conntrack]: conntrack not found in system path',
      'modprobe: FATAL: Module br_netfilter not found',
      'unable to do port forwarding: socat not found',
    ],
    refs: [
      'https://github.com/kubernetes/kubernetes/blob/HEAD/cmd/kubeadm/app/preflight/checks.go',
      'https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/troubleshooting-kubeadm/',
    ],
  },
});

/** The file system that could not be mounted, by whichever program said so. */
function filesystemOf(details: Details): string | undefined {
  const { filesystem, filesystem2, filesystem3, filesystem4 } = details;
  return filesystem ?? filesystem2 ?? filesystem3 ?? filesystem4;
}

function stepsOfMount(filesystem: string | undefined): readonly ReturnType<typeof step>[] {
  if (filesystem === undefined) return [];
  return [
    step(
      'See whether the kernel has the module and the image the mount program; take an image that has both.',
      `uname -r; modinfo ${filesystem}; ls -l /sbin/mount.${filesystem}`,
    ),
  ];
}

const PACKAGES: Readonly<Record<string, string>> = {
  conntrack: 'conntrack-tools conntrack',
  tc: 'iproute-tc iproute2',
  ip: 'iproute iproute2',
  nft: 'nftables',
  nsenter: 'util-linux',
  mount: 'util-linux',
  modprobe: 'kmod',
  crictl: 'cri-tools',
};

/** Some packages are called otherwise than their program, and differently on RPM and Debian systems. */
function packageOf(program: string): string {
  return (
    PACKAGES[program] ?? program.replace(/-(?:restore|save)$/, '').replace('ip6tables', 'iptables')
  );
}
