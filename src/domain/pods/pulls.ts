import { listAt, textAt } from '../../evidence/json.ts';
import type { Pod } from '../../evidence/kube/pod.ts';

/** An image that a container waits for, and what the kubelet says of pulling it. */
export interface WaitingImage {
  readonly image: string;
  readonly message: string;
}

/** The first image of ECR that is not pulled, null where the pod waits for none. */
export function ecrImageWaiting(pod: Pod): WaitingImage | null {
  const statuses = ['status.containerStatuses', 'status.initContainerStatuses'];
  for (const status of statuses.flatMap((path) => listAt(pod, path))) {
    const reason = textAt(status, 'state.waiting.reason') ?? '';
    const image = textAt(status, 'image') ?? '';
    if (/^(?:ErrImagePull|ImagePullBackOff)$/.test(reason) && /\.dkr\.ecr\./.test(image))
      return { image, message: textAt(status, 'state.waiting.message') ?? '' };
  }
  return null;
}
