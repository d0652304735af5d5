import { isObject, type JsonObject, textAt } from '../../../evidence/json.ts';
import type { KubeApi, KubeResource, KubeWatchEvent } from '../../../ports/kube-api.ts';
import type { KubePatch, KubeWrites } from '../../../ports/kube-writes.ts';
import { PortError, type PortFailure } from '../../../ports/port-error.ts';
import type { Recorder } from '../../../ports/recorder.ts';
import type { SimulatedProgram } from '../../../sim/programs/program.ts';

export interface ControllerPorts {
  readonly kube: KubeApi;
  readonly writes: KubeWrites;
  readonly recorder: Recorder;
}

/** A mistake between the controller and one of its ports. */
export interface ControllerBug {
  /** Of its kind in the list: `P42`. */
  readonly id: string;
  /** Rules of which at least one must not hold any more. */
  readonly caughtBy: readonly string[];
  readonly ports: (ports: ControllerPorts, program: SimulatedProgram) => Partial<ControllerPorts>;
}

function isLease({ plural }: KubeResource): boolean {
  return plural === 'leases';
}

function failureOf(error: unknown): PortFailure | null {
  return error instanceof PortError ? error.failure : null;
}

function withoutVersion(patch: KubePatch): KubePatch {
  if (patch.type !== 'merge') return patch;
  const { metadata: _, ...change } = patch.change;
  return { ...patch, change };
}

const unversioned: ControllerBug['ports'] = ({ writes }) => ({
  writes: {
    ...writes,
    patch: async (resource, name, patch, more) =>
      writes.patch(resource, name, withoutVersion(patch), more),
    delete: async (resource, name, more) =>
      writes.delete(resource, name, { ...more, preconditions: {} }),
  },
});

/** What waits for a limiter of the client is sent whoever leads by then. */
const LIMITED_MS = 12_000;

const sentLate: ControllerBug['ports'] = ({ writes }, { clock }) => ({
  writes: {
    ...writes,
    create: async (resource, object, more) => {
      if (!isLease(resource)) await clock.sleep(LIMITED_MS);
      return writes.create(resource, object, more);
    },
    patch: async (resource, name, patch, more) => {
      await clock.sleep(LIMITED_MS);
      return writes.patch(resource, name, patch, more);
    },
  },
});

const conflictSwallowed: ControllerBug['ports'] = ({ writes }) => ({
  writes: {
    ...writes,
    async patch(resource, name, patch, more) {
      try {
        return await writes.patch(resource, name, patch, more);
      } catch (error) {
        if (failureOf(error) === 'conflict') return {};
        throw error;
      }
    },
  },
});

async function again<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (failureOf(error) !== 'unclear') throw error;
    return send();
  }
}

const repeated: ControllerBug['ports'] = ({ writes }) => ({
  writes: {
    ...writes,
    create: async (resource, object, more) =>
      again(async () => writes.create(resource, object, more)),
    patch: async (resource, name, patch, more) =>
      again(async () => writes.patch(resource, name, patch, more)),
  },
});

function withoutStatus(event: KubeWatchEvent): KubeWatchEvent {
  const { status: _, ...object } = event.object;
  return { ...event, object };
}

/** Watches with another way to look at each event. */
function watched(
  kube: KubeApi,
  look: (resource: KubeResource, event: KubeWatchEvent) => KubeWatchEvent,
): KubeApi {
  return {
    ...kube,
    async *watch(resource, options) {
      for await (const event of kube.watch(resource, options)) yield look(resource, event);
    },
  };
}

/** What is there is never seen, so that it is written at every look. */
const writtenAtEachLook: ControllerBug['ports'] = ({ kube }) => ({
  kube: watched(kube, ({ plural }, event) =>
    plural === 'nodereports' ? withoutStatus(event) : event,
  ),
});

/** A list that is refused is taken for one without items. */
function emptyWhen(kube: KubeApi, failures: readonly PortFailure[]): KubeApi {
  const isTaken = (error: unknown): boolean => failures.includes(failureOf(error) ?? 'invalid');
  const all = new Map<string, Map<string, KubeWatchEvent>>();
  return {
    ...kube,
    async *list(resource, options) {
      try {
        yield* kube.list(resource, options);
      } catch (error) {
        if (!isTaken(error)) throw error;
        yield { items: [], resourceVersion: '1' };
      }
    },
    async *watch(resource, options) {
      const known = all.get(resource.plural) ?? new Map<string, KubeWatchEvent>();
      all.set(resource.plural, known);
      try {
        for await (const event of kube.watch(resource, options)) {
          known.set(textAt(event.object, 'metadata.name') ?? '', event);
          yield event;
        }
      } catch (error) {
        if (!isTaken(error)) throw error;
        yield* goneAll(known);
      }
    },
  };
}

