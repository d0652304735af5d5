import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../evidence/json.ts';
import type { KubeNode } from '../../evidence/kinds.ts';
import { awsOf, fact, nodeOf, NOW_MS, objectOf } from '../../evidence/testing.ts';
import {
  addressesOf,
  controllerReleaseIn,
  dhcpDomainOf,
  foreignProvider,
  instanceOfNode,
  isCloudController,
  isEksNode,
  nameDifference,
  refusedName,
  runningController,
  UNINITIALIZED,
  waitsForController,
  wordsOfRefused,
} from './seen-names.ts';

const ID = 'i-0123456789abcdef0';
const ID2 = 'i-0123456789abcdef1';
const EC2_NAME = 'ip-10-0-0-1.eu-west-1.compute.internal';

function instance(body: JsonObject = {}) {
  const plain = { InstanceId: ID, PrivateIpAddress: '10.0.0.1', State: { Name: 'running' } };
  return fact(awsOf('aws/instance', { ...plain, ...body }));
}

describe('a Node and EC2 call a machine', () => {
  const names: readonly (readonly [string, string, string])[] = [
    [EC2_NAME, EC2_NAME, 'none'],
    [EC2_NAME, EC2_NAME.toUpperCase(), 'none'],
    ['ip-10-0-0-1', EC2_NAME, 'no-domain'],
    ['ip-10-0-0-1.corp.example', EC2_NAME, 'other-domain'],
    [`${ID}.ec2.internal`, EC2_NAME, 'resource-name'],
    [EC2_NAME, `${ID}.eu-west-1.compute.internal`, 'resource-name'],
    ['web-1', EC2_NAME, 'other-host'],
    [ID, `${ID2}.ec2.internal`, 'other-host'],
    ['ip-10-0-0-2', EC2_NAME, 'other-host'],
    ['web-1', `${ID}.ec2.internal`, 'other-host'],
    [ID, 'web-1', 'other-host'],
  ];
  for (const [node, ec2Name, difference] of names)
    test(`${node} and ${ec2Name}: ${difference}`, () => {
      assert.equal(nameDifference(node, ec2Name), difference);
    });
});

test('an instance has the addresses of all its interfaces', () => {
  const NetworkInterfaces = [
    { PrivateIpAddresses: [{ PrivateIpAddress: '10.0.0.1' }, { PrivateIpAddress: null }] },
    { PrivateIpAddresses: [{ PrivateIpAddress: '10.0.0.2' }] },
    { PrivateIpAddresses: null },
  ];
  const addresses = (body: JsonObject) => addressesOf(instance(body).value);
  assert.deepEqual(addresses({ NetworkInterfaces }), ['10.0.0.1', '10.0.0.1', '10.0.0.2']);
  assert.deepEqual(addresses({ PrivateIpAddress: null }), []);
});

describe('the instance of a Node', () => {
  const running = instance({ InstanceId: ID2 });
  const stopped = instance({ State: { Name: 'stopped' } });
  const node = (change: Partial<KubeNode>) => nodeOf('n1', change);

  test('is the one that its providerID names, and no other', () => {
    const named = node({ providerId: `aws:///a/${ID}`, internalIp: '10.0.0.1' });
    assert.equal(instanceOfNode(named, [running, stopped]), stopped);
    assert.equal(instanceOfNode(named, [running]), null);
  });

  test('is the running one with its address, else any with it', () => {
    const at = node({ internalIp: '10.0.0.1' });
    assert.equal(instanceOfNode(at, [stopped, running]), running);
    assert.equal(instanceOfNode(at, [stopped]), stopped);
    assert.equal(instanceOfNode(node({ internalIp: '10.0.0.9' }), [running]), null);
    assert.equal(instanceOfNode(node({ providerId: 'kind://n1' }), [running]), null);
  });

  test('is the one with the address that its name spells', () => {
    assert.equal(instanceOfNode(nodeOf('ip-10-0-0-1'), [running]), running);
    const other = nodeOf('ip-10-0-0-1', { internalIp: '10.0.0.9' });
    assert.equal(instanceOfNode(other, [running]), null);
  });
});

function daemonSet(name: string, status: JsonObject, image = 'x:v1.30.1') {
  const spec = { template: { spec: { containers: [{ image }] } } };
  return fact(objectOf('DaemonSet', name, { spec, status }));
}

function deployment(name: string, status: JsonObject) {
  return fact(objectOf('Deployment', name, { status }));
}

