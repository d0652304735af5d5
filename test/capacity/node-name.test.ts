import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeName } from '../../src/domain/naming/answer.ts';
import type { NamingInput } from '../../src/domain/naming/input.ts';
import { nodeNameOf } from '../../src/domain/naming/node-name.ts';

const ID = 'i-0123456789abcdef0';
const IP_NAME = 'ip-172-12-4-2.eu-west-1.compute.internal';

const EC2: Partial<NamingInput> = {
  instanceId: ID,
  privateIp: '172.12.4.2',
  region: 'eu-west-1',
  hostnameType: 'ip-name',
  privateDnsName: IP_NAME,
  hostnameOverride: null,
};
const EXTERNAL = { kind: 'external', controllerVersion: 'v1.33.4' } as const;
const IN_TREE = { kind: 'in-tree' } as const;
const NONE = { kind: 'none' } as const;

function given(part: Partial<NamingInput>): NamingInput {
  return { image: 'other', cloudProvider: EXTERNAL, kubeletVersion: 'v1.33.1', ...EC2, ...part };
}

/** The same machine, of which EC2 told nothing. */
function blind(part: Partial<NamingInput>): NamingInput {
  const { privateDnsName: _, hostnameType: __, ...rest } = given(part);
  return rest;
}

function short(found: NodeName): string {
  return found.state === 'known' ? found.name : found.state;
}

