/** The janitor as the controller runs it: its passes, its budget, its log and its metrics. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createJanitor, type JanitorSettings } from '../../../src/apps/controller/janitor.ts';
import { paceOf } from '../../../src/controllers/eni-janitor/janitor.ts';
import { NODES } from '../../../src/controllers/gate/plan.ts';
import { type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { PortError, type PortFailure } from '../../../src/ports/port-error.ts';
import { Logger } from '../../../src/runtime/log/logger.ts';
import { MetricsRegistry } from '../../../src/runtime/metrics/registry.ts';
import { fakeAws } from '../../ports/fake/aws-api.ts';
import { FakeKubeApi } from '../../ports/fake/kube-api.ts';
import { createFakeRecorder } from '../../ports/fake/recorder.ts';
import { CLUSTER, leakedItem } from './interfaces.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const OLD = '1969-12-31T23:00:00Z';

function idOf(index: number): string {
  return `eni-${String(index).padStart(17, '0')}`;
}

function leaked(count: number): readonly JsonObject[] {
  return Array.from({ length: count }, (_, index) => ({
    ...leakedItem(OLD),
    NetworkInterfaceId: idOf(index),
  }));
}

interface Scene {
  readonly aws: ReturnType<typeof fakeAws>;
  readonly api: FakeKubeApi;
  readonly registry: MetricsRegistry;
  readonly recorder: ReturnType<typeof createFakeRecorder>;
  /** What was deleted, and when, ms. */
  readonly deleted: (readonly [string, number])[];
  readonly lines: string[];
  /** Thrown by the next deletions, which take no effect. */
  readonly refusals: PortFailure[];
  /** Of each append, ms. */
  readonly slow: { ms: number };
  /** Runs as a leader for so long, ms. */
  readonly lead: (durationMs: number, isLeading?: () => boolean) => Promise<void>;
}

/** Time passes at once, until a moment at which somebody is to hear of it. */
function runningClock(): Clock & { until: { ms: number; reached: () => void } } {
  let passedMs = 0;
  const until = { ms: Infinity, reached: (): void => undefined };
  return {
    until,
    nowMs: () => passedMs,
    monotonicMs: () => passedMs,
    sleep: async (durationMs) => {
      passedMs += durationMs;
      if (passedMs >= until.ms) until.reached();
    },
  };
}

function filterOf({ Filters }: JsonObject): string | null {
  const [filter] = (Filters ?? []) as readonly JsonObject[];
  if (textAt(filter, 'Name') !== 'network-interface-id') return null;
  return listAt(filter, 'Values').map(String)[0] ?? null;
}

function scene(items: readonly JsonObject[], change: Partial<JanitorSettings> = {}): Scene {
  const clock = runningClock();
  const api = new FakeKubeApi({ clock });
  api.serve(NODES);
  const aws = fakeAws({ clock, region: 'us-west-2' });
  const there = new Map(items.map((one) => [textAt(one, 'NetworkInterfaceId') ?? '', one]));
  aws.answer('ec2:DescribeNetworkInterfaces', (input) => {
    const id = filterOf(input);
    const all = [...there.values()];
    return [
      {
        NetworkInterfaces: all.filter(
          (one) => id === null || textAt(one, 'NetworkInterfaceId') === id,
        ),
      },
    ];
  });
  aws.answer('ec2:DescribeInstances', () => [{ Reservations: [] }]);
  const at = {
    aws,
    api,
    registry: new MetricsRegistry(),
    recorder: createFakeRecorder(),
    deleted: [] as (readonly [string, number])[],
    lines: [] as string[],
    refusals: [] as PortFailure[],
    slow: { ms: 0 },
  };
  const settings = { cluster: CLUSTER, identity: 'pod-1', mode: 'delete', hourly: 12 } as const;
  const janitor = createJanitor(
    { ...settings, isDryRun: () => false, ...change },
    {
      kube: api,
      aws,
      clock,
      registry: at.registry,
      recorder: {
        append: async (events) => {
          await clock.sleep(at.slow.ms);
          return at.recorder.append(events);
        },
      },
      log: new Logger({
        clock,
        level: () => 'info',
        format: () => 'text',
        write: (line) => at.lines.push(line),
      }),
      awsWrites: {
        requests: () => new Map(),
        write: async ({ input }, { isDryRun }) => {
          const failure = at.refusals.shift();
          if (failure !== undefined) throw new PortError({ failure, message: failure });
          const id = textAt(input, 'NetworkInterfaceId') ?? '';
          if (!isDryRun) at.deleted.push([id, clock.nowMs()]);
          if (!isDryRun) there.delete(id);
          return {};
        },
      },
    },
  );
  const lead: Scene['lead'] = async (durationMs, isLeading = () => true) => {
    const end = new AbortController();
    clock.until.ms = clock.nowMs() + durationMs;
    clock.until.reached = () => end.abort();
    await janitor.run({ signal: end.signal, isLeading });
  };
  return { ...at, lead };
}

function metric({ registry }: Scene, line: string): void {
  assert.ok(registry.text().split('\n').includes(line), registry.text());
}