describe('a cloud controller', () => {
  test('is known by its name', () => {
    const names = [
      'aws-cloud-controller-manager',
      'cloud-controller-manager-x7k2p',
      'ccm',
      'aws-ccm',
      'ccm-1',
    ];
    for (const name of names) assert.ok(isCloudController(name), name);
    for (const name of ['accmd', 'ccmx', 'kube-controller-manager'])
      assert.ok(!isCloudController(name), name);
  });

  test('runs when one of its pods is ready', () => {
    const ready = daemonSet('ccm', { numberReady: 1 });
    const deployed = deployment('ccm', { readyReplicas: 1 });
    assert.equal(runningController([deployment('web', { readyReplicas: 3 }), ready]), ready);
    assert.equal(runningController([deployed]), deployed);
    for (const none of [
      daemonSet('ccm', { numberReady: 0 }),
      deployment('ccm', { readyReplicas: 0 }),
      deployment('ccm', {}),
      daemonSet('web', { numberReady: 1 }),
    ])
      assert.equal(runningController([none]), null);
    assert.equal(runningController([]), null);
  });

  test('has the release of its image', () => {
    const release = (...images: readonly string[]) => controllerReleaseIn(images);
    const image = 'registry.k8s.io/provider-aws/cloud-controller-manager';
    assert.equal(release(`${image}:v1.30.1`), 'v1.30.1');
    assert.equal(release(`${image}:1.30.1@sha256:0a`), '1.30.1');
    assert.equal(release('nginx:1.25.0', `${image}:v1.30.1-eks-1`), 'v1.30.1-eks-1');
    assert.equal(release(image), null);
    assert.equal(release(`${image}:latest`), null);
    assert.equal(release('nginx:1.25.0'), null);
    assert.equal(release(), null);
  });
});

test('a Node of EKS is known by its kubelet or a label', () => {
  assert.ok(isEksNode(nodeOf('n1', { kubeletVersion: 'v1.33.4-eks-1' })));
  assert.ok(isEksNode(nodeOf('n1', { labels: { x: '', 'eks.amazonaws.com/nodegroup': 'a' } })));
  assert.ok(
    !isEksNode(nodeOf('n1', { kubeletVersion: 'v1.33.4', labels: { x: 'eks.amazonaws.com/' } })),
  );
  assert.ok(!isEksNode(nodeOf('n1')));
});

const TAINT = { key: UNINITIALIZED, value: 'true', effect: 'NoSchedule', addedMs: null };

function waiting(change: Partial<KubeNode> = {}) {
  const old = { taints: [TAINT], createdMs: NOW_MS - 120_000 };
  return nodeOf('web-1', { ...old, internalIp: '10.0.0.1', kubeletVersion: 'v1.33.4', ...change });
}

test('a Node waits for its controller when it is tainted for two minutes', () => {
  assert.ok(waitsForController(waiting(), { nowMs: NOW_MS }));
  assert.ok(!waitsForController(waiting({ createdMs: NOW_MS - 119_999 }), { nowMs: NOW_MS }));
  assert.ok(!waitsForController(waiting({ taints: [] }), { nowMs: NOW_MS }));
  assert.ok(!waitsForController(waiting({ taints: [{ ...TAINT, key: 'x' }] }), { nowMs: NOW_MS }));
  assert.ok(waitsForController(waiting({ createdMs: null }), { nowMs: NOW_MS }));
  assert.ok(waitsForController(waiting(), { nowMs: null }));
});

describe('a name that the cloud controller refuses', () => {
  const ec2 = instance({ PrivateDnsName: EC2_NAME });
  const controller = daemonSet('ccm', { numberReady: 1 }, 'cloud-controller-manager:v1.25.0');
  const seen = {
    nodes: [fact(waiting())],
    instances: [ec2],
    workloads: [controller],
    pods: [],
    time: { nowMs: NOW_MS },
  };

  test('is one that EC2 does not have', () => {
    const found = refusedName(seen);
    assert.deepEqual(
      [found?.node, found?.instance, found?.instanceId, found?.ec2Name, found?.difference],
      [seen.nodes[0], ec2, ID, EC2_NAME, 'other-host'],
    );
    assert.deepEqual(found === null ? [] : wordsOfRefused(found), [
      `Node web-1 has no spec.providerID and keeps the taint ${UNINITIALIZED}`,
      `${ID} PrivateDnsName ${EC2_NAME}`,
    ]);
  });

  test('is reported on EKS, whose controller nobody sees', () => {
    const own = fact(waiting({ kubeletVersion: 'v1.29.4-eks-1' }));
    assert.notEqual(refusedName({ ...seen, workloads: [], nodes: [own] }), null);
    assert.equal(refusedName({ ...seen, workloads: [] }), null);
  });

  test('is reported where a pod of the controller runs', () => {
    const podOf = (ready: string) =>
      fact(
        objectOf('Pod', 'aws-cloud-controller-manager-zfrvk', {
          spec: { containers: [{ name: 'ccm', image: 'cloud-controller-manager:v1.29.14' }] },
          status: { conditions: [{ type: 'Ready', status: ready }] },
        }),
      );
    assert.notEqual(refusedName({ ...seen, workloads: [], pods: [podOf('True')] }), null);
    assert.equal(refusedName({ ...seen, workloads: [], pods: [podOf('False')] }), null);
  });

  test('is not reported where something else is to blame', () => {
    assert.equal(refusedName({ ...seen, nodes: [fact(waiting({ taints: [] }))] }), null);
    assert.equal(refusedName({ ...seen, instances: [] }), null);
    const unnamed = instance({ PrivateDnsName: '' });
    assert.equal(refusedName({ ...seen, instances: [unnamed] }), null);
    const right = instance({ PrivateDnsName: 'web-1' });
    assert.equal(refusedName({ ...seen, instances: [right] }), null);
  });
});

