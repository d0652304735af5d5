import type { JoinTools } from '../../controllers/join/supervisor.ts';
import type { TrueInstance } from '../aws/contract.ts';
import type { KubeletPage } from '../kube/hooks.ts';

/** A line of a machine's journal. */
export interface JournalLine {
  /** By the machine's own clock, ms since the Unix epoch. */
  readonly atMs: number;
  /** Identifier as journald prints it: `kubelet`, `containerd`, `cloud-init`, `kernel`. */
  readonly unit: string;
  /** 0 for the kernel. */
  readonly pid: number;
  readonly message: string;
  /** The name that the machine had then. */
  readonly hostname: string;
}

export interface JournalFilter {
  /** Only lines of these identifiers. */
  readonly units?: readonly string[];
  /** Only lines from this moment on, by the machine's clock. */
  readonly sinceMs?: number;
  /** As `journalctl -o` has it; without, `short-iso`. */
  readonly format?: 'short' | 'short-iso' | 'short-precise';
}

/** How a command that ran on a machine ended. */
export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What ails a machine, until it is taken back. */
export type MachineFault =
  /** The container runtime answers nothing; calls to it end after their own time limit. */
  | { readonly kind: 'containerd-hung' }
  /** The kubelet stands still without being gone: no lease, no status, no pods. */
  | { readonly kind: 'kubelet-hung' }
  /** The wall clock is off by so much. */
  | { readonly kind: 'clock-skew'; readonly skewMs: number }
  /** The system keeps local time: journald and programs of the host write their stamps in it. */
  | { readonly kind: 'local-time'; readonly zone: Zone }
  /** Packets to this destination are lost without an answer. */
  | { readonly kind: 'black-hole'; readonly destination: Destination }
  /** Images are not to be had; `only` limits it to names that contain it. */
  | { readonly kind: 'image-pull'; readonly message: string; readonly only?: string }
  /** The agent that hands out credentials ends right after each start. */
  | { readonly kind: 'agent-crash'; readonly image: string }
  /**
   * A DNAT rule of iptables: without effect, as it is gone or another one stands before it, or there
   * twice, so that one of the two stays when whoever made it takes it away.
   */
  | { readonly kind: 'nat-rule'; readonly of: 'metadata' | 'services'; readonly state: RuleState }
  /** The agent that hands out credentials takes requests, and answers none. */
  | { readonly kind: 'agent-idle' }
  /** Connections of pods to the metadata service pass by the rule and stay open. */
  | { readonly kind: 'old-connections' }
  /** The root file system is full: images are refused and the node has disk pressure. */
  | { readonly kind: 'disk-full' };

export type RuleState = 'without-effect' | 'double';

/** Local time, by how many minutes it is ahead of UTC. */
export interface Zone {
  readonly minutes: number;
  /** From this moment of the machine's wall clock on it is ahead by as many instead. */
  readonly change?: { readonly atMs: number; readonly minutes: number };
}

/** Where a machine's packets go to. */
export type Destination =
  | 'api-server'
  | 'service-network'
  | 'imds'
  | 'aws-api'
  | 'registry'
  | 'other-nodes';

/** Which AWS identity a pod acts with at a moment. */
export type SeenIdentity = 'own-role' | 'node-role' | 'other-role' | 'none';

/** How long a pod acted with which identity, and what it cost. */
export interface IdentityAccount {
  /** `namespace/name`. */
  readonly pod: string;
  readonly podUid: string;
  readonly nodeName: string;
  /** ARN or name of the role that the pod was meant to have. */
  readonly wantedRole: string;
  /** What it has now; `none` when it has ended. */
  readonly now: SeenIdentity;
  /** Seconds as each one, from the start of its containers on. */
  readonly seconds: Readonly<Record<SeenIdentity, number>>;
  /** Requests made to AWS, and those refused because of a wrong or missing identity. */
  readonly requests: number;
  readonly requestsLost: number;
}

export type UnitState = 'absent' | 'running' | 'stopped' | 'crash-loop' | 'hung';

/** One computer of the world, from power-on to termination; its files outlive it. */
export interface SimulatedMachine {
  readonly instanceId: string;
  /** What `hostname` prints; null before the system has one. */
  hostname(): string | null;
  /** The name by which the kubelet knows its Node; null while it has none. */
  nodeName(): string | null;
  isOn(): boolean;
  /** When it was switched on last, true time, ms since the Unix epoch. */
  bootedMs(): number;
  /** The machine's wall clock, ms since the Unix epoch. */
  nowMs(): number;
  /** Of `kubelet`, `containerd`, `nodeadm-config`, … */
  unit(name: string): UnitState;

  journal(): readonly JournalLine[];
  /** What `journalctl` prints. */
  journalText(filter?: JournalFilter): string;
  /** By absolute path. Text as it stands there by now; large logs keep their latest lines. */
  files(): ReadonlyMap<string, string>;
  /**
   * What a container printed, each line as `kubectl logs --timestamps` has it.
   *
   * @param pod `namespace/name`
   * @returns null for a container that never ran here
   */
  podLogs(pod: string, container: string, options?: PodLogOptions): readonly PodLogLine[] | null;
  /** What the log collector of EKS would put in its archive: names and texts. */
  collect(): readonly { readonly name: string; readonly text: string }[];

