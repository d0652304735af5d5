import type { Seeded } from './seeded.ts';

/** One moment of one machine: what the lines of every program at that moment share. */
export interface Moment {
  readonly random: Seeded;
  readonly epochMs: number;
  readonly hostname: string;
}

/** A program's log line without its newline; `sentence` replaces its own message when given. */
export type LogLine = (moment: Moment, sentence?: string) => string;

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const NAMESPACES = ['kube-system', 'shop', 'ingress-nginx', 'monitoring', 'batch'] as const;
const WORKLOADS = [
  'aws-node',
  'node-exporter',
  'coredns-7c8f96d4f',
  'checkout-5d9c7b6f48',
  'ebs-csi-node',
  'prometheus-server-66b8c5',
  'ingress-nginx-controller-84d7',
] as const;
const CONTAINERS = ['app', 'istio-proxy', 'aws-eks-nodeagent', 'node-driver-registrar'] as const;
const KUBELET_FILES = [
  'kubelet_pods.go:1079',
  'kubelet_node_status.go:497',
  'reconciler_common.go:231',
  'pod_startup_latency_tracker.go:102',
  'prober.go:107',
  'generic.go:334',
] as const;

function two(value: number): string {
  return String(value).padStart(2, '0');
}

function clockTime(at: Date): string {
  return `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())}`;
}

function journalPrefix(moment: Moment, program: string, pid: number): string {
  const at = new Date(moment.epochMs);
  const day = two(at.getUTCDate());
  const month = MONTHS[at.getUTCMonth()];
  return `${month} ${day} ${clockTime(at)} ${moment.hostname} ${program}[${pid}]: `;
}

function micros(random: Seeded): string {
  return String(random.below(1_000_000)).padStart(6, '0');
}

function uid(random: Seeded): string {
  const tail = `${random.hex(4)}-4${random.hex(3)}-a${random.hex(3)}-${random.hex(12)}`;
  return `${random.hex(8)}-${tail}`;
}

function pod(random: Seeded): string {
  return `${random.pick(NAMESPACES)}/${random.pick(WORKLOADS)}-${random.suffix(5)}`;
}

function address(random: Seeded): string {
  return `10.0.${random.below(256)}.${random.below(256)}`;
}

function eni(random: Seeded): string {
  return `eni-0${random.hex(16)}`;
}

const KUBELET_MESSAGES: readonly ((r: Seeded) => string)[] = [
  (r) =>
    `"SyncLoop (PLEG): event for pod" pod="${pod(r)}" event={"ID":"${uid(r)}",` +
    `"Type":"ContainerStarted","Data":"${r.hex(64)}"}`,
  (r) =>
    `"operationExecutor.MountVolume started for volume \\"kube-api-access-${r.suffix(5)}\\" ` +
    `(UniqueName: \\"kubernetes.io/projected/${uid(r)}-kube-api-access\\") " pod="${pod(r)}"`,
  (r) =>
    `"Observed pod startup duration" pod="${pod(r)}" podStartSLOduration=${r.below(90)}.` +
    `${micros(r)} podStartE2EDuration="${r.below(90)}.${micros(r)}s" ` +
    `observedRunningTime="2026-11-20 10:${two(r.below(60))}:11.${micros(r)} +0000 UTC"`,
  (r) =>
    `"Probe succeeded" probeType="Readiness" pod="${pod(r)}" podUID="${uid(r)}" ` +
    `containerName="${r.pick(CONTAINERS)}" duration="${r.below(900)}ms" period="10s"`,
  (r) =>
    `"Generic (PLEG): container finished" podID="${uid(r)}" containerID="${r.hex(64)}" ` +
    `exitCode=0 reason="Completed" restartCount=${r.below(4)} pod="${pod(r)}"`,
  (r) =>
    `"Updating node status" node="${address(r)}" capacity={"cpu":"4","memory":"16073892Ki",` +
    `"pods":"58"} allocatable={"cpu":"3920m","memory":"15056036Ki","pods":"58"} ` +
    `leaseRenewals=${r.below(40_000)} imagesBytes=${r.below(2 ** 31)}`,
];

