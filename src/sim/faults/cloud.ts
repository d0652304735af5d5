import type { RandomStream } from '../kernel/random.ts';
import type { Fault, Injected, Stage } from './contract.ts';
import { anyMachine, called, nothing, runningMachines } from './targets.ts';

const MINUTE_MS = 60_000;

/** What may come of it where the cloud controller does not find an instance. */
const NOT_FOUND_BY_CONTROLLER = [
  'node-deleted-as-not-in-cloud',
  'instance-not-yet-visible-in-ec2',
  'ccm-cannot-initialize-node',
  'no-reregistration-after-deletion',
  'untagged-instance-filtered-out',
];

const hiddenInstance: Fault = {
  id: 'F51',
  perHour: 3,
  lastsMs: 2 * MINUTE_MS,
  inject: (stage, random) => hide(stage, random, 'instance'),
};

const hiddenTags: Fault = {
  id: 'F53',
  perHour: 2,
  lastsMs: 3 * MINUTE_MS,
  inject: (stage, random) => hide(stage, random, 'tags'),
};

function hide(stage: Stage, random: RandomStream, what: 'instance' | 'tags'): Injected | null {
  const machine = anyMachine(stage, random);
  if (machine === null) return null;
  const { levers } = stage.town.cloud;
  const { instanceId } = machine;
  const hideIt = (id: string, forMs: number): void =>
    what === 'tags' ? levers.hideTags(id, forMs) : levers.hideInstance(id, forMs);
  hideIt(instanceId, Infinity);
  const ofTags = ['cluster-tag-late', 'cluster-tag-missing-or-contradictory'];
  const causes = [...NOT_FOUND_BY_CONTROLLER, ...(what === 'tags' ? ofTags : [])];
  return {
    what: `${called(machine)}: EC2 does not show ${what === 'tags' ? 'its tags' : 'it'}`,
    truths: [{ causes, machines: [instanceId] }],
    undo: () => hideIt(instanceId, 0),
  };
}

/** Calls whose throttling people meet. */
const THROTTLED = ['ec2:DescribeInstances', 'ec2:DescribeNetworkInterfaces', 'ec2:*'];

const throttled: Fault = {
  id: 'F52',
  perHour: 2,
  lastsMs: 4 * MINUTE_MS,
  inject({ town }, random) {
    const action = random.pick(THROTTLED);
    town.cloud.levers.throttle(action);
    const causes = ['ec2-api-throttling', ...NOT_FOUND_BY_CONTROLLER];
    return {
      what: `${action} is throttled`,
      truths: [{ causes, machines: null }],
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
    const causes = ['instance-type-lookup-denied', 'instance-type-unknown-to-cni'];
    return {
      what: `${action} is denied`,
      truths: [{ causes: [...causes, 'cni-without-ec2-permissions'], machines: null }],
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
    town.cloud.levers.exhaustSubnet(subnetId, random.below(3));
    const machines = runningMachines(stage)
      .map(({ instanceId }) => instanceId)
      .filter((id) => town.cloud.instance(id)?.subnetId === subnetId);
    const causes = [
      'subnet-out-of-pod-addresses',
      'subnet-full-at-launch',
      'subnet-without-contiguous-prefix',
    ];
    return {
      what: `the subnet of ${setting.name} has no addresses left`,
      truths: [{ causes, machines }],
      marks: ['subnet-exhausted'],
      undo: nothing,
    };
  },
};

const unattached: Fault = {
  id: 'F58',
  perHour: 0.7,
  lastsMs: 10 * MINUTE_MS,
  inject({ town }) {
    const action = 'ec2:AttachNetworkInterface';
    town.cloud.levers.deny(action);
    const causes = ['cni-without-ec2-permissions', 'leaked-network-interfaces'];
    return {
      what: `${action} is denied`,
      truths: [{ causes, machines: null }],
      undo: () => town.cloud.levers.allow(action),
    };
  },
};

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
    cloud.levers.interruptSpot(machine.instanceId);
    const causes = [
      'instance-stopped-or-terminated',
      'early-instance-termination',
      'node-object-without-instance',
      'node-deleted-as-not-in-cloud',
      'node-heartbeat-lost',
    ];
    return {
      what: `${called(machine)}: taken away as a Spot Instance`,
      truths: [{ causes, machines: [machine.instanceId] }],
      undo: nothing,
    };
  },
};

const silentSts: Fault = {
  id: 'F61',
  perHour: 0.7,
  lastsMs: 6 * MINUTE_MS,
  inject({ town }) {
    town.cloud.levers.throttle('sts:*');
    const causes = ['sts-throttling', 'sts-endpoint-unavailable', 'irsa-trust-policy-mismatch'];
    return {
      what: 'STS is throttled',
      truths: [{ causes: causes.slice(0, 2), machines: null }],
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
  unknownType,
  exhaustedSubnet,
  unattached,
  silentSts,
];
