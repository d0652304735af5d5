import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { AgentKeeper, type AgentRoute, NODES } from '../../src/controllers/agent/keeper.ts';
import { type JsonObject, listAt, textAt } from '../../src/evidence/json.ts';
import type { NodeProbe, ProbeResult } from '../../src/ports/node-probe.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { type VirtualClock, virtualClock } from '../ports/fake/clock.ts';
import { fault } from '../ports/fake/kube-fault.ts';
import { FakeKubeApi } from '../ports/fake/kube-api.ts';
import { FakeKubeWrites } from '../ports/fake/kube-writes.ts';
import { createFakeRecorder } from '../ports/fake/recorder.ts';

const DNS = 'rollcall.dev/DnsWorks';
const CLOCK = 'rollcall.dev/ClockOffset';
const RULES = { successesForTrue: 3, freshnessMs: 60_000, heartbeatMs: 300_000 };
const YES: ProbeResult = { answer: 'yes', reason: 'Fine', message: 'fine.' };
const NO: ProbeResult = { answer: 'no', reason: 'Broken', message: 'broken.' };
const READY = { type: 'Ready', status: 'True', reason: 'KubeletReady' };

interface Scene {
  readonly api: FakeKubeApi;
  readonly clock: VirtualClock;
  readonly keeper: AgentKeeper;
  readonly said: string[];
  readonly ended: () => unknown;
}

function probeOf(type: string, look: NodeProbe['look']): NodeProbe {
  return { condition: type, says: 'proof', intervalMs: 10_000, timeoutMs: 5_000, look };
}

interface Options {
  readonly probes: readonly NodeProbe[];
  readonly conditions?: readonly JsonObject[];
  /** Ways before the one that works. */
  readonly before?: readonly AgentRoute[];
  readonly writesConditions?: boolean;
  readonly isDryRun?: boolean;
  readonly bootedMs?: number;
}

function scene(context: TestContext, options: Options): Scene {
  const clock = virtualClock();
  const api = new FakeKubeApi({ clock });
  api.serve(NODES);
  api.put(NODES, {
    metadata: { name: 'a' },
    status: { conditions: options.conditions ?? [READY] },
  });
  const route = { words: 'directly', api, writes: new FakeKubeWrites(api) };
  const said: string[] = [];
  const keeper = new AgentKeeper({
    node: 'a',
    rules: RULES,
    recorder: createFakeRecorder(),
    clock,
    random: { next: () => 0.5 },
    bootedMs: 0,
    writesConditions: true,
    isDryRun: false,
    say: (line) => said.push(line),
    routes: () => [...(options.before ?? []), route],
    ...options,
  });
  const ending = new AbortController();
  let end: unknown = null;
  const running = keeper.run(ending.signal).catch((error: unknown) => {
    end = error;
  });
  context.after(async () => {
    ending.abort();
    await clock.advance(0);
    await running;
  });
  return { api, clock, keeper, said, ended: () => end };
}

async function conditionsOf({ api }: Scene): Promise<Readonly<Record<string, string>>> {
  const node = await api.get(NODES, { name: 'a' });
  const all = listAt(node, 'status.conditions');
  return Object.fromEntries(
    all.map((one) => [
      textAt(one, 'type') ?? '',
      `${textAt(one, 'status')} ${textAt(one, 'reason')}`,
    ]),
  );
}

async function versionOf({ api }: Scene): Promise<string | null> {
  return textAt(await api.get(NODES, { name: 'a' }), 'metadata.resourceVersion');
}

function well(): Promise<ProbeResult> {
  return Promise.resolve(YES);
}

test('writes its conditions beside those of others, and nothing at rest', async (context) => {
  const kept = scene(context, { probes: [probeOf(DNS, well), probeOf(CLOCK, well)] });
  await kept.clock.advance(10_000);
  assert.deepEqual(await conditionsOf(kept), {
    Ready: 'True KubeletReady',
    [DNS]: 'True Fine',
    [CLOCK]: 'True Fine',
  });
  const version = await versionOf(kept);
  await kept.clock.advance(200_000);
  assert.equal(await versionOf(kept), version);
  await kept.clock.advance(120_000);
  assert.notEqual(await versionOf(kept), version, 'a heartbeat');
});

test('a look that hangs stops no other, and is not joined by a second', async (context) => {
  let looks = 0;
  const hang = (): Promise<ProbeResult> => {
    looks += 1;
    return new Promise(() => undefined);
  };
  const kept = scene(context, { probes: [probeOf(DNS, hang), probeOf(CLOCK, well)] });
  await kept.clock.advance(60_000);
  const { [DNS]: dns, [CLOCK]: clock } = await conditionsOf(kept);
  assert.deepEqual([dns, clock, looks], ['Unknown LookHangs', 'True Fine', 1]);
  assert.equal(kept.keeper.state().unlookedMs < 20_000, true);
});

