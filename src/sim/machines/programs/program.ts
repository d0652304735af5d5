import type { JsonObject } from '../../../evidence/json.ts';
import type { Timer } from '../../kernel/kernel.ts';
import type { Host } from '../host.ts';
import type { MachineNetwork } from '../network/network.ts';
import type { MetadataWay } from '../network/metadata.ts';

/** What probes of a container see. */
export interface Health {
  readonly isReady: boolean;
  /** Of the probe that does not succeed. */
  readonly readyMessage: string;
  readonly isLive: boolean;
  readonly liveMessage: string;
}

/** A pod on a machine, as its programs know it. */
export interface PodPlace {
  /** `namespace/name` */
  readonly key: string;
  readonly uid: string;
  readonly isHostNetwork: boolean;
  object(): JsonObject;
  address(): string;
}

/** What machines of a hypervisor tell programs about one another. */
export interface Neighbourhood {
  /** Whether a container of such a program runs somewhere, and whether on a node's address. */
  running(program: ProgramKind): { readonly isOnHost: boolean; readonly nodeName: string } | null;
  /** Whether a container of such a program runs on that node and its program is ready. */
  runsOn(program: ProgramKind, nodeName: string): boolean;
  /** A pod by `namespace/name`, as the API server has it. */
  pod(key: string): JsonObject | null;
  /** Metadata of a namespace, of a service account; null when there is none. */
  annotation(kind: 'Namespace' | 'ServiceAccount', name: string, key: string): string | null;
  /** Another /26 of the pod network for every machine. */
  podBlock(instanceId: string): string;
}

export const PROGRAM_KINDS = [
  'application',
  'calico-node',
  'aws-node',
  'kiam-agent',
  'kiam-server',
  'kube2iam',
  'kube-proxy',
  'pod-identity-agent',
] as const;

export type ProgramKind = (typeof PROGRAM_KINDS)[number];

/** One run of one container. */
export interface ProgramRun {
  readonly host: Host;
  readonly network: MachineNetwork;
  readonly metadata: MetadataWay;
  readonly neighbours: Neighbourhood;
  readonly pod: PodPlace;
  /** Of the pod's spec. */
  readonly container: JsonObject;
  /** It is to end before the others begin. */
  readonly isInit: boolean;
  readonly nodeName: string;
  print(text: string): void;
  health(change: Partial<Health>): void;
  /** Ends this run; later calls mean nothing. */
  exit(code: number): void;
  /** Plans something that this run's end cancels. */
  after(delayMs: number, task: () => void): Timer;
}

/** Starts a program; what it returns is called when the container is told to stop or is killed. */
export type Program = (run: ProgramRun) => (how: 'stopped' | 'killed' | 'exited') => void;