const kubelet: LogLine = (moment, sentence) => {
  const { random } = moment;
  const at = new Date(moment.epochMs);
  const severity = sentence ? 'E' : 'I';
  const date = `${two(at.getUTCMonth() + 1)}${two(at.getUTCDate())}`;
  const header = `${severity}${date} ${clockTime(at)}.${micros(random)}    1893 `;
  const message = sentence
    ? `"${sentence}" pod="${pod(random)}" podUID="${uid(random)}"`
    : random.pick(KUBELET_MESSAGES)(random);
  const file = random.pick(KUBELET_FILES);
  return `${journalPrefix(moment, 'kubelet', 1893)}${header}${file}] ${message}`;
};

const CONTAINERD_MESSAGES: readonly ((r: Seeded) => string)[] = [
  (r) =>
    `StartContainer for \\"${r.hex(64)}\\" returns successfully" namespace=k8s.io ` +
    `runtime=io.containerd.runc.v2 pid=${r.below(60_000)}`,
  (r) => `shim disconnected" id=${r.hex(64)} namespace=k8s.io protocol=ttrpc version=3`,
  (r) =>
    `ImageUpdate event name:\\"602401143452.dkr.ecr.eu-west-1.amazonaws.com/eks/` +
    `${r.pick(CONTAINERS)}:v1.${r.below(30)}.${r.below(9)}\\" labels:{key:\\"io.cri-containerd` +
    `.image\\" value:\\"managed\\"}"`,
  (r) =>
    `CreateContainer within sandbox \\"${r.hex(64)}\\" for container ` +
    `&ContainerMetadata{Name:${r.pick(CONTAINERS)},Attempt:${r.below(3)},}"`,
  (r) =>
    `cleaning up dead shim" id=${r.hex(64)} namespace=k8s.io bundle=/run/containerd/` +
    `io.containerd.runtime.v2.task/k8s.io/${r.hex(16)}`,
];

const containerd: LogLine = (moment, sentence) => {
  const { random } = moment;
  const stamp = new Date(moment.epochMs).toISOString().replace('Z', `${random.below(1e6)}Z`);
  const message = sentence
    ? `${sentence}" error="sandbox ${random.hex(64)}"`
    : random.pick(CONTAINERD_MESSAGES)(random);
  const level = sentence ? 'error' : 'info';
  const text = `time="${stamp}" level=${level} msg="${message}`;
  return `${journalPrefix(moment, 'containerd', 1711)}${text}`;
};

const IPAMD_MESSAGES: readonly ((r: Seeded) => string)[] = [
  (r) =>
    `AssignPodIPv4Address: Assign IP ${address(r)} to sandbox aws-cni/${r.hex(64)}/eth0 ` +
    `on ENI ${eni(r)} with prefix ${address(r)}/28`,
  (r) =>
    `IP pool stats for network card 0: Total IPs/Prefixes = ${r.below(58)}/0, ` +
    `AssignedIPs/CooldownIPs: ${r.below(58)}/${r.below(4)}, c.maxIPsPerENI = 14, ` +
    `warm target ${r.below(3)}, minimum ${r.below(3)}`,
  (r) =>
    `Reconcile existing ENI ${eni(r)} IP pool: current IPs [${address(r)} ${address(r)} ` +
    `${address(r)} ${address(r)}], secondary CIDRs none, cooldown list length ${r.below(9)}`,
  (r) =>
    `UnassignPodIPAddress: sandbox aws-cni/${r.hex(64)}/eth0's ipAddr ${address(r)}, ` +
    `DeviceNumber ${r.below(4)}, released after ${r.below(3600)}s`,
];

const ipamd: LogLine = (moment, sentence) => {
  const { random } = moment;
  const stamp = new Date(moment.epochMs).toISOString();
  const message = sentence ?? random.pick(IPAMD_MESSAGES)(random);
  const level = sentence ? 'error' : 'debug';
  const file = random.pick([
    'ipamd/ipamd.go',
    'datastore/data_store.go',
    'networkutils/network.go',
  ]);
  const caller = `${file}:${random.below(2000)}`;
  const escaped = JSON.stringify(message);
  return `{"level":"${level}","ts":"${stamp}","caller":"${caller}","msg":${escaped}}`;
};

const SYSLOG_PROGRAMS = ['systemd', 'chronyd', 'sshd', 'dhclient', 'amazon-ssm-agent'] as const;

