import { type JsonObject, textAt } from '../../evidence/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KubeApi, KubeResource, KubeSelection } from '../../ports/kube-api.ts';
import { PortError } from '../../ports/port-error.ts';
import type { Heard } from '../faults/wire.ts';

/** What a watcher is given. */
export interface FollowScene {
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly resource: KubeResource;
  readonly selection: KubeSelection;
  readonly tell: (heard: Heard) => void;
}

/** Which mistake a watcher makes. */
export type FollowMistake =
  /** 410 is taken for an empty list. */
  | 'expired-is-empty'
  /** An error of a listener, which knows no deletions, ends the watch. */
  | 'listener-ends-watch'
  /** What a new list lacks stays in memory. */
  | 'lists-not-compared'
  /** Only events count as life, so that a quiet kind is listed again and again. */
  | 'quiet-is-dead';

const RETRY_MS = 1000;
/** Without an event for so long a watch is taken for dead by `quiet-is-dead`. */
const QUIET_MS = 2000;

/** A watcher as it is easily written: lists, watches from there, and lists again after any error. */
export async function followNaively(scene: FollowScene, mistake: FollowMistake): Promise<void> {
  const follower = new NaiveFollower(scene, mistake);
  for (;;) {
    try {
      await follower.round();
      if (follower.isEnded) return;
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      follower.fail(error);
      await scene.clock.sleep(RETRY_MS);
    }
  }
}

class NaiveFollower {
  readonly #scene: FollowScene;
  readonly #mistake: FollowMistake;
  readonly #kept = new Map<string, number>();
  #version: string | null = null;
  #listings = 0;
  isEnded = false;

  constructor(scene: FollowScene, mistake: FollowMistake) {
    this.#scene = scene;
    this.#mistake = mistake;
  }

  async round(): Promise<void> {
    if (this.#version === null) await this.#list();
    await this.#watch();
  }

  fail({ failure }: PortError): void {
    if (this.#mistake === 'lists-not-compared') this.#version = null;
    if (failure !== 'expired') return;
    if (this.#mistake !== 'expired-is-empty') this.#version = null;
    else for (const key of this.#kept.keys()) this.#drop(key);
  }

  async #list(): Promise<void> {
    const { api, resource, selection } = this.#scene;
    const listed = new Set<string>();
    let version = '';
    for await (const page of api.list(resource, selection)) {
      for (const object of page.items) listed.add(this.#keep(object));
      version = page.resourceVersion;
    }
    this.#listings++;
    this.#version = version;
    if (this.#mistake === 'lists-not-compared') return;
    for (const key of this.#kept.keys()) if (!listed.has(key)) this.#drop(key);
  }

  async #watch(): Promise<void> {
    const { api, resource, selection, clock } = this.#scene;
    const options = { ...selection, timeoutSeconds: 300 };
    const limit = new AbortController();
    const from = { resourceVersion: this.#version ?? '' };
    if (this.#mistake === 'quiet-is-dead')
      void clock.sleep(QUIET_MS, limit.signal).then(
        () => limit.abort(new PortError({ failure: 'expired', message: 'the watch is quiet' })),
        () => undefined,
      );
    for await (const event of api.watch(resource, { ...options, ...from, signal: limit.signal })) {
      this.#version = event.resourceVersion;
      if (event.type === 'BOOKMARK') continue;
      if (event.type !== 'DELETED') this.#keep(event.object);
      else if (this.#mistake === 'listener-ends-watch') {
        this.isEnded = true;
        return;
      } else this.#drop(keyOf(event.object));
    }
    if (this.#mistake === 'lists-not-compared') this.#version = null;
  }

  #keep(object: JsonObject): string {
    const key = keyOf(object);
    const version = Number(textAt(object, 'metadata.resourceVersion'));
    const before = this.#kept.get(key) ?? null;
    this.#kept.set(key, version);
    if (before !== version) this.#tell(key, before === null ? 'added' : 'updated', version, before);
    return key;
  }

  #drop(key: string): void {
    const version = this.#kept.get(key);
    if (version === undefined) return;
    this.#kept.delete(key);
    this.#tell(key, 'deleted', version, version);
  }

  #tell(key: string, type: Heard['type'], version: number, before: number | null): void {
    const { plural } = this.#scene.resource;
    const { size } = this.#kept;
    this.#scene.tell({ plural, key, type, version, before, size, listings: this.#listings });
  }
}

function keyOf(object: JsonObject): string {
  const name = textAt(object, 'metadata.name') ?? '';
  const namespace = textAt(object, 'metadata.namespace') ?? '';
  return namespace === '' ? name : `${namespace}/${name}`;
}
