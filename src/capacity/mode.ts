/** How the Amazon VPC CNI gives addresses to pods, as its environment says. */
export interface NetworkMode {
  /**
   * `secondary`: single IPv4 addresses · `prefix`: /28 blocks (ENABLE_PREFIX_DELEGATION) ·
   * `ipv6`: one /80 block (ENABLE_IPv6).
   */
  readonly addressing: 'secondary' | 'prefix' | 'ipv6';
  /** AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG: the primary interface gives pods no address. */
  readonly customNetworking: boolean;
  /** ENABLE_POD_ENI: a trunk interface takes one place on the default card. */
  readonly podEni: boolean;
  /** MAX_ENI, null when it is not set. */
  readonly maxEni: number | null;
  /** Release of amazon-vpc-cni-k8s, such as `v1.19.2-eksbuild.1`; null is not known. */
  readonly cniVersion: string | null;
}

/** The manifest as it comes: single addresses, no custom networking, no trunk. */
export const DEFAULT_MODE: NetworkMode = {
  addressing: 'secondary',
  customNetworking: false,
  podEni: false,
  maxEni: null,
  cniVersion: null,
};

/** Warm targets of ipamd; null is not set in the manifest. */
export interface WarmTargets {
  readonly warmEniTarget: number;
  readonly warmIpTarget: number | null;
  readonly minimumIpTarget: number | null;
  readonly warmPrefixTarget: number;
}

/**
 * What the manifest of amazon-vpc-cni-k8s sets (config/master/aws-k8s-cni.yaml, v1.23.1):
 * WARM_ENI_TARGET=1, WARM_PREFIX_TARGET=1, the two address targets unset.
 */
export const MANIFEST_TARGETS: WarmTargets = {
  warmEniTarget: 1,
  warmIpTarget: null,
  minimumIpTarget: null,
  warmPrefixTarget: 1,
};
