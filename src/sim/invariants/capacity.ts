import { SUBNET } from '../../evidence/aws/network.ts';
import { project } from '../../evidence/project.ts';
import type { capacityOf } from '../../capacity/capacity.ts';
import { isUnknownType } from '../../capacity/instance-type.ts';
import { subnetOf, subnetState } from '../../capacity/subnet.ts';
import { DEFAULT_MODE, type NetworkMode } from '../../capacity/mode.ts';
import { at, type Json, listAt, textAt } from '../../evidence/json.ts';
import type { TrueInstance } from '../aws/contract.ts';
import type { Invariant, Watching } from './contract.ts';

/** As the manifest of the VPC CNI sets them. */
const TARGETS = {
  warmEniTarget: 1,
  warmIpTarget: null,
  minimumIpTarget: null,
  warmPrefixTarget: 1,
};
const MODES: readonly NetworkMode[] = [
  { ...DEFAULT_MODE, cniVersion: 'v1.20.4' },
  { ...DEFAULT_MODE, cniVersion: 'v1.20.4', addressing: 'prefix' },
];

function numberIn(value: Json | undefined, path: string): number | null {
  const found = at(value, path);
  return typeof found === 'number' ? found : null;
}

/** What EC2 of this world would let be attached, counted anew from its own answer. */
function attachable(
  { stage }: Watching,
  { instanceType }: TrueInstance,
  { addressing }: NetworkMode,
): number | null {
  const { simulated } = stage;
  const answer = simulated.cloud.answer(simulated.admin.identity, {
    service: 'ec2',
    operation: 'DescribeInstanceTypes',
    input: { InstanceTypes: [instanceType] },
  });
  const shape = answer.ok ? listAt(answer.output, 'InstanceTypes')[0] : undefined;
  const interfaces = numberIn(shape, 'NetworkInfo.MaximumNetworkInterfaces');
  const each = numberIn(shape, 'NetworkInfo.Ipv4AddressesPerInterface');
  if (interfaces === null || each === null) return null;
  return interfaces * (each - 1) * (addressing === 'prefix' ? 16 : 1);
}

type Plan = typeof capacityOf;

/**
 * The plan of capacity never promises more addresses than EC2 lets be attached, nor more nodes than
 * a subnet can feed. The first is looked at for each machine as its Node comes, the second in each
 * event of a Node before which its subnet has changed.
 */
export function withinLimits(plan: Plan): Invariant {
  return {
    rule: 'I-25',
    watch(watching) {
      const { stage } = watching;
      const { cloud } = stage.simulated;
      const seen = new Set<string>();
      const freeBefore = new Map<string, number>();
      stage.people.follow('Node', (type, node) => {
        const id = /i-[0-9a-f]{17}$/.exec(textAt(node, 'spec.providerID') ?? '')?.[0] ?? '';
        const instance = cloud.instance(id);
        if (type === 'DELETED' || instance === null) return;
        const free = cloud.controls.account.books.get(instance.subnetId)?.free ?? 0;
        if (freeBefore.get(instance.subnetId) !== free) compareSubnet(watching, instance, plan);
        freeBefore.set(instance.subnetId, free);
        if (seen.has(id)) return;
        seen.add(id);
        for (const mode of MODES) compare(watching, instance, { mode, plan });
      });
    },
  };
}

function inputOf({ stage }: Watching, { instanceType }: TrueInstance, mode: NetworkMode) {
  const type = stage.simulated.cloud.controls.account.types.named(instanceType);
  return { type, mode, targets: TARGETS, subnets: null, maxPodsConfigured: null };
}

function compare(
  watching: Watching,
  instance: TrueInstance,
  { mode, plan }: { readonly mode: NetworkMode; readonly plan: Plan },
): void {
  const limit = attachable(watching, instance, mode);
  if (limit === null) return;
  watching.evaluated();
  const input = inputOf(watching, instance, mode);
  const { addresses } = plan(input);
  if (isUnknownType(input.type) ? addresses !== null : (addresses ?? 0) > limit)
    watching.violated(
      instance.instanceId,
      `${addresses} addresses are promised for ${instance.instanceType}, and ${limit} can be attached`,
    );
}

/** Nodes that are said to fit, each with all its pods, take no more than EC2 says is free. */
function compareSubnet(watching: Watching, instance: TrueInstance, plan: Plan): void {
  const { cloud, admin } = watching.stage.simulated;
  const input = { SubnetIds: [instance.subnetId] };
  const answer = cloud.answer(admin.identity, {
    service: 'ec2',
    operation: 'DescribeSubnets',
    input,
  });
  const listed = answer.ok ? (listAt(answer.output, 'Subnets')[0] ?? null) : null;
  const shown = project(SUBNET, listed);
  const subnet = shown === undefined ? null : subnetOf(shown);
  const free = shown?.AvailableIpAddressCount;
  if (subnet === null || typeof free !== 'number') return;
  watching.evaluated();
  const [mode = DEFAULT_MODE] = MODES;
  const subnets = [subnetState(subnet, null)];
  const { fit, held } = plan({ ...inputOf(watching, instance, mode), subnets });
  const promised = (fit?.nodes ?? 0) * (held?.full.addresses ?? 0);
  if (promised > free)
    watching.violated(
      instance.subnetId,
      `${promised} addresses are promised in a subnet in which ${free} are free`,
    );
}