test('a look that ends late is Unknown, and the next may look again', async (context) => {
  let looks = 0;
  const late: NodeProbe['look'] = (signal) => {
    looks += 1;
    const { promise, reject } = Promise.withResolvers<ProbeResult>();
    signal.addEventListener('abort', () => reject(signal.reason));
    return promise;
  };
  const kept = scene(context, { probes: [probeOf(DNS, late)] });
  await kept.clock.advance(30_000);
  assert.equal((await conditionsOf(kept))[DNS], 'Unknown LookTimedOut');
  assert.equal(looks > 2, true);
});

test('the first look that fails closes, three good ones in a row open', async (context) => {
  let result = YES;
  const kept = scene(context, { probes: [probeOf(DNS, async () => result)] });
  await kept.clock.advance(10_000);
  result = NO;
  await kept.clock.advance(12_000);
  assert.equal((await conditionsOf(kept))[DNS], 'False Broken');
  result = YES;
  await kept.clock.advance(12_000);
  assert.equal((await conditionsOf(kept))[DNS], 'True Fine');
});

test('what a probe may not ask is Unknown; what is a bug ends the agent', async (context) => {
  const refused = new PortError({ failure: 'denied', message: 'no.' });
  const kept = scene(context, { probes: [probeOf(DNS, () => Promise.reject(refused))] });
  await kept.clock.advance(10_000);
  assert.equal((await conditionsOf(kept))[DNS], 'Unknown CannotLook');
  const bug = new TypeError('a bug');
  const broken = scene(context, { probes: [probeOf(DNS, () => Promise.reject(bug))] });
  await broken.clock.advance(10_000);
  assert.equal(broken.ended(), bug);
});

test('writes again after somebody else has written the Node', async (context) => {
  let result = YES;
  const kept = scene(context, { probes: [probeOf(DNS, async () => result)] });
  await kept.clock.advance(10_000);
  const node = await kept.api.get(NODES, { name: 'a' });
  kept.api.put(NODES, { ...node, spec: { unschedulable: true } });
  kept.api.failNext('patch', fault('conflict', 'nodes a'));
  result = NO;
  await kept.clock.advance(20_000);
  assert.equal((await conditionsOf(kept))[DNS], 'False Broken');
  assert.equal(textAt(await kept.api.get(NODES, { name: 'a' }), 'spec.unschedulable'), 'true');
});

test('does not repeat at once what the server refuses', async (context) => {
  const kept = scene(context, { probes: [probeOf(DNS, async () => NO)] });
  kept.api.forbid('patch nodes/status');
  await kept.clock.advance(1_000);
  assert.equal(kept.api.requests().get('patch nodes/status'), 1);
  assert.notEqual(kept.keeper.state().failure, null);
});

test('goes the next way where the first leads nowhere', async (context) => {
  const away = new PortError({ failure: 'timeout', message: 'no answer.' });
  const api = new FakeKubeApi({ clock: virtualClock() });
  api.failNext('patch', ...Array.from({ length: 20 }, () => away));
  const nowhere: AgentRoute = {
    words: 'through the service address',
    api: { get: () => Promise.reject(away) },
    writes: new FakeKubeWrites(api),
  };
  const kept = scene(context, { probes: [probeOf(DNS, async () => NO)], before: [nowhere] });
  await kept.clock.advance(10_000);
  assert.equal((await conditionsOf(kept))[DNS], 'False Broken');
  assert.equal(kept.keeper.state().failure, null);
});

function condition(status: string, heartbeatMs: number): JsonObject {
  const time = new Date(heartbeatMs).toISOString().replace(/\.\d+Z$/, 'Z');
  const times = { lastHeartbeatTime: time, lastTransitionTime: time };
  return { type: DNS, status, reason: 'Before', message: 'm', ...times };
}

test('keeps True over a restart of the agent, and not over one of the machine', async (context) => {
  const nowMs = virtualClock().nowMs();
  const conditions = [condition('True', nowMs - 10_000)];
  const probes = [probeOf(DNS, well)];
  const again = scene(context, { probes, conditions });
  const rebooted = scene(context, { probes, conditions, bootedMs: nowMs - 5_000 });
  for (const one of [again, rebooted]) await one.clock.advance(1_000);
  assert.match((await conditionsOf(again))[DNS] ?? '', /^True/);
  assert.match((await conditionsOf(rebooted))[DNS] ?? '', /^Unknown/);
});

test('asks and writes nothing when it is not to write', async (context) => {
  const options = { probes: [probeOf(DNS, well)], writesConditions: false };
  const kept = scene(context, options);
  const version = await versionOf(kept);
  await kept.clock.advance(30_000);
  assert.equal(await versionOf(kept), version);
  assert.match(kept.said.join('\n'), /DnsWorks True \(Fine\)/);
});

test('a dry run stores nothing, and says the same once', async (context) => {
  const kept = scene(context, { probes: [probeOf(DNS, well)], isDryRun: true });
  const version = await versionOf(kept);
  await kept.clock.advance(30_000);
  assert.equal(await versionOf(kept), version);
  assert.equal(kept.keeper.state().isWritten, true);
});
