/** A container whose log is read. */
export interface LogTarget {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** The Node it runs on. */
  readonly node: string | null;
  /** True for the log of the run before, of containers that crash. */
  readonly previous: boolean;
}

/** Calls that exist only for one machine, for those machines that stand for the others. */
export interface DetailTarget {
  readonly instanceIds: readonly string[];
  readonly logs: readonly LogTarget[];
  /** Roles that failing pods are to have, whose trust policies are read. */
  readonly roleNames: readonly string[];
  /** VPCs of machines without Node, whose private hosted zones are read. */
  readonly vpcIds: readonly string[];
  /** What AWS is asked of the identities of machines and pods that do not work. */
  readonly identity: IdentityTarget;
  /** Instances that ended or were stopped, of which CloudTrail is asked who did it. */
  readonly trailIds: readonly string[];
  /** True where machines may join by kubeadm, whose discovery starts in kube-public. */
  readonly isDiscoveryRead: boolean;
}

/** What is asked of the identities of machines and pods that do not work. */
export interface IdentityTarget {
  /** Instances whose profile may be on its way to them. */
  readonly instanceIds: readonly string[];
  /** Roles of machines and of the cluster, whose inline policies are read. */
  readonly roleNames: readonly string[];
  /** ARNs of attached policies that are not AWS's own. */
  readonly policyArns: readonly string[];
  readonly associations: readonly AssociationTarget[];
  /** ARNs of the IAM OIDC providers of the cluster's issuer. */
  readonly providerArns: readonly string[];
  /** True where an image of ECR is not pulled. */
  readonly isRegistryAsked: boolean;
}

/** A Pod Identity association of a pod that does not work. */
export interface AssociationTarget {
  readonly clusterName: string;
  readonly associationId: string;
}
