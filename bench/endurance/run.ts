/**
 * `node bench/endurance/run.ts [--minutes M] [--machines N] [--every SECONDS]
 * [--restart-every SECONDS] [--keep]`: two replicas of
 * `rollcall controller` on a real API server, while Nodes come and go and everything is restarted,
 * each in turn. Prints what they used, and which deletions are in neither record.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openRecorder } from '../../src/adapters/recorder/open.ts';
import { createSeeded } from '../seeded.ts';
import { applyControllerManifests } from '../../test/real/controller-manifests.ts';
import { type ControlPlane, startControlPlane } from '../../test/real/control-plane.ts';
import type { Surroundings } from '../../test/live/rollcall.ts';
import { awsDouble } from '../live/aws-double.ts';
import { REGION } from '../live/cluster.ts';
import { Fleet } from './nodes.ts';
import { Replica } from './replica.ts';

const USER = 'controller';
const PODS_OF_NODE = 2;
const RENEWAL_MS = 20_000;
const LOOK_MS = 5_000;
/** From a deletion to the Node of the same name coming back, ms. */
const AWAY_MS = 20_000;
const SETTLE_MS = 120_000;
const AUDIT = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata', users: [USER] }, { level: 'None' }],
};

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    machines: { type: 'string', default: '1000' },
    every: { type: 'string', default: '2' },
    keep: { type: 'boolean' },
    'restart-every': { type: 'string', default: '150' },
  },
});
const minutes = Number(values.minutes);
const deletedEveryMs = Number(values.every) * 1000;
const restartEveryMs = Number(values['restart-every']) * 1000;
const size = { machines: Number(values.machines), pods: Number(values.machines) * PODS_OF_NODE };

