import type { Container } from '../evidence/kube/pod.ts';
import type { NetworkMode } from './mode.ts';
import type { DaemonSet } from '../evidence/kube/workloads.ts';

/** The container of the VPC CNI in its DaemonSet. */
export function cniContainer(daemonSet: DaemonSet): Container | null {
  const containers = daemonSet.spec?.template?.spec?.containers ?? [];
  return containers.find((entry) => entry.name === 'aws-node') ?? null;
}

/** One variable of the VPC CNI, null when the DaemonSet does not set it. */
export function cniVariable(daemonSet: DaemonSet, name: string): string | null {
  const entry = cniContainer(daemonSet)?.env?.find((one) => one.name === name);
  return entry?.value ?? null;
}

function isOn(daemonSet: DaemonSet, name: string): boolean {
  return /^(?:true|1|t)$/i.test(cniVariable(daemonSet, name) ?? '');
}

function maxEniOf(daemonSet: DaemonSet): number | null {
  const count = Number(cniVariable(daemonSet, 'MAX_ENI') ?? Number.NaN);
  return Number.isInteger(count) && count > 0 ? count : null;
}

/** The release in an image: `v1.23.1` of `…/amazon-k8s-cni:v1.23.1-eksbuild.1`. */
function cniRelease(daemonSet: DaemonSet): string | null {
  const image = cniContainer(daemonSet)?.image ?? '';
  return /:(v\d+\.\d+\.\d+)/.exec(image)?.[1] ?? null;
}

/** How the DaemonSet `aws-node` gives addresses, by its environment (amazon-vpc-cni-k8s README). */
export function networkModeOf(daemonSet: DaemonSet): NetworkMode {
  const prefix = isOn(daemonSet, 'ENABLE_PREFIX_DELEGATION');
  const ipv6 = isOn(daemonSet, 'ENABLE_IPv6');
  return {
    addressing: ipv6 ? 'ipv6' : prefix ? 'prefix' : 'secondary',
    customNetworking: isOn(daemonSet, 'AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG'),
    podEni: isOn(daemonSet, 'ENABLE_POD_ENI'),
    maxEni: maxEniOf(daemonSet),
    cniVersion: cniRelease(daemonSet),
  };
}
