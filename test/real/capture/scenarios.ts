/** Every scenario, by the program that is broken. */
import { AWS_CLI } from './programs/aws-cli.ts';
import { CLOUD_INIT } from './programs/cloud-init.ts';
import { CLOUD_CONTROLLER } from './programs/cloud-controller.ts';
import { CONTAINERD } from './programs/containerd.ts';
import { CONTROL_PLANE_PROGRAMS } from './programs/control-plane.ts';
import { HOST_TOOLS } from './programs/host-tools.ts';
import { KUBEADM } from './programs/kubeadm.ts';
import { KUBECTL } from './programs/kubectl.ts';
import { KUBELET } from './programs/kubelet.ts';
import type { Scenario } from './scenario.ts';

export const SCENARIOS: readonly Scenario[] = [
  ...CONTAINERD,
  ...KUBECTL,
  ...CONTROL_PLANE_PROGRAMS,
  ...CLOUD_CONTROLLER,
  ...AWS_CLI,
  ...HOST_TOOLS,
  ...CLOUD_INIT,
  ...KUBELET,
  ...KUBEADM,
];
