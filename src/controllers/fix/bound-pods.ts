import { counted, shown } from '../../domain/words.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import { PODS } from '../gate/daemon-pods.ts';
import { readAll } from '../slip-ins/live.ts';
import { nameOf, type PodFacts, readPod } from '../slip-ins/pod.ts';

const SHOWN_MAX = 20;

/** The Pods that are bound to a Node and have not ended. @throws PortError */
export async function boundPods(kube: KubeApi, node: string): Promise<readonly PodFacts[]> {
  const pods = await readAll(kube, PODS, { fieldSelector: `spec.nodeName=${node}` }, readPod);
  return pods.filter(({ hasFinished }) => !hasFinished);
}

/** `shop/cart-1 of ReplicaSet cart on n1` */
export function podLine(pod: PodFacts): string {
  const { controller, nodeName } = pod;
  const owner = controller === null ? 'of nobody' : `of ${controller.kind} ${controller.name}`;
  const where = nodeName === '' ? 'not bound yet' : `on ${nodeName}`;
  return shown(`${nameOf(pod)} ${owner} ${where}`);
}

/** Pods as lines of what is taken away, the first of them where there are many. */
export function podLines(pods: readonly PodFacts[]): readonly string[] {
  const more = pods.length - SHOWN_MAX;
  const lines = pods.slice(0, SHOWN_MAX).map((pod) => `- Pod ${podLine(pod)}`);
  return more > 0 ? [...lines, `  and ${counted(more, 'Pod')} more`] : lines;
}

/** A Pod that nobody makes again; null where there is none. */
export function podOfNobody(pods: readonly PodFacts[]): PodFacts | null {
  const isLost = ({ controller, isMirror, isLeaving }: PodFacts): boolean =>
    controller === null && !isMirror && !isLeaving;
  return pods.find(isLost) ?? null;
}
