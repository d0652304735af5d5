/** What other people wrote into labels, events and names does nothing to the page, and stops nothing. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, beforeEach } from 'node:test';
import { CONTROL_PLANE, missing } from '../real/parts.ts';
import { sharedTests } from '../share.ts';
import { silent } from './answers.ts';
import type { AskedCall } from './proxy.ts';
import { documentOf, endOf, rollcall, startRollcall } from './rollcall.ts';
import {
  layCluster,
  type Machine,
  registerNode,
  runMachine,
  type Site,
  startSite,
} from './world.ts';

const ESCAPES = '\u001b]0;owned\u0007\u001b[2J\u001b[31mred\u202eevil\u0000';

interface NodeLike {
  readonly spec: { providerID?: string };
  readonly metadata: { labels?: Record<string, string> };
}

/** Changes every Node that the API server lists. */
function everyNode(change: (node: NodeLike) => void): (text: string, call: AskedCall) => string {
  return (text, { url }) => {
    if (!url.startsWith('/api/v1/nodes?')) return text;
    const list = JSON.parse(text) as { readonly items: readonly NodeLike[] };
    for (const node of list.items) change(node);
    return JSON.stringify(list);
  };
}

function eventsPage(from: number, count: number, isLast: boolean): string {
  const items = Array.from({ length: count }, (_, index) => ({
    metadata: { name: `e-${from + index}`, namespace: 'default', uid: `u-${from + index}` },
    involvedObject: { kind: 'Pod', name: `p-${index}`, namespace: 'default' },
    reason: 'FailedMount',
    type: 'Warning',
    message: `${ESCAPES} number ${from + index}`,
    lastTimestamp: new Date().toISOString(),
    source: { component: 'kubelet' },
  }));
  const metadata = { resourceVersion: '1', ...(isLast ? {} : { continue: String(from + count) }) };
  return JSON.stringify({ kind: 'EventList', apiVersion: 'v1', metadata, items });
}

const live = sharedTests(2, 4);
const skip = missing(...CONTROL_PLANE, 'moto');
let site: Site;
let machine: Machine;

before(async () => {
  if (skip !== false) return;
  site = await startSite();
  await layCluster(site);
  machine = await runMachine(site);
  const trouble = {
    reason: 'KubeletNotReady',
    message: `container runtime network not ready: ${ESCAPES}`,
  };
  await registerNode(site, machine, { trouble });
});
beforeEach(() => {
  if (skip === false) site.reset();
});
after(async () => {
  if (skip === false) await site.stop();
});

function assertPlain(text: string): void {
  // biome-ignore lint: control characters are what this expression is about
  assert.doesNotMatch(text, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]|owned/);
}

live.test('writes nothing to the terminal but text, in any format', { skip }, async () => {
  site.kube.rewrite(everyNode(({ metadata }) => (metadata.labels = { [ESCAPES]: ESCAPES })));
  for (const format of ['text', 'json', 'yaml', 'markdown']) {
    const run = await rollcall(['diagnose', '-o', format], site.env);
    assert.equal(run.code, 1, run.stderr);
    assert.match(run.stdout, /network not ready/);
    assertPlain(run.stdout);
    assertPlain(run.stderr);
  }
});

live.test(
  'has more events than are read, and they are not taken for all of them',
  {
    skip,
  },
  async () => {
    site.kube.fail((call, response) => {
      const { pathname, searchParams } = new URL(call.url, 'http://localhost');
      if (pathname !== '/api/v1/events') return false;
      const from = Number(searchParams.get('continue') ?? '0');
      const count = Number(searchParams.get('limit'));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(eventsPage(from, count, from + count >= 30_000));
      return true;
    });
    const run = await rollcall(['diagnose', '-o', 'json'], site.env);
    assert.equal(run.code, 1, run.stderr);
    assert.equal(documentOf(run).subjects.length > 0, true);
    const asked = site.kube.calls().filter(({ url }) => url.startsWith('/api/v1/events'));
    assert.equal(asked.length, 10);
  },
);

for (const [what, providerID] of [
  ['kind', 'kind://docker/kind/kind-worker'],
  ['Google Cloud', 'gce://project/europe-west1-b/gke-pool-1'],
  ['no cloud', undefined],
] as const)
  live.test(`has Nodes of ${what}: AWS is not asked for their instances`, { skip }, async () => {
    site.kube.rewrite(
      everyNode(({ spec }) => {
        if (providerID === undefined) delete spec.providerID;
        else spec.providerID = providerID;
      }),
    );
    const run = await rollcall(['diagnose', '-o', 'json'], site.env);
    assert.equal(run.code, 1, run.stderr);
    const [subject] = documentOf(run).subjects;
    assert.ok(subject);
    assert.equal(subject.node, machine.name);
    assert.equal(subject.instanceId, null);
    assert.deepEqual(site.aws.calls(), []);
  });

live.test('is left at once on an interrupt, with no half of a bundle', { skip }, async () => {
  const asked = Promise.withResolvers<void>();
  site.kube.fail((call, response) => {
    asked.resolve();
    return silent(call, response);
  });
  const saved = join(site.plane.dir, 'half.tar.gz');
  const child = startRollcall(['diagnose', '--save', saved], site.env);
  const ended = endOf(child);
  await Promise.race([asked.promise, ended]);
  // Once: a second interrupt ends it without a word, as a person who presses it twice wants.
  child.kill('SIGINT');
  const { code, stderr } = await ended;
  assert.equal(code, 130);
  assert.equal(stderr, '');
  assert.equal(existsSync(saved), false);
  const left = readdirSync(dirname(saved)).filter((name) => name.startsWith('half.tar.gz'));
  assert.deepEqual(left, []);
});

live.test('is diagnosed silently when the reader of the page is gone', { skip }, async () => {
  const child = startRollcall(['diagnose', '-o', 'json'], site.env);
  child.stdout?.destroy();
  const said: string[] = [];
  child.stderr?.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  const [code] = await once(child, 'close');
  assert.equal(code, 1);
  assert.deepEqual(said, []);
});

live.tell('looks at hostile clusters');
