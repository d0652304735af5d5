import type { LineSource } from '../../evidence/source.ts';

/** Syslog and journald tags of programs. */
const TAGS: Readonly<Record<string, LineSource>> = {
  kubelet: 'kubelet',
  hyperkube: 'kubelet',
  'kubelet-wrapper': 'kubelet',
  'kubelet-eks.daemon': 'kubelet',
  containerd: 'containerd',
  dockerd: 'containerd',
  crio: 'containerd',
  nodeadm: 'nodeadm',
  'cloud-init': 'cloud-init',
  'user-data': 'cloud-init',
  cloud: 'cloud-init',
  nodeup: 'nodeup',
  'kops-configuration': 'nodeup',
  kubeadm: 'kubeadm',
  sundog: 'bottlerocket',
  pluto: 'bottlerocket',
  'early-boot-config': 'bottlerocket',
  'host-containers': 'bottlerocket',
  apiserver: 'bottlerocket',
  'thar-be-settings': 'bottlerocket',
  ignition: 'ignition',
  kernel: 'kernel',
  systemd: 'journal',
};

/** Source files of klog lines that only one program has. */
const KLOG_FILES: readonly (readonly [LineSource, RegExp])[] = [
  [
    'kubelet',
    /^(?:kubelet\w*|kuberuntime\w*|pod_workers|pod_container_deletor|remote_(?:runtime|image)|eviction_manager|setters|nodelease|cpu_manager|memory_manager|topology_manager|container_manager\w*|volume_manager|reconciler(?:_common|_new)?|csi_plugin|nodeinfomanager|image_gc_manager|cri_stats_provider|generic|pleg|certificate_(?:manager|store)|bootstrap|fs_resource_analyzer|status_manager|docker_\w+|cni|summary_sys_containers|prober\w*|desired_state_of_world_populator|nestedpendingoperations|watcher|plugin_watcher|dynamic_cafile_content|policy_none|kubelet_node_status|manager)$/,
  ],
  [
    'cloud-controller',
    /^(?:node_controller|cloud_node_controller|tagging_controller|node_lifecycle_controller|route_controller|service_controller)$/,
  ],
  ['machine-approver', /^(?:node_csr_approver|csr_check|controller_approver)$/],
  [
    'controller-manager',
    /^(?:controllermanager|gc_controller|node_lifecycle_controller|range_allocator|cidr_allocator|certificate_controller|csr_\w+|garbagecollector|taint_manager|attach_detach_controller)$/,
  ],
  [
    'kube-apiserver',
    /^(?:dispatcher|authentication|healthz|available_controller|naming_controller|node_authorizer|rbac|wrap|trace)$/,
  ],
  ['kube-proxy', /^(?:proxier|server_others|iptables|config)$/],
  ['kubeadm', /^(?:join|preflight|checks|init|token|waiter|waitcontrolplane|kubeletstart)$/],
];

