import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { KUBE_LISTS } from '../../src/collection/resources.ts';
import { openEvidence } from '../../src/adapters/bundle/open.ts';
import { createBundle } from '../../src/apps/cli/live/bundle.ts';
import { savedSentences } from '../../src/apps/cli/live/saved-words.ts';
import { readPile, readTexts } from '../../src/engine/pile.ts';
import { SIGN_TABLE } from '../../src/engine/signs.ts';
import { factValues } from '../../src/evidence/fact-values.ts';
import type { JsonObject } from '../../src/evidence/json.ts';
import { clusterGiven, type UserData } from '../../src/evidence/user-data.ts';
import { readUserData } from '../../src/readers/aws/user-data.ts';
import { redact } from '../../src/evidence/redact.ts';
import { savedContent } from '../../src/readers/saved/content.ts';
import { EVIDENCE_VERSION } from '../../src/readers/evidence-version.ts';

/** Operations of every service that Rollcall asks, as its table of calls has them. */
const CALLS = (
  readFileSync(join(import.meta.dirname, '../../src/adapters/aws/calls.ts'), 'utf8').match(
    /\b[A-Z][a-z]+[A-Z]\w+(?=: )/g,
  ) ?? []
).map((operation) => `ec2:${operation}`);
const ID = 'i-0123456789abcdef0';

/** What a bundle of one document holds, as text. */
async function saved(content: object, t: TestContext): Promise<{ path: string; text: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-bundle-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'evidence.tar.gz');
  const bundle = createBundle();
  bundle.add({ name: 'a.json', locator: 'a', content: content as JsonObject }, SIGN_TABLE);
  await bundle.write(path);
  return { path, text: gunzipSync(readFileSync(path)).toString('utf8') };
}

function answered(call: string, answer: object): object {
  return { apiVersion: EVIDENCE_VERSION, kind: 'AwsAnswer', call, input: {}, answer };
}

function userDataAnswer(Value: string): object {
  return answered('ec2:DescribeInstanceAttribute', { InstanceId: ID, UserData: { Value } });
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}

const SCRIPT = [
  '#!/bin/bash',
  'export DB_PASSWORD=hunter2-and-more',
  'MOTHERS_MAIDEN_NAME=hunter2',
  '/etc/eks/bootstrap.sh shop --apiserver-endpoint https://ABC.gr7.eu-west-1.eks.amazonaws.com',
  'kubeadm join 10.0.0.1:6443 --token abcdef.0123456789abcdef',
].join('\n');

/** The facts of a machine's user data, as a bundle gives them back. */
async function factsAgain(text: string, t: TestContext): Promise<UserData | undefined> {
  const { path, text: archive } = await saved(userDataAnswer(encoded(text)), t);
  assert.doesNotMatch(archive, /hunter2|0123456789abcdef(?!0)/);
  assert.ok(!archive.includes(encoded(text).slice(0, 40)));
  const seen = await readPile(openEvidence([path], ({ what }) => assert.fail(what)));
  return factValues(seen, 'aws/user-data')[0];
}

test('user data reads offline as it did live, and nothing else of it is saved', async (t) => {
  assert.deepEqual(await factsAgain(SCRIPT, t), readUserData(ID, encoded(SCRIPT)));
});

test('lines of user data that some cause looks for are saved with their numbers', async (t) => {
  const text = `#!/bin/bash\nexport X=hunter2\nkubelet --register-node=false --password hunter2\n`;
  const { path, text: archive } = await saved(userDataAnswer(encoded(text)), t);
  assert.doesNotMatch(archive, /hunter2/);
  const hitsOf = (seen: Awaited<ReturnType<typeof readPile>>): readonly string[] =>
    seen.hits.map(({ owner, sign, first }) => `${owner} ${sign} ${first.moment.at.line}`);
  const again = await readPile(openEvidence([path], ({ what }) => assert.fail(what)));
  const live = await readTexts([
    { name: 'a.json', text: JSON.stringify(userDataAnswer(encoded(text))) },
  ]);
  assert.notEqual(hitsOf(live).length, 0);
  assert.deepEqual(hitsOf(again), hitsOf(live));
});

