/** Who decides about a Node's cloud side. */
export type CloudProvider =
  /** `--cloud-provider=aws`: kubelet and controller ask EC2 themselves; gone in Kubernetes 1.27. */
  | { readonly kind: 'in-tree' }
  /** `--cloud-provider=external` with the AWS cloud controller; its version when it is known. */
  | { readonly kind: 'external'; readonly controllerVersion: string | null }
  | { readonly kind: 'none' };

/** Families of machine images by the rule that names their nodes. */
export type ImageFamily =
  | 'al2'
  | 'al2023'
  | 'bottlerocket'
  | 'ubuntu'
  | 'windows'
  | 'rhel'
  | 'openshift4'
  | 'openshift3'
  | 'kops'
  | 'flatcar'
  | 'eks-auto'
  | 'fargate'
  | 'hybrid'
  | 'other';

/** What is set on the image itself; a missing key is not known. */
export interface ImageOptions {
  /** Feature gate `InstanceIdNodeName` of nodeadm. */
  readonly instanceIdNodeName?: boolean;
  /** `settings.kubernetes.hostname-override-source` of Bottlerocket. */
  readonly hostnameOverrideSource?: 'private-dns-name' | 'instance-id';
  /** `spec.cloudProvider.aws.useIPBasedNodeNames` of kOps. */
  readonly ipBasedNodeNames?: boolean;
  readonly kopsVersion?: string;
  readonly hybridCredentials?: 'ssm' | 'roles-anywhere';
  /** `nodeName` of an OpenShift 3 or hybrid node's configuration. */
  readonly configuredName?: string | null;
}

/**
 * What is known of a machine before it gets its name. A missing key is not known; null and the
 * empty text were looked for and are not there.
 */
export interface NamingInput {
  readonly image: ImageFamily | null;
  readonly cloudProvider: CloudProvider | null;
  /** Such as `v1.29.3-eks-ae9a62a`. */
  readonly kubeletVersion: string | null;
  readonly options?: ImageOptions;
  readonly hostnameOverride?: string | null;
  readonly osHostname?: string | null;
  readonly instanceId?: string;
  readonly privateIp?: string;
  readonly region?: string;
  /** As DescribeInstances has it. */
  readonly privateDnsName?: string | null;
  readonly hostnameType?: 'ip-name' | 'resource-name';
  readonly imdsLocalHostname?: string | null;
  /** `domain-name` of the DHCP option set; several are apart by spaces. */
  readonly dhcpDomain?: string | null;
  /** `enableDnsHostnames` of the VPC; without it EC2 gives no private DNS name. */
  readonly dnsHostnames?: boolean;
  /** `enableDnsSupport` of the VPC; without it no name resolves. */
  readonly dnsSupport?: boolean;
  /** `spec.providerID` as the kubelet or somebody else sets it. */
  readonly providerId?: string | null;
  /** The instance carries the tag of the cluster. */
  readonly clusterTag?: boolean;
}

/** A sentence and where its rule is written. */
export interface Reason {
  readonly text: string;
  readonly source: string;
}

export interface Collect {
  readonly text: string;
  readonly command: string;
}

/** Where a machine will be launched, and from which image. */
export interface LaunchPlace {
  readonly subnetId: string | null;
  readonly imageId: string | null;
}
