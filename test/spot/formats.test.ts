import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Ajv } from 'ajv';
import { spotDocument } from '../../src/capacity/spot/document.ts';
import {
  asgPolicy,
  eksctlConfig,
  type FormatOptions,
  karpenterPool,
  terraformGroup,
} from '../../src/capacity/spot/formats.ts';
import type { JsonObject } from '../../src/evidence/json.ts';
import { questionOf } from './world.ts';

const OPTIONS: FormatOptions = { name: 'jobs', cluster: 'shop', region: null, types: new Map() };
const PRICES = {
  'm5.large eu-west-1a': 0.04,
  'm5.large eu-west-1b': 0.041,
  'm5a.large eu-west-1a': 0.042,
  'm6g.large eu-west-1b': 0.039,
  'm6g.xlarge eu-west-1a': 0.079,
  'm5d.large eu-west-1a': 0.0425,
  'r5.large eu-west-1a': 0.09,
};
const document = spotDocument(questionOf({ prices: PRICES }));
const arm = spotDocument(
  questionOf({ prices: PRICES, rules: { never: ['m5*', 'r5'], maxSharePerPool: 1 } }),
);

const NAME = { type: 'string', minLength: 1 };
const TYPE = { type: 'string', pattern: '^[a-z0-9-]+\\.[a-z0-9-]+$' };
const ZONES = {
  type: 'array',
  items: { type: 'string', pattern: '^eu-west-1[a-c]$' },
  minItems: 1,
};

function object(properties: JsonObject, optional: readonly string[] = []): JsonObject {
  const required = Object.keys(properties).filter((key) => !optional.includes(key));
  return { type: 'object', additionalProperties: false, properties, required };
}

function valid(schema: JsonObject, value: unknown): void {
  const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true });
  const isValid = ajv.compile(schema);
  assert.equal(isValid(value), true, JSON.stringify(isValid.errors));
}

const count = { type: 'integer', minimum: 0 };

/** Members of CreateAutoScalingGroup in the API reference of EC2 Auto Scaling. */
const SPECIFICATION = object({ LaunchTemplateName: NAME, Version: { const: '$Default' } });
const ASG = object({
  AutoScalingGroupName: NAME,
  MinSize: count,
  MaxSize: count,
  DesiredCapacity: count,
  CapacityRebalance: { type: 'boolean' },
  AvailabilityZones: ZONES,
  MixedInstancesPolicy: object({
    LaunchTemplate: object({
      LaunchTemplateSpecification: SPECIFICATION,
      Overrides: {
        type: 'array',
        minItems: 1,
        maxItems: 40,
        items: object(
          {
            InstanceType: TYPE,
            WeightedCapacity: { type: 'string', pattern: '^[1-9][0-9]{0,2}$' },
            LaunchTemplateSpecification: SPECIFICATION,
          },
          ['LaunchTemplateSpecification'],
        ),
      },
    }),
    InstancesDistribution: object({
      OnDemandBaseCapacity: count,
      OnDemandPercentageAboveBaseCapacity: { type: 'integer', minimum: 0, maximum: 100 },
      SpotAllocationStrategy: {
        enum: [
          'lowest-price',
          'capacity-optimized',
          'capacity-optimized-prioritized',
          'price-capacity-optimized',
        ],
      },
    }),
  }),
});

/** The schema of karpenter.sh/v1 NodePools. */
const KARPENTER = object({
  apiVersion: { const: 'karpenter.sh/v1' },
  kind: { const: 'NodePool' },
  metadata: object({ name: NAME }),
  spec: object({
    template: object({
      spec: object({
        nodeClassRef: object({ group: NAME, kind: NAME, name: NAME }),
        requirements: {
          type: 'array',
          maxItems: 100,
          items: object({
            key: { type: 'string', pattern: '^([a-z0-9.-]+/)?[A-Za-z0-9_.-]+$' },
            operator: { enum: ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'] },
            values: { type: 'array', minItems: 1, items: NAME },
          }),
        },
      }),
    }),
    limits: object({ cpu: { type: 'string', pattern: '^[0-9]+$' } }),
  }),
});

/** The schema of eksctl.io/v1alpha5. */
const EKSCTL = object({
  apiVersion: { const: 'eksctl.io/v1alpha5' },
  kind: { const: 'ClusterConfig' },
  metadata: object({ name: NAME, region: { const: 'eu-west-1' } }),
  managedNodeGroups: {
    type: 'array',
    minItems: 1,
    items: object({
      name: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9-]{0,62}$' },
      spot: { const: true },
      instanceTypes: { type: 'array', minItems: 1, items: TYPE },
      availabilityZones: ZONES,
      minSize: count,
      desiredCapacity: count,
      maxSize: count,
    }),
  },
});

