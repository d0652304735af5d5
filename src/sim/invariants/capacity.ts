import { capacityOf } from '../../capacity/capacity.ts';
import { isUnknownType } from '../../capacity/instance-type.ts';
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
  const { town } = stage;
  const answer = town.cloud.answer(town.admin.identity, {
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

/**
 * The plan of capacity never promises more addresses than EC2 lets be attached; looked at for each
 * machine as its Node comes.
 */
export const capacity: Invariant = {
  rule: 'I-25',
  watch(watching) {
    const { stage } = watching;
    const seen = new Set<string>();
    stage.people.follow('Node', (type, node) => {
      const id = /i-[0-9a-f]{17}$/.exec(textAt(node, 'spec.providerID') ?? '')?.[0] ?? '';
      const instance = stage.town.cloud.instance(id);
      if (type === 'DELETED' || instance === null || seen.has(id)) return;
      seen.add(id);
      for (const mode of MODES) compare(watching, instance, mode);
    });
  },
};

function compare(watching: Watching, instance: TrueInstance, mode: NetworkMode): void {
  const type = watching.stage.town.cloud.levers.account.types.named(instance.instanceType);
  const limit = attachable(watching, instance, mode);
  if (limit === null) return;
  watching.evaluated();
  const input = { type, mode, targets: TARGETS, subnets: null, maxPodsConfigured: null };
  const { addresses } = capacityOf(input);
  if (isUnknownType(type) ? addresses !== null : (addresses ?? 0) > limit)
    watching.violated(
      instance.instanceId,
      `${addresses} addresses are promised for ${instance.instanceType}, and ${limit} can be attached`,
    );
}
