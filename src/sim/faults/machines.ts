import type { Destination, Machine, MachineFault } from '../machines/contract.ts';
import type { Fault, Injected } from './contract.ts';
import { HOUR_MS, MINUTE_MS, SILENT, onMachine, onMember, truthOf } from './shapes.ts';
import { called, nothing } from './targets.ts';

function broken(
  machine: Machine,
  fault: MachineFault,
  causes: readonly string[],
  what: string,
): Injected {
  return {
    what: `${called(machine)}: ${what}`,
    truths: [truthOf(machine, causes)],
    breaks: [machine.instanceId],
    undo: machine.break(fault),
  };
}

/** Of a kubelet that somebody starts before a join has given it anything to start with. */
const UNCONFIGURED = ['kubelet-without-kubeconfig'];

const kubeletRestart = onMachine({ id: 'F35', perHour: 4, lastsMs: 0 }, (_, machine) => {
  const isConfigured = machine.nodeName() !== null;
  machine.restartKubelet();
  const truths = isConfigured ? [] : [truthOf(machine, UNCONFIGURED)];
  return { what: `${called(machine)}: kubelet restarted`, truths, undo: nothing };
});

const reboot = onMachine({ id: 'F36', perHour: 2, lastsMs: 0 }, (_, machine) => {
  machine.reboot();
  const truths = [truthOf(machine, [...SILENT, 'reboot-during-bootstrap'])];
  return { what: `${called(machine)}: rebooted`, truths, undo: nothing };
});

/** What may come of a machine that its certificate, the cloud controller or its Node does not know. */
const RENAMED = [
  'node-name-differs-from-certificate',
  'node-registered-elsewhere',
  'old-name-node-left-behind',
  'phantom-node-under-other-name',
  'hostname-without-domain',
  'ccm-cannot-initialize-node',
  'node-deleted-as-not-in-cloud',
  'no-reregistration-after-deletion',
  ...SILENT,
];

const renamed = onMember(
  { id: 'F37', perHour: 1.5, lastsMs: 20 * MINUTE_MS },
  (_, { machine, name }, random) => {
    const before = machine.hostname() ?? name;
    const next = `worker-${random.word(4)}`;
    const rename = (to: string): void =>
      machine.run(`hostnamectl set-hostname ${to} && systemctl restart kubelet`);
    rename(next);
    return {
      what: `${name}: renamed to ${next}`,
      truths: [truthOf(machine, RENAMED)],
      undo: () => rename(before),
    };
  },
);

/** What the loss of packets to a destination may rightly be called. */
const BLACK_HOLES: readonly (readonly [Destination, readonly string[]])[] = [
  [
    'other-nodes',
    ['node-to-node-traffic-blocked', 'firewall-drops-pod-traffic', 'cluster-dns-unreachable'],
  ],
  [
    'service-network',
    [
      'kube-proxy-not-working',
      'service-ip-unreachable-for-cni',
      'service-ip-unreachable-for-calico',
      'cluster-dns-unreachable',
    ],
  ],
];

function packetsLost(
  id: string,
  holes: readonly (readonly [Destination, readonly string[]])[],
): Fault {
  return onMachine({ id, perHour: 2, lastsMs: 10 * MINUTE_MS }, (_, machine, random) => {
    const [destination, causes] = random.pick(holes);
    const fault = { kind: 'black-hole', destination } as const;
    return broken(machine, fault, causes, `packets to ${destination} are lost`);
  });
}

const API_LOST: readonly (readonly [Destination, readonly string[]])[] = [
  [
    'api-server',
    [
      'api-port-blocked',
      'control-plane-down',
      'idle-connection-dropped',
      'tls-handshake-timeout',
      ...SILENT,
    ],
  ],
];

/** Beyond five minutes signatures are refused, and certificates seem not to be valid yet. */
const SKEWS_MS = [7 * MINUTE_MS, -7 * MINUTE_MS, 20 * MINUTE_MS, -20 * MINUTE_MS];

function clockOff(id: string, skews: readonly number[], perHour: number): Fault {
  return onMachine({ id, perHour, lastsMs: 15 * MINUTE_MS }, (_, machine, random) => {
    const skewMs = random.pick(skews);
    const what = `the clock is off by ${skewMs / MINUTE_MS} min`;
    const causes = ['wrong-node-clock', ...SILENT];
    const skewed = broken(machine, { kind: 'clock-skew', skewMs }, causes, what);
    return { ...skewed, marks: ['clock-off-by-minutes'] };
  });
}

function ailing(id: string, fault: MachineFault, causes: readonly string[], what: string): Fault {
  return onMachine({ id, perHour: 1.5, lastsMs: 12 * MINUTE_MS }, (_, machine) =>
    broken(machine, fault, causes, what),
  );
}

const RUNTIME = ['hanging-container-runtime', 'container-runtime-down', ...SILENT];
const DISK = ['node-disk-full', 'root-volume-full-at-boot'];

const IMDS: readonly (readonly [Destination, readonly string[]])[] = [
  [
    'imds',
    [
      'imds-unreachable-on-host',
      'imds-unreachable-from-pods',
      'cni-without-imds',
      'cni-without-aws-credentials',
      'late-instance-credentials',
      'no-aws-credentials',
      'no-ecr-pull-credentials',
      // A boot that cannot ask for its zone and id has no providerID to give.
      'provider-id-missing-or-malformed',
      'hostname-without-domain',
      'ccm-cannot-initialize-node',
      ...SILENT,
    ],
  ],
];

const suspended = onMachine({ id: 'F72', perHour: 1, lastsMs: 8 * MINUTE_MS }, (_, machine) =>
  broken(machine, { kind: 'kubelet-hung' }, SILENT, 'stands still'),
);

/** Faults of machines. */
export const MACHINE_FAULTS: readonly Fault[] = [
  kubeletRestart,
  reboot,
  renamed,
  packetsLost('F41', [...BLACK_HOLES.slice(0, 1), ...API_LOST]),
  packetsLost('F42', BLACK_HOLES.slice(1)),
  clockOff('F45', SKEWS_MS, 1),
  ailing('F46', { kind: 'disk-full' }, DISK, 'the disk is full'),
  ailing('F47', { kind: 'containerd-hung' }, RUNTIME, 'the container runtime hangs'),
  packetsLost('F55', IMDS),
  clockOff('F71', [HOUR_MS, -HOUR_MS], 0.5),
  suspended,
];
