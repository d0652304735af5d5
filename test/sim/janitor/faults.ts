/** What goes wrong around a janitor, by the numbers of the lists. */
import type { PortFailure } from '../../../src/ports/port-error.ts';
import type { RandomStream } from '../../../src/sim/kernel/random.ts';
import { LEASE } from './leases.ts';
import type { JanitorFault, JanitorStage, Life } from './plan.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const BRIEF = [1, 1] as const;
const NOTHING = (): void => undefined;

function onLife(
  fault: Omit<JanitorFault, 'strike'>,
  strike: (life: Life, random: RandomStream, lastsMs: number) => () => void,
): JanitorFault {
  return {
    ...fault,
    strike({ lives }, random, lastsMs) {
      const all = lives();
      return all.length === 0 ? NOTHING : strike(random.pick(all), random, lastsMs);
    },
  };
}

function refused(id: string, what: string, failure: PortFailure): JanitorFault {
  return onLife({ id, what, lastsMs: [MINUTE_MS, 15 * MINUTE_MS] }, ({ line: { wire } }) =>
    wire.refuse(failure),
  );
}

type Controls = JanitorStage['world']['cloud']['controls'];

function onAws(
  fault: Omit<JanitorFault, 'strike'>,
  strike: (controls: Controls, stage: JanitorStage, random: RandomStream) => () => void,
): JanitorFault {
  return {
    ...fault,
    strike: (stage, random) => strike(stage.world.cloud.controls, stage, random),
  };
}

/** The longest that a clock is set back. */
export const STEP_BACK_MS = 20 * MINUTE_MS;

const ASKED = [
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeInstances',
  'ec2:DeleteNetworkInterface',
];

const LASTS = [2 * MINUTE_MS, 20 * MINUTE_MS] as const;

/** Each of EC2's states of an interface that the CNI did not expect. */
const OF_INTERFACES: readonly JanitorFault[] = [
  onAws({ id: 'F57', what: 'a subnet has no address left', lastsMs: LASTS }, (controls, stage) => {
    const { subnetId } = stage.world;
    controls.exhaustSubnet(subnetId, 0);
    return () => controls.relieveSubnet(subnetId);
  }),
  onAws(
    { id: 'F58', what: 'the later pages of its lists fail', lastsMs: LASTS },
    (_, { pages }) => {
      pages.failLater = true;
      return () => {
        pages.failLater = false;
      };
    },
  ),
  onAws({ id: 'F58', what: 'interfaces are made and not attached', lastsMs: LASTS }, (controls) => {
    controls.deny('ec2:AttachNetworkInterface');
    return () => controls.allow('ec2:AttachNetworkInterface');
  }),
  onAws({ id: 'F58', what: 'what is let go stays detaching', lastsMs: LASTS }, (controls) => {
    controls.stickInterfaces(10 * MINUTE_MS);
    return () => controls.stickInterfaces(0);
  }),
  onAws({ id: 'F58', what: 'what is free is refused as in use', lastsMs: LASTS }, (controls) => {
    const action = 'ec2:DeleteNetworkInterface';
    const message = 'Network interface is currently in use.';
    controls.refuse(action, { code: 'InvalidParameterValue', message, status: 400 });
    return () => controls.unrefuse(action);
  }),
  onAws(
    { id: 'F59', what: 'what it has read is attached again', lastsMs: [15 * MINUTE_MS, HOUR_MS] },
    (_, { world: { attaching } }) => {
      attaching.isSo = true;
      return () => {
        attaching.isSo = false;
      };
    },
  ),
];

/** All of them, each drawn for itself. */
export const JANITOR_FAULTS: readonly JanitorFault[] = [
  refused('F05', 'its lists are refused with 429', 'throttled'),
  refused('F06', 'its lists are answered with 503', 'unavailable'),
  refused('F07', 'its lists are refused with 403', 'denied'),
  ...ASKED.map((action) =>
    onAws({ id: 'F07', what: `AWS denies ${action}`, lastsMs: LASTS }, (controls) => {
      controls.deny(action);
      return () => controls.allow(action);
    }),
  ),
  onLife({ id: 'F26', what: 'it is killed', lastsMs: BRIEF }, ({ program }) => {
    program.kill();
    return NOTHING;
  }),
  onLife(
    { id: 'F27', what: 'it stands still', lastsMs: [10 * SECOND_MS, 30 * MINUTE_MS] },
    ({ program }, _, lastsMs) => {
      program.stand(lastsMs);
      return NOTHING;
    },
  ),
  {
    id: 'F28',
    what: 'the Lease is stolen',
    lastsMs: BRIEF,
    strike({ world: { people } }) {
      const spec = { holderIdentity: 'somebody-else_1' };
      if (people.get('Lease', LEASE.key) !== null)
        people.patch('Lease', LEASE.key, 'merge', { spec });
      return NOTHING;
    },
  },
  onLife({ id: 'F29', what: 'it is stopped', lastsMs: BRIEF }, ({ stop }) => {
    stop.abort();
    return NOTHING;
  }),
  onLife({ id: 'F34', what: 'it is cut off from the API server', lastsMs: LASTS }, ({ line }) =>
    line.partition(),
  ),
  onAws(
    { id: 'F51', what: 'EC2 does not list an instance', lastsMs: BRIEF },
    (controls, { world: { cloud } }, random) => {
      const running = cloud.instances().filter(({ state }) => state === 'running');
      if (running.length > 0) controls.hideInstance(random.pick(running).instanceId, 5 * MINUTE_MS);
      return NOTHING;
    },
  ),
  ...ASKED.map((action) =>
    onAws({ id: 'F52', what: `EC2 throttles ${action}`, lastsMs: LASTS }, (controls) => {
      controls.throttle(action);
      return () => controls.unrefuse(action);
    }),
  ),
  ...OF_INTERFACES,
  onLife({ id: 'F71', what: 'its clock steps', lastsMs: BRIEF }, ({ program }, random) => {
    program.step(random.pick([-STEP_BACK_MS, HOUR_MS, 24 * HOUR_MS]));
    return NOTHING;
  }),
  onLife({ id: 'F73', what: 'its timers fire late', lastsMs: LASTS }, ({ program }, random) => {
    program.delayTimers(random.pick([200, 1_000, 5_000]));
    return () => program.delayTimers(0);
  }),
  {
    id: 'recorder',
    what: 'the recorder is away',
    lastsMs: LASTS,
    strike({ records }) {
      records.setAway(true);
      return () => records.setAway(false);
    },
  },
];
