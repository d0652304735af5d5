import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '../../evidence/json.ts';
import type { PlanContents } from '../../evidence/planned.ts';
import { readPlan } from './plan.ts';
import { contentsOf, type Given, partsOf, planOf, shown } from './testing.ts';

function whyNot(document: Json): string {
  const read = readPlan(document, 'plan.json');
  return read.ok ? 'read' : read.why;
}

const UNKNOWN_ID = { id: true };

function subnetAt(index: number): Given {
  return { address: `aws_subnet.private[${index}]`, index, unknown: UNKNOWN_ID };
}

function groupIn(references: readonly string[]): Given {
  return {
    address: 'aws_eks_node_group.workers',
    values: { cluster_name: 'orders', node_group_name: 'workers' },
    unknown: { subnet_ids: true },
    expressions: { subnet_ids: { references: [...references] } },
  };
}

function subnetsOfGroup(contents: PlanContents): unknown {
  const group = contents.facts.find(({ kind }) => kind === 'aws/node-group');
  return (group?.value as { readonly subnets?: unknown } | undefined)?.subnets;
}

describe('a document', () => {
  test('without a format_version is refused', () => {
    assert.match(whyNot({ planned_values: {} }), /not the output of `terraform show -json`/);
    assert.match(whyNot([]), /not the output/);
  });

  test('of a later major version is refused with that version', () => {
    assert.match(
      whyNot({ format_version: '2.0', planned_values: {} }),
      /format_version 2\.0 is newer/,
    );
  });

  test('without values is refused', () => {
    assert.match(whyNot({ format_version: '1.2' }), /neither planned_values nor values/);
  });

  test('that is a state has resources that exist', () => {
    const values = { cidr_block: '10.0.0.0/24', id: 'subnet-0aa' };
    const resources = [shown({ address: 'aws_subnet.a', values })];
    const { facts } = contentsOf({ format_version: '1.0', values: { root_module: { resources } } });
    assert.deepEqual(
      facts.map(({ kind, change }) => [kind, change]),
      [['aws/subnet', 'exists']],
    );
  });

  test('with members of other forms than the provider writes gives nothing and does not throw', () => {
    const resources = ['aws_subnet.a', 'aws_eks_cluster.a', 'aws_iam_role.a', 'aws_route_table.a'];
    for (const value of [7, 'x', [null], { a: [[1]] }] as readonly Json[]) {
      const values = { vpc_config: value, access_config: value, tag: value, route: value };
      contentsOf(planOf(resources.map((address) => ({ address, values, unknown: value }))));
    }
    contentsOf({
      format_version: '1.2',
      planned_values: { root_module: 3 },
      resource_changes: 'x',
    });
  });
});

describe('a value that is known after apply', () => {
  test('is unknown, where one that is not set is null', () => {
    const { facts } = contentsOf(
      planOf([
        { address: 'aws_subnet.a', unknown: { id: true, cidr_block: true } },
        { address: 'aws_subnet.b', unknown: UNKNOWN_ID },
      ]),
    );
    const [after, unset] = facts.map(({ value }) => value as { readonly CidrBlock?: unknown });
    assert.equal(after?.CidrBlock, undefined);
    assert.equal(unset?.CidrBlock, null);
  });

  test('links resources by their addresses', () => {
    const references = ['aws_subnet.private[0].id', 'aws_subnet.private[0]', 'aws_subnet.private'];
    const contents = contentsOf(planOf([subnetAt(0), subnetAt(1), groupIn(references)]));
    assert.deepEqual(subnetsOfGroup(contents), ['aws_subnet.private[0]']);
  });

  test('represents all of a list where no index is named', () => {
    const contents = contentsOf(
      planOf([subnetAt(0), subnetAt(1), groupIn(['aws_subnet.private'])]),
    );
    assert.deepEqual(subnetsOfGroup(contents), ['aws_subnet.private[0]', 'aws_subnet.private[1]']);
  });

  test('is not guessed where it comes from a local value', () => {
    const contents = contentsOf(planOf([subnetAt(0), groupIn(['local.subnets'])]));
    assert.equal(subnetsOfGroup(contents), undefined);
    const partly = groupIn(['aws_subnet.private', 'local.subnets']);
    assert.equal(subnetsOfGroup(contentsOf(planOf([subnetAt(0), partly]))), undefined);
  });
});

describe('a reference', () => {
  test('is followed through variables and outputs of modules', () => {
    const subnet = { address: 'module.network.aws_subnet.private', unknown: UNKNOWN_ID };
    const group = { ...groupIn([]), address: 'module.nodes.aws_eks_node_group.workers' };
    const call = (resource: Given, references: readonly string[], more: JsonObject): Json => {
      const { type, name } = partsOf(resource.address);
      const expressions = { subnet_ids: { references: [...references] } };
      const block = { address: `${type}.${name}`, expressions };
      return { expressions, ...more, module: { resources: [block], ...(more['inner'] as object) } };
    };
    const outputs = { ids: { expression: { references: ['aws_subnet.private.id'] } } };
    const plan = planOf([subnet, group], {
      planned_values: {
        root_module: {
          child_modules: [
            { address: 'module.network', resources: [shown(subnet)] },
            { address: 'module.nodes', resources: [shown(group)] },
          ],
        },
      },
      configuration: {
        root_module: {
          module_calls: {
            network: call(subnet, [], { inner: { outputs } }),
            nodes: {
              ...(call(group, ['var.subnets'], {}) as JsonObject),
              expressions: { subnets: { references: ['module.network.ids', 'module.network'] } },
            },
          },
        },
      },
    });
    assert.deepEqual(subnetsOfGroup(contentsOf(plan)), ['module.network.aws_subnet.private']);
  });

  test('in a circle ends', () => {
    const circle = { expressions: { subnets: { references: ['module.nodes.ids'] } } };
    const outputs = { ids: { expression: { references: ['var.subnets'] } } };
    const group = { ...groupIn([]), address: 'module.nodes.aws_eks_node_group.workers' };
    const block = {
      address: 'aws_eks_node_group.workers',
      expressions: { subnet_ids: { references: ['var.subnets'] } },
    };
    const plan = planOf([group], {
      planned_values: {
        root_module: { child_modules: [{ address: 'module.nodes', resources: [shown(group)] }] },
      },
      configuration: {
        root_module: {
          module_calls: { nodes: { ...circle, module: { outputs, resources: [block] } } },
        },
      },
    });
    assert.equal(subnetsOfGroup(contentsOf(plan)), undefined);
  });
});

test('nothing of a plan is kept but what causes look at', () => {
  const secret = 'hunter2-very-secret';
  const values = {
    name: 'orders',
    user_data: btoa(`#!/bin/bash\nexport TOKEN=${secret}\n/etc/eks/bootstrap.sh orders\n`),
    password: secret,
    environment: { variables: { KEY: secret } },
  };
  const addresses = ['aws_launch_template.a', 'aws_db_instance.a', 'aws_eks_cluster.a'];
  const contents = contentsOf({
    ...planOf(addresses.map((address) => ({ address, values }))),
    variables: { token: { value: secret } },
  });
  assert.ok(contents.facts.length > 0);
  assert.ok(!JSON.stringify(contents).includes(secret));
});

test('a resource that is replaced counts as created, and one that is left is kept', () => {
  const { facts } = contentsOf(
    planOf([
      { address: 'aws_subnet.a', actions: ['delete', 'create'] },
      { address: 'aws_subnet.b', actions: ['no-op'] },
    ]),
  );
  assert.deepEqual(
    facts.map(({ change }) => change),
    ['create', 'keep'],
  );
});
