import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterGiven, type UserData } from '../../evidence/user-data.ts';
import { checksumOf } from '../../evidence/checksum.ts';
import { readUserData } from './user-data.ts';

function given(text: string): UserData {
  return readUserData('i-0b7c1d2e3f4a5b6c7', Buffer.from(text).toString('base64'));
}

function multipart(...parts: readonly string[]): string {
  const head = ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary="B"', '', ''];
  return `${head.join('\r\n')}${parts.map((part) => `--B\r\n${part}\r\n`).join('')}--B--\r\n`;
}

/** As long as a certificate is; shorter texts are placeholders. */
const AUTHORITY = 'Y2VydGlm'.repeat(50);

const CONFIG = [
  'apiVersion: node.eks.aws/v1alpha1',
  'kind: NodeConfig',
  'spec:',
  '  cluster:',
  '    name: shop',
  '    apiServerEndpoint: https://ABC.gr7.eu-west-1.eks.amazonaws.com',
  `    certificateAuthority: ${AUTHORITY}`,
  '    cidr: 172.20.0.0/16',
].join('\n');
const PART = `Content-Type: application/node.eks.aws\r\n\r\n---\n${CONFIG}`;

test('a NodeConfig part gives the cluster that the machine joins', () => {
  const read = given(multipart(PART));
  assert.equal(read.form, 'mime');
  assert.equal(read.mimeFault, null);
  assert.deepEqual(clusterGiven(read), {
    name: 'shop',
    endpoint: 'https://ABC.gr7.eu-west-1.eks.amazonaws.com',
    authority: checksumOf(AUTHORITY),
    cidr: '172.20.0.0/16',
  });
});

test('reads a base64 part and a bare NodeConfig too', () => {
  const encoded = Buffer.from(CONFIG).toString('base64');
  const head = 'Content-Transfer-Encoding: base64\r\nContent-Type: application/node.eks.aws';
  assert.equal(given(multipart(`${head}\r\n\r\n${encoded}`)).nodeConfigs[0]?.name, 'shop');
  assert.equal(given(CONFIG).nodeConfigs[0]?.name, 'shop');
});

test('each break of the MIME structure is named', () => {
  const sound = multipart(PART);
  const faults = [
    [sound.replace('--B\r\n', '--C\r\n'), /no line is “--B”.*“--C” instead/],
    [sound.replace('"B"\r\n\r\n', '"B"\r\n'), /“--B” follows the headers without an empty line/],
    [sound.replace('eks.aws\r\n\r\n', 'eks.aws\r\n'), /“---” follows the headers of a part/],
    [sound.replace('--B--', '--B--x'), /closing line “--B--” is missing/],
    [sound.replace('; boundary="B"', ''), /declares no boundary/],
  ] as const;
  for (const [text, fault] of faults) {
    const read = given(text);
    assert.match(read.mimeFault ?? '', fault);
    assert.deepEqual(read.nodeConfigs, []);
  }
});

test('a NodeConfig that nodeadm cannot decode says why, without its text', () => {
  const broken = given(CONFIG.replace('  cluster:', '  cluster: "s3cret\n  more'));
  assert.match(broken.nodeConfigs[0]?.unreadable ?? '', /^line \d+ of the NodeConfig: /);
  assert.doesNotMatch(JSON.stringify(broken), /s3cret/);
  const version = given(CONFIG.replace('v1alpha1', 'v1'));
  assert.match(version.nodeConfigs[0]?.unreadable ?? '', /apiVersion is “node\.eks\.aws\/v1”/);
});

test('a call of bootstrap.sh names its cluster unless that is a variable', () => {
  const call = (args: string): UserData['bootstrapCall'] =>
    given(`#!/bin/bash\nset -ex\n/etc/eks/bootstrap.sh ${args}\n`).bootstrapCall;
  assert.equal(call("shop --kubelet-extra-args '--node-labels=a=b'")?.cluster, 'shop');
  assert.equal(call("--kubelet-extra-args '--max-pods=20' 'shop'")?.cluster, 'shop');
  assert.equal(call('"$CLUSTER_NAME"')?.cluster, null);
  assert.equal(
    call('shop \\\n  --b64-cluster-ca X \\\n  --apiserver-endpoint Y')?.isExplicit,
    true,
  );
  assert.equal(given('#!/bin/bash\n# /etc/eks/bootstrap.sh shop\n').bootstrapCall, null);
});

test('takes the cluster from the matching table of Bottlerocket settings only', () => {
  const read = given(
    '[settings.kubernetes]\ncluster-name = "shop"\n[settings.other]\napi-server = "x"',
  );
  assert.equal(read.form, 'toml');
  assert.deepEqual(read.settings, { name: 'shop', endpoint: null, authority: null, cidr: null });
});

test('of a kubeadm token only the public part is kept, and of several none', () => {
  const join = (token: string) => given(`#!/bin/bash\nkubeadm join a:6443 --token ${token}\n`);
  assert.equal(join('abcdef.0123456789abcdef').joinTokenId, 'abcdef');
  assert.doesNotMatch(JSON.stringify(join('abcdef.0123456789abcdef')), /0123456789abcdef/);
  assert.equal(join('abcdef.0123456789abcdef --x qwerty.0123456789abcdef').joinTokenId, null);
  assert.equal(join('abcdef.0123456789abcdef0').joinTokenId, null);
  assert.equal(given('#!/bin/bash\necho abcdef.0123456789abcdef\n').joinTokenId, null);
});

test('distinguishes missing user data, text that is not base64 and compressed text', () => {
  assert.equal(readUserData('i-0b7c1d2e3f4a5b6c7', null).form, 'empty');
  assert.equal(readUserData('i-0b7c1d2e3f4a5b6c7', '%%%').form, 'compressed');
  assert.equal(given('\u001f').form, 'other');
  assert.equal(readUserData('i-0b7c1d2e3f4a5b6c7', 'H4sIAAAAAAAA').form, 'compressed');
});