test('user data of launch templates and configurations is not saved at all', async (t) => {
  const UserData = encoded(SCRIPT);
  const template = answered('ec2:DescribeLaunchTemplateVersions', {
    LaunchTemplateVersions: [
      { LaunchTemplateId: 'lt-1', LaunchTemplateData: { ImageId: 'ami-1', UserData } },
    ],
  });
  const configuration = answered('autoscaling:DescribeLaunchConfigurations', {
    LaunchConfigurations: [{ LaunchConfigurationName: 'lc', UserData }],
  });
  for (const content of [template, configuration])
    assert.doesNotMatch((await saved(content, t)).text, /UserData|bootstrap\.sh/);
});

test('saves only whether binary user data is compressed', async (t) => {
  const bytes = Buffer.from([0x1f, 0x8b, 0xff, 0xfe]).toString('base64');
  assert.match((await saved(userDataAnswer(bytes), t)).text, /"form": "compressed"/);
});

const AUTHORITY = encoded(`-----BEGIN CERTIFICATE-----\n${'MIIC'.repeat(40)}\n`);
const OTHER = encoded(`-----BEGIN CERTIFICATE-----\n${'MIID'.repeat(40)}\n`);

function nodeConfig(authority: string): string {
  const config = [
    'apiVersion: node.eks.aws/v1alpha1',
    'kind: NodeConfig',
    'spec:',
    '  cluster:',
    '    name: shop',
    '    apiServerEndpoint: https://ABC.gr7.eu-west-1.eks.amazonaws.com',
    `    certificateAuthority: ${authority}`,
    '    password: hunter2-and-more',
  ].join('\n');
  const head = 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="B"\n\n--B\n';
  const type = 'Content-Type: application/node.eks.aws\nContent-Transfer-Encoding: base64\n\n';
  return `${head}${type}${encoded(config)}\n--B--`;
}

test('a certificate authority is saved as its checksum, in user data as of the cluster', async (t) => {
  const facts = await factsAgain(nodeConfig(AUTHORITY), t);
  const given = facts === undefined ? null : clusterGiven(facts);
  assert.deepEqual(given, clusterGiven(readUserData('i-0', encoded(nodeConfig(AUTHORITY)))));
  const other = await factsAgain(nodeConfig(OTHER), t);
  assert.notEqual(given?.authority, other && clusterGiven(other)?.authority);
  const cluster = { name: 'shop', certificateAuthority: { data: AUTHORITY } };
  const { text } = await saved(answered('eks:DescribeCluster', { cluster }), t);
  assert.ok(text.includes(`‹checksum ${given?.authority ?? ''}›`));
  assert.ok(!text.includes(AUTHORITY));
});

test('treats a false certificate authority as a secret', async (t) => {
  for (const planted of [`password=${AUTHORITY}`, 'abcdef.0123456789abcdef']) {
    const cluster = { name: 'shop', certificateAuthority: { data: planted } };
    const { text } = await saved(answered('eks:DescribeCluster', { cluster }), t);
    assert.doesNotMatch(text, /0123456789abcdef|LS0tLS1CRUdJTi/);
  }
});

const TOKEN = 'abcdef.0123456789abcdef';
for (const [how, text] of [
  ['after its flag', `kubeadm join 10.0.0.1:6443 --token ${TOKEN}`],
  ['in quotes', `kubeadm join 10.0.0.1:6443 --token "${TOKEN}"`],
  ['in a variable', `export JOIN_TOKEN="${TOKEN}"\nkubeadm join --token $JOIN_TOKEN`],
  ['in YAML', `kind: JoinConfiguration\ndiscovery:\n  tlsBootstrapToken: "${TOKEN}"`],
  ['in JSON', `{"kind":"JoinConfiguration","bootstrapToken":{"token":"${TOKEN}"}}`],
  ['in a list', `runcmd:\n - [kubeadm join, --token, ${TOKEN}]`],
] as const)
  test(`the id of a bootstrap token ${how} is saved, and nothing else of it`, async (t) => {
    assert.equal((await factsAgain(text, t))?.joinTokenId, 'abcdef');
  });