/** Fields by which programs name their files or themselves in each of their records. */
const CALLERS: readonly (readonly [LineSource, RegExp])[] = [
  ['ipamd', /"caller":"(?:ipamd|aws-k8s-agent|awsutils|networkutils|datastore|rpc)\//],
  ['cni-plugin', /"caller":"(?:routed-eni-cni-plugin|driver)\//],
  ['karpenter', /"controllerGroup":"karpenter\./],
  ['cilium', /\bsubsys=[\w-]+/],
  [
    'aws-node',
    /"caller":"(?:entrypoint\.sh|\/usr\/local\/bin|(?:\/[\w./-]{1,80}\/)?runtime\/proc\.go|aws-vpc-cni|cp\/)/,
  ],
];

// An event row quotes other programs, so it is known before they are.
const EVENT_ROW =
  /^\s*(?:\S+\s+)?(?:(?:\d+[dhms])+|<(?:unknown|invalid)>)\s.*\b(?:Normal|Warning)\b|^\s*(?:Normal|Warning)\s+[A-Z]\w+\s/;

/** Phrases that only one program prints, for lines and documents without a tag. */
const PHRASES: readonly (readonly [LineSource, RegExp])[] = [
  ['event', EVENT_ROW],
  ['nidhogg', /nidhogg/],
  ['kubelet', /\b[Ff]ailed to run Kubelet\b|when waiting for CSINode publishing/],
  ['terraform', /\[(?:ℹ|✔|!|✖|▶)\] {1,2}\S/],
  ['ipamd', /\bipamd\b.*\bInitialization failure|^\S+Z \[(?:DEBUG|INFO|ERROR|WARN)\]/],
  ['aws-node', /Starting IPAM daemon|Checking for IPAM connectivity|aws-vpc-cni-init/],
  [
    'nodeadm',
    /"caller":"(?:init|cmd|kubelet|containerd|imds|ec2|configprovider|system)\/\w+\.go|\bnodeadm\b/,
  ],
  [
    'karpenter',
    /karpenter\.sh|(?:DEBUG|INFO|WARN|ERROR)\s+controller(?:\.[\w-]+)*\s|"logger":"controller[".]|controller\.(?:provisioning|deprovisioning|interruption|node)|nodeclaim\.lifecycle|machine\.lifecycle/,
  ],
  [
    'kubeadm',
    /\[(?:preflight|discovery|kubelet-start|kubelet-check|bootstrap-token|control-plane-join|init|join|certs|kubeconfig|upload-config|wait-control-plane)\] |error execution phase|^\s+\[ERROR \w+/,
  ],
  [
    'cloud-init',
    /user-data: |\bcloud-init\b|\/var\/lib\/cloud\/|^\S+ \S+ - \w+\.py\[\w+\]:|\/etc\/eks\/bootstrap\.sh|\bCloud-init v\. |^ci-info: |\[eks-bootstrap\]/,
  ],
  [
    'nodeup',
    /\bnodeup\b|kops-configuration|\bBootstrapClientTask\b|parsing (?:Cluster config response|NodeupConfig)|kops-controller DNS not setup|^executor\.go:\d+\] /,
  ],
  [
    'bottlerocket',
    /\b(?:sundog|pluto|schnauzer|thar-be-settings|early-boot-config|storewolf|netdog)\b/,
  ],
  [
    'ignition',
    /\bignition\[\d+\]|Ignition (?:\d|\(\w+\))|GET https:\/\/\S+:22623\/config\/|machine-config-server/,
  ],
  [
    'kiam-agent',
    /kiam.?agent|"msg":\s*"(?:configuring iptables|undoing iptables changes|error creating server gateway|error finding role for pod)|"path":\s*"\/latest\/meta-data\/iam\/security-credentials|"pod\.ip":/,
  ],
  ['kiam-server', /\bkiam-server-\w+|processing pod update|announced=(?:true|false)/],
  ['kube2iam', /kube2iam|"?ns\.name"?[:=]|"?req\.path"?[:=]/],
  ['pod-identity-agent', /eks-pod-identity-agent|Calling EKS Auth|AssumeRoleForPodIdentity/],
  ['pod-identity-webhook', /amazon-eks-pod-identity-webhook|pod-identity-webhook/],
  [
    'calico-node',
    /calico-node|\bfelix\b|\bbird6?: |confd\[\d+\]|\[(?:INFO|WARNING|ERROR|FATAL)\]\[\d+\] /,
  ],
  ['csi-driver', /ebs\.csi\.aws\.com|efs\.csi\.aws\.com/],
  ['coredns', /\[(?:INFO|ERROR|WARNING)\] (?:plugin\/|SERVFAIL|Reloading|127\.0\.0\.1)|CoreDNS-\d/],
  [
    'authenticator',
    /"?msg"?[=:]"?access (?:denied|granted)|aws-iam-authenticator|authenticator-[0-9a-f]{32}/,
  ],
  ['audit', /"kind":\s*"Event".*"auditID"|"auditID":/],
  [
    'kops-controller',
    /kops-controller|bootstrap failed to build node config|getting node config for &\{|"\/bootstrap"|bootstrap request/,
  ],
  [
    'aws-message',
    /StatusReason|Launching a new EC2 instance|health\.issues|AsgInstanceLaunchFailures|NodeCreationFailure/,
  ],
  [
    'terraform',
    // Runtimes and kubectl say “Error: failed to create …” and “Error: error …” too.
    /^\s*(?:│ )?Error: (?!: |error |failed to (?:create (?:containerd|pod|shim|container)|start container|generate container))|aws_eks_\w+\.|module\.[\w-]+|Resource handler returned message|CREATE_FAILED|\[✖\]/,
  ],
  [
    'client-output',
    /^(?:\$ |# )?(?:kubectl|oc|eksctl|kops|helm) |^Error from server|^The connection to the server|^error: (?:unable|You must)/,
  ],
  [
    'host-file',
    /^:(?:INPUT|FORWARD|OUTPUT|PREROUTING|POSTROUTING) (?:ACCEPT|DROP) \[|^-A (?:KUBE-|AWS-|cali|CNI-|INPUT|FORWARD|OUTPUT|PREROUTING|POSTROUTING)|^\*(?:filter|nat|mangle|raw)$|^\d+:\s+(?:not )?from \S+ .*\blookup \w+|^(?:default|\d+\.\d+\.\d+\.\d+(?:\/\d+)?) (?:via|dev) \S+|^net\.(?:ipv4|ipv6|core|bridge)\.[\w./-]+ = |^Filesystem\s+(?:Type\s+)?(?:1[KM]-blocks|Size|Inodes)\s|^\/dev\/\S+\s.*\s\d{1,3}% \/\S*\s*$/,
  ],
];

const TAG =
  /^(?:<\d+>)?(?:[A-Z][a-z]{2} +\d{1,2} (?:\d{4} )?[\d:.]+|\d{4}-\d{2}-\d{2}T[\d:.,]+(?:Z|[+-]\d{2}:?\d{2})?)\s+(?:(\S+)\s+)?([\w@.+/-]+?)(?:\[(\d+)\])?:\s/;
/** Applications print a level where syslog has the host. */
const LEVELS = new Set(['TRACE', 'DEBUG', 'INFO', 'WARN', 'WARNING', 'ERROR', 'FATAL']);
/** Its source files are named like the kubelet's. */
const CONFIG_SERVER =
  /\b(?:bootstrap_server|cluster_server)\.go:|Pool \w+ requested by address|refusing to serve bootstrap configuration/;
const CONSOLE_TAG = /^\[\s*\d+\.\d+\]\s+([\w.-]+)\[\d+\]:\s/;
const KLOG_FILE = /(?:^|[\s"\]])[IWEFD]\d{4} \d{2}:\d{2}:\d{2}\.\d+\s+\d+ ([\w.-]+)\.go:\d+\]/;
/** With --logging-format=json; other programs' records begin with their level. */
const KLOG_JSON = /^\{"ts": ?[\d.]+, ?"caller": ?"(?:[\w.-]+\/)?([\w.-]+)\.go:\d+"/;

/** What lines are that do not say so themselves. */
export interface Likely {
  readonly source: LineSource;
  /** True where the file, the unit or a header says so; false for what other lines are. */
  readonly isKnown: boolean;
}

export const NOT_KNOWN: Likely = { source: 'unknown', isKnown: false };

/** Of which program a line is; by its words alone it is a guess, which excludes nothing. */
export interface Origin extends Likely {
  /** The host of the line's syslog prefix, null without one. */
  readonly host: string | null;
}

function klogSource(text: string): LineSource | null {
  const file = (KLOG_FILE.exec(text) ?? KLOG_JSON.exec(text) ?? /^(\w+)\.go:\d+\]/.exec(text))?.[1];
  if (file === undefined) return null;
  return KLOG_FILES.find(([, files]) => files.test(file))?.[0] ?? null;
}

const PHRASE_OF: ReadonlyMap<LineSource, RegExp> = new Map(PHRASES.toReversed());

/** By its words; the program that printed the lines around it is tried first. */
function phraseSource(text: string, likely: LineSource): LineSource | null {
  if (PHRASE_OF.get(likely)?.test(text) === true) return likely;
  return PHRASES.find(([, phrase]) => phrase.test(text))?.[0] ?? null;
}

function tagSource(tag: string | undefined): LineSource | null {
  const name = tag?.split('/').at(-1) ?? '';
  return TAGS[name] ?? (name === '' ? null : 'journal');
}

/** What the syslog or console prefix of a line says. */
export interface Prefix {
  readonly host: string | null;
  /** The program, if its tag settles it; null leaves it to the words of the line. */
  readonly program: LineSource | null;
  readonly isTagged: boolean;
}

/** So much of a line's beginning tells its program. */
const HEAD_CHARACTERS = 2000;

/** The cheap part of `originOf`: most lines of a node's journal need no more. */
export function readPrefix(line: string): Prefix {
  const head = line.slice(0, HEAD_CHARACTERS);
  const tagged = TAG.exec(head);
  const isLevel = LEVELS.has(tagged?.[1] ?? '');
  const tag = isLevel ? undefined : tagged?.[2];
  const byTag = tagSource(tag ?? CONSOLE_TAG.exec(head)?.[1]);
  return {
    host: isLevel ? null : (tagged?.[1] ?? null),
    program: byTag === 'journal' ? null : byTag,
    isTagged: byTag !== null,
  };
}

/** The program that the tag or a field of a line names, whatever its words; else null. */
export function settledSource(line: string, { program }: Prefix): LineSource | null {
  const head = line.slice(0, HEAD_CHARACTERS);
  return program ?? (EVENT_ROW.test(head) ? null : callerOf(head));
}

/** Which program printed a line, by its tag, its source file or its words; and on which host. */
export function originOf(
  line: string,
  ofDocument: Likely,
  prefix: Prefix = readPrefix(line),
): Origin {
  const { host } = prefix;
  const settled = settledSource(line, prefix);
  if (settled !== null) return { source: settled, isKnown: true, host };
  // A script names the programs that it calls.
  if (ofDocument.source === 'user-data' && ofDocument.isKnown) return { ...ofDocument, host };
  const head = line.slice(0, HEAD_CHARACTERS);
  const guess = guessOf(head, ofDocument.source);
  if (guess !== null && guess !== ofDocument.source) return { source: guess, isKnown: false, host };
  return prefix.isTagged && guess === null
    ? { source: 'journal', isKnown: true, host }
    : { ...ofDocument, host };
}

function callerOf(head: string): LineSource | null {
  return CALLERS.find(([, files]) => files.test(head))?.[0] ?? null;
}

/** By its words, which others may quote or have too. */
function guessOf(head: string, likely: LineSource): LineSource | null {
  if (CONFIG_SERVER.test(head)) return 'machine-config-server';
  return klogSource(head) ?? phraseSource(head, likely);
}

/** First lines of user data: a script, cloud-config, MIME parts, NodeConfig or Bottlerocket settings. */
const USER_DATA =
  /^(?:#!\/|#cloud-config|MIME-Version: |Content-Type: multipart\/|\[settings|apiVersion: node\.eks\.aws\/)/;

/** What most lines of a document's beginning are, a guess unless its first line says so. */
export function documentSource(lines: readonly string[]): Likely {
  if (USER_DATA.test(lines.find((line) => !/^(?:---)?\s*$/.test(line)) ?? ''))
    return { source: 'user-data', isKnown: true };
  const counts = new Map<LineSource, number>();
  for (const line of lines) {
    const { source } = originOf(line, NOT_KNOWN);
    if (source !== 'unknown' && source !== 'journal')
      counts.set(source, (counts.get(source) ?? 0) + 1);
  }
  const ranked = [...counts].toSorted((a, b) => b[1] - a[1]);
  return { source: ranked[0]?.[0] ?? 'unknown', isKnown: false };
}
