import type { JsonObject } from '../../evidence/json.ts';
import type { KubeObject } from './contract.ts';
import type { KubeKind } from './kinds.ts';
import type { Core } from './scope.ts';
import type { Change } from './store.ts';

const NEWER = 'events.k8s.io';

/** The field of core/v1 and its name in events.k8s.io/v1; all others are named alike. */
const NAMES: readonly (readonly [string, string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];
const TO_CORE = new Map(NAMES.map(([core, newer]) => [newer, core]));
const TO_NEWER = new Map(NAMES);

/** An object of the store as this kind's API shows it; only Events have two. */
export function shownAs(kind: KubeKind, object: KubeObject): KubeObject {
  if (kind.group !== NEWER || object['apiVersion'] !== 'v1') return object;
  return { ...renamed(object, TO_NEWER), apiVersion: `${NEWER}/v1` };
}

/** The same object as the store keeps it. */
export function storedAs(kind: KubeKind, object: KubeObject): KubeObject {
  if (kind.group !== NEWER) return object;
  return { ...renamed(object, TO_CORE), apiVersion: 'v1' };
}

function renamed(object: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [names.get(key) ?? key, value]),
  );
}

/** `--event-ttl` of the API server. */
const EVENT_TTL_MS = 3_600_000;

/** Lets Events go an hour after they were last written. */
export function expireEvents({ kernel, store }: Core): void {
  const table = store.table('/events');
  const expiry = new Map<string, number>();
  let isPlanned = false;
  const sweep = (): void => {
    isPlanned = false;
    for (const [key, atMs] of expiry) {
      if (atMs > kernel.nowMs()) break;
      expiry.delete(key);
      if (table.get(key) !== null) store.write(table, key, null);
    }
    plan();
  };
  const plan = (): void => {
    if (isPlanned) return;
    const first = expiry.values().next().value;
    if (first === undefined) return;
    isPlanned = true;
    kernel.after(first - kernel.nowMs(), sweep);
  };
  table.listeners.add(({ key, after }: Change) => {
    // Taken out and put in again, so that the map stays in the order of expiry.
    expiry.delete(key);
    if (after !== null) expiry.set(key, kernel.nowMs() + EVENT_TTL_MS);
    plan();
  });
}
