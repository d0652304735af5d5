import type { JsonObject } from '../../../evidence/json.ts';
import type { Host } from '../host.ts';
import type { MachineNetwork } from '../network/network.ts';
import type { KubeletConfig } from './config.ts';
import type { KubeletDisk } from './disk.ts';
import type { PodTable } from './pod-table.ts';

/** A kubelet as the cache that it listens to knows it. */
export interface KubeletListener {
  nodeName(): string | null;
  onPod(type: 'ADDED' | 'MODIFIED' | 'DELETED', pod: JsonObject): void;
  onNode(node: JsonObject | null, before: JsonObject | null): void;
}

/** The API server's objects as the caches of one kubelet have them. */
export interface NodeCache {
  node(name: string): JsonObject | null;
  pods(nodeName: string): Iterable<JsonObject>;
  /** Tells the kubelet of this machine what happens to the Node and the pods of that name. */
  listen(nodeName: string, kubelet: KubeletListener): void;
  forget(kubelet: KubeletListener): void;
}

export interface KubeletParts {
  readonly host: Host;
  readonly network: MachineNetwork;
  readonly disk: KubeletDisk;
  readonly pods: PodTable;
  readonly cache: NodeCache;
  /** What flags and files say now; null without a configuration file. */
  config(): KubeletConfig | null;
  /** A process has what it needs and goes on. */
  onRun(): void;
}
