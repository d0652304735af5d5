/** I-19: access entries that repairs make in a simulated account, whatever becomes of each call. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { settle } from '../../../src/adapters/system/settle.ts';
import { overTripwires } from '../../../src/adapters/system/tripwires.ts';
import { fixEntry } from '../../../src/controllers/fix/auth/fix-entry.ts';
import type { FixTools } from '../../../src/controllers/fix/fix.ts';
import { textAt } from '../../../src/evidence/json.ts';
import type { AwsApi } from '../../../src/ports/aws-api.ts';
import type { AwsWrites } from '../../../src/ports/aws-writes.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import { performAws } from '../../../src/runtime/perform-aws.ts';
import { createAwsCloud } from '../../../src/sim/aws/cloud.ts';
import { awsPort } from '../../../src/sim/aws/port.ts';
import { awsWritesPort } from '../../../src/sim/aws/port-writes.ts';
import { createKernel, runUntil } from '../../../src/sim/kernel/kernel.ts';
import { kubePort } from '../../../src/sim/kube/port.ts';
import { createApiServer } from '../../../src/sim/kube/server.ts';
import { awsLine } from '../../../src/sim/programs/aws.ts';
import { type Call, Calls, DEEDS_OF, type Fate } from '../../../src/sim/programs/call.ts';
import { SimulatedProgram } from '../../../src/sim/programs/program.ts';
import { ROLE } from '../../controllers/fix/scene.ts';
import { awsWritesLine } from '../janitor/aws-lines.ts';

const START_MS = 1_772_442_000_000;
const MINUTE_MS = 60_000;
const CLUSTER = 'shop';
const USER = { name: 'people', groups: ['system:masters', 'system:authenticated'] };

interface Ports {
  readonly aws: AwsApi;
  readonly awsWrites: AwsWrites;
}

interface Play {
  readonly fate?: Fate;
  /** Type of the entry that somebody else has made before; null for none. */
  readonly before?: string | null;
  readonly isDenied?: boolean;
  readonly bug?: (ports: Ports) => Partial<Ports>;
}

interface Played {
  readonly violations: readonly string[];
  readonly calls: readonly Call[];
  /** Type of the entry at the end. */
  readonly type: string | null;
}

function layOut() {
  const kernel = createKernel({ seed: 1, startMs: START_MS });
  const account = { region: 'us-west-2', accountId: '111122223333' };
  const cloud = createAwsCloud({ kernel, ...account, isThrottled: false });
  const { controls } = cloud;
  const vpcId = controls.createVpc({ cidr: '10.0.0.0/16' });
  const subnetIds = [controls.createSubnet({ vpcId, zone: 'us-west-2a', cidr: '10.0.0.0/22' })];
  controls.createCluster({ name: CLUSTER, version: '1.34', roleArn: ROLE, vpcId, subnetIds });
  const entries = controls.account.plain['access-entry'];
  return {
    kernel,
    cloud,
    server: createApiServer({ kernel }),
    identity: controls.createUser('people'),
    typeNow: () => textAt(entries.valuesAt(kernel.nowMs())[0], 'type'),
  };
}

interface Scene extends ReturnType<typeof layOut> {
  readonly calls: Calls;
  readonly violations: string[];
  readonly bug: Play['bug'];
}

/** AWS as one program has it, with what it changes compared with what is there. */
function portsOf(scene: Scene, program: SimulatedProgram): Ports {
  const { cloud, identity, calls, kernel, violations, typeNow, bug } = scene;
  const opened = { cloud, identity, clock: program.clock };
  let had = typeNow();
  const own: Ports = {
    aws: awsLine(awsPort({ ...opened, latencyMs: () => 40 }), program, calls),
    awsWrites: awsWritesLine({
      inner: awsWritesPort({ ...opened, latencyMs: () => 0 }),
      program,
      calls,
      delayMs: () => 30,
      nowMs: () => kernel.nowMs(),
      listener: {
        onAsked: () => undefined,
        onWrite: ({ call: { operation, input }, isCopy }) => {
          const told = `${program.name} sends ${operation} ${JSON.stringify(input)}`;
          const isOurs = input['clusterName'] === CLUSTER && input['type'] === 'EC2_LINUX';
          const isNeeded = had === null || isCopy;
          if (operation !== 'CreateAccessEntry' || !isOurs || !isNeeded) violations.push(told);
          had = typeNow();
        },
      },
    }),
  };
  return { ...own, ...bug?.(own) };
}

