/**
 * The two APIs of the simulated world with a state laid into them, and nobody who would change it:
 * no controller runs and no machine boots, so that what is broken stays as it was laid.
 */
import { type JsonObject, textAt } from '../../../src/evidence/json.ts';
import { createAwsCloud, type SimulatedAws } from '../../../src/sim/aws/cloud.ts';
import { NO_LAG } from '../../../src/sim/aws/options.ts';
import { createKernel, type Kernel } from '../../../src/sim/kernel/kernel.ts';
import type { KubeObject } from '../../../src/sim/kube/contract.ts';
import { tableName } from '../../../src/sim/kube/kinds.ts';
import { createApiServer, kindNamed, type KubeApiServer } from '../../../src/sim/kube/server.ts';
import { keyOf } from '../../../src/sim/kube/store.ts';

/** When the state is looked at. */
const NOW_MS = Date.parse('2026-03-17T12:00:00Z');
export const DAY = 1440;
/** Before anything that a state tells of. */
const BEGUN_MINUTES = 90 * DAY;
const MINUTE_MS = 60_000;

export const REGION = 'eu-central-1';
export const ACCOUNT = '123456789012';
export const CLUSTER = 'harbor';

export interface Scene {
  readonly cloud: SimulatedAws;
  /** RFC 3339, so many minutes before the look. */
  ago(minutes: number): string;
  /** Moves AWS on to so many minutes before the look: what is older is laid first. */
  until(minutes: number): void;
  /** Keeps an object as the API server would have stored it so many minutes before the look. */
  put(minutes: number, object: JsonObject): KubeObject;
  objects(kind: string): readonly KubeObject[];
  /** What the kubelet gives as the log of a pod's container. */
  log(pod: KubeObject, text: string): void;
  /** AWS refuses every call of whoever looks. */
  deny(): void;
}

/** A scene that is laid. */
export interface Laid {
  readonly kernel: Kernel;
  readonly cloud: SimulatedAws;
  readonly api: KubeApiServer;
}

class OpenScene implements Scene {
  readonly #kernel = createKernel({ seed: 7, startMs: NOW_MS - BEGUN_MINUTES * MINUTE_MS });
  readonly cloud = createAwsCloud({
    kernel: this.#kernel,
    region: REGION,
    accountId: ACCOUNT,
    lag: NO_LAG,
    isThrottled: false,
  });
  readonly #objects: KubeObject[] = [];
  readonly #logs = new Map<string, string>();
  #isDenied = false;

  ago(minutes: number): string {
    return new Date(NOW_MS - minutes * MINUTE_MS).toISOString().replace('.000', '');
  }

  until(minutes: number): void {
    const untilMs = NOW_MS - minutes * MINUTE_MS;
    if (untilMs < this.#kernel.nowMs())
      throw new RangeError('what is older is laid before what is younger');
    while ((this.#kernel.nextAtMs() ?? Infinity) <= untilMs) this.#kernel.step();
    this.#kernel.passTo(untilMs);
  }

  put(minutes: number, object: JsonObject): KubeObject {
    const hex = (this.#objects.length + 1).toString(16).padStart(12, '0');
    const metadata = {
      uid: `5c0e0000-0000-4000-8000-${hex}`,
      creationTimestamp: this.ago(minutes),
      ...(object['metadata'] as JsonObject),
    };
    const kept = { ...object, metadata };
    this.#objects.push(kept);
    return kept;
  }

  objects(kind: string): readonly KubeObject[] {
    return this.#objects.filter((object) => object['kind'] === kind);
  }

  log(pod: KubeObject, text: string): void {
    this.#logs.set(keyOfObject(pod), text);
  }

  deny(): void {
    this.#isDenied = true;
  }

  /** @param change what is told of objects only once all of them are there */
  finish(change: (object: KubeObject, scene: Scene) => KubeObject): Laid {
    this.until(0);
    const kernel = this.#kernel;
    const api = createApiServer({
      kernel,
      makesServiceAccounts: false,
      kubelet: () => ({ code: 200, type: 'text/plain', text: 'ok' }),
      podLog: (pod) => ({ ok: true, text: this.#logs.get(keyOfObject(pod)) ?? '' }),
    });
    const { core } = api;
    for (const object of this.#objects) {
      const kind = textAt(object, 'kind') ?? '';
      const table = core.store.table(tableName(kindNamed(core, kind)));
      core.store.write(table, keyOfObject(object), change(object, this));
    }
    if (this.#isDenied) {
      const message = 'You are not authorized to perform this operation.';
      this.cloud.controls.refuse('*', { code: 'UnauthorizedOperation', message, status: 403 });
    }
    return { kernel, cloud: this.cloud, api };
  }
}

function keyOfObject(object: KubeObject): string {
  return keyOf(textAt(object, 'metadata.namespace'), textAt(object, 'metadata.name') ?? '');
}

export function openScene(): OpenScene {
  return new OpenScene();
}
