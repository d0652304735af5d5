import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startAuthenticator } from '../../../src/sim/platform/authenticator/authenticator.ts';
import { callerOf, mappedByEntry } from '../../../src/sim/platform/authenticator/mapping.ts';
import { toBase64 } from '../../../src/sim/platform/certificates/base64.ts';
import { createCluster } from '../../../src/sim/aws/eks/clusters.ts';
import { CLUSTER, createCluster as createTestCluster, must, type TestCluster } from './cluster.ts';
import { createFleet } from './machines.ts';

const ROLE = 'arn:aws:iam::123456789012:role/node';

function tokenOf(accessKeyId: string, atMs: number): string {
  const date = new Date(atMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '');
  const url = `https://sts.us-west-2.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15&X-Amz-Credential=${accessKeyId}%2F20261122%2Fus-west-2%2Fsts%2Faws4_request&X-Amz-Date=${date}Z&X-Amz-Expires=60&x-k8s-aws-id=${CLUSTER}`;
  return `k8s-aws-v1.${toBase64(url).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}

function setUp(mode: 'CONFIG_MAP' | 'API' | 'API_AND_CONFIG_MAP' = 'CONFIG_MAP') {
  const cluster = createTestCluster();
  const { controls } = cluster.world.aws;
  controls.createNodeRole({ name: 'node' });
  const instance = createFleet(cluster).launch();
  const authenticator = startAuthenticator(cluster.world, { clusterName: CLUSTER, mode });
  const { accessKeyId } = cluster.world.aws.credentialsOf(ROLE, instance.id);
  const ask = () => authenticator.authenticate(tokenOf(accessKeyId, cluster.kernel.nowMs()));
  return { cluster, authenticator, instance, accessKeyId, ask };
}

function writeMap({ admin }: TestCluster, mapRoles: string): void {
  admin.delete('ConfigMap', 'kube-system/aws-auth');
  const metadata = { name: 'aws-auth', namespace: 'kube-system' };
  must(admin.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { mapRoles } }));
}

const NODES = `- rolearn: ${ROLE}
  username: system:node:{{EC2PrivateDNSName}}
  groups:
    - system:bootstrappers
    - system:nodes
`;

it('authenticator: lets a node in under the private DNS name of its instance once its role is mapped', () => {
  const { cluster, authenticator, instance, ask } = setUp();
  assert.equal(ask(), null);
  writeMap(cluster, NODES);
  cluster.pass(2000);
  assert.deepEqual(ask(), {
    name: `system:node:${instance.name}`,
    groups: ['system:bootstrappers', 'system:nodes', 'system:authenticated'],
  });
  const [denied, granted] = authenticator.log().map(({ text }) => text);
  assert.match(
    denied ?? '',
    /level=warning msg="access denied" arn="arn:aws:iam::123456789012:role\/node" client="\S+" error="ARN is not mapped" method=POST path=\/authenticate/,
  );
  assert.match(
    granted ?? '',
    /level=info msg="access granted" .*groups="\[system:bootstrappers system:nodes\]".*username="system:node:/,
  );
});

it('authenticator: remembers a refusal of the same token for two minutes', () => {
  const { cluster, authenticator, accessKeyId } = setUp();
  const token = tokenOf(accessKeyId, cluster.kernel.nowMs());
  assert.equal(authenticator.authenticate(token), null);
  writeMap(cluster, NODES);
  cluster.pass(100_000);
  assert.equal(authenticator.authenticate(token), null);
  cluster.pass(21_000);
  assert.notEqual(authenticator.authenticate(token), null);
});

it('authenticator: maps nobody after an invalid YAML list until it is fixed', () => {
  const { cluster, ask } = setUp();
  writeMap(cluster, NODES);
  cluster.pass(2000);
  assert.notEqual(ask(), null);
  writeMap(cluster, `${NODES}   - rolearn: [broken\n`);
  cluster.pass(2000);
  assert.equal(ask(), null);
  writeMap(cluster, NODES);
  cluster.pass(2000);
  assert.notEqual(ask(), null);
});

it('authenticator: a role ARN with a path matches no caller, because callers show none', () => {
  const { cluster, ask } = setUp();
  writeMap(cluster, NODES.replace('role/node', 'role/eks/node'));
  cluster.pass(2000);
  assert.equal(ask(), null);
});

it('authenticator: refuses old tokens, tokens from the future and unknown keys', () => {
  const { cluster, authenticator, accessKeyId } = setUp();
  writeMap(cluster, NODES);
  cluster.pass(2000);
  const nowMs = cluster.kernel.nowMs();
  const at = (ms: number) => authenticator.authenticate(tokenOf(accessKeyId, nowMs + ms));
  assert.notEqual(at(-14 * 60_000), null);
  assert.equal(at(-16 * 60_000), null);
  assert.notEqual(at(4 * 60_000), null);
  assert.equal(at(6 * 60_000), null);
  assert.equal(authenticator.authenticate(tokenOf('AKIANOBODY', nowMs)), null);
  assert.equal(authenticator.authenticate('k8s-aws-v1.!!!'), null);
});

it('authenticator: lets nobody in while STS does not identify the caller', () => {
  const { cluster, ask } = setUp();
  writeMap(cluster, NODES);
  cluster.pass(2000);
  const refusal = { code: 'Throttling', message: 'Rate exceeded', status: 400 };
  cluster.world.aws.controls.refuse('sts:GetCallerIdentity', refusal);
  assert.equal(ask(), null);
  cluster.world.aws.controls.unrefuse('sts:GetCallerIdentity');
  cluster.pass(2000);
  assert.notEqual(ask(), null);
});

it('authenticator: an access entry is known within seconds, by the mode that asks for it', () => {
  const { cluster, ask } = setUp('API_AND_CONFIG_MAP');
  const { account } = cluster.world.aws.controls;
  const role = 'arn:aws:iam::123456789012:role/eks-cluster';
  createCluster(account, {
    name: CLUSTER,
    version: '1.34',
    vpcId: 'vpc-1',
    roleArn: role,
    subnetIds: [],
    endpoint: 'https://x',
    authenticationMode: 'API_AND_CONFIG_MAP',
  });
  assert.equal(ask(), null);
  const admin = cluster.world.aws.controls.createUser('operator');
  const input = { clusterName: CLUSTER, principalArn: ROLE, type: 'EC2_LINUX' };
  const made = cluster.world.aws.answer(admin, {
    service: 'eks',
    operation: 'CreateAccessEntry',
    input,
  });
  assert.ok(made.ok);
  cluster.pass(9000);
  assert.equal(ask(), null);
  cluster.pass(2000);
  assert.ok(ask()?.groups.includes('system:nodes'));
});

it('authenticator: in API mode the map counts for nothing', () => {
  const { cluster, ask } = setUp('API');
  writeMap(cluster, NODES);
  cluster.pass(2000);
  assert.equal(ask(), null);
});

describe('access entries', () => {
  const caller = callerOf(
    'arn:aws:sts::123456789012:assumed-role/node/i-0123456789abcdef0',
    'ASIA1',
  );
  const entry = {
    principalArn: 'arn:aws:iam::123456789012:role/path/node',
    username: '',
    groups: [],
  };

  it('of a node type give the node its name and group, whatever the path of the role', () => {
    assert.deepEqual(mappedByEntry([{ ...entry, type: 'EC2_LINUX' }], caller), {
      username: 'system:node:{{EC2PrivateDNSName}}',
      groups: ['system:nodes'],
    });
  });

  it('of type STANDARD give no group of nodes', () => {
    assert.deepEqual(mappedByEntry([{ ...entry, type: 'STANDARD', username: 'x' }], caller), {
      username: 'x',
      groups: [],
    });
    assert.equal(mappedByEntry([], caller), null);
  });
});
