import { textAt } from '../../../evidence/json.ts';
import type { PortFailure } from '../../../ports/port-error.ts';
import type { LineState, Twist } from '../../../sim/faults/wire.ts';
import type { RandomStream } from '../../../sim/kernel/random.ts';
import { FIELD_OF_NEWER } from '../../../sim/programs/write-rules.ts';
import { NAMESPACE, type Replica } from './replica.ts';
import type { ControllerFault, ControllerStage } from './stage.ts';

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
const NOTHING = (): void => undefined;
const BRIEF = [1, 1] as const;

type Life = NonNullable<ReturnType<Replica['running']>>;

/** A fault of one replica that runs, by chance. */
function onLife(
  fault: Omit<ControllerFault, 'strike' | 'isTwinned'>,
  strike: (life: Life, random: RandomStream, lastsMs: number) => () => void,
): ControllerFault {
  return {
    ...fault,
    isTwinned: true,
    strike({ replicas }, random, lastsMs) {
      const lives = replicas.flatMap((replica) => replica.running() ?? []);
      return lives.length === 0 ? NOTHING : strike(random.pick(lives), random, lastsMs);
    },
  };
}

function watchesStruck(
  id: string,
  what: string,
  state: Exclude<LineState, 'well'>,
): ControllerFault {
  return onLife({ id, what, lastsMs: BRIEF }, ({ line: { wire } }) => {
    for (const plural of wire.followed()) wire.strike(plural, state);
    return NOTHING;
  });
}

function twisted(id: string, what: string, twist: Twist): ControllerFault {
  return onLife({ id, what, lastsMs: [5 * SECOND_MS, 30 * SECOND_MS] }, ({ line: { wire } }) => {
    const undo = wire.followed().map((plural) => wire.twist(plural, twist));
    return () => undo.forEach((one) => one());
  });
}

function refused(id: string, what: string, failure: PortFailure): ControllerFault {
  return onLife({ id, what, lastsMs: [3 * SECOND_MS, 25 * SECOND_MS] }, ({ line: { wire } }) =>
    wire.refuse(failure),
  );
}

const THIEF = 'somebody-else_1';

/** `kubectl edit lease`: whoever is written there never renews it. */
function steal({ people }: ControllerStage): () => void {
  const lease = `${NAMESPACE}/rollcall-controller`;
  if (people.get('Lease', lease) === null) return NOTHING;
  const spec = { holderIdentity: THIEF };
  people.patch('Lease', lease, 'merge', { spec });
  return NOTHING;
}

/** A newer release has written fields that this one does not know. */
function writeAsNewer({ people }: ControllerStage): () => void {
  for (const report of people.list('NodeReport')) {
    const name = textAt(report, 'metadata.name') ?? '';
    people.patch('NodeReport', name, 'merge', { status: { [FIELD_OF_NEWER]: 'x' } }, 'status');
  }
  return NOTHING;
}

function ofWorld(
  fault: Omit<ControllerFault, 'strike'>,
  strike: ControllerFault['strike'],
): ControllerFault {
  return { ...fault, strike };
}

/** All of them restart: whoever restores a backup starts everything that has read what came after. */
function restore(stage: ControllerStage, random: RandomStream): () => void {
  const { server, kernel, replicas, listeners, beganMs } = stage;
  const atMs = kernel.nowMs() - random.pick([5, 15, 30]) * SECOND_MS;
  // Kinds are defined by then.
  server.restore(Math.max(beganMs + SECOND_MS, atMs));
  for (const { onRestored } of listeners) onRestored?.();
  for (const replica of replicas) replica.kill();
  return NOTHING;
}

/** Faults of controllers, of what they ask and of what they are told, by the numbers of the lists. */
export const CONTROLLER_FAULTS: readonly ControllerFault[] = [
  refused('F05', 'its lists and watches are refused with 429', 'throttled'),
  refused('F06', 'its lists and watches are answered with 503', 'unavailable'),
  refused('F07', 'its lists and watches are refused with 401', 'unauthenticated'),
  ofWorld(
    { id: 'F09', what: 'the API server cuts all watches', lastsMs: BRIEF, isTwinned: true },
    ({ server }) => {
      server.endWatches();
      return NOTHING;
    },
  ),
  ofWorld({ id: 'F12', what: 'etcd compacts', lastsMs: BRIEF, isTwinned: true }, ({ server }) => {
    server.compact();
    return NOTHING;
  }),
  ofWorld(
    { id: 'F13', what: 'etcd is restored from a backup', lastsMs: BRIEF, isTwinned: false },
    restore,
  ),
  watchesStruck('F17', 'its watches are silently dead', 'dead'),
  twisted('F18', 'its watches lose events', 'losing'),
  twisted('F19', 'its watches repeat events', 'repeating'),
  twisted('F21', 'its watches bring no bookmarks', 'without-bookmarks'),
  watchesStruck('F22', 'its watches end with 410', 'expired'),
  twisted('F23', 'its watches bring no deletions', 'without-deletions'),
  watchesStruck('F25', 'its watches break off', 'torn'),
  onLife({ id: 'F26', what: 'it is killed', lastsMs: BRIEF }, ({ program }) => {
    program.kill();
    return NOTHING;
  }),
  onLife(
    { id: 'F27', what: 'it stands still', lastsMs: [2 * SECOND_MS, 30 * SECOND_MS] },
    ({ program }, _, lastsMs) => {
      program.stand(lastsMs);
      return NOTHING;
    },
  ),
  ofWorld({ id: 'F28', what: 'the Lease is stolen', lastsMs: BRIEF, isTwinned: true }, steal),
  onLife({ id: 'F29', what: 'it is stopped', lastsMs: BRIEF }, ({ stop }) => {
    stop.abort();
    return NOTHING;
  }),
  ofWorld(
    { id: 'F30', what: 'a newer release has written', lastsMs: BRIEF, isTwinned: true },
    writeAsNewer,
  ),
  onLife(
    {
      id: 'F32',
      what: 'its requests wait for each other',
      lastsMs: [5 * SECOND_MS, 20 * SECOND_MS],
    },
    ({ line }, random) => line.slow(random.pick([500, 1_500])),
  ),
  onLife(
    { id: 'F34', what: 'it is cut off', lastsMs: [3 * SECOND_MS, 30 * SECOND_MS] },
    ({ line }) => line.partition(),
  ),
  onLife({ id: 'F71', what: 'its clock steps', lastsMs: BRIEF }, ({ program }, random) => {
    program.step(random.pick([-HOUR_MS, HOUR_MS, -20 * SECOND_MS, 20 * SECOND_MS]));
    return NOTHING;
  }),
  onLife(
    { id: 'F73', what: 'its timers fire late', lastsMs: [5 * SECOND_MS, 30 * SECOND_MS] },
    ({ program }, random) => {
      program.delayTimers(random.pick([200, 1_000, 5_000]));
      return () => program.delayTimers(0);
    },
  ),
  ofWorld(
    {
      id: 'recorder',
      what: 'the recorder is away',
      lastsMs: [2 * SECOND_MS, 20 * SECOND_MS],
      isTwinned: true,
    },
    ({ records }) => {
      records.setAway(true);
      return () => records.setAway(false);
    },
  ),
];
