import assert from 'node:assert/strict';
import { test } from 'node:test';
import { breaksBy, pinValue } from '../../src/domain/naming/breaks.ts';
import {
  type NameOf,
  type NamesSeen,
  namesTable,
  namesThatMatter,
} from '../../src/domain/naming/names-table.ts';
import { type MachineTies, type NodeTies, twinOf } from '../../src/domain/naming/twin.ts';

const ID = 'i-0123456789abcdef0';
const OTHER = 'i-0fedcba9876543210';
const OLD = 'node00.k8s.internal';
const NEW = 'ip-172-12-4-2.eu-west-1.compute.internal';

const BASE: NamesSeen = {
  image: 'rhel',
  cloudProvider: { kind: 'external', controllerVersion: 'v1.33.4' },
  kubeletVersion: 'v1.33.1',
  instanceId: ID,
  privateIp: '172.12.4.2',
};

function verdictOf(part: Partial<NamesSeen>, name: NameOf, expected: string | null = NEW): string {
  const row = namesTable({ ...BASE, ...part }, expected).find((one) => one.name === name);
  assert.ok(row !== undefined);
  return row.verdict;
}

const ROWS: readonly (readonly [NameOf, Partial<NamesSeen>, string])[] = [
  ['node', { nodeName: NEW }, 'agrees'],
  ['node', { nodeName: OLD }, 'disagrees'],
  ['node', { nodeName: null }, 'unknown'],
  ['node', {}, 'unknown'],
  ['kubelet-override', { hostnameOverride: NEW.toUpperCase() }, 'agrees'],
  ['kubelet-override', { hostnameOverride: OLD }, 'disagrees'],
  ['os-hostname', { osHostname: NEW }, 'agrees'],
  ['os-hostname', { osHostname: 'ip-172-12-4-2' }, 'disagrees'],
  ['os-fqdn', { osFqdn: NEW }, 'agrees'],
  ['imds-local-hostname', { imdsLocalHostname: 'ip-172-12-4-2.k8s.internal' }, 'disagrees'],
  ['dhcp-domain', { dhcpDomain: 'eu-west-1.compute.internal' }, 'agrees'],
  ['dhcp-domain', { dhcpDomain: 'eu-west-1.compute.internal.' }, 'disagrees'],
  ['dhcp-domain', { dhcpDomain: 'eu-west-1.compute.internal lan' }, 'disagrees'],
  ['dhcp-domain', { dhcpDomain: 'k8s.internal' }, 'disagrees'],
  ['private-dns-name', { privateDnsName: NEW }, 'agrees'],
  ['private-dns-name', { privateDnsName: 'ip-1-2-3-4.ec2.internal' }, 'disagrees'],
  ['private-dns-name', { privateDnsName: '' }, 'unknown'],
  ['dns-a', { dnsA: ['172.12.4.2'] }, 'agrees'],
  ['dns-a', { dnsA: ['172.12.4.9'] }, 'disagrees'],
  ['dns-a', { dnsA: [] }, 'unknown'],
  ['dns-ptr', { dnsPtr: [`${NEW}.`] }, 'agrees'],
  ['dns-ptr', { dnsPtr: [OLD] }, 'disagrees'],
  ['certificate', { certificateName: `system:node:${NEW}` }, 'agrees'],
  ['certificate', { certificateName: `system:node:${OLD}` }, 'disagrees'],
  ['user-name', { userName: `system:node:${NEW}` }, 'agrees'],
  ['user-name', { userName: 'system:node:{{EC2PrivateDNSName}}', privateDnsName: NEW }, 'agrees'],
  ['user-name', { userName: 'system:node:{{EC2PrivateDNSName}}' }, 'unknown'],
  ['user-name', { userName: 'system:node:{{EC2PrivateDNSName}}', privateDnsName: '' }, 'disagrees'],
  ['user-name', { userName: 'system:node:{{SessionName}}' }, 'disagrees'],
  ['user-name', { userName: 'test' }, 'disagrees'],
  ['provider-id', { providerId: `aws:///eu-west-1a/${ID}` }, 'agrees'],
  ['provider-id', { providerId: `aws:///eu-west-1a/${OTHER}` }, 'disagrees'],
  ['csi-node-id', { csiNodeId: ID }, 'agrees'],
  ['csi-node-id', { csiNodeId: OTHER }, 'disagrees'],
  ['kubeadm-endpoint', { kubeadmEndpoints: ['cp-1', NEW] }, 'agrees'],
  ['kubeadm-endpoint', { kubeadmEndpoints: [OLD] }, 'disagrees'],
];

for (const [name, part, expected] of ROWS) {
  test(`${name} ${JSON.stringify(part)} ${expected}`, () => {
    assert.equal(verdictOf(part, name), expected);
  });
}

test('by instance id the user name of EKS Auto Mode agrees', () => {
  assert.equal(verdictOf({ userName: 'system:node:{{SessionName}}' }, 'user-name', ID), 'agrees');
  assert.equal(verdictOf({ dhcpDomain: 'k8s.internal' }, 'dhcp-domain', ID), 'unknown');
});

test('gives a reason for a name that does not resolve', () => {
  const because = (dnsSupport: boolean) =>
    namesTable({ ...BASE, dnsA: [], dnsSupport }, NEW).find(({ name }) => name === 'dns-a')
      ?.because;
  assert.equal(because(false), 'enableDnsSupport of the VPC is off');
  assert.equal(because(true), 'none');
});

