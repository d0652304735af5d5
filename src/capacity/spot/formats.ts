/** A mix as other programs take it. They choose among its types and zones by themselves. */
import type { JsonObject } from '../../evidence/json.ts';
import type { SpotDocument } from './document.ts';
import { toldType } from './offer.ts';
import type { ToldType } from './told.ts';

export interface FormatOptions {
  /** What the group, pool and launch template are called. */
  readonly name: string;
  readonly cluster: string | null;
  readonly region: string | null;
  readonly types: ReadonlyMap<string, ToldType>;
}

/** EC2 Auto Scaling takes so many overrides, and CreateFleet somewhat more. */
const TYPES_MAX = 40;

interface UsedType {
  readonly type: string;
  readonly arch: string;
  readonly vcpus: number;
  readonly memoryMiB: number;
  /** Machines of the mix; 0 for what is only fallen back on. */
  readonly nodes: number;
}

function usedTypes(
  { mix, types: rows }: SpotDocument,
  { types }: FormatOptions,
): readonly UsedType[] {
  return rows
    .filter(({ isIn, isReserve }) => isIn || isReserve)
    .slice(0, TYPES_MAX)
    .flatMap(({ type }) => {
      const told = toldType(type, types)?.type;
      const { vcpus = null, memoryMiB = null, arch = null } = told ?? {};
      if (vcpus === null || memoryMiB === null || arch === null) return [];
      const nodes = mix.reduce((sum, row) => sum + (row.type === type ? row.nodes : 0), 0);
      return [{ type, arch, vcpus, memoryMiB, nodes }];
    });
}

function zonesOf({ mix }: SpotDocument): readonly string[] {
  return [...new Set(mix.map(({ zone }) => zone))].toSorted();
}

/** Machines count by their vCPUs, as far as the API takes such weights. */
const WEIGHT_MAX = 999;

function weightOf({ vcpus }: UsedType): string {
  return String(Math.min(WEIGHT_MAX, vcpus));
}

function capacityOf(used: readonly UsedType[]): number {
  return used.reduce((sum, one) => sum + one.nodes * Math.min(WEIGHT_MAX, one.vcpus), 0);
}

/** An image fits one architecture, so that each has a launch template where there are several. */
function templatesOf(used: readonly UsedType[], name: string): ReadonlyMap<string, string> {
  const architectures = [...new Set(used.map(({ arch }) => arch))];
  return new Map(
    architectures.map((arch) => [arch, architectures.length === 1 ? name : `${name}-${arch}`]),
  );
}

/** `MixedInstancesPolicy`, as CreateAutoScalingGroup and UpdateAutoScalingGroup take it. */
export function asgPolicy(document: SpotDocument, options: FormatOptions): JsonObject {
  const used = usedTypes(document, options);
  const templates = templatesOf(used, options.name);
  const specification = (arch: string): JsonObject => ({
    LaunchTemplateName: templates.get(arch) ?? options.name,
    Version: '$Default',
  });
  return {
    AutoScalingGroupName: options.name,
    MinSize: 0,
    MaxSize: capacityOf(used) * 2,
    DesiredCapacity: capacityOf(used),
    CapacityRebalance: true,
    AvailabilityZones: zonesOf(document),
    MixedInstancesPolicy: {
      LaunchTemplate: {
        LaunchTemplateSpecification: specification(used[0]?.arch ?? ''),
        Overrides: used.map((one) => ({
          InstanceType: one.type,
          WeightedCapacity: weightOf(one),
          ...(templates.size === 1 ? {} : { LaunchTemplateSpecification: specification(one.arch) }),
        })),
      },
      InstancesDistribution: {
        OnDemandBaseCapacity: 0,
        OnDemandPercentageAboveBaseCapacity: 0,
        SpotAllocationStrategy: 'price-capacity-optimized',
      },
    },
  };
}