const TABLE: readonly (readonly [string, NamingInput, string])[] = [
  [
    'node00.k8s.internal meets the in-process provider: EC2 decides, whatever is configured',
    given({
      image: 'rhel',
      cloudProvider: IN_TREE,
      kubeletVersion: 'v1.10.3',
      osHostname: 'node00.k8s.internal',
      hostnameOverride: 'node00.k8s.internal',
      dhcpDomain: 'k8s.internal',
    }),
    IP_NAME,
  ],
  [
    'node00.k8s.internal before that: the hostname',
    given({ image: 'rhel', cloudProvider: NONE, osHostname: 'Node00.k8s.internal' }),
    'node00.k8s.internal',
  ],
  [
    'OpenShift 3 with the in-process provider ignores nodeName',
    given({
      image: 'openshift3',
      cloudProvider: IN_TREE,
      kubeletVersion: 'v1.11.0',
      options: { configuredName: 'node00.k8s.internal' },
    }),
    IP_NAME,
  ],
  [
    'OpenShift 3 without a provider takes nodeName',
    given({ image: 'openshift3', cloudProvider: NONE, options: { configuredName: 'Node00.lan' } }),
    'node00.lan',
  ],
  [
    'OpenShift 3 without nodeName takes the hostname',
    given({ image: 'openshift3', cloudProvider: NONE, osHostname: 'node00' }),
    'node00',
  ],
  [
    'in-process provider, no private DNS name',
    given({ cloudProvider: IN_TREE, kubeletVersion: 'v1.20.0', privateDnsName: '' }),
    'none',
  ],
  [
    'in-process provider in a VPC without DNS hostnames',
    blind({ cloudProvider: IN_TREE, kubeletVersion: 'v1.20.0', dnsHostnames: false }),
    'none',
  ],
  [
    'in-process provider after its removal',
    given({ cloudProvider: IN_TREE, kubeletVersion: 'v1.27.0' }),
    'none',
  ],
  [
    'in-process provider, version not known',
    given({ cloudProvider: IN_TREE, kubeletVersion: null }),
    'unknown',
  ],
  [
    'in-process provider, EC2 not asked',
    blind({ cloudProvider: IN_TREE, kubeletVersion: 'v1.20.0' }),
    'unknown',
  ],
  [
    'an IP name is computed where the VPC has DNS hostnames',
    { ...blind({ image: 'al2023' }), hostnameType: 'ip-name', dnsHostnames: true },
    IP_NAME,
  ],
  [
    'in us-east-1 the domain is another one',
    {
      ...blind({ image: 'al2023', region: 'us-east-1' }),
      hostnameType: 'ip-name',
      dnsHostnames: true,
    },
    'ip-172-12-4-2.ec2.internal',
  ],
  [
    'in GovCloud the rule is the same',
    {
      ...blind({ image: 'al2023', region: 'us-gov-west-1' }),
      hostnameType: 'ip-name',
      dnsHostnames: true,
    },
    'ip-172-12-4-2.us-gov-west-1.compute.internal',
  ],
  [
    'an IP name is not computed where the VPC may be without DNS hostnames',
    { ...blind({ image: 'al2023' }), hostnameType: 'ip-name' },
    'unknown',
  ],
  [
    'a resource name is never computed',
    { ...blind({ image: 'al2023' }), hostnameType: 'resource-name', dnsHostnames: true },
    'unknown',
  ],
  ['Amazon Linux 2 since 1.26', given({ image: 'al2', kubeletVersion: '1.26.2' }), IP_NAME],
  [
    'Amazon Linux 2 before 1.26',
    given({ image: 'al2', cloudProvider: null, kubeletVersion: '1.25.9' }),
    IP_NAME,
  ],
  [
    'Amazon Linux 2, external before 1.26',
    given({ image: 'al2', kubeletVersion: '1.25.9' }),
    'unknown',
  ],
  [
    'Amazon Linux 2, version not known',
    given({ image: 'al2', cloudProvider: null, kubeletVersion: null }),
    'unknown',
  ],
  [
    'Amazon Linux 2 without private DNS name',
    given({ image: 'al2', privateDnsName: null }),
    'none',
  ],
  [
    'Amazon Linux 2023',
    given({ image: 'al2023', cloudProvider: null, kubeletVersion: null }),
    IP_NAME,
  ],
  [
    'Amazon Linux 2023 without private DNS name',
    given({ image: 'al2023', privateDnsName: '' }),
    'none',
  ],
  [
    'Amazon Linux 2023 by instance id',
    given({ image: 'al2023', options: { instanceIdNodeName: true } }),
    ID,
  ],
  [
    'Amazon Linux 2023 with a flag of its own',
    given({ image: 'al2023', hostnameOverride: ' Blue.Example ' }),
    'blue.example',
  ],
  ['Bottlerocket', given({ image: 'bottlerocket' }), IP_NAME],
  [
    'Bottlerocket by instance id',
    given({ image: 'bottlerocket', options: { hostnameOverrideSource: 'instance-id' } }),
    ID,
  ],
  [
    'Bottlerocket without private DNS name',
    given({ image: 'bottlerocket', privateDnsName: '' }),
    'none',
  ],
  ['Ubuntu', given({ image: 'ubuntu', osHostname: 'ip-172-12-4-2' }), 'ip-172-12-4-2'],
  ['Ubuntu, hostname not seen', given({ image: 'ubuntu' }), 'unknown'],
  ['Flatcar', given({ image: 'flatcar', osHostname: 'core-1.example' }), 'core-1.example'],
  ['an empty hostname', given({ image: 'rhel', osHostname: '' }), 'none'],
  ['kubeadm with --node-name', given({ image: 'rhel', hostnameOverride: 'w1' }), 'w1'],
  ['Windows', given({ image: 'windows' }), 'unknown'],
  [
    'RHCOS takes the first word of several domains',
    given({ image: 'openshift4', imdsLocalHostname: 'ip-172-12-4-2.a.example b.example' }),
    'ip-172-12-4-2.a.example',
  ],
  [
    'RHCOS cuts the trailing dot',
    given({ image: 'openshift4', imdsLocalHostname: 'ip-172-12-4-2.a.example.' }),
    'ip-172-12-4-2.a.example',
  ],
  ['RHCOS, IMDS not seen', given({ image: 'openshift4', dhcpDomain: 'a.example' }), 'unknown'],
  ['RHCOS, IMDS without a name', given({ image: 'openshift4', imdsLocalHostname: '' }), 'none'],
  ['kOps since 1.23', given({ image: 'kops' }), ID],
  ['kOps before 1.23', given({ image: 'kops', kubeletVersion: 'v1.22.4' }), 'unknown'],
  [
    'kOps before the external provider',
    given({ image: 'kops', cloudProvider: IN_TREE, kubeletVersion: 'v1.21.0' }),
    IP_NAME,
  ],
  [
    'kOps by address',
    given({ image: 'kops', kubeletVersion: 'v1.37.0', options: { ipBasedNodeNames: true } }),
    IP_NAME,
  ],
  [
    'kOps by address refuses an instance with a resource name',
    given({
      image: 'kops',
      options: { ipBasedNodeNames: true },
      imdsLocalHostname: `${ID}.ec2.internal`,
    }),
    'none',
  ],
  ['EKS Auto Mode', given({ image: 'eks-auto', cloudProvider: null }), ID],
  ['Fargate', given({ image: 'fargate' }), `fargate-${IP_NAME}`],
  [
    'hybrid by Systems Manager',
    given({ image: 'hybrid', instanceId: 'mi-0a', options: { hybridCredentials: 'ssm' } }),
    'mi-0a',
  ],
  [
    'hybrid by Roles Anywhere',
    given({
      image: 'hybrid',
      options: { hybridCredentials: 'roles-anywhere', configuredName: 'edge-1' },
    }),
    'edge-1',
  ],
  ['hybrid, credentials not known', given({ image: 'hybrid' }), 'unknown'],
  ['no image', given({ image: null }), 'unknown'],
  [
    'no provider known',
    given({ cloudProvider: null, kubeletVersion: 'v1.26.0', osHostname: 'w1' }),
    'unknown',
  ],
  [
    'no provider known, but the kubelet is too new for the in-process one',
    given({ cloudProvider: null, kubeletVersion: 'v1.27.0', osHostname: 'w1' }),
    'w1',
  ],
];

