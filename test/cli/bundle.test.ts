import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
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

test('what is no text is left out', async (t) => {
  const Value = Buffer.from([0x1f, 0x8b, 0xff, 0xfe, 0x80, 0x81]).toString('base64');
  const archive = await saved(
    { call: 'ec2:DescribeInstanceAttribute', answer: { UserData: { Value } } },
    t,
  );
  assert.match(archive, /"Value": ""/);
});
