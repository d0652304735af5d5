/** Probes by the names that people give. */
export const PROBE_NAMES = [
  'api-server',
  'dns',
  'pod-network',
  'metadata',
  'identity',
  'csi',
  'image-path',
  'clock',
  'disk',
  'kubelet',
  'interruption',
] as const;

export type ProbeName = (typeof PROBE_NAMES)[number];

/** Those that need no privilege and no setting. */
export const DEFAULT_PROBES: readonly ProbeName[] = ['api-server', 'dns', 'pod-network', 'clock'];