describe('the janitor', () => {
  test('deletes what two looks show, records it before, logs and counts it', async () => {
    const at = scene(leaked(1));
    await at.lead(25 * MINUTE_MS);
    assert.deepEqual(at.deleted, [[idOf(0), 10 * MINUTE_MS]]);
    const records = await at.recorder.read({ cluster: CLUSTER, limit: 9 });
    assert.deepEqual(
      records.map(({ kind, subject }) => [kind, subject]),
      [
        ['action-intended', idOf(0)],
        ['action-ended', idOf(0)],
      ],
    );
    assert.match(at.lines.join(''), /is leaked: its instance .* a second look follows\n/);
    assert.match(at.lines.join(''), /It is gone, as reading shows\.\n$/);
    metric(at, 'rollcall_interface_deletions_total{outcome="done"} 1');
    metric(at, 'rollcall_leaked_interfaces{proof="proven"} 0');
  });

  test('that only reports names each once and deletes nothing', async () => {
    const other = { ...leakedItem(OLD, {}, { Description: 'mine' }), NetworkInterfaceId: idOf(9) };
    const at = scene([...leaked(1), other], { mode: 'report' });
    await at.lead(HOUR_MS);
    assert.deepEqual(at.deleted, []);
    assert.equal(at.lines.length, 2, at.lines.join(''));
    assert.match(at.lines[0] ?? '', /delete it: rollcall fix eni --yes$/m);
    assert.match(at.lines[1] ?? '', /it is not proven and stays$/m);
    metric(at, 'rollcall_leaked_interfaces{proof="proven"} 1');
    metric(at, 'rollcall_leaked_interfaces{proof="unproven"} 1');
  });

  test('in a dry run deletes nothing', async () => {
    const at = scene(leaked(2), { isDryRun: () => true });
    await at.lead(HOUR_MS);
    assert.deepEqual(at.deleted, []);
  });

  test('spreads its budget over the hour', async () => {
    const at = scene(leaked(30));
    await at.lead(3 * HOUR_MS);
    const times = at.deleted.map(([, atMs]) => atMs);
    for (const fromMs of times)
      assert.ok(times.filter((one) => one >= fromMs && one < fromMs + HOUR_MS).length <= 12);
    assert.equal(times.length, 30);
  });

  test('looks twice again after another has led', async () => {
    const at = scene(leaked(1));
    await at.lead(5 * MINUTE_MS);
    await at.lead(5 * MINUTE_MS);
    assert.deepEqual(at.deleted, []);
    await at.lead(15 * MINUTE_MS);
    assert.equal(at.deleted.length, 1);
  });
});

describe('what keeps the janitor from deleting', () => {
  test('it does not lead any more', async () => {
    const at = scene(leaked(1));
    await at.lead(HOUR_MS, () => false);
    assert.deepEqual(at.deleted, []);
    assert.match(at.lines.join(''), /was not sent: what it was decided on may be over/);
  });

  test('what it read is old by the time it is recorded', async () => {
    const at = scene(leaked(1));
    at.slow.ms = 11_000;
    await at.lead(HOUR_MS);
    assert.deepEqual(at.deleted, []);
  });

  for (const [what, permission] of [
    ['interfaces', 'ec2:DescribeNetworkInterfaces'],
    ['instances', 'ec2:DescribeInstances'],
  ] as const)
    test(`${what} cannot be read, which it reports`, async () => {
      const at = scene(leaked(1));
      at.aws.refuse(permission, 'denied');
      await at.lead(HOUR_MS);
      assert.deepEqual(at.deleted, []);
      assert.match(at.lines.join(''), /network interfaces are unknown and none is deleted/);
      at.aws.allow(permission);
      await at.lead(HOUR_MS);
      assert.equal(at.deleted.length, 1);
    });

  test('Nodes cannot be read', async () => {
    const at = scene(leaked(1));
    at.api.forbid('list nodes');
    await at.lead(HOUR_MS);
    assert.deepEqual(at.deleted, []);
  });

  test('AWS denies one of a pass, and the others are not tried', async () => {
    const at = scene(leaked(2));
    at.refusals.push('denied');
    await at.lead(15 * MINUTE_MS);
    assert.deepEqual(at.deleted, []);
    await at.lead(15 * MINUTE_MS);
    assert.equal(at.deleted.length, 2);
  });

  test('somebody else deletes it meanwhile', async () => {
    const at = scene(leaked(1));
    at.refusals.push('not-found');
    await at.lead(15 * MINUTE_MS);
    metric(at, 'rollcall_interface_deletions_total{outcome="gone"} 1');
  });
});

test('whatever the budget is, the passes of an hour do not exceed it', () => {
  for (let hourly = 1; hourly <= 100; hourly++) {
    const { everyMs, most } = paceOf(hourly);
    assert.ok(most >= 1 && everyMs >= 10 * MINUTE_MS, `${hourly}`);
    assert.ok(most * Math.ceil(HOUR_MS / everyMs) <= hourly, `${hourly}`);
  }
});
