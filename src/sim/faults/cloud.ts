import type { Effect, Fault, Stage } from './contract.ts';
import { MINUTE_MS, onMachine, truthOf, UNHEARD } from './shapes.ts';
import { called, nothing, runningMachines } from './targets.ts';

/** What shows where something of a machine is hidden from the cloud controller and the boot. */
const UNFOUND: readonly Effect[] = ['uninitialized', 'no-node'];

type Levers = Stage['town']['cloud']['levers'];

/** EC2 does not show something of a machine that is there. */
function hidden(
  kind: Omit<Fault, 'inject'>,
  what: string,
  causes: readonly string[],
  hide: (levers: Levers, instanceId: string, forMs: number) => void,
): Fault {
  return onMachine(kind, ({ town }, machine) => {
    const { levers } = town.cloud;
    hide(levers, machine.instanceId, Infinity);
    return {
      what: `${called(machine)}: EC2 does not show ${what}`,
      truths: [truthOf(machine, causes, UNFOUND)],
      undo: () => hide(levers, machine.instanceId, 0),
    };
  });
}

const hiddenInstance = hidden(
  { id: 'F51', perHour: 3, lastsMs: 2 * MINUTE_MS },
  'it',
  ['ccm-cannot-initialize-node', 'instance-not-yet-visible-in-ec2'],
  (levers, id, forMs) => levers.hideInstance(id, forMs),
);

const hiddenTags = hidden(
  { id: 'F53', perHour: 2, lastsMs: 3 * MINUTE_MS },
  'its tags',
  ['cluster-tag-late', 'untagged-instance-filtered-out'],
  (levers, id, forMs) => levers.hideTags(id, forMs),
);

const hiddenName = hidden(
  { id: 'F54', perHour: 2, lastsMs: 3 * MINUTE_MS },
  'its private DNS name',
  ['private-dns-name-late'],
  (levers, id, forMs) => levers.hideName(id, forMs),
);

/** Calls whose throttling people meet. */
const THROTTLED = ['ec2:DescribeInstances', 'ec2:DescribeNetworkInterfaces', 'ec2:*'];

const throttled: Fault = {
  id: 'F52',
  perHour: 2,
  lastsMs: 4 * MINUTE_MS,
  inject({ town }, random) {
    const action = random.pick(THROTTLED);
    town.cloud.levers.throttle(action);
    const shows: readonly Effect[] = [...UNFOUND, 'addressless', 'stuck', 'not-ready'];
    return {
      what: `${action} is throttled`,
      truths: [{ causes: ['ec2-api-throttling'], machines: null, shows }],
      undo: () => town.cloud.levers.unrefuse(action),
    };
  },
};

const unknownType: Fault = {
  id: 'F56',
  perHour: 0.7,
  lastsMs: 15 * MINUTE_MS,
  inject({ town }) {
    const action = 'ec2:DescribeInstanceTypes';
    town.cloud.levers.deny(action);
    const causes = ['instance-type-lookup-denied'];
    return {
      what: `${action} is denied`,
      truths: [{ causes, machines: null, shows: ['addressless', 'not-ready'] }],
      undo: () => town.cloud.levers.allow(action),
    };
  },
};

const exhaustedSubnet: Fault = {
  id: 'F57',
  perHour: 0.7,
  lastsMs: 30 * MINUTE_MS,
  inject(stage, random) {
    const { town } = stage;
    const { subnetId, setting } = random.pick(town.land.groups);
    const isFragmented = random.chance(0.3);
    if (isFragmented) town.cloud.levers.fragmentSubnet(subnetId);
    else town.cloud.levers.exhaustSubnet(subnetId, random.below(3));
    const machines = runningMachines(stage)
      .map(({ instanceId }) => instanceId)
      .filter((id) => town.cloud.instance(id)?.subnetId === subnetId);
    const causes = [
      isFragmented ? 'subnet-without-contiguous-prefix' : 'subnet-out-of-pod-addresses',
    ];
    return {
      what: `the subnet of ${setting.name} has no ${isFragmented ? 'whole prefix' : 'addresses'} left`,
      truths: [{ causes, machines, shows: ['addressless', 'stuck', 'no-node'] }],
      marks: isFragmented ? [] : ['subnet-exhausted'],
      undo: () => town.cloud.levers.relieveSubnet(subnetId),
    };
  },
};

