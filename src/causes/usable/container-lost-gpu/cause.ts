import { defineCause, step } from '../../../diagnosis/cause.ts';
import { context, likely } from '../../../diagnosis/sign.ts';

/** systemd wrote the cgroups of running containers again and took their GPU devices away. */
export default defineCause({
  id: 'container-lost-gpu',
  stage: 'usable',
  title: 'running containers lose their GPU when systemd reloads',
  scope: 'machine',
  signs: {
    unknownError: likely(
      ['pod-app', 'client-output', 'device-plugin', 'event', 'pod-status', 'kubelet'],
      /(?<reason>(?:initialize )?NVML: Unknown Error)\b/i,
      { anchors: ['nitialize NVML: Unknown Error', 'NVML: Unknown Error'] },
    ),
    // Rules of a device that may be made and neither read nor written; 195 is NVIDIA's number.
    ruleWithoutAccess: likely(
      ['client-output', 'host-file', 'journal', 'pod-app'],
      /(?<reason>\bc 195:(?:\*|\d+) m)(?![\w])/,
      { anchors: ['c 195:'] },
    ),
    reloaded: context(
      ['journal', 'console', 'client-output'],
      /systemd\[1\]: Reloading(?:\.| requested)|systemctl daemon-reload/,
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ node, machine, reason }) =>
    `A container on ${node ?? machine ?? 'the node'} lost access to its GPU while it ran (${reason ?? 'NVML: Unknown Error'}): systemd has reloaded and dropped the devices from its cgroup. New containers get theirs.`,
  remedy: () => [
    step(
      'Delete the pods that lost theirs; they get it back when they start.',
      'kubectl -n <namespace> delete pod <pod>',
    ),
    step(
      'Make the device links that runc and systemd look for, on the machine and in the image build.',
      'sudo nvidia-ctk system create-dev-char-symlinks --create-all',
    ),
    step(
      'For good, let the device plugin hand GPUs out by CDI, or update the NVIDIA toolkit and the GPU operator.',
      'kubectl get clusterpolicies.nvidia.com -o jsonpath="{.items[*].spec.cdi}"',
    ),
  ],
  decide: step(
    'See whether systemd reloaded after the container had started.',
    'journalctl -b --no-pager | grep "Reloading" | tail -n 5; kubectl -n <namespace> get pod <pod>',
  ),
  page: {
    why: 'With the systemd cgroup driver, systemd owns the list of devices of each container. When it reloads its units (a package update, an agent, daemon-reload), it writes the list from what it knows, and devices that the NVIDIA hook added behind its back are gone.',
    prevent:
      'CDI in place of the hook, the /dev/char links in the image, and no automatic updates on GPU nodes.',
    notThis:
      'A driver that is missing says “Driver Not Loaded” or names libnvidia-ml.so (nvidia-driver-absent). A GPU that fell off the bus shows an Xid in the kernel’s log and is lost on the host too (hardware-or-kernel-fault). “Driver/library version mismatch” needs a reboot.',
    alsoKnownAs: ['Failed to initialize NVML: Unknown Error'],
    refs: [
      'https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/troubleshooting.html',
      'https://github.com/NVIDIA/nvidia-container-toolkit/issues/48',
      'https://github.com/NVIDIA/gpu-operator/issues/485',
    ],
  },
});
