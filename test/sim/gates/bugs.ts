/** Mistakes in how a gate writes, and the rules of all controllers that must notice. */
import { isObject, type JsonObject, textAt } from '../../../src/evidence/json.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { KubePatch, KubeWrites } from '../../../src/ports/kube-writes.ts';
import type { Fate } from '../../../src/sim/programs/call.ts';

export interface GateBug {
  /** Of its kind in the list: `P9`. */
  readonly id: string;
  readonly caughtBy: readonly string[];
  readonly writes: (writes: KubeWrites, clock: Clock) => KubeWrites;
  /** The fault in which it shows, anew for each run; none where it shows without. */
  readonly fate?: () => Fate;
}

function withoutVersion(patch: KubePatch): KubePatch {
  if (patch.type !== 'json') return patch;
  const isOther = ({ path }: { readonly path?: unknown }): boolean =>
    path !== '/metadata/resourceVersion' && path !== '/metadata/uid';
  return { ...patch, operations: patch.operations.filter(isOther) };
}

/** Longer than a leader leads without a renewal. */
const LIMITED_MS = 12_000;

/** From its first intention on nobody hears it renew its Lease. */
function leaseIsLost(): Fate {
  let isLost = false;
  return ({ what }) => {
    isLost ||= what.startsWith('append');
    return isLost && what.endsWith('leases') ? 'lost-request' : null;
  };
}

const answerIsLost: Fate = ({ what }) => (what.startsWith('patch nodes n-') ? 'lost-answer' : null);

/** Under another name at each try. */
function named(event: JsonObject): JsonObject {
  const { metadata } = event;
  const name = `${textAt(event, 'metadata.name') ?? ''}-2`;
  return { ...event, metadata: { ...(isObject(metadata) ? metadata : {}), name } };
}

export const GATE_BUGS: readonly GateBug[] = [
  {
    id: 'P9',
    caughtBy: ['I-06'],
    writes: (writes) => ({
      ...writes,
      patch: async (resource, name, patch, more) =>
        writes.patch(resource, name, withoutVersion(patch), more),
    }),
  },
  {
    id: 'P42',
    caughtBy: ['I-16'],
    // What waits for a limiter of the client is sent whoever leads by then.
    writes: (writes, clock) => ({
      ...writes,
      async patch(resource, name, patch, more) {
        await clock.sleep(LIMITED_MS);
        return writes.patch(resource, name, patch, more);
      },
    }),
    fate: leaseIsLost,
  },
  {
    id: 'P50',
    caughtBy: ['I-34'],
    writes: (writes) => ({
      ...writes,
      async create(resource, object, more) {
        const made = await writes.create(resource, object, more);
        return resource.plural === 'events' ? writes.create(resource, named(object), more) : made;
      },
    }),
  },
  {
    id: 'a write whose answer is lost is sent again unread',
    caughtBy: ['I-15'],
    writes: (writes) => ({
      ...writes,
      patch: async (resource, name, patch, more) =>
        writes.patch(resource, name, patch, more).catch(async (error: unknown) => {
          if (!(error instanceof PortError) || error.failure !== 'unclear') throw error;
          return writes.patch(resource, name, patch, more);
        }),
    }),
    fate: () => answerIsLost,
  },
];
