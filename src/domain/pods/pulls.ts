import type { Pod } from '../../evidence/kube/pod.ts';

/** An image that a container waits for, and what the kubelet says of pulling it. */
export interface WaitingImage {
  readonly image: string;
  readonly message: string;
}

/** The first image of ECR that is not pulled, null where the pod waits for none. */
export function ecrImageWaiting(pod: Pod): WaitingImage | null {
  const { containerStatuses, initContainerStatuses } = pod.status ?? {};
  for (const { image, state } of [...(containerStatuses ?? []), ...(initContainerStatuses ?? [])]) {
    const isPulling = /^(?:ErrImagePull|ImagePullBackOff)$/.test(state?.waiting?.reason ?? '');
    if (isPulling && image && /\.dkr\.ecr\./.test(image))
      return { image, message: state?.waiting?.message ?? '' };
  }
  return null;
}
