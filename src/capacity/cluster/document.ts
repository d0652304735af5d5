import type { Capacity } from '../capacity.ts';
import type { OwnerShare } from '../../domain/network/interfaces.ts';
import type { LeakedInterface } from '../leaks.ts';

/** How the CNI gives addresses, as its DaemonSet says. */
export interface CniView {
  readonly state: 'seen' | 'absent' | 'unknown';
  readonly addressing: 'secondary' | 'prefix' | 'ipv6';
  readonly customNetworking: boolean;
  readonly podEni: boolean;
  readonly maxEni: number | null;
  readonly version: string | null;
  readonly warmEniTarget: number;
  readonly warmIpTarget: number | null;
  readonly minimumIpTarget: number | null;
  readonly warmPrefixTarget: number;
}

export interface GroupName {
  readonly kind: 'NodeGroup' | 'AutoScalingGroup' | 'NodePool' | 'none';
  readonly name: string;
}

/** One Node; null is not known. */
export interface NodeCapacity {
  readonly name: string;
  readonly instanceId: string | null;
  readonly instanceType: string | null;
  readonly group: GroupName;
  readonly zone: string | null;
  /** The subnets from which its pods get addresses. */
  readonly subnets: readonly string[];
  /** max-pods of the kubelet, as the Node says it. */
  readonly maxPods: number | null;
  /** Pods for which its interfaces can hold addresses. */
  readonly addressPods: number | null;
  readonly recommended: number | null;
  /** Pods outside the host network that run or start there. */
  readonly pods: number | null;
  readonly enis: { readonly attached: number | null; readonly limit: number | null };
  /** Addresses that its interfaces hold for pods and no pod uses. */
  readonly warm: number | null;
  readonly problem: string | null;
}

/** Nodes of one type in one group. */
export interface GroupCapacity {
  readonly group: GroupName;
  readonly instanceType: string;
  readonly nodes: number;
  readonly maxPods: readonly number[];
  readonly addressPods: number | null;
  readonly subnets: readonly string[];
  readonly free: number | null;
  /** Further nodes of this type, full of pods, that the subnets can feed. */
  readonly moreNodes: number | null;
  readonly limit: string;
}

export interface SubnetCapacity {
  readonly id: string;
  readonly zone: string | null;
  readonly cidr: string;
  readonly usable: number;
  readonly free: number | null;
  /** Aligned /28 blocks without a used address. */
  readonly freeBlocks: number | null;
  readonly fragmentation: number | null;
  /** Addresses in use that no listed interface explains. */
  readonly unexplained: number;
  /** Addresses that nodes hold there for pods to come. */
  readonly warm: number | null;
  /** Nodes whose pods get their addresses there. */
  readonly nodes: number;
}

export interface Unseen {
  readonly what: string;
  readonly why: string;
}

/** What `rollcall capacity -o json` prints of a cluster. */
export interface CapacityDocument {
  readonly apiVersion: 'rollcall.dev/v1alpha1';
  readonly kind: 'Capacity';
  readonly cni: CniView;
  readonly nodes: readonly NodeCapacity[];
  readonly groups: readonly GroupCapacity[];
  readonly subnets: readonly SubnetCapacity[];
  readonly owners: readonly OwnerShare[];
  readonly leaked: readonly LeakView[];
  readonly withoutPodAddresses: readonly {
    readonly instanceId: string;
    readonly node: string | null;
  }[];
  readonly notObservable: readonly Unseen[];
}

export interface LeakView {
  readonly id: string;
  readonly subnet: string | null;
  readonly addresses: number;
  readonly verdict: LeakedInterface['verdict'];
  readonly because: string;
  readonly command: string;
}

/** What `rollcall capacity --type T -o json` prints before anything is launched. */
export interface CapacityPlanDocument {
  readonly apiVersion: 'rollcall.dev/v1alpha1';
  readonly kind: 'CapacityPlan';
  readonly instanceType: string;
  /** `aws`, `shipped`, or `unknown`. */
  readonly source: 'aws' | 'shipped' | 'unknown';
  readonly addressPods: number | null;
  readonly recommended: number | null;
  readonly maxPods: number | null;
  readonly arithmetic: readonly string[];
  readonly limit: { readonly factor: Capacity['factor']; readonly sentence: string };
  readonly held: {
    readonly empty: number;
    readonly first: number;
    readonly full: number;
  } | null;
  readonly mismatch: string | null;
  readonly subnets: readonly SubnetCapacity[];
  readonly moreNodes: number | null;
  readonly notObservable: readonly Unseen[];
}
