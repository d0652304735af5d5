import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SecurityGroup } from '../../evidence/aws/network.ts';
import type { JsonObject } from '../../evidence/json.ts';
import type { PlanContents } from '../../evidence/planned.ts';
import { contentsOf, type Given, planOf } from './testing.ts';

function groupsIn({ facts }: PlanContents): ReadonlyMap<string, SecurityGroup> {
  const own = facts.filter(({ kind }) => kind === 'aws/security-group');
  return new Map(own.map((fact) => [fact.address, fact.value as SecurityGroup]));
}

/** The rules of one group, as the sources that they let in. */
function sourcesIn(resources: readonly Given[], address = 'aws_security_group.nodes'): string[][] {
  const group = groupsIn(contentsOf(planOf(resources))).get(address);
  return (group?.IpPermissions ?? []).map((rule) => [
    ...(rule.IpRanges ?? []).map(({ CidrIp: range }) => range ?? ''),
    ...(rule.UserIdGroupPairs ?? []).map(({ GroupId: id }) => id ?? ''),
  ]);
}

const NODES: Given = { address: 'aws_security_group.nodes', unknown: { id: true, ingress: true } };
const OTHER: Given = { address: 'aws_security_group.other', unknown: { id: true, ingress: true } };

function ruleOf(expressions: JsonObject, unknown: JsonObject, values: JsonObject = {}): Given {
  const on = { references: ['aws_security_group.nodes.id', 'aws_security_group.nodes'] };
  return {
    address: 'aws_vpc_security_group_ingress_rule.one',
    values: { ip_protocol: 'tcp', from_port: 443, to_port: 443, ...values },
    unknown: { security_group_id: true, ...unknown },
    expressions: { security_group_id: on, ...expressions },
  };
}

const FROM_OTHER = { references: ['aws_security_group.other.id', 'aws_security_group.other'] };

describe('a rule of its own resource belongs to its group', () => {
  test('with the range that it names', () => {
    const rule = ruleOf({}, {}, { cidr_ipv4: '10.0.0.0/16' });
    assert.deepEqual(sourcesIn([NODES, rule]), [['10.0.0.0/16']]);
  });

  test('with the group that it references', () => {
    const rule = ruleOf(
      { referenced_security_group_id: FROM_OTHER },
      { referenced_security_group_id: true },
    );
    assert.deepEqual(sourcesIn([NODES, OTHER, rule]), [['aws_security_group.other']]);
  });

  test('and lets everybody in where its source is known after apply', () => {
    const local = { references: ['local.source'] };
    const rule = ruleOf(
      { referenced_security_group_id: local },
      { referenced_security_group_id: true },
    );
    assert.deepEqual(sourcesIn([NODES, rule]), [['known after apply']]);
  });

  test('in the older form with its own members', () => {
    const rule: Given = {
      ...ruleOf({}, {}, { type: 'ingress', protocol: '-1', self: true, cidr_blocks: [] }),
      address: 'aws_security_group_rule.one',
    };
    assert.deepEqual(sourcesIn([NODES, rule]), [['aws_security_group.nodes']]);
  });
});

test('a rule of a group that nobody can tell leaves all groups in doubt', () => {
  const rule: Given = {
    ...ruleOf({}, {}),
    expressions: { security_group_id: { references: ['local.group'] } },
  };
  const { doubts } = contentsOf(planOf([NODES, rule]));
  assert.deepEqual(
    doubts.map(({ kind }) => kind),
    ['aws/security-group'],
  );
});

describe('rules in the blocks of a group', () => {
  const block = { protocol: 'tcp', from_port: 443, to_port: 443, self: true };

  test('name ranges and the group itself', () => {
    const ingress = [{ ...block, cidr_blocks: ['10.0.0.0/8'], security_groups: ['sg-1'] }];
    const group = { ...NODES, values: { ingress }, unknown: { id: true } };
    assert.deepEqual(sourcesIn([group]), [['10.0.0.0/8', 'sg-1', 'aws_security_group.nodes']]);
  });

  test('let everybody in where all of them are known after apply', () => {
    const expressions = { ingress: { references: ['local.rules'] } };
    assert.deepEqual(sourcesIn([{ ...NODES, expressions }]), [['known after apply']]);
  });

  test('do not exist where a new group has no block, to the outside neither', () => {
    const group = groupsIn(contentsOf(planOf([NODES]))).get('aws_security_group.nodes');
    assert.deepEqual([group?.IpPermissions, group?.IpPermissionsEgress], [[], []]);
  });
});

test('a new cluster has a group whose members reach one another', () => {
  const cluster: Given = { address: 'aws_eks_cluster.this', values: { name: 'orders' } };
  const own = 'aws_eks_cluster.this.cluster_security_group';
  assert.deepEqual(sourcesIn([cluster], 'aws_eks_cluster.this'), [[own]]);
  const kept: Given = { ...cluster, actions: ['no-op'] };
  assert.deepEqual(sourcesIn([kept], 'aws_eks_cluster.this'), []);
});
