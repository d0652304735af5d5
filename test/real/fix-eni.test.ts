/** `rollcall fix eni` on a real API server, with moto as EC2. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { openRecorder } from '../../src/adapters/recorder/open.ts';
import type { FixDocument } from '../../src/controllers/fix/document.ts';
import { endOf, type Run, rollcall, startRollcall } from '../live/rollcall.ts';
import { CLUSTER, type Site, startSite } from '../live/world.ts';
import { until } from './bench.ts';
import { unauthorized } from './moto.ts';
import { CONTROL_PLANE, missing } from './parts.ts';

const skip = missing(...CONTROL_PLANE, 'moto');
const DELETE = 'DeleteNetworkInterface';
const HOUR_MS = 3_600_000;

let site: Site;
let subnet = '';
let folder = '';

before(async () => {
  if (skip !== false) return;
  site = await startSite();
  folder = site.env['HOME'] ?? '';
  const subnets = await site.moto.ec2('DescribeSubnets');
  subnet = /<subnetId>(subnet-\w+)<\/subnetId>/.exec(subnets)?.[1] ?? '';
});
after(async () => {
  if (skip === false) await site.stop();
});
beforeEach(async () => {
  if (skip !== false) return;
  for (const id of await interfaceIds()) await site.moto.ec2(DELETE, { NetworkInterfaceId: id });
});

/** Those that the CNI has marked. */
async function interfaceIds(): Promise<readonly string[]> {
  const shown = await site.moto.ec2('DescribeNetworkInterfaces', {
    'Filter.1.Name': 'tag-key',
    'Filter.1.Value.1': 'node.k8s.amazonaws.com/instance_id',
  });
  return [...shown.matchAll(/<networkInterfaceId>(eni-\w+)</g)].map(([, id = '']) => id);
}

/** An interface of an instance that is gone. */
async function leak(tags: Readonly<Record<string, string>> = {}): Promise<string> {
  const instance = `i-${crypto.randomUUID().replaceAll('-', '').slice(0, 17)}`;
  const all = {
    'node.k8s.amazonaws.com/instance_id': instance,
    'node.k8s.amazonaws.com/createdAt': new Date(Date.now() - HOUR_MS).toISOString(),
    'cluster.k8s.amazonaws.com/name': CLUSTER,
    'eks:eni:owner': 'amazon-vpc-cni',
    ...tags,
  };
  const numbered = Object.entries(all).flatMap(([Key, Value], index) => [
    [`TagSpecification.1.Tag.${index + 1}.Key`, Key],
    [`TagSpecification.1.Tag.${index + 1}.Value`, Value],
  ]);
  const made = await site.moto.ec2('CreateNetworkInterface', {
    SubnetId: subnet,
    Description: `aws-K8S-${instance}`,
    'TagSpecification.1.ResourceType': 'network-interface',
    ...Object.fromEntries(numbered),
  });
  return /<networkInterfaceId>(eni-\w+)</.exec(made)?.[1] ?? '';
}

function argumentsOf(record: string, ...more: readonly string[]): readonly string[] {
  const place = ['--record', join(folder, record), '--cluster', CLUSTER, '-o', 'json'];
  return ['fix', 'eni', ...place, '--apart', '10s', ...more];
}

function outcomesOf({ stdout, stderr }: Run): Readonly<Record<string, string>> {
  assert.ok(stdout !== '', stderr);
  const { steps } = JSON.parse(stdout) as FixDocument;
  return Object.fromEntries(
    steps.map(({ object, outcome }) => [object.replace('network interface ', ''), outcome]),
  );
}

/** Hands everything to AWS, and keeps the answer to a deletion for itself. */
async function silentDeleter(url: string): Promise<{ url: string; server: Server }> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    const { host: _, connection: _one, ...headers } = request.headers as Record<string, string>;
    const answered = await fetch(url, { method: 'POST', headers, body });
    const text = await answered.text();
    if (!body.includes(DELETE)) response.writeHead(answered.status).end(text);
  };
  const server = createServer((request, response) => void answer(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

describe('leaked network interfaces', { skip, timeout: 180_000 }, () => {
  test('are shown first, then deleted; young ones and those of others stay', async () => {
    const [leaked, foreign, young] = await Promise.all([
      leak(),
      leak({ 'cluster.k8s.amazonaws.com/name': 'other' }),
      leak({ 'node.k8s.amazonaws.com/createdAt': new Date().toISOString() }),
    ]);
    const wanted = { [foreign]: 'not-needed', [young]: 'not-needed' };
    const dry = await rollcall(argumentsOf('one.db'), site.env);
    assert.deepEqual(outcomesOf(dry), { ...wanted, [leaked]: 'would-write' });
    assert.equal((await interfaceIds()).length, 3);
    const run = await rollcall(argumentsOf('one.db', '--yes'), site.env);
    assert.deepEqual(outcomesOf(run), { ...wanted, [leaked]: 'written' });
    assert.match(run.stderr, /cannot be taken back/);
    assert.equal(run.code, 0);
    assert.deepEqual((await interfaceIds()).toSorted(), [foreign, young].toSorted());
  });

  test('that may not be deleted from the second on are listed one by one', async () => {
    const ids = [await leak(), await leak(), await leak()];
    site.moto.forget();
    site.moto.delay(DELETE, 1500);
    const running = rollcall(argumentsOf('two.db', '--yes'), site.env);
    await until('the first deletion', async () => site.moto.count(DELETE) === 1 || null);
    site.moto.refuse(DELETE, unauthorized(DELETE));
    const run = await running;
    site.moto.allow(DELETE);
    site.moto.delay(DELETE, 0);
    const outcomes = Object.values(outcomesOf(run));
    assert.deepEqual(outcomes.toSorted(), ['refused', 'refused', 'written']);
    assert.equal(run.code, 1);
    assert.match(run.stdout, /ec2:DeleteNetworkInterface/);
    assert.match(run.stdout, /rollcall permissions --for fix/);
    assert.equal((await interfaceIds()).length, ids.length - 1);
    assert.equal(site.moto.count(DELETE), 2);
    const again = await rollcall(argumentsOf('two.db', '--yes'), site.env);
    assert.deepEqual(Object.values(outcomesOf(again)), ['written', 'written']);
  });

  test('deleted by a run that was killed right then are in its record', async () => {
    const id = await leak();
    const { url, server } = await silentDeleter(site.moto.url);
    const env = { ...site.env, AWS_ENDPOINT_URL: url };
    const child = startRollcall(argumentsOf('three.db', '--yes'), env);
    const ended = endOf(child);
    await until('the deletion', async () => ((await interfaceIds()).length === 0 ? true : null));
    child.kill('SIGKILL');
    assert.equal((await ended).signal, 'SIGKILL');
    server.closeAllConnections();
    server.close();
    const recorder = openRecorder(join(folder, 'three.db'));
    const [cluster = ''] = await recorder.clusters();
    const rows = await recorder.read({ cluster, limit: 9 });
    assert.deepEqual(
      rows.map(({ kind, subject }) => [kind, subject]),
      [['action-intended', id]],
    );
    const notes = [...(await recorder.notes(cluster)).values()];
    assert.match(JSON.stringify(notes), new RegExp(id));
    await recorder.close();
    const other = await leak();
    const run = await rollcall(argumentsOf('three.db', '--yes', '--most', '1'), site.env);
    assert.deepEqual(outcomesOf(run), { [other]: 'refused' });
    assert.equal((await interfaceIds()).length, 1);
    assert.match(run.stdout, /budget of this hour/);
  });
});
