import { isAtLeast } from '../../../domain/version.ts';
import type { KubeletParts } from './parts.ts';

/** Why a kubelet cannot start on this machine, in the words with which it ends; null if it can. */
export function startProblem(parts: KubeletParts): string | null {
  const { disk, host } = parts;
  const config = parts.config();
  if (config === null)
    return 'failed to load kubelet config file, path: /var/lib/kubelet/config.yaml, error: failed to load Kubelet config file /var/lib/kubelet/config.yaml, error failed to read kubelet config file "/var/lib/kubelet/config.yaml", error: open /var/lib/kubelet/config.yaml: no such file or directory';
  if (
    config.cloudProvider === 'aws' &&
    isAtLeast(host.settings.kubernetesVersion, '1.27.0') === true
  )
    return 'failed to run Kubelet: unknown cloud provider "aws"';
  const label = Object.keys(config.nodeLabels).find(isReserved);
  if (label !== undefined)
    return `failed to validate kubelet flags: unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [${label}]`;
  if (host.faults.has('containerd-hung'))
    return 'failed to run Kubelet: validate service connection: validate CRI v1 runtime API for endpoint "unix:///run/containerd/containerd.sock": rpc error: code = DeadlineExceeded desc = context deadline exceeded';
  const hasCredential =
    config.credential === 'aws-token' || disk.certificate !== null || disk.bootstrapToken !== null;
  return hasCredential
    ? null
    : 'failed to run Kubelet: unable to load bootstrap kubeconfig: stat /etc/kubernetes/bootstrap-kubelet.conf: no such file or directory';
}

/** Prefixes that a kubelet may set for itself (k8s.io/kubelet/pkg/apis well_known_labels.go). */
const ALLOWED = /(?:^|\.)(?:kubelet|node)\.kubernetes\.io\//;
const KNOWN = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'node.kubernetes.io/instance-type',
]);

function isReserved(label: string): boolean {
  const slash = label.indexOf('/');
  const domain = label.slice(0, Math.max(0, slash));
  const isOfKubernetes = /(?:^|\.)(?:kubernetes|k8s)\.io$/.test(domain);
  return isOfKubernetes && !KNOWN.has(label) && !ALLOWED.test(label);
}