function listed(kind: string, item: object): object {
  return { apiVersion: 'v1', kind: `${kind}List`, items: [item] };
}

test('variables, arguments, probes and annotations of workloads that no cause reads are left out', async (t) => {
  const container = {
    name: 'aws-node',
    command: ['/bin/agent', '-c', 'hunter2'],
    args: ['--host-interface=eni+', '--key', 'hunter2'],
    env: [
      { name: 'WARM_IP_TARGET', value: '5' },
      { name: 'GREETING', value: 'hunter2' },
    ],
    livenessProbe: { exec: { command: ['hunter2'] }, periodSeconds: 10 },
  };
  const { text } = await saved(
    listed('DaemonSet', {
      metadata: {
        name: 'aws-node',
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"hunter2":1}' },
      },
      spec: { template: { spec: { containers: [container] } } },
    }),
    t,
  );
  assert.doesNotMatch(text, /hunter2|GREETING|last-applied/);
  assert.match(text, /WARM_IP_TARGET[^]*"5"/);
  assert.match(text, /--host-interface=eni\+/);
});

test('entries of ConfigMaps are left out, but for those of known ones', async (t) => {
  const map = (name: string, data: object): object =>
    listed('ConfigMap', { metadata: { name, namespace: 'kube-system' }, data });
  const shop = await saved(map('shop', { greeting: 'hunter2' }), t);
  assert.doesNotMatch(shop.text, /hunter2|greeting/);
  const roles = '- rolearn: arn:aws:iam::111122223333:role/a\n';
  assert.match((await saved(map('aws-auth', { mapRoles: roles }), t)).text, /role\/a/);
});

test('values of tags with unknown keys are left out', async (t) => {
  const Tags = [
    { Key: 'kubernetes.io/cluster/shop', Value: 'owned' },
    { Key: 'note', Value: 'hunter2' },
  ];
  const instance = { InstanceId: ID, Tags };
  const answer = { Reservations: [{ Instances: [instance] }] };
  const { text } = await saved(answered('ec2:DescribeInstances', answer), t);
  assert.match(text, /"owned"/);
  assert.match(text, /"note"/);
  assert.doesNotMatch(text, /hunter2/);
});

test('of a certificate request only its user is saved', async (t) => {
  const der = `\u0030\u001csystem:node:ip-10-0-0-1.ec2`;
  const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${btoa(der)}\n-----END CERTIFICATE REQUEST-----`;
  const item = { metadata: { name: 'csr-1' }, spec: { request: btoa(pem) } };
  const { text } = await saved(listed('CertificateSigningRequest', item), t);
  assert.match(text, /"requestedUser": "system:node:ip-10-0-0-1\.ec2"/);
  assert.ok(!text.includes(btoa(pem).slice(0, 30)));
});

test('a bundle tells what it holds and what was left out', async (t) => {
  const bundle = createBundle();
  const items = [
    { metadata: { name: 'a', annotations: { note: 'x' } } },
    { metadata: { name: 'b', annotations: { note: 'x', other: 'y' } } },
  ];
  const content = { apiVersion: 'v1', kind: 'NodeList', items } as unknown as JsonObject;
  bundle.add({ name: 'nodes.json', locator: 'a', content }, SIGN_TABLE);
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-bundle-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const contents = await bundle.write(join(folder, 'a.tar.gz'));
  assert.deepEqual(savedSentences('a.tar.gz', contents).slice(0, 2), [
    'Saved a.tar.gz: Node 2.',
    'Taken out: annotations 3.',
  ]);
});

test('kinds of lists and names of calls are never taken for secrets', () => {
  for (const { resource } of KUBE_LISTS) {
    const list = { apiVersion: 'v1', kind: `${resource.kind}List`, items: [] };
    assert.deepEqual(savedContent(list, SIGN_TABLE, new Map()), list);
  }
  assert.ok(CALLS.length > 50, `${CALLS.length}`);
  for (const call of CALLS) assert.equal(redact(call), call);
});
