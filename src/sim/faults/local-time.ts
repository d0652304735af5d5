import type { RandomStream } from '../kernel/random.ts';
import type { SimulatedMachine, Zone } from '../machines/contract.ts';
import { isoStamp } from '../machines/logs/stamps.ts';
import { minutesAhead } from '../machines/logs/zone.ts';
import { MINUTE_MS, onMember, patchNode } from './shapes.ts';

/** `America/Los_Angeles`, `America/St_Johns`, `Europe/Berlin`, `Asia/Kolkata`, `Pacific/Chatham` */
const ZONES = [-480, -210, 60, 330, 825];
/** Europe/Berlin in autumn and in spring. */
const DAYLIGHT = [
  [120, 60],
  [60, 120],
] as const;
/** Of what people write beside a Node. */
const MARK = 'example.com/serviced-at';

/** How a machine tells the time, and how people write it down there. */
interface Told {
  readonly what: string;
  readonly stamp: string;
  readonly begin: (machine: SimulatedMachine) => () => void;
}

function inZone(zone: Zone, what: string, nowMs: number): Told {
  return {
    what,
    stamp: isoStamp(nowMs, minutesAhead(zone, nowMs)),
    begin: (machine) => machine.break({ kind: 'local-time', zone }),
  };
}

function drawTold(nowMs: number, random: RandomStream): Told {
  const kind = random.pick(['zone', 'daylight', 'leap'] as const);
  if (kind === 'zone') {
    const minutes = random.pick(ZONES);
    return inZone({ minutes }, `keeps local time, ${minutes} min ahead of UTC`, nowMs);
  }
  if (kind === 'daylight') {
    const [minutes, then] = random.pick(DAYLIGHT);
    const change = { atMs: nowMs + random.between(1, 10) * MINUTE_MS, minutes: then };
    return inZone({ minutes, change }, 'keeps local time, which daylight saving shifts', nowMs);
  }
  return {
    what: 'its clock stands still for a leap second',
    stamp: isoStamp(nowMs).replace(/\d\d\+/, '60+'),
    begin: (machine) => machine.break({ kind: 'clock-skew', skewMs: -1000 }),
  };
}

/** Stamps of a machine are in local time, or of a second that most clocks do not have. */
export const localTime = onMember(
  { id: 'F74', perHour: 1, lastsMs: 15 * MINUTE_MS },
  (stage, { machine, name }, random) => {
    const { what, stamp, begin } = drawTold(machine.nowMs(), random);
    const annotate = (value: string | null): void =>
      patchNode(stage, name, { metadata: { annotations: { [MARK]: value } } });
    const end = begin(machine);
    // A program reads the zone as it starts.
    machine.restartKubelet();
    annotate(stamp);
    return {
      what: `${name}: ${what}`,
      truths: [],
      undo: () => {
        end();
        machine.restartKubelet();
        annotate(null);
      },
    };
  },
);
