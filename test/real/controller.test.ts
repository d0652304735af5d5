/** `rollcall controller` in a real cluster, with the rights of its manifest and no others. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test, type TestContext } from 'node:test';
import { type JsonObject, textAt } from '../../src/evidence/json.ts';
import { endOf, type Run, startRollcall, type Surroundings } from '../live/rollcall.ts';
import { type Machine, registerNode, type Site, startSite } from '../live/world.ts';
import { until } from './bench.ts';
import { applyControllerManifests } from './controller-manifests.ts';
import type { KubeEvent } from './kube-client.ts';
import { layOneNode, setReady, TROUBLE } from './one-node.ts';
import { CONTROL_PLANE, missing } from './parts.ts';

const USER = 'controller';
const REPORTS = '/apis/rollcall.dev/v1alpha1/nodereports';
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/rollcall/leases/rollcall-controller';

const skip = missing(...CONTROL_PLANE, 'moto');
const WITH_PARTS = { skip, timeout: 180_000 };
let site: Site;
let machine: Machine;
let env: Surroundings;

before(async () => {
  if (skip !== false) return;
  site = await startSite();
  machine = await layOneNode(site);
  await applyControllerManifests(site.plane.client, USER);
  env = { ...site.env, KUBECONFIG: await site.plane.writeKubeconfig(USER) };
});
beforeEach(async () => {
  if (skip === false) await setReady(site, machine, false);
});
after(async () => {
  if (skip === false) await site.stop();
});

interface Running {
  readonly said: () => string;
  readonly port: () => Promise<number>;
  readonly kill: (signal: NodeJS.Signals) => Promise<Run>;
}

function start(t: TestContext, ...more: readonly string[]): Running {
  return startIn(t, env, more);
}

function startIn(t: TestContext, surroundings: Surroundings, more: readonly string[]): Running {
  const args = ['controller', '--reports', '--listen', '127.0.0.1:0', ...more];
  const child = startRollcall(args, surroundings);
  t.after(() => child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text: Buffer | string) => {
      said += String(text);
    });
  const ended = endOf(child);
  return {
    said: () => said,
    port: async () => Number(await shown(/on port (\d+)/, () => said)),
    kill(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

/** Waits until a text has come, and gives what it captured. */
async function shown(what: RegExp, text: () => string): Promise<string> {
  return until(`${what}`, async () => {
    const found = what.exec(text());
    return found === null ? null : (found[1] ?? '');
  }).catch((error: unknown) => {
    throw new Error(text(), { cause: error });
  });
}

