/**
 * One value of a configuration file: null where the file does not set it, undefined where it sets
 * what a program fills in before kubeadm reads it.
 */
export type Filled<T> = T | null | undefined;

/** How a JoinConfiguration finds the cluster. */
export interface JoinGiven {
  /** The version of kubeadm's API that it is written in, as `v1beta3`. */
  readonly apiVersion: string;
  /** True where it shows the key `discovery`; a document without it may be an excerpt. */
  readonly hasDiscovery: boolean;
  readonly hasFile: boolean;
  readonly hasToken: boolean;
  /** Whether the token has the form of one; undefined where it is filled in later. */
  readonly isTokenWhole: Filled<boolean>;
  readonly endpoint: Filled<string>;
  /** Whether each hash has the form of one; null where it gives none. */
  readonly areHashesWhole: Filled<boolean>;
  readonly isUnsafe: boolean;
  /** False where its extra arguments have the form of another version of the API. */
  readonly hasArgumentsOfItsVersion: boolean;
}

/** What a ClusterConfiguration and an InitConfiguration give for the control plane. */
export interface ControlPlaneGiven {
  readonly clusterName: string | null;
  readonly version: Filled<string>;
  readonly endpoint: Filled<string>;
  readonly podSubnet: Filled<string>;
  readonly serviceSubnet: Filled<string>;
  readonly dnsDomain: Filled<string>;
  /** Undefined where some are filled in later. */
  readonly certificateNames: readonly string[] | undefined;
  readonly advertiseAddress: Filled<string>;
  readonly nodeName: Filled<string>;
}

/** What a KubeletConfiguration gives. */
export interface KubeletGiven {
  readonly cgroupDriver: Filled<string>;
  readonly clusterDns: readonly string[];
  readonly featureGates: readonly string[];
  readonly registersNode: boolean | null;
}

/** A nodeRegistration of kubeadm. */
export interface RegistrationGiven {
  /** The kind of the document that it is in. */
  readonly of: string;
  readonly name: Filled<string>;
  readonly criSocket: Filled<string>;
  /** Arguments of the kubelet by their names, with the values of those that causes read. */
  readonly flags: Readonly<Record<string, Filled<string>>>;
}

/** What kubeadm is given on a machine, by its configuration files. */
export interface KubeadmGiven {
  /** The launch template whose user data holds it, null for a file. */
  readonly template: string | null;
  /** The documents that there are. */
  readonly kinds: readonly string[];
  readonly join: JoinGiven | null;
  readonly controlPlane: ControlPlaneGiven | null;
  readonly kubelet: KubeletGiven | null;
  readonly registrations: readonly RegistrationGiven[];
  /** The cgroup driver that the user data around it gives containerd, null where it gives none. */
  readonly runtimeDriver: string | null;
}