async function serveAws(): Promise<readonly [Server, string]> {
  const answer = awsDouble(size);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, Buffer.concat(chunks).toString(), response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return [server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`];
}

function say(what: string): void {
  process.stderr.write(`${new Date().toISOString()}  ${what}\n`);
}

interface Scene {
  readonly plane: ControlPlane;
  readonly fleet: Fleet;
  readonly replicas: readonly [Replica, Replica];
}

/** Deletes a Node at a time, and brings it back a while later. */
async function churn({ fleet }: Scene, ends: AbortSignal): Promise<void> {
  const chosen = createSeeded(1);
  const back: Promise<void>[] = [];
  while (!ends.aborted) {
    const index = chosen.below(size.machines);
    await fleet.remove(index);
    back.push(sleep(AWAY_MS).then(async () => fleet.register(index)));
    await sleep(deletedEveryMs);
  }
  await Promise.all(back);
}

/** A replica, the API server, the other replica, and again. */
async function restarts({ plane, replicas }: Scene, ends: AbortSignal): Promise<number> {
  const [one, other] = replicas;
  const killed = (replica: Replica) => async (): Promise<void> => {
    await replica.end('SIGKILL');
    replica.start();
  };
  const turns = [killed(one), async () => plane.restartApiServer(), killed(other)];
  for (let turn = 0; ; turn++) {
    await sleep(restartEveryMs, null, { signal: ends }).catch(() => null);
    if (ends.aborted) return turn;
    await turns[turn % turns.length]?.();
    say(`restart ${turn + 1}`);
  }
}

async function renewals({ fleet }: Scene, ends: AbortSignal): Promise<void> {
  while (!ends.aborted) await fleet.renew(RENEWAL_MS, ends);
}

async function looks({ replicas }: Scene, ends: AbortSignal): Promise<void> {
  while (!ends.aborted) {
    for (const replica of replicas) replica.look();
    await sleep(LOOK_MS);
  }
}

async function deletionsIn(path: string): Promise<readonly string[]> {
  const recorder = openRecorder(path);
  const rows = await recorder.read({ cluster: 'bench', kinds: ['node-deleted'], limit: 1e6 });
  await recorder.close();
  return rows.map(({ uid }) => uid ?? '');
}

/** Requests of the controllers by verb and kind, from the audit log of the API server. */
function requestsIn(path: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line === '') continue;
    const { verb, objectRef } = JSON.parse(line) as {
      verb: string;
      objectRef?: { resource?: string; subresource?: string };
    };
    const { resource = 'other', subresource } = objectRef ?? {};
    const what = `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return counts;
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`;
}

/** In the first and in the last fifth of the time, so that what grows is seen. */
function memoryOf(rss: readonly number[]): string {
  const fifth = Math.max(1, Math.floor(rss.length / 5));
  const middle = (part: readonly number[]): number =>
    part.toSorted((one, other) => one - other)[part.length >> 1] ?? 0;
  return `${mebibytes(middle(rss.slice(fifth, 2 * fifth)))} early, ${mebibytes(middle(rss.slice(-fifth)))} late`;
}

function replicaLines({ replicas }: Scene, ranMs: number): readonly string[] {
  return replicas.map((replica, at) => {
    const { starts, processorMs, rssBytes, peakRssBytes } = replica.watched();
    const share = ((100 * processorMs) / ranMs).toFixed(1);
    return `replica ${at + 1}: ${starts} starts, ${share} % of a core, ${memoryOf(rssBytes)}, at most ${mebibytes(peakRssBytes)}`;
  });
}

async function play(scene: Scene): Promise<number> {
  const ending = new AbortController();
  const parts = [renewals(scene, ending.signal), looks(scene, ending.signal)];
  const worked = new AbortController();
  const work = [churn(scene, worked.signal), restarts(scene, worked.signal)] as const;
  await sleep(minutes * 60_000);
  worked.abort();
  const [, turns] = await Promise.all(work);
  await sleep(SETTLE_MS);
  ending.abort();
  await Promise.all(parts);
  return turns;
}

interface Ran {
  readonly scene: Scene;
  readonly turns: number;
  readonly ranMs: number;
  readonly files: readonly string[];
  readonly audit: string;
}

async function report({ scene, turns, ranMs, files, audit }: Ran): Promise<void> {
  const { fleet, replicas } = scene;
  const told = await Promise.all(files.map(deletionsIn));
  const known = new Set(told.flat());
  const missed = fleet.deleted.flatMap((uid, at) => (known.has(uid) ? [] : [`${at + 1} (${uid})`]));
  const doubled = told.map((uids) => uids.length - new Set(uids).size);
  const requests = [...requestsIn(audit)].toSorted(([, a], [, b]) => b - a);
  const lines = [
    `${minutes} minutes, ${size.machines} Nodes, ${size.pods} Pods, ${turns} restarts, ${fleet.deleted.length} deletions`,
    ...replicaLines(scene, ranMs),
    `deletions in neither record: ${missed.length} ${missed.join(' ')}; in a record twice: ${doubled.join(', ')}`,
    `requests: ${requests.map(([what, count]) => `${what} ${count}`).join(', ')}`,
    ...(missed.length > 0 ? replicas.map((replica) => replica.said()) : []),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = missed.length > 0 ? 1 : 0;
}

/** What the controllers see. */
function surroundings(home: string, kubeconfig: string, awsUrl: string): Surroundings {
  return {
    HOME: home,
    KUBECONFIG: kubeconfig,
    AWS_ENDPOINT_URL: awsUrl,
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
}

function replicaOf(file: string, env: Surroundings): Replica {
  const flags = ['--reports', '--events', '--cluster', 'bench', '--listen', '127.0.0.1:0'];
  return new Replica(['controller', ...flags, '--record', file], env);
}

async function playOn(plane: ControlPlane, home: string, audit: string): Promise<void> {
  const [server, url] = await serveAws();
  await applyControllerManifests(plane.client, USER);
  const fleet = new Fleet(plane.client, size.machines);
  await fleet.lay(PODS_OF_NODE);
  say(`${size.machines} Nodes and ${size.pods} Pods are there`);
  const env = surroundings(home, await plane.writeKubeconfig(USER), url);
  const files = [join(home, 'one.db'), join(home, 'two.db')] as const;
  const replicas = [replicaOf(files[0], env), replicaOf(files[1], env)] as const;
  const scene: Scene = { plane, fleet, replicas };
  try {
    const startedMs = performance.now();
    for (const replica of replicas) replica.start();
    for (const replica of replicas) await replica.untilReady();
    const turns = await play(scene);
    const ranMs = performance.now() - startedMs;
    for (const replica of replicas) await replica.end('SIGTERM');
    await report({ scene, turns, ranMs, files, audit });
  } finally {
    for (const replica of replicas) await replica.end('SIGKILL');
    server.closeAllConnections();
    server.close();
  }
}

async function main(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'rollcall-endurance-'));
  const [policy, audit] = [join(home, 'audit-policy.json'), join(home, 'audit.log')];
  writeFileSync(policy, JSON.stringify(AUDIT));
  const apiServerFlags = [`--audit-policy-file=${policy}`, `--audit-log-path=${audit}`];
  const plane = await startControlPlane({ apiServerFlags });
  try {
    await playOn(plane, home, audit);
  } finally {
    await plane.stop();
    if (values.keep === true) say(`left in ${home}`);
    else rmSync(home, { recursive: true, force: true });
  }
}

await main();
