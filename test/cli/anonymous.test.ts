import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { anonymizerFor } from '../../src/engine/anonymous.ts';
import { createBundle } from '../../src/apps/cli/live/bundle.ts';
import { readTexts } from '../../src/engine/pile.ts';
import { SIGN_TABLE } from '../../src/engine/signs.ts';
import type { DiagnosisDocument } from '../../src/diagnosis/document.ts';
import type { JsonObject } from '../../src/evidence/json.ts';
import { EVIDENCE_VERSION } from '../../src/readers/evidence-version.ts';
import { capture } from './capture.ts';

const ROOM = mkdtempSync(join(tmpdir(), 'rollcall-anonymous-'));
after(() => rmSync(ROOM, { recursive: true }));

/** What nobody outside is to learn. */
const OWN = [
  'zebracorn',
  'giraffe',
  'okapi',
  'quokka',
  'wombat',
  'narwhal',
  'pangolin',
  '999988887777',
  '10.77.66.5',
  'ip-10-77-66-5',
  '0badc0ffee0badc0f',
  '0feedface0feedfac',
  '4f6d2c1a9e8b7d6c5f4e3d2c1b0a9f8e',
  'a0b1c2d3-e4f5-4678-9abc-def012345678',
  'giraffe.internal.zebracorn.dev',
];

const [ID, SUBNET] = ['i-0badc0ffee0badc0f', 'subnet-0feedface0feedfac'];
const NODE = 'ip-10-77-66-5.eu-west-1.compute.internal';
const OTHER = 'giraffe.internal.zebracorn.dev';
const ROLE = 'arn:aws:iam::999988887777:role/zebracorn-okapi-node-role';

function answered(call: string, answer: object): object {
  return { apiVersion: EVIDENCE_VERSION, kind: 'AwsAnswer', call, input: {}, answer };
}

const FILES: Readonly<Record<string, object | string>> = {
  'collection.json': {
    apiVersion: EVIDENCE_VERSION,
    kind: 'Collection',
    at: '2026-11-22T10:00:00Z',
    cluster: 'zebracorn',
    asked: [],
    refusals: [],
  },
  'nodes.json': {
    apiVersion: 'v1',
    kind: 'NodeList',
    metadata: { annotations: { rollcall: 'complete' } },
    items: [
      {
        metadata: {
          name: OTHER,
          uid: 'a0b1c2d3-e4f5-4678-9abc-def012345678',
          labels: { 'eks.amazonaws.com/nodegroup': 'wombat-ng' },
        },
        spec: { providerID: `aws:///eu-west-1a/${ID}` },
        status: { addresses: [{ type: 'InternalIP', address: '10.77.66.5' }] },
      },
    ],
  },
  'pods.json': {
    apiVersion: 'v1',
    kind: 'PodList',
    items: [
      {
        metadata: { name: 'quokka-7d9f8b6c5d-x2x9z', namespace: 'pangolin' },
        spec: { nodeName: NODE, serviceAccountName: 'narwhal' },
        status: { phase: 'Pending' },
      },
    ],
  },
  'instances.json': answered('ec2:DescribeInstances', {
    Reservations: [
      {
        Instances: [
          {
            InstanceId: ID,
            PrivateDnsName: NODE,
            PrivateIpAddress: '10.77.66.5',
            SubnetId: SUBNET,
            IamInstanceProfile: {
              Arn: 'arn:aws:iam::999988887777:instance-profile/zebracorn-okapi',
            },
            State: { Name: 'running' },
            Tags: [{ Key: 'kubernetes.io/cluster/zebracorn', Value: 'owned' }],
          },
        ],
      },
    ],
  }),
  'cluster.json': answered('eks:DescribeCluster', {
    cluster: {
      name: 'zebracorn',
      arn: 'arn:aws:eks:eu-west-1:999988887777:cluster/zebracorn',
      endpoint: 'https://4F6D2C1A9E8B7D6C5F4E3D2C1B0A9F8E.gr7.eu-west-1.eks.amazonaws.com',
      roleArn: ROLE,
      accessConfig: { authenticationMode: 'CONFIG_MAP' },
    },
  }),
  'kubelet.log': Array.from(
    { length: 12 },
    (_, index) =>
      `Nov 22 09:40:${10 + index} ${NODE} kubelet[3011]: E1122 09:40:00.1 3011 kubelet_node_status.go:92] "Unable to register node with API server" err="nodes \\"${OTHER}\\" is forbidden: node \\"${NODE}\\" is not allowed to modify node \\"${OTHER}\\"" node="${OTHER}"`,
  ).join('\n'),
};

function assertHidden(text: string): void {
  const small = text.toLowerCase();
  for (const own of OWN) assert.ok(!small.includes(own), `${own} is shown`);
}

function folderOfFiles(): string {
  const folder = mkdtempSync(join(ROOM, 'files-'));
  for (const [name, content] of Object.entries(FILES))
    writeFileSync(
      join(folder, name),
      typeof content === 'string' ? content : JSON.stringify(content),
    );
  return folder;
}

for (const output of ['text', 'json', 'yaml', 'markdown'])
  test(`--anonymize hides names, ids and addresses in ${output}`, async () => {
    const folder = folderOfFiles();
    const plain = await capture(['diagnose', folder, '-o', output]);
    const hidden = await capture(['diagnose', folder, '-o', output, '--anonymize']);
    assert.equal(hidden.code, plain.code);
    assert.ok(OWN.some((own) => plain.out.includes(own)));
    assertHidden(hidden.out.replaceAll(folder, ''));
    if (output !== 'json') return;
    const headline = (text: string): string | undefined =>
      (JSON.parse(text) as DiagnosisDocument).headline?.cause;
    assert.notEqual(headline(plain.out), undefined);
    assert.equal(headline(hidden.out), headline(plain.out));
  });

test('a bundle with hidden names shows none of them', async () => {
  const bundle = createBundle();
  const texts = Object.entries(FILES).map(([name, content]) => ({
    name,
    text: typeof content === 'string' ? content : JSON.stringify(content),
  }));
  for (const [name, content] of Object.entries(FILES))
    bundle.add({ name, locator: name, content: content as JsonObject }, SIGN_TABLE);
  const path = join(ROOM, 'hidden.tar.gz');
  await bundle.write(path, anonymizerFor([await readTexts(texts)]));
  const written = gunzipSync(readFileSync(path)).toString('utf8');
  assertHidden(written);
  assert.match(written, /Unable to register node with API server/);
});

test('rejects --wait with --anonymize because --wait prints names', async () => {
  const { code, err } = await capture(['diagnose', '--wait', '--anonymize']);
  assert.equal(code, 64);
  assert.match(err, /use it without --anonymize/);
});
