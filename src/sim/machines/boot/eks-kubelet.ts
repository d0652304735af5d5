import { HOST_NETWORK_PODS } from '../../../capacity/eni.ts';
import { isAtLeast } from '../../../domain/version.ts';
import { knownType } from '../../../capacity/known-type.ts';
import type { Host } from '../host.ts';
import { type KubeletConfig, PLAIN_KUBELET, withFlags } from '../kubelet/config.ts';

/** `shutdownGracePeriod` of nodeadm for 1.34 and later (amazon-eks-ami, nodeadm). */
const GRACE_MS = 150_000;

/** The kubelet of an EKS image, before what the user adds. */
export function eksKubelet(
  host: Host,
  nodeName: string,
  { flags, maxPods }: { readonly flags: string; readonly maxPods: number | null },
): KubeletConfig {
  const instance = host.instance();
  return withFlags(
    {
      ...PLAIN_KUBELET,
      hostnameOverride: nodeName,
      cloudProvider: 'external',
      providerId: host.settings.hasProviderId
        ? `aws:///${instance.zone}/${instance.instanceId}`
        : null,
      nodeIp: instance.privateIp,
      maxPods: maxPods ?? maxPodsOf(instance.instanceType),
      credential: 'aws-token',
      asksServingCertificate: true,
      shutdownGraceMs: isAtLeast(host.settings.kubernetesVersion, '1.34.0') ? GRACE_MS : 0,
    },
    flags,
  );
}

/** `enis x (addresses - 1) + 2` of the image's table; a type that it lacks gets 110. */
function maxPodsOf(instanceType: string): number {
  const type = knownType(instanceType, []);
  return type === null ? 110 : type.enis * (type.ipv4PerEni - 1) + HOST_NETWORK_PODS;
}