describe('the domain of DHCP', () => {
  const vpc = (body: JsonObject = {}) =>
    fact(awsOf('aws/vpc', { VpcId: 'vpc-1', DhcpOptionsId: 'dopt-1', ...body }));
  const options = (values: readonly string[] | null) =>
    fact(
      awsOf('aws/dhcp-options', {
        DhcpOptionsId: 'dopt-1',
        DhcpConfigurations: [
          { Key: 'domain-name-servers', Values: ['AmazonProvidedDNS'] },
          ...(values === null ? [] : [{ Key: 'domain-name', Values: [...values] }]),
        ],
      }),
    );
  const { value } = instance({ VpcId: 'vpc-1' });

  test('is the text of the options of the VPC', () => {
    const set = options(['a.example', 'b.example ']);
    assert.deepEqual(dhcpDomainOf(value, [vpc({ VpcId: 'vpc-0' }), vpc()], [set]), {
      options: set,
      optionsId: 'dopt-1',
      vpc: 'vpc-1',
      domain: 'a.example b.example',
    });
    assert.equal(dhcpDomainOf(value, [vpc()], [options(null)])?.domain, '');
  });

  test('is unknown where VPC or options were not seen', () => {
    assert.equal(dhcpDomainOf(value, [], [options([])]), null);
    assert.equal(dhcpDomainOf(value, [vpc()], []), null);
    assert.equal(dhcpDomainOf(value, [vpc({ DhcpOptionsId: 'default' })], [options([])]), null);
    const unnamed = fact(awsOf('aws/dhcp-options', { DhcpOptionsId: '' }));
    assert.equal(dhcpDomainOf(value, [vpc({ DhcpOptionsId: null })], [unnamed]), null);
  });
});

describe('a providerID of another machine', () => {
  const node = fact(nodeOf('n1', { providerId: `aws:///a/${ID2}`, internalIp: '10.0.0.1' }));
  const actual = instance();

  test('is found where a running instance has the address of the Node', () => {
    assert.deepEqual(foreignProvider([node], [actual]), {
      node,
      named: ID2,
      namedInstance: null,
      actual,
      actualId: ID,
    });
    const old = instance({ InstanceId: ID2, State: { Name: 'terminated' } });
    assert.equal(foreignProvider([node], [old, actual])?.namedInstance, old);
    const elsewhere = instance({ InstanceId: ID2, PrivateIpAddress: '10.0.0.2' });
    assert.equal(foreignProvider([node], [elsewhere, actual])?.namedInstance, elsewhere);
  });

  test('is not found where it may be right', () => {
    assert.equal(foreignProvider([node], [instance({ State: { Name: 'stopped' } })]), null);
    assert.equal(foreignProvider([node], [instance({ PrivateIpAddress: '10.0.0.2' })]), null);
    assert.equal(foreignProvider([node], [instance({ InstanceId: ID2 })]), null);
    // Two machines of two VPCs have the address.
    assert.equal(foreignProvider([node], [actual, instance({ InstanceId: ID2 })]), null);
    for (const change of [{ providerId: null }, { internalIp: null }])
      assert.equal(foreignProvider([fact({ ...node.value, ...change })], [actual]), null);
  });

  test('is looked for in every Node', () => {
    const fine = fact(nodeOf('n0', { providerId: `aws:///a/${ID}`, internalIp: '10.0.0.1' }));
    assert.equal(foreignProvider([fine, node], [actual])?.node, node);
  });
});