test('compares nothing with an unknown name', () => {
  const seen = { ...BASE, nodeName: OLD, osHostname: OLD, dnsA: ['172.12.4.2'] };
  assert.ok(namesTable(seen, null).every(({ verdict }) => verdict === 'unknown'));
  assert.equal(verdictOf({ providerId: `aws:///a/${OTHER}` }, 'provider-id', null), 'disagrees');
});

test('the story of the renamed node: its Node and its certificate matter, its hostname does not', () => {
  const seen: NamesSeen = {
    ...BASE,
    cloudProvider: { kind: 'in-tree' },
    nodeName: OLD,
    osHostname: OLD,
    hostnameOverride: OLD,
    dhcpDomain: 'k8s.internal',
    privateDnsName: NEW,
    certificateName: `system:node:${OLD}`,
  };
  const found = namesThatMatter(namesTable(seen, NEW)).map(({ name }) => name);
  assert.deepEqual(found, ['node', 'certificate']);
});

test('the name of EC2 matters only where nothing else ties the Node to the instance', () => {
  const matters = (part: Partial<NamesSeen>, expected: string) =>
    namesThatMatter(namesTable({ ...BASE, privateDnsName: NEW, ...part }, expected)).map(
      ({ name }) => name,
    );
  assert.deepEqual(matters({ providerId: null }, OLD), ['private-dns-name']);
  assert.deepEqual(matters({ providerId: `aws:///a/${ID}` }, OLD), []);
  assert.deepEqual(matters({}, ID), []);
  assert.deepEqual(matters({ cloudProvider: { kind: 'none' } }, OLD), []);
  const inTree = { cloudProvider: { kind: 'in-tree' }, providerId: `aws:///a/${ID}` } as const;
  assert.deepEqual(matters(inTree, OLD), ['private-dns-name']);
});

function node(part: Partial<NodeTies>): NodeTies {
  return { name: OLD, providerId: null, internalIp: null, ready: false, createdMs: null, ...part };
}

const MACHINE: MachineTies = {
  instanceId: ID,
  privateIp: '172.12.4.2',
  nodeName: NEW,
  formerNames: [OLD],
};

test('the twin is the Node of the same instance, then of a former name, then of the address', () => {
  const byId = node({ name: 'a', providerId: `aws:///a/${ID}` });
  const byName = node({});
  const byAddress = node({ name: 'b', internalIp: '172.12.4.2' });
  const current = node({ name: NEW, providerId: `aws:///a/${ID}` });
  const found = (nodes: readonly NodeTies[]) => twinOf(nodes, MACHINE);
  assert.equal(found([current, byAddress, byName, byId])?.node, byId);
  assert.deepEqual(
    [found([byAddress, byName])?.by, found([byName])?.confidence],
    ['former-name', 'definite'],
  );
  assert.match(found([byAddress])?.sentence ?? '', /^Node b may be the same machine/);
  assert.equal(found([byAddress])?.confidence, 'possible');
  assert.equal(found([node({ name: 'ip-172-12-4-2.lan' })])?.by, 'address');
  assert.equal(found([current, node({ name: 'c', internalIp: '10.0.0.1' })]), null);
});

test('does not report a Node of another instance as a twin, whatever its name and address', () => {
  const other = node({ providerId: `aws:///a/${OTHER}`, internalIp: '172.12.4.2' });
  assert.equal(twinOf([other], MACHINE), null);
  assert.equal(twinOf([node({ internalIp: null })], { ...MACHINE, formerNames: [] }), null);
});

test('a certificate is bound to the name, a mapping of EKS to its template', () => {
  const what = (credential: 'certificate' | 'iam' | null) =>
    breaksBy(OLD, NEW, { credential, inTreeVolumes: false }).breaks.map((one) => one.what);
  const always = ['volume-attach', 'local-volumes', 'pinned-pods', 'kube-proxy', 'cloud-routes'];
  const bound = ['authorizer', 'lease', 'certificate-rotation'];
  assert.deepEqual(what('certificate'), ['node-object', ...bound, ...always]);
  assert.deepEqual(what('iam'), ['node-object', 'user-mapping', ...always]);
  assert.deepEqual(what(null), ['node-object', ...bound, 'user-mapping', ...always]);
  assert.deepEqual(breaksBy(OLD, OLD, { credential: null, inTreeVolumes: true }).breaks, []);
});

test('the in-process provider attaches volumes by name', () => {
  const sentence = (inTreeVolumes: boolean) =>
    breaksBy(OLD, NEW, { credential: 'certificate', inTreeVolumes }).breaks.find(
      (one) => one.what === 'volume-attach',
    )?.sentence;
  assert.match(sentence(true) ?? '', /must be the private DNS name of EC2/);
  assert.match(sentence(false) ?? '', /stay attached in the name of node00/);
});

test('pods are pinned by a label of the machine', () => {
  const { pin } = breaksBy(OLD, NEW, { credential: null, inTreeVolumes: false });
  assert.equal(pin.label, 'rollcall.dev/machine=node00');
  assert.equal(
    pin.commands[0],
    `kubectl label node ${NEW} rollcall.dev/machine=node00 --overwrite`,
  );
  for (const name of ['', '...', 'UPPER.lan', '-x-', 'ä b', 'a'.repeat(300)])
    assert.match(pinValue(name), /^[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?$/, name);
});

test('a hostile name stays one word in every command', () => {
  const { breaks } = breaksBy("a'; reboot; '", '$(reboot)', {
    credential: null,
    inTreeVolumes: false,
  });
  for (const command of breaks.flatMap((one) => one.commands)) {
    const bare = command
      .replaceAll("'a'\\''; reboot; '\\'''", 'OLD')
      .replaceAll("'$(reboot)'", 'NEW');
    assert.ok(!bare.includes('reboot'), command);
  }
});