/** Arguments of aws_autoscaling_group in the AWS provider, in Terraform's JSON syntax. */
const TEMPLATE = object({ launch_template_name: NAME, version: NAME });
const TERRAFORM = object({
  variable: object({ subnet_ids: object({ type: { const: 'list(string)' }, description: NAME }) }),
  resource: object({
    aws_autoscaling_group: object({
      jobs: object({
        name: NAME,
        min_size: count,
        max_size: count,
        desired_capacity: count,
        capacity_rebalance: { type: 'boolean' },
        // biome-ignore lint: an expression of Terraform
        vpc_zone_identifier: { const: '${var.subnet_ids}' },
        mixed_instances_policy: object({
          instances_distribution: object({
            on_demand_base_capacity: count,
            on_demand_percentage_above_base_capacity: count,
            spot_allocation_strategy: NAME,
          }),
          launch_template: object({
            launch_template_specification: TEMPLATE,
            override: {
              type: 'array',
              minItems: 1,
              items: object(
                {
                  instance_type: TYPE,
                  weighted_capacity: { type: 'string', pattern: '^[1-9][0-9]{0,2}$' },
                  launch_template_specification: TEMPLATE,
                },
                ['launch_template_specification'],
              ),
            },
          }),
        }),
      }),
    }),
  }),
});

describe('a mix has the documented shape', () => {
  for (const [name, mix] of Object.entries({ 'of two architectures': document, 'of one': arm })) {
    test(`as an Auto Scaling group ${name}`, () => valid(ASG, asgPolicy(mix, OPTIONS)));
    test(`as a NodePool ${name}`, () => valid(KARPENTER, karpenterPool(mix, OPTIONS)));
    test(`as node groups of eksctl ${name}`, () => valid(EKSCTL, eksctlConfig(mix, OPTIONS)));
    test(`as Terraform ${name}`, () => valid(TERRAFORM, terraformGroup(mix, OPTIONS)));
  }
});

test('types that are nearly as good go along, and those that are too dear do not', () => {
  const pool = JSON.stringify(karpenterPool(document, OPTIONS));
  for (const type of ['m5.large', 'm6g.large', 'm5d.large']) assert.ok(pool.includes(type), type);
  assert.ok(!pool.includes('r5.large'));
});

test('an image fits one architecture, so that each has a launch template', () => {
  const templates = (value: JsonObject): readonly string[] =>
    [
      ...new Set(JSON.stringify(value).match(/jobs(?:-(?:amd|arm)64)?(?=","(?:Version|version))/g)),
    ].toSorted();
  assert.deepEqual(templates(asgPolicy(document, OPTIONS)), ['jobs-amd64', 'jobs-arm64']);
  assert.deepEqual(templates(terraformGroup(document, OPTIONS)), ['jobs-amd64', 'jobs-arm64']);
  assert.deepEqual(templates(asgPolicy(arm, OPTIONS)), ['jobs']);
});

test('groups of eksctl hold machines of one size and architecture, and all nodes of the mix', () => {
  const { managedNodeGroups } = eksctlConfig(document, OPTIONS);
  const groups = managedNodeGroups as readonly {
    name: string;
    desiredCapacity: number;
    instanceTypes: string[];
  }[];
  const sizes = groups.map(
    ({ instanceTypes }) =>
      new Set(instanceTypes.map((type) => `${type.startsWith('m6g')} ${type.split('.')[1]}`)).size,
  );
  assert.ok(
    sizes.every((size) => size === 1),
    JSON.stringify(groups),
  );
  const nodes = groups.reduce((sum, { desiredCapacity }) => sum + desiredCapacity, 0);
  assert.equal(nodes, document.totals?.nodes);
});

test('the capacity of a weighted group is that of the mix', () => {
  assert.equal(asgPolicy(document, OPTIONS)['DesiredCapacity'], document.totals?.vcpus);
});
