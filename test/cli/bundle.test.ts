import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { clusterGiven } from '../../src/evidence/user-data.ts';
import { readUserData } from '../../src/readers/aws/user-data.ts';
import { writeBundle } from '../../src/apps/cli/live/bundle.ts';

const SCRIPT = [
  '#!/bin/bash',
  'export DB_PASSWORD=hunter2-and-more',
  '/etc/eks/bootstrap.sh shop --apiserver-endpoint https://ABC.gr7.eu-west-1.eks.amazonaws.com',
  'kubeadm join 10.0.0.1:6443 --token abcdef.0123456789abcdef',
].join('\n');

async function saved(content: object, t: { after(clean: () => void): void }): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-bundle-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'evidence.tar.gz');
  await writeBundle(path, [{ name: 'aws/a.json', locator: 'aws', content: content as never }]);
  return gunzipSync(readFileSync(path)).toString('utf8');
}

function userDataIn(archive: string, pattern: RegExp): string {
  return Buffer.from(pattern.exec(archive)?.[1] ?? '', 'base64').toString('utf8');
}

test('user data is saved without its secrets, so that it says offline what it said live', async (t) => {
  const Value = Buffer.from(SCRIPT).toString('base64');
  const answer = { InstanceId: 'i-0123456789abcdef0', UserData: { Value } };
  const archive = await saved({ call: 'ec2:DescribeInstanceAttribute', answer }, t);
  const text = userDataIn(archive, /"Value": "([^"]+)"/);
  assert.match(text, /bootstrap\.sh shop --apiserver-endpoint https:\/\/ABC\.gr7/);
  assert.doesNotMatch(text, /hunter2|0123456789abcdef/);
});

test('user data of launch templates likewise', async (t) => {
  const template = { UserData: Buffer.from(SCRIPT).toString('base64') };
  const answer = { LaunchTemplateVersions: [{ LaunchTemplateData: template }] };
  const archive = await saved({ call: 'ec2:DescribeLaunchTemplateVersions', answer }, t);
  const text = userDataIn(archive, /"UserData": "([^"]+)"/);
  assert.match(text, /bootstrap\.sh shop/);
  assert.doesNotMatch(text, /hunter2|0123456789abcdef/);
});

const AUTHORITY = Buffer.from(`-----BEGIN CERTIFICATE-----\n${'MIIC'.repeat(40)}\n`).toString(
  'base64',
);
const OTHER = Buffer.from(`-----BEGIN CERTIFICATE-----\n${'MIID'.repeat(40)}\n`).toString('base64');

function nodeConfig(authority: string): string {
  return [
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="BOUNDARY"',
    '',
    '--BOUNDARY',
    'Content-Type: application/node.eks.aws',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from(
      [
        'apiVersion: node.eks.aws/v1alpha1',
        'kind: NodeConfig',
        'spec:',
        '  cluster:',
        '    name: shop',
        '    apiServerEndpoint: https://ABC.gr7.eu-west-1.eks.amazonaws.com',
        `    certificateAuthority: ${authority}`,
        '    password: hunter2-and-more',
      ].join('\n'),
    ).toString('base64'),
    '--BOUNDARY--',
  ].join('\n');
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** What the saved evidence still says of the cluster that user data names. */
async function givenIn(userData: string, t: { after(clean: () => void): void }) {
  const answer = { InstanceId: 'i-0123456789abcdef0', UserData: { Value: encoded(userData) } };
  const archive = await saved({ call: 'ec2:DescribeInstanceAttribute', answer }, t);
  const again = /"Value": "([^"]+)"/.exec(archive)?.[1] ?? '';
  assert.doesNotMatch(archive + Buffer.from(again, 'base64').toString(), /hunter2/);
  return clusterGiven(readUserData('i-0123456789abcdef0', again));
}

test('a certificate authority is saved as its checksum, in user data as of the cluster', async (t) => {
  const given = await givenIn(nodeConfig(AUTHORITY), t);
  assert.deepEqual(given, clusterGiven(readUserData('i-0', encoded(nodeConfig(AUTHORITY)))));
  assert.notEqual(given?.authority, (await givenIn(nodeConfig(OTHER), t))?.authority);
  const cluster = { name: 'shop', certificateAuthority: { data: AUTHORITY } };
  const archive = await saved({ call: 'eks:DescribeCluster', answer: { cluster } }, t);
  assert.ok(archive.includes(`‹checksum ${given?.authority ?? ''}›`));
  assert.equal(archive.includes(AUTHORITY), false);
});