function* goneAll(known: ReadonlyMap<string, KubeWatchEvent>): Generator<KubeWatchEvent, void> {
  const versions = [...known.values()].map(({ resourceVersion }) => Number(resourceVersion));
  let version = Math.max(0, ...versions);
  for (const event of known.values()) {
    if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue;
    version += 1;
    yield { ...event, type: 'DELETED', resourceVersion: version.toFixed(0) };
  }
}

/** A deletion is heard and does nothing. */
const deletionsIgnored: ControllerBug['ports'] = ({ kube }) => ({
  kube: watched(kube, (_, event) =>
    event.type === 'DELETED' ? { ...event, type: 'BOOKMARK' } : event,
  ),
});

const unrecordedDone: ControllerBug['ports'] = ({ recorder }) => ({
  recorder: {
    ...recorder,
    async append(events, notes) {
      try {
        return await recorder.append(events, notes);
      } catch (error) {
        if (failureOf(error) === null) throw error;
        return 0;
      }
    },
  },
});

const recordedWithoutKey: ControllerBug['ports'] = ({ recorder }) => ({
  recorder: {
    ...recorder,
    append: async (events, notes) =>
      recorder.append(
        events.map((event) => ({ ...event, key: null })),
        notes,
      ),
  },
});

/** An Event under a new name for each try. */
const eventsDoubled: ControllerBug['ports'] = ({ writes }) => ({
  writes: {
    ...writes,
    async create(resource, object, more) {
      const made = await writes.create(resource, object, more);
      if (resource.plural !== 'events') return made;
      const { metadata } = object;
      const name = `${textAt(object, 'metadata.name') ?? ''}-2`;
      const named = { ...(isObject(metadata) ? metadata : {}), name };
      return writes.create(resource, { ...object, metadata: named }, more);
    },
  },
});

const dryIgnored: ControllerBug['ports'] = ({ writes }) => ({
  writes: {
    ...writes,
    create: async (resource, object, more) =>
      writes.create(resource, object, { ...more, isDryRun: false }),
  },
});

/** The status as a whole in place of what changes in it. */
const replacedWhole: ControllerBug['ports'] = ({ writes }) => ({
  writes: {
    ...writes,
    async patch(resource, name, patch, more) {
      if (resource.plural !== 'nodereports' || patch.type !== 'merge')
        return writes.patch(resource, name, patch, more);
      const { metadata, status } = patch.change;
      const value = textAt(metadata, 'resourceVersion') ?? '';
      const operations: JsonObject[] = [
        { op: 'replace', path: '/metadata/resourceVersion', value },
        { op: 'add', path: '/status', value: status ?? {} },
      ];
      return writes.patch(resource, name, { type: 'json', operations }, more);
    },
  },
});

const finalizerLeft: ControllerBug['ports'] = ({ writes }) => ({
  writes: {
    ...writes,
    async create(resource, object, more) {
      const { metadata } = object;
      const finalizers = ['rollcall.dev/report'];
      const held = { ...(isObject(metadata) ? metadata : {}), finalizers };
      const isHeld = resource.plural === 'nodereports';
      return writes.create(resource, isHeld ? { ...object, metadata: held } : object, more);
    },
  },
});

/** Mistakes that controllers easily make, each at one of their ports. */
export const CONTROLLER_BUGS: readonly ControllerBug[] = [
  { id: 'P9', caughtBy: ['I-06'], ports: unversioned },
  {
    id: 'P18',
    caughtBy: ['I-22'],
    ports: ({ kube }) => ({ kube: emptyWhen(kube, ['expired']) }),
  },
  {
    id: 'P19',
    caughtBy: ['I-22'],
    ports: ({ kube }) => ({ kube: emptyWhen(kube, ['unauthenticated', 'denied']) }),
  },
  { id: 'P20', caughtBy: ['I-30'], ports: conflictSwallowed },
  { id: 'P25', caughtBy: ['I-32', 'L-02', 'L-08'], ports: deletionsIgnored },
  { id: 'P34', caughtBy: ['I-15'], ports: repeated },
  { id: 'P41', caughtBy: ['L-09', 'I-33'], ports: writtenAtEachLook },
  { id: 'P42', caughtBy: ['I-16'], ports: sentLate },
  { id: 'P48', caughtBy: ['I-30'], ports: unrecordedDone },
  { id: 'P49', caughtBy: ['I-30'], ports: recordedWithoutKey },
  { id: 'P50', caughtBy: ['I-34'], ports: eventsDoubled },
  { id: 'P51', caughtBy: ['I-35'], ports: dryIgnored },
  { id: 'P52', caughtBy: ['I-37'], ports: replacedWhole },
  { id: 'P53', caughtBy: ['I-38'], ports: finalizerLeft },
];