for (const [title, input, expected] of TABLE) {
  test(`node name: ${title}`, () => {
    const found = nodeNameOf(input);
    assert.equal(short(found), expected);
    assert.ok(found.because.length > 0);
    for (const { text, source } of found.because) assert.ok(text.endsWith('.') && source !== '');
  });
}

test('reports unchecked settings that would change the name', () => {
  const { hostnameOverride: _, ...input } = given({ image: 'al2023' });
  const found = nodeNameOf(input);
  assert.ok(found.state === 'known');
  assert.deepEqual(found.provided, [
    'the feature gate InstanceIdNodeName is off',
    'no --hostname-override is set',
  ]);
  const settled = nodeNameOf(given({ image: 'al2023', options: { instanceIdNodeName: false } }));
  assert.ok(settled.state === 'known');
  assert.deepEqual(settled.provided, []);
});

test('shows candidates for an unknown name and the command that decides', () => {
  const found = nodeNameOf(given({ image: 'ubuntu', dhcpDomain: 'a.example. b.example' }));
  assert.ok(found.state === 'unknown');
  assert.deepEqual(found.candidates, ['ip-172-12-4-2.a.example', 'ip-172-12-4-2']);
  assert.equal(found.collect.command, 'hostname');
  const ec2 = nodeNameOf(blind({ image: 'al2023' }));
  assert.ok(ec2.state === 'unknown');
  assert.deepEqual(ec2.candidates, [IP_NAME]);
  assert.match(
    ec2.collect.command,
    /^aws ec2 describe-instances --instance-ids i-0123456789abcdef0 /,
  );
});

test('makes no name from an invalid address or region', () => {
  for (const part of [{ privateIp: '172.12.4.2222' }, { region: 'x; rm -rf /' }, { privateIp: '' }])
    assert.equal(short(nodeNameOf(given({ image: 'fargate', ...part }))), 'unknown');
});
