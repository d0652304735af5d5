import type { Destination, SimulatedMachine, MachineFault } from '../machines/contract.ts';
import type { Effect, Fault, Injected, FaultScene, Truth } from './contract.ts';
import { servicesLost } from './redirects.ts';
import { HOUR_MS, MINUTE_MS, onMachine, onMember, truthOf, UNHEARD } from './shapes.ts';
import { called, nothing } from './targets.ts';

/** The one cause of what a fault does, and by what it shows. */
type Told = Pick<Truth, 'causes' | 'shows'>;

function broken(
  machine: SimulatedMachine,
  fault: MachineFault,
  told: Told,
  what: string,
): Injected {
  return {
    what: `${called(machine)}: ${what}`,
    truths: [truthOf(machine, told.causes, told.shows)],
    breaks: [machine.instanceId],
    undo: machine.break(fault),
  };
}

/** Of a kubelet that somebody starts before a join has given it anything to start with. */
const UNCONFIGURED: Told = { causes: ['kubelet-without-kubeconfig'], shows: ['no-node'] };

const kubeletRestart = onMachine({ id: 'F35', perHour: 4, lastsMs: 0 }, (_, machine) => {
  const isConfigured = machine.nodeName() !== null;
  machine.restartKubelet();
  const { causes, shows } = UNCONFIGURED;
  const truths = isConfigured ? [] : [truthOf(machine, causes, shows)];
  return { what: `${called(machine)}: kubelet restarted`, truths, undo: nothing };
});

const reboot = onMachine({ id: 'F36', perHour: 2, lastsMs: 0 }, (_, machine) => {
  const hasJoined = machine.nodeName() !== null;
  machine.reboot();
  const truth = hasJoined
    ? truthOf(machine, ['node-heartbeat-lost'], ['off', 'silent', 'not-ready'])
    : truthOf(machine, ['reboot-during-bootstrap'], ['off', 'no-node']);
  return { what: `${called(machine)}: rebooted`, truths: [truth], undo: nothing };
});

/** Kubelets of EKS are told their name; the others go by that of their machine. */
function renamedTruths({ simulated }: FaultScene, machine: SimulatedMachine): readonly Truth[] {
  if (simulated.setting.cluster.kind === 'eks') return [];
  const shows: readonly Effect[] = [...UNHEARD, 'not-ready', 'uninitialized'];
  return [truthOf(machine, ['node-name-differs-from-certificate'], shows)];
}

const renamed = onMember(
  { id: 'F37', perHour: 1.5, lastsMs: 20 * MINUTE_MS },
  (stage, { machine, name }, random) => {
    const before = machine.hostname() ?? name;
    const next = `worker-${random.word(4)}`;
    const rename = (to: string): void =>
      machine.run(`hostnamectl set-hostname ${to} && systemctl restart kubelet`);
    rename(next);
    return {
      what: `${name}: renamed to ${next}`,
      truths: renamedTruths(stage, machine),
      undo: () => rename(before),
    };
  },
);

type Hole = readonly [
  Destination,
  (stage: FaultScene, machine: SimulatedMachine) => readonly Truth[],
];

const OTHER_NODES: Hole = [
  'other-nodes',
  (_, machine) => [truthOf(machine, ['node-to-node-traffic-blocked'], ['stuck'])],
];

/** What is seen of a kubelet that does not get through is that it is silent. */
const API_SERVER: Hole = [
  'api-server',
  (_, machine) => [truthOf(machine, ['api-port-blocked', 'node-heartbeat-lost'], UNHEARD)],
];

const SERVICES: Hole = [
  'service-network',
  ({ simulated }, machine) => [truthOf(machine, servicesLost(simulated), ['not-ready', 'stuck'])],
];

const METADATA: Hole = [
  'imds',
  ({ simulated }, machine) => [
    truthOf(
      machine,
      ['imds-unreachable-on-host'],
      ['no-node', 'uninitialized', 'not-ready', 'deleted'],
    ),
    ...(simulated.setting.cluster.podNetwork === 'vpc-cni'
      ? [truthOf(machine, ['cni-without-imds'], ['addressless', 'stuck'])]
      : []),
  ],
];

function packetsLost(id: string, holes: readonly Hole[]): Fault {
  return onMachine({ id, perHour: 2, lastsMs: 10 * MINUTE_MS }, (stage, machine, random) => {
    const [destination, truthsOf] = random.pick(holes);
    const fault = { kind: 'black-hole', destination } as const;
    return {
      what: `${called(machine)}: packets to ${destination} are lost`,
      truths: truthsOf(stage, machine),
      breaks: [machine.instanceId],
      undo: machine.break(fault),
    };
  });
}

/** Beyond five minutes signatures are refused, and certificates seem not to be valid yet. */
const SKEWS_MS = [7 * MINUTE_MS, -7 * MINUTE_MS, 20 * MINUTE_MS, -20 * MINUTE_MS];
const WRONG_CLOCK: Told = {
  causes: ['wrong-node-clock'],
  shows: [...UNHEARD, 'not-ready', 'uninitialized'],
};

function clockOff(id: string, skews: readonly number[], perHour: number): Fault {
  return onMachine({ id, perHour, lastsMs: 15 * MINUTE_MS }, (_, machine, random) => {
    const skewMs = random.pick(skews);
    const what = `the clock is off by ${skewMs / MINUTE_MS} min`;
    const skewed = broken(machine, { kind: 'clock-skew', skewMs }, WRONG_CLOCK, what);
    return { ...skewed, marks: ['clock-off-by-minutes'] };
  });
}

/** @param told of a machine that has joined or not, by the moment at which it is struck */
function ailing(
  id: string,
  fault: MachineFault,
  told: (hasJoined: boolean) => Told,
  what: string,
): Fault {
  return onMachine({ id, perHour: 1.5, lastsMs: 12 * MINUTE_MS }, (_, machine) =>
    broken(machine, fault, told(machine.nodeName() !== null), what),
  );
}

const hangingRuntime = (): Told => ({
  causes: ['hanging-container-runtime'],
  shows: ['not-ready', 'stuck', 'no-node'],
});

function fullDisk(hasJoined: boolean): Told {
  return hasJoined
    ? { causes: ['node-disk-full'], shows: ['disk-pressure', 'not-ready', 'stuck'] }
    : {
        causes: ['node-disk-full', 'root-volume-full-at-boot'],
        shows: ['disk-pressure', 'not-ready', 'stuck', 'no-node'],
      };
}

const suspended = onMachine({ id: 'F72', perHour: 1, lastsMs: 8 * MINUTE_MS }, (_, machine) =>
  broken(
    machine,
    { kind: 'kubelet-hung' },
    { causes: ['node-heartbeat-lost'], shows: UNHEARD },
    'stands still',
  ),
);

/** Faults of machines. */
export const MACHINE_FAULTS: readonly Fault[] = [
  kubeletRestart,
  reboot,
  renamed,
  packetsLost('F41', [OTHER_NODES, API_SERVER]),
  packetsLost('F42', [SERVICES]),
  clockOff('F45', SKEWS_MS, 1),
  ailing('F46', { kind: 'disk-full' }, fullDisk, 'the disk is full'),
  ailing('F47', { kind: 'containerd-hung' }, hangingRuntime, 'the container runtime hangs'),
  packetsLost('F55', [METADATA]),
  clockOff('F71', [HOUR_MS, -HOUR_MS], 0.5),
  suspended,
];
