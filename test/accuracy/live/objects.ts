/** Events, ConfigMaps and namespaces. */
import { textAt } from '../../../src/evidence/json.ts';
import type { KubeObject } from '../../../src/sim/kube/contract.ts';
import { DAY, type Scene } from './scene.ts';

export function putConfigMap(
  scene: Scene,
  name: string,
  data: Readonly<Record<string, string>>,
  namespace = 'kube-system',
): void {
  const metadata = { name, namespace };
  scene.put(60 * DAY, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
}

export function putNamespace(
  scene: Scene,
  name: string,
  annotations: Readonly<Record<string, string>> = {},
): void {
  scene.put(60 * DAY, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, annotations } });
}

interface EventOptions {
  readonly minutes: number;
  /** The first time, as long ago as the last unless given. */
  readonly firstMinutes?: number;
  readonly count?: number;
  readonly type?: 'Warning' | 'Normal';
  readonly component?: string;
}

/** What is told of an object. */
export function putEvent(
  scene: Scene,
  about: KubeObject,
  [reason, message]: readonly [reason: string, message: string],
  {
    minutes,
    firstMinutes = minutes,
    count = 1,
    type = 'Warning',
    component = 'kubelet',
  }: EventOptions,
): void {
  const name = textAt(about, 'metadata.name') ?? '';
  const namespace = textAt(about, 'metadata.namespace');
  scene.put(firstMinutes, {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name: `${name}.${Math.round(minutes * 60_000)
        .toString(16)
        .padStart(16, '0')}`,
      namespace: namespace ?? 'default',
    },
    involvedObject: {
      apiVersion: about['apiVersion'] ?? 'v1',
      kind: about['kind'] ?? '',
      name,
      uid: textAt(about, 'metadata.uid') ?? name,
      ...(namespace === null ? {} : { namespace }),
    },
    reason,
    message,
    type,
    count,
    firstTimestamp: scene.ago(firstMinutes),
    lastTimestamp: scene.ago(minutes),
    source: { component },
    reportingComponent: component,
  });
}