/** Receives what a webhook is sent, and answers the first message with 500. */
async function receiver(t: TestContext): Promise<{ url: string; happenings: () => string[] }> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => {
      body += part.toString();
    });
    request.on('end', () => {
      bodies.push(body);
      response.writeHead(bodies.length === 1 ? 500 : 204).end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const happenings = (): string[] =>
    bodies.map((body) => textAt(JSON.parse(body), 'happening') ?? '');
  return { url: `http://127.0.0.1:${port}/a-secret-path`, happenings };
}

async function read(path: string): Promise<JsonObject> {
  return (await site.plane.client.get(path)) as unknown as JsonObject;
}

async function reported(verdict: string, running: Running): Promise<JsonObject> {
  return until(`a report that says ${verdict}`, async () => {
    const report = await read(`${REPORTS}/${machine.id}`).catch(() => ({}));
    return textAt(report, 'status.verdict') === verdict ? report : null;
  }).catch((error: unknown) => {
    throw new Error(running.said(), { cause: error });
  });
}

async function answer(port: number, path: string): Promise<{ code: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { code: response.status, text: await response.text() };
}

describe('the controller', () => {
  test('stores no report in a dry run, while there is none', WITH_PARTS, async (t) => {
    const running = start(t, '--dry-run');
    await shown(/leads as (\S+)/, running.said);
    const port = await running.port();
    await until('a checked write', async () =>
      /^rollcall_actions_total\{verb="create",outcome="done"\} [1-9]/m.test(
        (await answer(port, '/metrics')).text,
      )
        ? true
        : null,
    );
    await assert.rejects(read(`${REPORTS}/${machine.id}`));
    await running.kill('SIGTERM');
  });

  test('reports a machine, and each change of its verdict', WITH_PARTS, async (t) => {
    const running = start(t);
    const first = await reported('not-usable', running);
    assert.equal(textAt(first, 'status.stage'), 'networked');
    await setReady(site, machine, true);
    const next = await reported('usable', running);
    assert.notEqual(textAt(next, 'status.since'), null);
    assert.match(running.said(), /not-usable at networked.* -> usable/);
    const { code } = await running.kill('SIGTERM');
    assert.equal(code, 0);
    const lease = await read(LEASE);
    assert.equal(textAt(lease, 'spec.holderIdentity') ?? '', '', 'the Lease is released');
  });

  test('serves its health and metrics', WITH_PARTS, async (t) => {
    const running = start(t);
    const port = await running.port();
    assert.equal((await answer(port, '/livez')).code, 200);
    await until('readiness', async () =>
      (await answer(port, '/readyz')).code === 200 ? true : null,
    );
    const { text } = await answer(port, '/metrics');
    assert.match(text, /^rollcall_machines\{stage="networked",verdict="not-usable"\} 1$/m);
    assert.match(text, /^rollcall_judging_seconds_count \d+$/m);
    assert.doesNotMatch(text, new RegExp(machine.name));
    assert.equal((await answer(port, '/')).code, 404);
  });
});

describe('a controller that reports to others', () => {
  test('says that a Node was deleted, and keeps it after its Events', WITH_PARTS, async (t) => {
    const file = join(site.plane.dir, 'flight.db');
    const { url, happenings } = await receiver(t);
    const surroundings = { ...env, ROLLCALL_WEBHOOK: url };
    const more = ['--events', '--record', file, '--cluster', 'lab', '--log-level', 'debug'];
    const running = startIn(t, surroundings, more);
    await shown(/leads as (\S+)/, running.said);
    await reported('not-usable', running);
    await site.plane.client.remove(`/api/v1/nodes/${machine.name}`);
    await shown(new RegExp(`(Node ${machine.name} was deleted[^\n]*)`), running.said);
    const event = await until('an Event of the deletion', async () => {
      const events = await site.plane.client.list<KubeEvent>('/api/v1/namespaces/default/events');
      return events.find(({ reason }) => reason === 'NodeDeleted') ?? null;
    });
    assert.equal(event.involvedObject.name, machine.name);
    await until('a second try of the webhook', async () =>
      happenings().filter((one) => one === 'deleted').length > 1 ? true : null,
    );
    assert.doesNotMatch(running.said(), /a-secret-path/);
    await site.plane.client.remove(
      `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${machine.name}`,
    );
    await registerNode(site, machine, { trouble: TROUBLE });
    await shown(/(registered again)/, running.said);
    assert.equal((await running.kill('SIGTERM')).code, 0);
    const timeline = startRollcall(['timeline', machine.name, '--record', file], env);
    const { code, stdout } = await endOf(timeline);
    assert.equal(code, 0);
    assert.match(stdout, /deleted/);
    const everything = await endOf(startRollcall(['timeline', '--all', '--record', file], env));
    assert.match(everything.stdout, /node-reports .* done: The patch of NodeReport/);
  });

  test('is followed by another when it is killed', WITH_PARTS, async (t) => {
    const one = start(t);
    await shown(/leads as (\S+)/, one.said);
    const other = start(t);
    await shown(/(\S+) leads\n/, other.said);
    await one.kill('SIGKILL');
    await setReady(site, machine, true);
    await shown(/leads as (\S+)/, other.said);
    await reported('usable', other);
  });
});
