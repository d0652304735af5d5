import type { AwsFacts } from './aws/shapes.ts';
import type { KubeFacts, KubeKind } from './kube/shapes.ts';
import type { KubeadmGiven } from './kubeadm.ts';
import type { UserData } from './user-data.ts';

export interface KubeCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** ms since the epoch, null when the source does not say. */
  readonly changedMs: number | null;
  readonly heartbeatMs: number | null;
}

export interface KubeTaint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
  /** When it was put there, null when the source does not say; ms since the epoch. */
  readonly addedMs: number | null;
}

/** A Node as any source shows it; null and empty mean that the source has no such column. */
export interface KubeNode {
  readonly name: string;
  readonly uid: string | null;
  readonly providerId: string | null;
  readonly internalIp: string | null;
  readonly hostname: string | null;
  readonly internalDns: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** Of a source that shows some labels only, those that it shows to be absent; undefined where all are shown. */
  readonly absentLabels?: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
  /** null when the source (`kubectl get nodes`) shows no taints at all. */
  readonly taints: readonly KubeTaint[] | null;
  readonly unschedulable: boolean | null;
  readonly conditions: readonly KubeCondition[];
  /** Ready condition: true, false, or null for Unknown and for sources that do not say. */
  readonly ready: boolean | null;
  readonly kubeletVersion: string | null;
  readonly ageMs: number | null;
  /** Creation of the object, ms since the epoch; null in tables, which show an age only. */
  readonly createdMs: number | null;
  readonly allocatable: Readonly<Record<string, string>>;
  readonly capacity: Readonly<Record<string, string>>;
  readonly podCidr: string | null;
  /** /etc/machine-id of the machine, null when the source does not show it. */
  readonly machineId: string | null;
  readonly osImage: string | null;
  /** Who last wrote `spec.taints`, by managedFields; empty when the source does not show them. */
  readonly taintWriters: readonly KubeWriter[];
  /** Who last wrote `spec.unschedulable`, by managedFields; empty when the source does not show them. */
  readonly cordonWriters: readonly KubeWriter[];
  /** When its deletion was asked for (`metadata.deletionTimestamp`), ms since the epoch; null when it was not. */
  readonly deletionAskedMs: number | null;
}

export interface KubeWriter {
  readonly manager: string;
  /** ms since the epoch, null when not told. */
  readonly atMs: number | null;
}

export interface AwsAuthEntry {
  readonly arn: string;
  readonly username: string | null;
  readonly groups: readonly string[];
}

/** The aws-auth ConfigMap as the authenticator would understand it. */
export interface AwsAuth {
  readonly roles: readonly AwsAuthEntry[];
  readonly users: readonly AwsAuthEntry[];
  /** Why mapRoles or mapUsers cannot be parsed, null when they can. */
  readonly malformed: string | null;
}

/** The ConfigMap kube-public/cluster-info, from which kubeadm learns whom to trust. */
export interface JoinDiscovery {
  /** Public parts of the bootstrap tokens whose signature it carries. */
  readonly signedBy: readonly string[];
}

/** What the own files and programs of a machine say of it. */
export const HOST_KINDS = ['host/clock', 'host/dhcp-lease'] as const;

export type HostKind = (typeof HOST_KINDS)[number];

export function isHostKind(text: string): text is HostKind {
  return (HOST_KINDS as readonly string[]).includes(text);
}

/** A machine's clock as one program on it saw it. */
export interface HostClock {
  /** How far it is ahead of the true time, ms, negative when behind; null when it was not measured. */
  readonly aheadMs: number | null;
  /** Whether a time service keeps it right; null when the program does not say. */
  readonly isSynchronised: boolean | null;
}

/** What a DHCP server gave one interface of a machine, by the lease that counts now. */
export interface DhcpLease {
  readonly interface: string | null;
  readonly address: string;
  /** `domain-name` as given; empty when none was given, null when the file shows no options. */
  readonly domainName: string | null;
  readonly hostName: string | null;
  readonly dnsServers: readonly string[];
}

type ObjectFacts = { readonly [K in KubeKind as `kube/${K}`]: KubeFacts[K] };

/** Every kind of fact and the shape of its value. */
export interface FactTypes extends AwsFacts, ObjectFacts {
  readonly 'kube/Node': KubeNode;
  readonly 'kube/aws-auth': AwsAuth;
  readonly 'kube/cluster-info': JoinDiscovery;
  /** Of plans alone. */
  readonly 'kube/kubeadm': KubeadmGiven;
  readonly 'aws/user-data': UserData;
  readonly 'host/clock': HostClock;
  readonly 'host/dhcp-lease': DhcpLease;
}

export type FactKind = keyof FactTypes;