const SYSLOG_MESSAGES: readonly ((r: Seeded) => string)[] = [
  (r) =>
    `Started libcontainer container ${r.hex(64)}, slice kubepods-burstable-pod` +
    `${uid(r).replaceAll('-', '_')}.slice, unit cri-containerd-${r.hex(64)}.scope.`,
  (r) =>
    `Selected source 169.254.169.123, stratum 4, offset -0.0000${r.below(99999)} seconds, ` +
    `skew 0.0${r.below(99)} ppm, root delay 0.000${r.below(999)}, leap status normal`,
  (r) =>
    `run-containerd-io.containerd.runtime.v2.task-k8s.io-${r.hex(64)}-rootfs.mount: ` +
    `Deactivated after ${r.below(900)} ms, consumed ${r.below(99)}.${r.below(999)}s CPU time`,
  (r) =>
    `DHCPREQUEST on eth${r.below(4)} to ${address(r)} port 67 (xid=0x${r.hex(8)}), bound to ` +
    `${address(r)} -- renewal in ${r.below(1800)} seconds, option domain-name eu-west-1`,
];

const syslog: LogLine = (moment, sentence) => {
  const { random } = moment;
  const message = sentence ?? random.pick(SYSLOG_MESSAGES)(random);
  const prefix = journalPrefix(moment, random.pick(SYSLOG_PROGRAMS), random.below(30_000));
  return prefix + message;
};

const CLOUD_INIT_MESSAGES: readonly ((r: Seeded) => string)[] = [
  (r) =>
    `Writing to /var/lib/cloud/instance/sem/config_` +
    `${r.pick(['runcmd', 'locale', 'timezone', 'users_groups'])} - wb: [644] ${r.below(90)} bytes`,
  (r) =>
    `Read ${r.below(9000)} bytes from /sys/class/net/eth${r.below(4)}/address, ` +
    `mac 0a:${r.hex(2)}:${r.hex(2)}:${r.hex(2)}:${r.hex(2)}:${r.hex(2)}, carrier up, ` +
    `operstate up, mtu 9001, duplex full`,
  (r) =>
    `Running command ['systemctl', 'show', '--property', 'ActiveState', 'network-online.target'] ` +
    `with allowed return codes [0] (shell=False, capture=True, elapsed=0.${micros(r)}s)`,
  (r) =>
    `[${r.below(9)}/120] GET http://169.254.169.254/2021-03-23/meta-data/network/interfaces/` +
    `macs/0a:${r.hex(2)}:${r.hex(2)}:${r.hex(2)}/subnet-id -> 200 (24b) after 1 attempts`,
];

const cloudInit: LogLine = (moment, sentence) => {
  const { random } = moment;
  const at = new Date(moment.epochMs);
  const stamp = `${at.toISOString().slice(0, 10)} ${clockTime(at)},${random.below(1000)}`;
  const file = random.pick(['util.py', 'url_helper.py', 'subp.py', 'cc_scripts_user.py']);
  const level = sentence ? 'WARNING' : 'DEBUG';
  const message = sentence ?? random.pick(CLOUD_INIT_MESSAGES)(random);
  return `${stamp} - ${file}[${level}]: ${message}, uptime ${random.below(90_000)}.12`;
};

const awsNode: LogLine = (moment, sentence) => {
  const { random } = moment;
  const stamp = new Date(moment.epochMs).toISOString();
  const message =
    sentence ??
    random.pick([
      `Copied CNI plugin binary to /host/opt/cni/bin/aws-cni, ${random.below(9e6)} bytes written`,
      `Validating env vars ... ENABLE_PREFIX_DELEGATION=${random.pick(['true', 'false'])}`,
      `Updating iptables mangle for primary address ${address(random)} and rule 1024 fwmark 0x80`,
    ]);
  const caller = '/usr/local/go/src/runtime/proc.go:283';
  const entry = `{"level":"info","ts":"${stamp}","caller":"${caller}"`;
  return `${stamp} stderr F ${entry},"msg":${JSON.stringify(message)},"container":"aws-node"}`;
};

/** The programs of one node, by the name of the log that a collector bundle keeps of them. */
export const PROGRAMS = { kubelet, containerd, ipamd, syslog, cloudInit, awsNode } as const;

const SHARES: Readonly<Record<keyof typeof PROGRAMS, number>> = {
  kubelet: 9,
  containerd: 4,
  ipamd: 4,
  syslog: 2,
  cloudInit: 1,
  awsNode: 1,
};

/** The programs, each as often as its share of a node's log lines. */
export const LOG_MIX: readonly LogLine[] = Object.entries(SHARES).flatMap(([name, share]) =>
  Array.from({ length: share }, () => PROGRAMS[name as keyof typeof PROGRAMS]),
);
