import { CONTROL_PLANE, missing, missingOnPath } from './parts.ts';

/** Why a join cannot run on real parts here; false where it can. */
export const JOIN_PARTS_MISSING =
  process.getuid?.() === 0
    ? missing(
        ...CONTROL_PLANE,
        'kube-controller-manager',
        'kube-scheduler',
        'moto',
        '1.34.3',
        'kubelet',
        'kubeadm',
      ) || missingOnPath('unshare', 'containerd')
    : 'machines of their own need root; run the test as root';
