import assert from 'node:assert/strict';
import { test } from 'node:test';
import { userDataOf } from '../../../src/sim/machines/boot/user-data.ts';
import { joinConfiguration } from '../../../src/sim/machines/commands/join-configuration.ts';
import { PLAIN_KUBELET, withFlags } from '../../../src/sim/machines/kubelet/config.ts';

const NODE_CONFIG = `apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster:
    name: lab
    apiServerEndpoint: https://example.eks.amazonaws.com
    certificateAuthority: Y2E=
    cidr: 172.20.0.0/16
  kubelet:
    config:
      maxPods: 50
    flags:
      - "--node-labels=pool=blue"
`;

test('a NodeConfig is read alone and in MIME, beside a script', () => {
  const alone = userDataOf(NODE_CONFIG);
  assert.equal(alone.kind, 'nodeadm');
  const mime = [
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="BOUNDARY"',
    '',
    '--BOUNDARY',
    'Content-Type: application/node.eks.aws',
    '',
    NODE_CONFIG,
    '--BOUNDARY',
    'Content-Type: text/x-shellscript; charset="us-ascii"',
    '',
    '#!/bin/bash',
    'echo before',
    '--BOUNDARY--',
  ].join('\n');
  const both = userDataOf(mime);
  assert.ok(both.kind === 'nodeadm' && both.config !== null);
  assert.deepEqual(
    [both.config.name, both.config.maxPods, both.config.kubeletFlags, both.config.cidr],
    ['lab', 50, '--node-labels=pool=blue', '172.20.0.0/16'],
  );
  assert.match(both.script, /echo before/);
});

test('rejects a NodeConfig with tabs', () => {
  const broken = userDataOf(NODE_CONFIG.replace('  cluster:', '\tcluster:'));
  assert.ok(broken.kind === 'nodeadm' && broken.config === null);
});

test('cloud-config gives its commands and its hostname', () => {
  const text =
    '#cloud-config\nhostname: node00.k8s.internal\nruncmd:\n  - echo "one two"\n  - [kubeadm, join, host:6443]\npackages:\n  - curl\n';
  const read = userDataOf(text);
  assert.ok(read.kind === 'script');
  assert.equal(read.hostname, 'node00.k8s.internal');
  assert.deepEqual(read.script.trim().split('\n'), ['echo "one two"', 'kubeadm join host:6443']);
});

test('nothing and strange text do not count as user data', () => {
  assert.equal(userDataOf('').kind, 'none');
  assert.equal(userDataOf('hello').kind, 'none');
});

test('a join is configured by flags or by a file, old and new form', () => {
  const flags = joinConfiguration(
    ['10.0.0.1:6443', '--token', 'a.b', '--node-name=n1'],
    () => null,
  );
  assert.deepEqual([flags.token, flags.nodeName], ['a.b', 'n1']);
  const file = `apiVersion: kubeadm.k8s.io/v1beta4
kind: JoinConfiguration
discovery:
  bootstrapToken:
    token: "abcdef.0123456789abcdef"
nodeRegistration:
  name: ip-10-0-0-1.ec2.internal
  kubeletExtraArgs:
  - name: cloud-provider
    value: external
  - name: provider-id
    value: aws:///us-east-1a/i-1
  taints:
  - key: gate.example.com/waiting
    effect: NoExecute
`;
  const read = joinConfiguration(['--config', '/join.yaml'], () => file);
  assert.equal(read.token, 'abcdef.0123456789abcdef');
  assert.equal(read.nodeName, 'ip-10-0-0-1.ec2.internal');
  const config = withFlags(PLAIN_KUBELET, read.kubeletFlags);
  assert.equal(config.cloudProvider, 'external');
  assert.equal(config.providerId, 'aws:///us-east-1a/i-1');
  assert.deepEqual(config.registerWithTaints, [
    { key: 'gate.example.com/waiting', effect: 'NoExecute' },
  ]);
});
