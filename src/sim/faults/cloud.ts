import type { Effect, Fault, FaultScene } from './contract.ts';
import { MINUTE_MS, onMachine, truthOf, UNHEARD } from './shapes.ts';
import { called, nothing, runningMachines } from './targets.ts';

/** What shows where something of a machine is hidden from the cloud controller and the boot. */
const UNFOUND: readonly Effect[] = ['uninitialized', 'no-node'];

type Controls = FaultScene['simulated']['cloud']['controls'];

/** EC2 does not show something of a machine that is there. */
function hidden(
  kind: Omit<Fault, 'inject'>,
  what: string,
  causes: readonly string[],
  hide: (controls: Controls, instanceId: string, forMs: number) => void,
): Fault {
  return onMachine(kind, ({ simulated }, machine) => {
    const { controls } = simulated.cloud;
    hide(controls, machine.instanceId, Infinity);
    return {
      what: `${called(machine)}: EC2 does not show ${what}`,
      truths: [truthOf(machine, causes, UNFOUND)],
      undo: () => hide(controls, machine.instanceId, 0),
    };
  });
}

const hiddenInstance = hidden(
  { id: 'F51', perHour: 3, lastsMs: 2 * MINUTE_MS },
  'it',
  ['ccm-cannot-initialize-node', 'instance-not-yet-visible-in-ec2'],
  (controls, id, forMs) => controls.hideInstance(id, forMs),
);

const hiddenTags = hidden(
  { id: 'F53', perHour: 2, lastsMs: 3 * MINUTE_MS },
  'its tags',
  ['cluster-tag-late', 'untagged-instance-filtered-out'],
  (controls, id, forMs) => controls.hideTags(id, forMs),
);

const hiddenName = hidden(
  { id: 'F54', perHour: 2, lastsMs: 3 * MINUTE_MS },
  'its private DNS name',
  ['private-dns-name-late'],
  (controls, id, forMs) => controls.hideName(id, forMs),
);

/** Calls whose throttling people meet. */
const THROTTLED = ['ec2:DescribeInstances', 'ec2:DescribeNetworkInterfaces', 'ec2:*'];

const throttled: Fault = {
  id: 'F52',
  perHour: 2,
  lastsMs: 4 * MINUTE_MS,
  inject({ simulated }, random) {
    const action = random.pick(THROTTLED);
    simulated.cloud.controls.throttle(action);
    const shows: readonly Effect[] = [...UNFOUND, 'addressless', 'stuck', 'not-ready'];
    return {
      what: `${action} is throttled`,
      truths: [{ causes: ['ec2-api-throttling'], machines: null, shows }],
      undo: () => simulated.cloud.controls.unrefuse(action),
    };
  },
};

const unknownType: Fault = {
  id: 'F56',
  perHour: 0.7,
  lastsMs: 15 * MINUTE_MS,
  inject({ simulated }) {
    const action = 'ec2:DescribeInstanceTypes';
    simulated.cloud.controls.deny(action);
    const causes = ['instance-type-lookup-denied'];
    return {
      what: `${action} is denied`,
      truths: [{ causes, machines: null, shows: ['addressless', 'not-ready'] }],
      undo: () => simulated.cloud.controls.allow(action),
    };
  },
};

const exhaustedSubnet: Fault = {
  id: 'F57',
  perHour: 0.7,
  lastsMs: 30 * MINUTE_MS,
  inject(stage, random) {
    const { simulated } = stage;
    const { subnetId, setting } = random.pick(simulated.infrastructure.groups);
    const isFragmented = random.chance(0.3);
    if (isFragmented) simulated.cloud.controls.fragmentSubnet(subnetId);
    else simulated.cloud.controls.exhaustSubnet(subnetId, random.below(3));
    const machines = runningMachines(stage)
      .map(({ instanceId }) => instanceId)
      .filter((id) => simulated.cloud.instance(id)?.subnetId === subnetId);
    const causes = [
      isFragmented ? 'subnet-without-contiguous-prefix' : 'subnet-out-of-pod-addresses',
    ];
    return {
      what: `the subnet of ${setting.name} has no ${isFragmented ? 'whole prefix' : 'addresses'} left`,
      truths: [{ causes, machines, shows: ['addressless', 'stuck', 'no-node'] }],
      marks: isFragmented ? [] : ['subnet-exhausted'],
      undo: () => simulated.cloud.controls.relieveSubnet(subnetId),
    };
  },
};

const unattached: Fault = {
  id: 'F58',
  perHour: 0.7,
  lastsMs: 10 * MINUTE_MS,
  inject({ simulated }, random) {
    const { controls } = simulated.cloud;
    if (random.chance(0.4)) {
      controls.stickInterfaces(Infinity);
      return {
        what: 'interfaces that are let go stay detaching',
        truths: [{ causes: ['leaked-network-interfaces'], machines: null, shows: [] }],
        undo: () => controls.stickInterfaces(0),
      };
    }
    const action = 'ec2:AttachNetworkInterface';
    controls.deny(action);
    const causes = ['cni-without-ec2-permissions'];
    return {
      what: `${action} is denied`,
      truths: [{ causes, machines: null, shows: ['addressless', 'stuck', 'not-ready'] }],
      undo: () => controls.allow(action),
    };
  },
};

/** An interface that lay free is attached to a machine again, after whoever listed it. */
const attachedAgain = onMachine(
  { id: 'F59', perHour: 1, lastsMs: 3 * MINUTE_MS },
  (stage, machine) => {
    const { cloud } = stage.simulated;
    const subnetId = cloud.instance(machine.instanceId)?.subnetId;
    if (subnetId === undefined) return null;
    const [id] = cloud.controls.leakInterfaces(subnetId, 1);
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
function attachSomewhere(stage: FaultScene, networkInterfaceId: string): void {
  const { cloud, admin } = stage.simulated;
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
    const { cloud } = stage.simulated;
    const spot = runningMachines(stage).filter(
      ({ instanceId }) => cloud.instance(instanceId)?.isSpot === true,
    );
    if (spot.length === 0) return null;
    const machine = random.pick(spot);
    const hasJoined = machine.nodeName() !== null;
    cloud.controls.interruptSpot(machine.instanceId);
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
  inject({ simulated }) {
    const { cloud, infrastructure, setting } = simulated;
    if (setting.cluster.kind !== 'eks') return null;
    const cluster = setting.cluster.name;
    const principalArn = infrastructure.nodeRoleArn;
    const asked = { clusterName: cluster, principalArn };
    const call = { service: 'eks', operation: 'DescribeAccessEntry', input: asked } as const;
    if (cloud.answer(simulated.admin.identity, call).ok) return null;
    cloud.controls.createAccessEntry({ cluster, principalArn, type: 'EC2_LINUX' });
    return {
      what: 'the role of the nodes has an access entry that the cluster does not read',
      truths: [
        { causes: ['access-entry-on-configmap-cluster'], machines: null, shows: ['no-node'] },
      ],
      undo: () => cloud.controls.deleteAccessEntry(cluster, principalArn),
    };
  },
};

const silentSts: Fault = {
  id: 'F61',
  perHour: 0.7,
  lastsMs: 6 * MINUTE_MS,
  inject({ simulated }) {
    simulated.cloud.controls.throttle('sts:*');
    // Kubelets of EKS are known by what STS says of their tokens, and fall silent without it.
    const shows = simulated.setting.cluster.kind === 'eks' ? UNHEARD : [];
    return {
      what: 'STS is throttled',
      truths: [{ causes: ['sts-throttling'], machines: null, shows }],
      undo: () => simulated.cloud.controls.unrefuse('sts:*'),
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