/** A NodePool of Karpenter v1 with the types, zones and architectures as requirements. */
export function karpenterPool(document: SpotDocument, options: FormatOptions): JsonObject {
  const used = usedTypes(document, options);
  const requirement = (key: string, values: readonly string[]): JsonObject => ({
    key,
    operator: 'In',
    values,
  });
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: options.name },
    spec: {
      template: {
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
          requirements: [
            requirement('karpenter.sh/capacity-type', ['spot']),
            requirement(
              'kubernetes.io/arch',
              [...new Set(used.map(({ arch }) => arch))].toSorted(),
            ),
            requirement(
              'node.kubernetes.io/instance-type',
              used.map(({ type }) => type),
            ),
            requirement('topology.kubernetes.io/zone', zonesOf(document)),
          ],
        },
      },
      limits: { cpu: String(document.totals?.vcpus ?? 0) },
    },
  };
}

/**
 * Managed node groups of eksctl, one for each size: they count machines and not vCPUs, and Cluster
 * Autoscaler takes all machines of a group for alike.
 */
export function eksctlConfig(document: SpotDocument, options: FormatOptions): JsonObject {
  const sizes = Map.groupBy(
    usedTypes(document, options),
    ({ arch, vcpus, memoryMiB }) => `${arch} ${vcpus} ${memoryMiB}`,
  );
  const groups = [...sizes.values()].flatMap((used) => {
    const nodes = used.reduce((sum, one) => sum + one.nodes, 0);
    const [first] = used;
    if (first === undefined || nodes === 0) return [];
    return [
      {
        name: `${options.name}-${first.arch}-${first.vcpus}x${Math.round(first.memoryMiB / 1024)}`,
        spot: true,
        instanceTypes: used.map(({ type }) => type),
        availabilityZones: zonesOf(document),
        minSize: 0,
        desiredCapacity: nodes,
        maxSize: nodes * 2,
      },
    ];
  });
  return {
    apiVersion: 'eksctl.io/v1alpha5',
    kind: 'ClusterConfig',
    metadata: {
      name: options.cluster ?? options.name,
      region: options.region ?? regionOf(document),
    },
    managedNodeGroups: groups,
  };
}

/** `eu-west-1` of `eu-west-1a`. */
function regionOf({ mix }: SpotDocument): string {
  return (mix[0]?.zone ?? '').replace(/(?<=\d)[a-z]$|(?<=-\d)-[a-z]+-\d[a-z]$/, '');
}

/** Terraform in its JSON syntax (`spot.tf.json`); subnets and images stay with the reader. */
export function terraformGroup(document: SpotDocument, options: FormatOptions): JsonObject {
  const used = usedTypes(document, options);
  const templates = templatesOf(used, options.name);
  const specification = (arch: string): JsonObject => ({
    launch_template_name: templates.get(arch) ?? options.name,
    version: '$Default',
  });
  return {
    variable: {
      subnet_ids: {
        type: 'list(string)',
        description: `Subnets in ${zonesOf(document).join(', ')}`,
      },
    },
    resource: {
      aws_autoscaling_group: {
        [options.name]: {
          name: options.name,
          min_size: 0,
          max_size: capacityOf(used) * 2,
          desired_capacity: capacityOf(used),
          capacity_rebalance: true,
          vpc_zone_identifier: `\${var.subnet_ids}`,
          mixed_instances_policy: {
            instances_distribution: {
              on_demand_base_capacity: 0,
              on_demand_percentage_above_base_capacity: 0,
              spot_allocation_strategy: 'price-capacity-optimized',
            },
            launch_template: {
              launch_template_specification: specification(used[0]?.arch ?? ''),
              override: used.map((one) => ({
                instance_type: one.type,
                weighted_capacity: weightOf(one),
                ...(templates.size === 1
                  ? {}
                  : { launch_template_specification: specification(one.arch) }),
              })),
            },
          },
        },
      },
    },
  };
}
