import { at, isObject, type Json, type JsonObject, textAt } from '../../../evidence/json.ts';
import type { MachineFiles } from '../logs/files.ts';
import type { NodeApi } from './node-api.ts';

/** `staticPodPath` of kubeadm. */
const MANIFESTS = '/etc/kubernetes/manifests/';
/** More manifests than this are no machine's. */
const MANIFESTS_MAX = 50;

export interface MirrorTask {
  readonly api: NodeApi;
  readonly files: MachineFiles;
  readonly nodeName: string;
  now(): string;
}

/** Pods of the manifests on this machine, which in this world are written in JSON. */
function staticPods(files: MachineFiles): readonly JsonObject[] {
  const paths = files.paths().filter((path) => path.startsWith(MANIFESTS));
  return paths.slice(0, MANIFESTS_MAX).flatMap((path) => {
    const pod = parsed(files.read(path) ?? '');
    return isObject(pod) && textAt(pod, 'kind') === 'Pod' ? [pod] : [];
  });
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

/** Shows the static pods of a machine to the API server. */
export class MirrorPods {
  readonly #task: MirrorTask;
  #revision = -1;

  constructor(task: MirrorTask) {
    this.#task = task;
  }

  /** One may be gone on the server. */
  forget(): void {
    this.#revision = -1;
  }

  /** Looks at the manifests when a file of the machine has changed. */
  sync(nodeUid: string): void {
    const { api, files } = this.#task;
    if (files.revision === this.#revision) return;
    this.#revision = files.revision;
    for (const pod of staticPods(files)) {
      const mirror = mirrorOf(pod, this.#task, nodeUid);
      api.ask('pods', (client) => client.create(mirror));
    }
  }
}

function mirrorOf(pod: JsonObject, task: MirrorTask, nodeUid: string): JsonObject {
  const { nodeName } = task;
  const hash = hashOf(JSON.stringify(pod));
  const labels = at(pod, 'metadata.labels');
  const spec = at(pod, 'spec');
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${textAt(pod, 'metadata.name')}-${nodeName}`,
      namespace: textAt(pod, 'metadata.namespace') ?? 'default',
      ...(isObject(labels) ? { labels } : {}),
      annotations: {
        'kubernetes.io/config.hash': hash,
        'kubernetes.io/config.mirror': hash,
        'kubernetes.io/config.seen': task.now(),
        'kubernetes.io/config.source': 'file',
      },
      ownerReferences: [
        { apiVersion: 'v1', kind: 'Node', name: nodeName, uid: nodeUid, controller: true },
      ],
    },
    spec: {
      ...(isObject(spec) ? spec : {}),
      nodeName,
      tolerations: [{ operator: 'Exists', effect: 'NoExecute' }],
    },
  };
}

/** 32 hexadecimal digits that differ when the manifest does. */
function hashOf(text: string): string {
  const digits = [0x811c9dc5, 0x1b873593, 0xcc9e2d51, 0x85ebca6b].map((seed) => {
    let hash = seed;
    for (let index = 0; index < text.length; index++)
      hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
    return hash.toString(16).padStart(8, '0');
  });
  return digits.join('');
}
