import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clusterNameOf, describeContext, profileOf } from './describe-context.ts';
import type { ExecSource, KubeTarget } from './target.ts';

const ARN = 'arn:aws:eks:us-west-2:111122223333:cluster/shop';
const SERVER = 'https://one.test:6443';

function exec(command: string, args: readonly string[], env: ExecSource['env'] = {}): ExecSource {
  return {
    apiVersion: 'client.authentication.k8s.io/v1',
    command,
    args,
    env,
    installHint: null,
    interactiveMode: 'Never',
    provideClusterInfo: false,
  };
}

function target(change: Partial<KubeTarget> = {}, source: ExecSource | null = null): KubeTarget {
  return {
    contextName: null,
    clusterEntry: null,
    userEntry: null,
    origin: '/home/ubuntu/.kube/config',
    server: SERVER,
    namespace: 'default',
    tls: { authorityPem: null, client: null, serverName: null, isUnverified: false },
    proxyUrl: null,
    credential: source === null ? { kind: 'none' } : { kind: 'exec', exec: source },
    impersonation: null,
    ...change,
  };
}

test('a context without names of AWS has its server and its name', () => {
  assert.deepEqual(describeContext(target({ contextName: 'lab' })), {
    contextName: 'lab',
    clusterName: null,
    region: null,
    awsProfile: null,
    server: SERVER,
  });
});

describe('the cluster', () => {
  test('is named by the program that gets the token', () => {
    for (const args of [
      ['eks', 'get-token', '--cluster-name', 'shop'],
      ['eks', 'get-token', '--cluster-name=shop'],
      ['token', '-i', 'shop'],
      ['token', '--cluster-id', 'shop'],
      ['token', '--cluster-id', ARN],
    ])
      assert.equal(clusterNameOf(target({ clusterEntry: 'other' }, exec('aws', args))), 'shop');
    assert.equal(clusterNameOf(target({}, exec('aws', ['--cluster-name']))), null);
    assert.equal(clusterNameOf(target({}, exec('aws', ['--cluster-namex=y']))), null);
  });

  test('is named only by a program that is known', () => {
    const args = ['--cluster-name', 'shop'];
    for (const command of [
      '/usr/local/bin/aws',
      'aws-iam-authenticator',
      String.raw`C:\bin\aws.exe`,
      'aws-iam-authenticator.exe',
    ])
      assert.equal(clusterNameOf(target({}, exec(command, args))), 'shop', command);
    for (const command of ['gaws', 'aws2', 'aws.sh', 'gke-gcloud-auth-plugin'])
      assert.equal(clusterNameOf(target({}, exec(command, args))), null, command);
  });

  test('is named by the entries of the kubeconfig, that of the cluster first', () => {
    const named = (name: string): string => ARN.replace('shop', name);
    const names = { clusterEntry: named('a'), contextName: named('b'), userEntry: named('c') };
    assert.equal(clusterNameOf(target(names)), 'a');
    assert.equal(clusterNameOf(target({ ...names, clusterEntry: 'x' })), 'b');
    assert.equal(clusterNameOf(target({ ...names, clusterEntry: null, contextName: null })), 'c');
  });

  test('is named in the forms of AWS and eksctl', () => {
    const names = (contextName: string): readonly unknown[] => {
      const { clusterName, region } = describeContext(target({ contextName }));
      return [clusterName, region];
    };
    assert.deepEqual(names(ARN), ['shop', 'us-west-2']);
    const china = 'arn:aws-cn:eks:cn-north-1:111122223333:cluster/my_shop-1';
    assert.deepEqual(names(`user of ${china}`), ['my_shop-1', 'cn-north-1']);
    assert.deepEqual(names('ann@shop.us-gov-west-1.eksctl.io'), ['shop', 'us-gov-west-1']);
    assert.deepEqual(names('shop.eu-west-1.eksctl.io'), ['shop', 'eu-west-1']);
    for (const none of [
      'shop.eksctl.io',
      '-shop.eu-west-1.eksctl.io',
      'shop.eu-west-1.eksctl.io.test',
      'shop.eu-west.eksctl.io',
      'arn:aws:eks:us-west-2:1111:cluster/shop',
      'arn:aws:ecs:us-west-2:111122223333:cluster/shop',
    ])
      assert.deepEqual(names(none), [null, null], none);
  });
});

describe('the region', () => {
  const region = (change: Partial<KubeTarget>, source: ExecSource | null = null): string | null =>
    describeContext(target(change, source)).region;
  const eks = { server: 'https://ABC.gr7.eu-west-1.eks.amazonaws.com' };

  test('is that of the program, then of the names, then of the server', () => {
    const env = { AWS_REGION: 'us-east-2', AWS_DEFAULT_REGION: 'us-west-1' };
    const flagged = exec('aws', ['--region', 'us-east-1'], env);
    const named = { ...eks, contextName: ARN };
    assert.equal(region(named, flagged), 'us-east-1');
    assert.equal(region(named, exec('aws', [], env)), 'us-east-2');
    const { AWS_REGION: _region, ...fallback } = env;
    assert.equal(region(named, exec('aws', [], fallback)), 'us-west-1');
    assert.equal(region(named, exec('aws', [])), 'us-west-2');
    assert.equal(region(eks), 'eu-west-1');
  });

  test('is in the host of an EKS endpoint alone', () => {
    const of = (host: string): string | null => region({ server: `https://${host}` });
    assert.equal(of('ABC.yl4.cn-north-1.eks.amazonaws.com.cn'), 'cn-north-1');
    assert.equal(of('ABC.gr7.us-gov-west-1.eks.amazonaws.com'), 'us-gov-west-1');
    for (const none of [
      'us-west-2.eks.amazonaws.com',
      'ABC.gr7.us-west-2.eks.amazonaws.com.test',
      'ABC.gr7.us-west.eks.amazonaws.com',
      'ABC.gr7.us-west-2.ecs.amazonaws.com',
    ])
      assert.equal(of(none), null, none);
  });
});

test('the profile is that of the program, or of its environment', () => {
  const env = { AWS_PROFILE: 'ops' };
  assert.equal(profileOf(exec('aws', ['--profile=dev'], env)), 'dev');
  assert.equal(profileOf(exec('aws', [], env)), 'ops');
  assert.equal(profileOf(exec('aws', [])), null);
  assert.equal(profileOf(null), null);
  assert.equal(describeContext(target({}, exec('aws', [], env))).awsProfile, 'ops');
});