  /**
   * What the kubelet serves of its machine's logs.
   *
   * @param path what follows `/logs`
   */
  servedLog(path: string, query: Readonly<Record<string, string>>): KubeletPage;

  startKubelet(): void;
  stopKubelet(): void;
  restartKubelet(): void;
  reboot(): void;
  /**
   * Runs a command line as root: `kubeadm join …`, `kubeadm reset -f`, `systemctl restart kubelet`,
   * `hostnamectl set-hostname NAME`, `reboot`, `journalctl -u kubelet`, `cat FILE`; several with
   * `&&` or `;`. A command that is not known ends with 127.
   *
   * @param onDone called in the event in which the last one ends; at once where it takes no time
   */
  run(command: string, onDone?: (result: CommandResult) => void): void;

  /** @returns what takes the fault back */
  break(fault: MachineFault): () => void;
  /** The identity that the pod's next request to AWS carries; null for a pod that is not here. */
  credentialsAsSeenBy(pod: string): SeenIdentity | null;
}

export interface PodLogOptions {
  /** Of the instance before the last restart. */
  readonly previous?: boolean;
}

export interface PodLogLine {
  readonly atMs: number;
  readonly text: string;
}

/** All machines of a world: those of EC2 by themselves, others by `add`. */
export interface Hypervisor {
  machine(instanceId: string): SimulatedMachine | null;
  /** The machine whose kubelet goes by this name, the latest one of several. */
  machineOfNode(nodeName: string): SimulatedMachine | null;
  machines(): readonly SimulatedMachine[];
  /** Of every pod that was meant to have a role, in the order in which they started. */
  identities(): readonly IdentityAccount[];
}

/** What differs between the machines of one hypervisor. */
export interface MachineTraits {
  readonly image?: 'ubuntu' | 'al2' | 'al2023';
  /** Time from running to the first line of user data. */
  readonly bootTime?: Spread;
  /** The name that the machine gives itself at its first boot, instead of its image's choice. */
  readonly hostname?: string;
  /** False where the kubelet is not told its providerID; true without. */
  readonly hasProviderId?: boolean;
  /** Flags of the kubelet, as `/etc/default/kubelet` of the image has them. */
  readonly kubeletExtraArgs?: string;
  readonly clockSkewMs?: number;
}

/** How much time passes between two steps; a log-normal around the median. */
export interface Spread {
  readonly medianMs: number;
  /** Deviation of the logarithm; 0 for always the same. */
  readonly sigma: number;
}

export interface HypervisorOptions {
  readonly clusterName: string;
  /** Of the API server, as kubelets and kubeadm are told. */
  readonly endpoint: string;
  /** `10.96.0.1` with kubeadm, `172.20.0.1` on EKS: the service address of the API server. */
  readonly serviceAddress: string;
  /** As `kubectl version` prints it: `v1.34.2`. */
  readonly kubernetesVersion: string;
  /** `enableSystemLogQuery` of the kubelets; false without. */
  readonly servesJournals?: boolean;
  /** Of images without user data of a known kind, which then run it as a script. */
  readonly image?: 'ubuntu' | 'al2' | 'al2023';
  /** What the DHCP option set says; without, the domain of EC2. */
  readonly dhcpDomain?: string;
  /** `ready-made` where the image has a pod network that needs no DaemonSet; `daemonset` without. */
  readonly podNetwork?: 'ready-made' | 'daemonset';
  /** `ready-made` where service addresses are translated without a pod of kube-proxy. */
  readonly kubeProxy?: 'ready-made' | 'daemonset';
  /** What differs by machine. */
  readonly traits?: (instance: TrueInstance) => MachineTraits;
  /** Time from running to the first line of cloud-init; 12 s around without. */
  readonly bootTime?: Spread;
  /** Time until calico has programmed the routes of a new node; 70 s without. */
  readonly calicoRouteTime?: Spread;
  /** Time until kube-proxy has translated the service addresses of a new node; 4 s without. */
  readonly kubeProxyTime?: Spread;
  /** Time from one watch event to the kubelet's seeing it; 30 ms around without. */
  readonly watchDelay?: Spread;
  /** Requests per second that a pod with a role makes to AWS; 5 without. */
  readonly requestsPerSecond?: number;
  /** Deviation of a machine's wall clock from true time, ms, drawn once; 0 without. */
  readonly clockSkewMs?: number;
  /** Stands between `rollcall join` and its ports at each of its starts; nothing without. */
  readonly joinTools?: JoinTurn;
}

/** Ports of a join that fail, are watched, or have a mistake in them. */
export type JoinTurn = (tools: JoinTools, instanceId: string) => JoinTools;
