/** `rollcall fix eni`: two looks, a reading right before, and what became of each interface. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ENI_NOTE, type EniOrder, fixEni } from '../../../src/controllers/fix/eni/fix-eni.ts';
import type { FixStep, FixTools } from '../../../src/controllers/fix/fix.ts';
import { NODES } from '../../../src/controllers/gate/plan.ts';
import { type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import type { AwsCall } from '../../../src/ports/aws-api.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import { CLUSTER, ENI, leakedItem } from '../eni-janitor/interfaces.ts';
import { type Scene, scene } from './scene.ts';

const OLD = '1969-12-31T23:00:00Z';
const OTHER = 'eni-0fedcba9876543210';

function orderOf(at: { readonly said?: string[] }, more: Partial<EniOrder> = {}): EniOrder {
  return {
    id: 'eni-1',
    isDryRun: false,
    why: { kind: 'request', name: '', text: 'Asked for.' },
    cluster: CLUSTER,
    rules: { ageMs: 30 * 60_000, apartMs: 5 * 60_000, most: 20 },
    say: (line) => at.said?.push(line),
    ...more,
  };
}

async function onlyStep(order: EniOrder, tools: FixTools): Promise<FixStep> {
  const [step, ...more] = await fixEni(order, tools);
  assert.ok(step !== undefined && more.length === 0);
  return step;
}

interface World extends Scene {
  /** By id; what is deleted goes from it. */
  readonly there: Map<string, JsonObject>;
  /** Happens before the reading of the interfaces of this number, from 1. */
  readonly onReading: Map<number, () => void>;
}

function named({ Filters }: JsonObject): string | null {
  const [filter] = (Filters ?? []) as readonly JsonObject[];
  if (textAt(filter, 'Name') !== 'network-interface-id') return null;
  const [id] = listAt(filter, 'Values');
  return typeof id === 'string' ? id : null;
}

function world(items: readonly JsonObject[] = [leakedItem(OLD)]): World {
  const at = scene();
  const there = new Map(items.map((one) => [textAt(one, 'NetworkInterfaceId') ?? '', one]));
  const onReading = new Map<number, () => void>();
  at.api.serve(NODES);
  let readings = 0;
  at.aws.answer('ec2:DescribeNetworkInterfaces', (input) => {
    readings += 1;
    onReading.get(readings)?.();
    for (const { input: gone } of at.calls) there.delete(textAt(gone, 'NetworkInterfaceId') ?? '');
    const id = named(input);
    const all = [...there.values()];
    const found = id === null ? all : all.filter((one) => one['NetworkInterfaceId'] === id);
    return [{ NetworkInterfaces: found }];
  });
  at.aws.answer('ec2:DescribeInstances', () => [{ Reservations: [] }]);
  return { ...at, there, onReading };
}

const two = (): World =>
  world([leakedItem(OLD), { ...leakedItem(OLD), NetworkInterfaceId: OTHER }]);

describe('leaked network interfaces', () => {
  test('are deleted after a second look, noted before, and verified by reading', async () => {
    const at = world();
    const said: string[] = [];
    const step = await onlyStep(orderOf({ said }), at.tools());
    assert.equal(step.outcome, 'written', step.why);
    assert.deepEqual(
      at.calls.map(({ operation }) => operation),
      ['DeleteNetworkInterface'],
    );
    assert.deepEqual(
      at.notes.map(({ kind, id }) => [kind, id]),
      [[ENI_NOTE, ENI]],
    );
    assert.match(said.join(), /1 network interface .*cannot be taken back/);
    const records = await at.recorder.read({ cluster: 'one', limit: 9 });
    assert.deepEqual(
      records.map(({ kind }) => kind),
      ['action-intended', 'action-ended'],
    );
  });

  test('stay in a dry run, which waits for nothing', async () => {
    const at = world();
    const tools = at.tools(true);
    const steps = await fixEni(orderOf({}, { isDryRun: true }), tools);
    assert.deepEqual(
      steps.map(({ outcome }) => outcome),
      ['would-write'],
    );
    assert.deepEqual([at.calls, at.notes, tools.clock.nowMs()], [[], [], 0]);
  });

  for (const [title, change] of [
    ['that is attached', { Status: 'in-use' }],
    ['that gets another tag', { TagSet: [] }],
    ['that gets another description', { Description: 'mine' }],
  ] as const)
    test(`${title} between the second look and its reading stays`, async () => {
      const at = world();
      at.onReading.set(3, () => at.there.set(ENI, { ...leakedItem(OLD), ...change }));
      const step = await onlyStep(orderOf({}), at.tools());
      assert.equal(step.outcome, 'refused');
      assert.deepEqual(at.calls, []);
    });

  test('that are used in the second look stay', async () => {
    const at = world();
    at.onReading.set(2, () => at.there.set(ENI, leakedItem(OLD, {}, { Status: 'in-use' })));
    const step = await onlyStep(orderOf({}), at.tools());
    assert.equal(step.outcome, 'not-needed', step.why);
    assert.deepEqual(at.calls, []);
  });

  test('that somebody else deletes need nothing', async () => {
    const at = world();
    at.onReading.set(3, () => at.there.clear());
    const step = await onlyStep(orderOf({}), at.tools());
    assert.equal(step.outcome, 'not-needed');
    assert.deepEqual(at.calls, []);
  });
});

