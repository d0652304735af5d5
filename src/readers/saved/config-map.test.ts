import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../../evidence/json.ts';
import { keptEntries } from './config-map.ts';

function kept(name: string, given: Json): { entries: Json | undefined; left: number } {
  const left = new Map<string, number>();
  const entries = keptEntries({ metadata: { name }, data: given }, left);
  return { entries, left: left.get('entries of ConfigMaps') ?? 0 };
}

/** Every kept entry by its ConfigMap, with what is kept of it. */
const KEPT: readonly (readonly [name: string, key: string, given: Json, kept: Json])[] = [
  ['aws-auth', 'mapRoles', '- rolearn: a', '- rolearn: a'],
  ['aws-auth', 'mapUsers', '- userarn: a', '- userarn: a'],
  ['aws-auth', 'mapRoles', ['planted'], []],
  ['kubeadm-config', 'ClusterStatus', 'apiEndpoints: {}', 'apiEndpoints: {}'],
  ['amazon-vpc-cni', 'enable-windows-ipam', 'true', 'true'],
  ['cilium-config', 'cni-chaining-mode', 'aws-cni', 'aws-cni'],
  ['cilium-config', 'ipam', 'eni', 'eni'],
  ['calico-config', 'cni_network_config', '{"subnet": "usePodCidr", "k": 1}', 'usePodCidr'],
  ['cluster-info', 'jws-kubeconfig-abc123', 'planted', ''],
];

describe('the entries of a ConfigMap', () => {
  for (const [name, key, given, one] of KEPT)
    test(`${name}: ${key} of ${JSON.stringify(given)} is kept, other entries are counted`, () => {
      assert.deepEqual(kept(name, { [key]: given, other: 'planted' }), {
        entries: { [key]: one },
        left: 1,
      });
    });

  for (const [name, key, given] of [
    ['calico-config', 'cni_network_config', '{"ipam": "calico-ipam"}'],
    ['calico-config', 'cni_network_config', ['usePodCidr']],
    ['cluster-info', 'kubeconfig', 'planted'],
    ['cluster-info', 'jws-kubeconfig-ABC123', 'planted'],
    ['cluster-info', 'jws-kubeconfig-abc1234', 'planted'],
    ['cluster-info', 'my-jws-kubeconfig-abc123', 'planted'],
    ['shop-settings', 'jws-kubeconfig-abc123', 'planted'],
    ['shop-settings', 'mapRoles', 'planted'],
    ['shop-settings', 'zone', 'zone = planted'],
  ] as const)
    test(`${name}: ${key} of ${JSON.stringify(given)} is left out`, () => {
      assert.deepEqual(kept(name, { [key]: given }), { entries: {}, left: 1 });
    });

  test('a ConfigMap without entries has none, and one without a name keeps none', () => {
    for (const given of [null, 'planted', ['planted']])
      assert.deepEqual(kept('aws-auth', given), { entries: undefined, left: 0 });
    assert.equal(keptEntries('planted', new Map()), undefined);
    assert.deepEqual(keptEntries({ data: { mapRoles: 'planted' } }, new Map()), {});
  });
});

describe('the configuration of the AWS cloud provider', () => {
  const SETTINGS = [
    '[Global]',
    'Zone = eu-west-1a',
    'region=eu-west-1',
    'VPC = vpc-1',
    'SubnetID = subnet-1',
    'RouteTableID = rtb-1',
    '  RoleARN = arn:aws:iam::111122223333:role/r',
    'RoleSourceAccount = 111122223333',
    'KubernetesClusterTag = shop',
    'KubernetesClusterID = shop',
    'NodeIPFamilies = ipv4',
  ];
  const SECRETS = [
    'Password = planted',
    'my zone = planted',
    'zone planted',
    `zone = ${'a'.repeat(320)}`,
    '[Global] planted',
    'x [Global]',
    `[${'a'.repeat(41)}]`,
    '[]',
  ];

  for (const name of ['cloud-config', 'aws-cloud-conf', 'cloud-provider-config'])
    test(`${name} keeps the lines that say of places`, () => {
      const text = [...SETTINGS, ...SECRETS].join('\n');
      assert.deepEqual(kept(name, { 'cloud.conf': text, other: text, list: ['planted'] }), {
        entries: { 'cloud.conf': SETTINGS.join('\n'), other: SETTINGS.join('\n') },
        left: 1,
      });
    });
});