function repair(scene: Scene, name: string): void {
  const { kernel, server } = scene;
  const program = new SimulatedProgram(kernel, name);
  const { clock } = program;
  const { aws, awsWrites: writes } = portsOf(scene, program);
  const tools: FixTools = {
    kube: kubePort({ server, user: USER, clock }),
    aws,
    clock,
    random: kernel.random(name),
    perform: async () => {
      throw new TypeError('an access entry is no object of Kubernetes');
    },
    performAws: async (action, tookEffect) =>
      performAws(
        action,
        { writes, recorder: null, clock, cluster: CLUSTER, isDryRun: false },
        tookEffect,
      ),
    keep: async () => undefined,
  };
  const why = { kind: 'request', name: '', text: 'Somebody asks.' } as const;
  const order = { id: name, isDryRun: false, why, cluster: CLUSTER, role: ROLE } as const;
  kernel.spawn(name, async () => {
    await fixEntry({ ...order, type: 'linux' }, tools);
  });
}

/** Two people repair at once, and once more two minutes later. */
async function play({ fate, before = null, isDenied = false, bug }: Play): Promise<Played> {
  return overTripwires(async () => {
    const world = layOut();
    const { kernel, cloud, identity } = world;
    const seen: Call[] = [];
    const calls = new Calls((call) => {
      seen.push(call);
      return fate?.(call) ?? null;
    });
    const scene: Scene = { ...world, calls, violations: [], bug };
    const people = awsWritesPort({ cloud, identity, clock: kernel.clock() });
    const input = { clusterName: CLUSTER, principalArn: ROLE, type: before ?? '' };
    const call = { service: 'eks', operation: 'CreateAccessEntry', input } as const;
    if (before !== null)
      kernel.spawn('people', async () => {
        await people.write(call, { isDryRun: false, token: 'people' });
      });
    if (isDenied) cloud.controls.deny('eks:DescribeAccessEntry');
    kernel.after(MINUTE_MS, () => repair(scene, 'one'));
    kernel.after(MINUTE_MS + 20, () => repair(scene, 'two'));
    kernel.after(3 * MINUTE_MS, () => repair(scene, 'again'));
    await runUntil(kernel, START_MS + 5 * MINUTE_MS, settle);
    return { violations: scene.violations, calls: seen, type: world.typeNow() };
  });
}

test('two repairs at once make one entry, and the next one finds it', async () => {
  const { violations, type } = await play({});
  assert.deepEqual([violations, type], [[], 'EC2_LINUX']);
});

test('each call may go wrong in every way; the next run completes it', async () => {
  const { calls } = await play({});
  const all = calls.flatMap((call) => DEEDS_OF[call.kind].map((deed) => ({ call, deed })));
  assert.ok(all.length > 10, `${all.length}`);
  for (const { call, deed } of all) {
    const fate: Fate = ({ kind, ordinal }) =>
      kind === call.kind && ordinal === call.ordinal ? deed : null;
    const { violations, type } = await play({ fate });
    assert.deepEqual([violations, type], [[], 'EC2_LINUX'], `${call.what} ${call.ordinal} ${deed}`);
  }
});

for (const more of [{ before: 'STANDARD' }, { before: 'EC2_LINUX' }, { isDenied: true }])
  test(`nothing is written with ${JSON.stringify(more)}`, async () => {
    const { violations, type } = await play(more);
    assert.deepEqual([violations, type], [[], more.before ?? null]);
  });

/** What is denied or of another type is taken for what is not there. */
const notThere: NonNullable<Play['bug']> = ({ aws }) => ({
  aws: {
    ...aws,
    async *pages(call, signal) {
      if (call.operation === 'DescribeAccessEntry')
        throw new PortError({ failure: 'not-found', message: 'There is none.' });
      yield* aws.pages(call, signal);
    },
  },
});

describe('a planted mistake is caught:', () => {
  for (const [title, bug, more] of [
    ['an entry that is there is not seen', notThere, { before: 'EC2_LINUX' }],
    [
      'every role is a person',
      ({ awsWrites }) => ({
        awsWrites: {
          ...awsWrites,
          write: async (call, asked) =>
            awsWrites.write({ ...call, input: { ...call.input, type: 'STANDARD' } }, asked),
        },
      }),
      {},
    ],
    [
      'an entry is deleted',
      ({ awsWrites }) => ({
        awsWrites: {
          ...awsWrites,
          write: async (call, asked) =>
            awsWrites.write({ ...call, operation: 'DeleteAccessEntry' }, asked),
        },
      }),
      {},
    ],
  ] as const satisfies readonly (readonly [string, NonNullable<Play['bug']>, Play])[])
    test(title, async () => {
      assert.deepEqual((await play(more)).violations, []);
      assert.notDeepEqual((await play({ ...more, bug })).violations, []);
    });
});