describe('what cannot be read is unknown, and nothing is deleted', () => {
  test('where the second page of a list fails', async () => {
    const at = world();
    const tools = at.tools();
    const aws = {
      ...at.aws,
      async *pages(call: AwsCall) {
        yield* at.aws.pages(call);
        if (call.operation === 'DescribeNetworkInterfaces' && named(call.input) === null)
          throw new PortError({ failure: 'throttled', message: 'The second page is refused.' });
      },
    };
    const step = await onlyStep(orderOf({}), { ...tools, aws });
    assert.equal(step.outcome, 'refused');
    assert.match(step.why, /nothing is known and nothing is deleted/);
    assert.deepEqual(at.calls, []);
  });

  test('where instances or Nodes are refused', async () => {
    const at = world();
    at.aws.refuse('ec2:DescribeInstances', 'denied');
    assert.equal((await onlyStep(orderOf({}), at.tools())).outcome, 'refused');
    const other = world();
    other.api.forbid('list nodes');
    assert.equal((await onlyStep(orderOf({}), other.tools())).outcome, 'refused');
    assert.deepEqual([at.calls, other.calls], [[], []]);
  });
});

describe('in the middle', () => {
  test('a denial ends it; what was done, what not, and the command', async () => {
    const at = two();
    const tools = at.tools();
    let sent = 0;
    const steps = await fixEni(orderOf({}), {
      ...tools,
      performAws: async (action, tookEffect) => {
        sent += 1;
        if (sent === 1) return tools.performAws(action, tookEffect);
        const why = 'ec2:DeleteNetworkInterface is denied';
        return { outcome: 'refused', why, failure: 'denied' };
      },
    });
    assert.deepEqual(
      steps.map(({ outcome }) => outcome),
      ['written', 'refused'],
    );
    assert.deepEqual(steps[1]?.commands, ['rollcall permissions --for fix']);
  });

  test('a denial of the first is not tried on the others', async () => {
    const at = two();
    let sent = 0;
    const steps = await fixEni(orderOf({}), {
      ...at.tools(),
      performAws: async () => {
        sent += 1;
        return { outcome: 'refused', why: 'denied', failure: 'denied' };
      },
    });
    assert.equal(sent, 1);
    assert.match(steps[1]?.why ?? '', /^It was not tried/);
  });

  test('a lost answer is read, and nothing is sent twice', async () => {
    const at = world();
    at.lost.push(new PortError({ failure: 'unclear', message: 'No answer.' }));
    const step = await onlyStep(orderOf({}), at.tools());
    assert.equal(step.outcome, 'written', step.why);
    assert.equal(at.calls.length, 1);
  });

  test('a used budget leaves the others', async () => {
    const at = two();
    const rules = { ageMs: 30 * 60_000, apartMs: 5 * 60_000, most: 1 };
    const steps = await fixEni(orderOf({}, { rules }), at.tools());
    assert.deepEqual(
      steps.map(({ outcome }) => outcome),
      ['written', 'refused'],
    );
    assert.match(steps[1]?.why ?? '', /budget of this hour/);
  });

  test('a wall clock that steps ahead makes nothing older', async () => {
    const at = world([leakedItem('1969-12-31T23:50:00Z')]);
    const tools = at.tools();
    let steppedMs = 0;
    const clock = { ...tools.clock, nowMs: () => tools.clock.nowMs() + steppedMs };
    at.onReading.set(1, () => {
      steppedMs = 3_600_000;
    });
    const step = await onlyStep(orderOf({}), { ...tools, clock });
    assert.equal(step.outcome, 'not-needed', step.why);
  });
});