const unattached: Fault = {
  id: 'F58',
  perHour: 0.7,
  lastsMs: 10 * MINUTE_MS,
  inject({ town }, random) {
    const { levers } = town.cloud;
    if (random.chance(0.4)) {
      levers.stickInterfaces(Infinity);
      return {
        what: 'interfaces that are let go stay detaching',
        truths: [{ causes: ['leaked-network-interfaces'], machines: null, shows: [] }],
        undo: () => levers.stickInterfaces(0),
      };
    }
    const action = 'ec2:AttachNetworkInterface';
    levers.deny(action);
    const causes = ['cni-without-ec2-permissions'];
    return {
      what: `${action} is denied`,
      truths: [{ causes, machines: null, shows: ['addressless', 'stuck', 'not-ready'] }],
      undo: () => levers.allow(action),
    };
  },
};

/** An interface that lay free is attached to a machine again, after whoever listed it. */
const attachedAgain = onMachine(
  { id: 'F59', perHour: 1, lastsMs: 3 * MINUTE_MS },
  (stage, machine) => {
    const { cloud } = stage.town;
    const subnetId = cloud.instance(machine.instanceId)?.subnetId;
    if (subnetId === undefined) return null;
    const [id] = cloud.levers.leakInterfaces(subnetId, 1);
    if (id === undefined) return null;
    return {
      what: `${id} lies free, and is attached to a machine later`,
      truths: [{ causes: ['leaked-network-interfaces'], machines: null, shows: [] }],
      undo: () => attachSomewhere(stage, id),
    };
  },
);

/** One that the VPC CNI would take last. */
const LAST_DEVICE = 7;

/** To the first machine that has room for one more. */
function attachSomewhere(stage: Stage, networkInterfaceId: string): void {
  const { cloud, admin } = stage.town;
  runningMachines(stage).some(({ instanceId }) => {
    const place = { InstanceId: instanceId, DeviceIndex: LAST_DEVICE };
    const input = { NetworkInterfaceId: networkInterfaceId, ...place };
    const call = { service: 'ec2', operation: 'AttachNetworkInterface', input } as const;
    return cloud.answer(admin.identity, call).ok;
  });
}

const spotInterruption: Fault = {
  id: 'F50',
  perHour: 1,
  lastsMs: 0,
  inject(stage, random) {
    const { cloud } = stage.town;
    const spot = runningMachines(stage).filter(
      ({ instanceId }) => cloud.instance(instanceId)?.isSpot === true,
    );
    if (spot.length === 0) return null;
    const machine = random.pick(spot);
    const hasJoined = machine.nodeName() !== null;
    cloud.levers.interruptSpot(machine.instanceId);
    const causes = [hasJoined ? 'instance-stopped-or-terminated' : 'early-instance-termination'];
    return {
      what: `${called(machine)}: taken away as a Spot Instance`,
      // Nobody gives it back.
      truths: [{ ...truthOf(machine, causes, ['off']), endsMs: Infinity }],
      undo: nothing,
    };
  },
};

/** An access entry on a cluster that reads aws-auth alone: it is there, and has no effect. */
const accessEntry: Fault = {
  id: 'F60',
  perHour: 1,
  lastsMs: 10 * MINUTE_MS,
  inject({ town }) {
    const { cloud, land, setting } = town;
    if (setting.cluster.kind !== 'eks') return null;
    const cluster = setting.cluster.name;
    const principalArn = land.nodeRoleArn;
    const asked = { clusterName: cluster, principalArn };
    const call = { service: 'eks', operation: 'DescribeAccessEntry', input: asked } as const;
    if (cloud.answer(town.admin.identity, call).ok) return null;
    cloud.levers.createAccessEntry({ cluster, principalArn, type: 'EC2_LINUX' });
    return {
      what: 'the role of the nodes has an access entry that the cluster does not read',
      truths: [
        { causes: ['access-entry-on-configmap-cluster'], machines: null, shows: ['no-node'] },
      ],
      undo: () => cloud.levers.deleteAccessEntry(cluster, principalArn),
    };
  },
};

const silentSts: Fault = {
  id: 'F61',
  perHour: 0.7,
  lastsMs: 6 * MINUTE_MS,
  inject({ town }) {
    town.cloud.levers.throttle('sts:*');
    // Kubelets of EKS are known by what STS says of their tokens, and fall silent without it.
    const shows = town.setting.cluster.kind === 'eks' ? UNHEARD : [];
    return {
      what: 'STS is throttled',
      truths: [{ causes: ['sts-throttling'], machines: null, shows }],
      undo: () => town.cloud.levers.unrefuse('sts:*'),
    };
  },
};

/** Faults of AWS. */
export const CLOUD_FAULTS: readonly Fault[] = [
  spotInterruption,
  hiddenInstance,
  throttled,
  hiddenTags,
  hiddenName,
  unknownType,
  exhaustedSubnet,
  unattached,
  attachedAgain,
  accessEntry,
  silentSts,
];
