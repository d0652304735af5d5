/** Flags that kubelets no longer know, by the minor release that dropped them. */
export const DROPPED: Readonly<Record<string, number>> = {
  'cni-bin-dir': 24,
  'cni-conf-dir': 24,
  'container-runtime': 27,
  'docker-endpoint': 24,
  'dynamic-config-dir': 24,
  'image-pull-progress-deadline': 24,
  'network-plugin': 24,
  'network-plugin-mtu': 24,
};

/** The release from which on no kubelet has a provider of AWS inside. */
export const NO_PROVIDER_SINCE = 27;

/**
 * Feature gates that kubelets no longer know, by a release that is sure not to know them: the one
 * behind the last that the list of removed gates in the documentation of Kubernetes has.
 */
export const DROPPED_GATES: Readonly<Record<string, number>> = {
  BoundServiceAccountTokenVolume: 24,
  CRIContainerLogRotation: 23,
  CSIMigration: 27,
  CSIMigrationAWS: 27,
  CSIMigrationAWSComplete: 23,
  CSIServiceAccountToken: 25,
  DynamicKubeletConfig: 26,
  EndpointSlice: 25,
  EphemeralContainers: 27,
  ExpandCSIVolumes: 27,
  ExpandInUsePersistentVolumes: 27,
  ExpandPersistentVolumes: 27,
  GenericEphemeralVolume: 25,
  HugePageStorageMediumSize: 25,
  IPv6DualStack: 25,
  LocalStorageCapacityIsolation: 27,
  NodeLease: 24,
  PodOverhead: 26,
  PodPriority: 19,
  PodShareProcessNamespace: 20,
  RotateKubeletClientCertificate: 22,
  RunAsGroup: 23,
  RuntimeClass: 25,
};
