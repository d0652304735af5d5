import type { JsonObject } from '../../../evidence/json.ts';
import type { FollowListener, KubeClient, Watch } from '../../kube/contract.ts';
import { keyOf } from '../objects/meta.ts';

/** Watches that several controllers of one program share, as its shared informers. */
export interface Informers {
  /** A later listener hears first of what is known already. */
  follow(kind: string, listener: FollowListener): Watch;
  stop(): void;
}

interface Informer {
  readonly objects: Map<string, JsonObject>;
  readonly listeners: Set<FollowListener>;
  readonly watch: Watch;
}

/** @param delayMs how late the program hears of a change */
export function createInformers(client: KubeClient, delayMs: () => number): Informers {
  const informers = new Map<string, Informer>();
  const started = (kind: string): Informer => {
    const objects = new Map<string, JsonObject>();
    const listeners = new Set<FollowListener>();
    const hear: FollowListener = (type, object, before) => {
      if (type === 'DELETED') objects.delete(keyOf(object));
      else objects.set(keyOf(object), object);
      for (const listener of listeners) listener(type, object, before);
    };
    const informer = { objects, listeners, watch: client.follow(kind, hear, delayMs) };
    informers.set(kind, informer);
    return informer;
  };
  return {
    follow: (kind, listener) => {
      const { objects, listeners } = informers.get(kind) ?? started(kind);
      for (const object of objects.values()) listener('ADDED', object, null);
      listeners.add(listener);
      return { stop: () => listeners.delete(listener) };
    },
    stop: () => {
      for (const { watch } of informers.values()) watch.stop();
    },
  };
}