test('a bootstrap token is saved as its id', async (t) => {
  const answer = { InstanceId: 'i-0', UserData: { Value: encoded(SCRIPT) } };
  const archive = await saved({ call: 'ec2:DescribeInstanceAttribute', answer }, t);
  assert.match(userDataIn(archive, /"Value": "([^"]+)"/), /--token ‹token abcdef›/);
  const again = readUserData('i-0', /"Value": "([^"]+)"/.exec(archive)?.[1] ?? '');
  assert.equal(again.joinTokenId, readUserData('i-0', encoded(SCRIPT)).joinTokenId);
  assert.equal(again.joinTokenId, 'abcdef');
});

const TOKEN = 'abcdef.0123456789abcdef';

for (const [how, text] of [
  ['after its flag', `kubeadm join 10.0.0.1:6443 --token ${TOKEN}`],
  ['in quotes', `kubeadm join 10.0.0.1:6443 --token "${TOKEN}"`],
  ['in single quotes', `kubeadm join 10.0.0.1:6443 --token='${TOKEN}'`],
  ['in a variable', `export JOIN_TOKEN="${TOKEN}"\nkubeadm join --token $JOIN_TOKEN`],
  ['in YAML', `kind: JoinConfiguration\ndiscovery:\n  tlsBootstrapToken: "${TOKEN}"`],
  ['in JSON', `{"kind":"JoinConfiguration","bootstrapToken":{"token":"${TOKEN}"}}`],
  ['in a list', `runcmd:\n - [kubeadm join, --token, ${TOKEN}]`],
] as const)
  test(`the id of a bootstrap token ${how} is saved, and nothing else of it`, async (t) => {
    for (const given of [text, mimePart(text)]) {
      const answer = { InstanceId: 'i-0', UserData: { Value: encoded(given) } };
      const archive = await saved({ call: 'ec2:DescribeInstanceAttribute', answer }, t);
      const kept = /"Value": "([^"]+)"/.exec(archive)?.[1] ?? '';
      assert.equal(readUserData('i-0', kept).joinTokenId, 'abcdef');
      const clean = Buffer.from(kept, 'base64').toString();
      assert.doesNotMatch(clean + partOf(clean), /0123456789abcdef/);
    }
  });

function mimePart(text: string): string {
  const head = 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="B"\n\n--B\n';
  const type = 'Content-Type: text/x-shellscript\nContent-Transfer-Encoding: base64\n\n';
  return `${head}${type}${encoded(text)}\n--B--\n`;
}

function partOf(text: string): string {
  return Buffer.from(text.split('base64\n\n')[1]?.split('\n--B')[0] ?? '', 'base64').toString();
}

test('what stands in the place of an authority and is none is a secret', async (t) => {
  for (const planted of [`password=${AUTHORITY}`, 'abcdef.0123456789abcdef']) {
    const cluster = { name: 'shop', certificateAuthority: { data: planted } };
    const archive = await saved({ call: 'eks:DescribeCluster', answer: { cluster } }, t);
    assert.doesNotMatch(archive, /0123456789abcdef|LS0tLS1CRUdJTi/);
  }
});

test('of a certificate request, for whom it is is saved', async (t) => {
  const der = `\u0030\u001csystem:node:ip-10-0-0-1.ec2`;
  const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${btoa(der)}\n-----END CERTIFICATE REQUEST-----`;
  const items = [{ metadata: { name: 'csr-1' }, spec: { request: btoa(pem) } }];
  const archive = await saved({ kind: 'CertificateSigningRequestList', items }, t);
  assert.match(archive, /"requestedUser": "system:node:ip-10-0-0-1\.ec2"/);
});

test('of what is no text, only whether it is compressed is saved', async (t) => {
  for (const [bytes, kept] of [
    [[0x1f, 0x8b, 0xff, 0xfe, 0x80, 0x81], 'H4s='],
    [[0xff, 0xfe, 0x80, 0x81], ''],
  ] as const) {
    const Value = Buffer.from(bytes).toString('base64');
    const answer = { UserData: { Value } };
    const archive = await saved({ call: 'ec2:DescribeInstanceAttribute', answer }, t);
    assert.ok(archive.includes(`"Value": "${kept}"`));
  }
});
