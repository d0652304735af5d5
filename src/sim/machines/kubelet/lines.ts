import { type Host, noteKlog } from '../host.ts';
import { type KlogValue, type Severity, structured } from '../logs/klog.ts';

/** Places of kubelet 1.34 to 1.36 where its lines come from, as captured from real runs. */
const PLACES = {
  version: 'server.go:529',
  mainLoop: 'kubelet.go:2480',
  attempting: 'kubelet_node_status.go:75',
  registered: 'kubelet_node_status.go:78',
  unableToRegister: 'kubelet_node_status.go:108',
  unableToRegisterExisting: 'kubelet_node_status.go:114',
  previouslyRegistered: 'kubelet_node_status.go:132',
  statusRetry: 'kubelet_node_status.go:479',
  statusGivenUp: 'kubelet_node_status.go:465',
  ensureLease: 'controller.go:201',
  fastReport: 'kubelet_node_status.go:501',
  updateLease: 'controller.go:251',
  leaseOwner: 'nodelease.go:50',
  watch: 'reflector.go:227',
  nodeNotFound: 'kubelet_node_status.go:404',
  runtimeNotReady: 'kubelet.go:2902',
  syncAdd: 'kubelet.go:2537',
  syncDelete: 'kubelet.go:2553',
  syncRemove: 'kubelet.go:2547',
  syncProbe: 'kubelet.go:2658',
  podStartup: 'pod_startup_latency_tracker.go:140',
  // As a log of an earlier release has it; 1.34 says it in a file of its own.
  admission: 'kubelet.go:2357',
  podError: 'pod_workers.go:1324',
  runtimeCall: 'log.go:32',
  probe: 'prober.go:120',
  rotation: 'certificate_manager.go:596',
  shutdown: 'nodeshutdown_manager_linux.go:265',
} as const;

export type KubeletPlace = keyof typeof PLACES;

/** One process of the kubelet as it writes into the journal. */
export interface KubeletLog {
  readonly pid: number;
  line(
    severity: Severity,
    place: KubeletPlace,
    message: string,
    values?: Readonly<Record<string, KlogValue>>,
  ): void;
  /** A value that the program prints as it stands, without quoting. */
  raw(severity: Severity, place: KubeletPlace, message: string): void;
}

export function kubeletLog(host: Host, pid: number): KubeletLog {
  const raw: KubeletLog['raw'] = (severity, place, message) =>
    noteKlog(host, { unit: 'kubelet', pid, severity, place: PLACES[place] }, message);
  return {
    pid,
    line: (severity, place, message, values = {}) =>
      raw(severity, place, structured(message, values)),
    raw,
  };
}

/** The kubelet's own cache does not have its Node. */
export function sayNodeNotFound(log: KubeletLog, nodeName: string): void {
  const err = `node ${JSON.stringify(nodeName)} not found`;
  log.line('E', 'nodeNotFound', 'Error getting the current node from lister', { err });
}
