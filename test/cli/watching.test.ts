import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { podsOfNode, WATCHED_KINDS } from '../../src/collection/watched.ts';
import { NODES, PODS } from '../../src/collection/resources.ts';
import { Alarm } from '../../src/runtime/alarm.ts';
import { lookingAgain } from '../../src/apps/cli/live/look-again.ts';
import { sayNotices } from '../../src/apps/cli/live/watch-notices.ts';
import { watchCluster, type WatchedCluster } from '../../src/apps/cli/live/watched-clusters.ts';
import { SourceError } from '../../src/apps/cli/context.ts';
import type { JsonObject } from '../../src/evidence/json.ts';
import type { AwsApi } from '../../src/ports/aws-api.ts';
import { fakeAws } from '../ports/fake/aws-api.ts';
import { type VirtualClock, virtualClock } from '../ports/fake/clock.ts';
import { FakeKubeApi } from '../ports/fake/kube-api.ts';

const PAUSE_MS = 60_000;
const SOON_MS = 2000;

function node(name: string, ready: string, heartbeat = 0): JsonObject {
  const condition = { type: 'Ready', status: ready, reason: 'KubeletReady' };
  return {
    metadata: { name },
    status: { conditions: [{ ...condition, lastHeartbeatTime: String(heartbeat) }] },
  };
}

function pod(name: string, namespace: string, nodeName: string, phase = 'Pending'): JsonObject {
  return { metadata: { name, namespace }, spec: { nodeName }, status: { phase } };
}

interface Scene {
  readonly api: FakeKubeApi;
  readonly clock: VirtualClock;
  readonly watched: WatchedCluster;
  /** What was said of the watches, in order. */
  readonly said: string[];
  readonly looks: () => number;
  /** What each further look does before it ends. */
  readonly onLook: (what: () => Promise<void>) => void;
  readonly done: Promise<number>;
  /** The next look is the last one. */
  readonly finish: () => void;
}

interface SceneOptions {
  readonly forbidden?: readonly string[];
  readonly aws?: (clock: VirtualClock) => AwsApi;
  readonly first?: () => Promise<void>;
}

/** Looks at a server in memory until the test is over. */
async function scene(context: TestContext, options: SceneOptions = {}): Promise<Scene> {
  const clock = virtualClock();
  const api = new FakeKubeApi({ clock });
  for (const { resource, isOptional } of WATCHED_KINDS) if (!isOptional) api.serve(resource);
  api.put(NODES, node('a', 'True'));
  for (const one of options.forbidden ?? []) api.forbid(one);
  const alarm = new Alarm(clock);
  const means = { clock, random: { next: () => 0.5 } };
  const opening = watchCluster({ kube: api, aws: options.aws?.(clock) ?? null }, alarm, means);
  await clock.advance(100);
  const watched = await opening;
  const said: string[] = [];
  let looks = 0;
  let isOver = false;
  let act = options.first ?? (async () => {});
  const look = async (): Promise<number> => {
    watched.beginLook();
    looks += 1;
    await act();
    return looks;
  };
  const repeat = lookingAgain({
    clock,
    alarm,
    pauseMs: PAUSE_MS,
    notices: () => watched.notices(PAUSE_MS, null),
    tell: sayNotices((line) => said.push(line)),
  });
  const done = repeat(look, () => isOver);
  done.catch(() => {});
  context.after(async () => {
    isOver = true;
    await clock.advance(2 * PAUSE_MS);
    const stopped = watched.stop();
    await clock.advance(0);
    await stopped;
    assert.equal(api.openWatches(), 0);
    assert.equal(clock.sleeping(), 0, 'a timer outlived the watch');
  });
  await clock.advance(100);
  return {
    api,
    clock,
    watched,
    said,
    looks: () => looks,
    onLook: (what) => {
      act = what;
    },
    done,
    finish: () => {
      isOver = true;
    },
  };
}

test('what changes leads to a look, and the heartbeat of a Node does not', async (context) => {
  const { api, clock, looks, said } = await scene(context);
  assert.equal(looks(), 1);
  api.put(NODES, node('a', 'True', 10));
  await clock.advance(SOON_MS);
  assert.equal(looks(), 1);
  api.put(NODES, node('a', 'False', 20));
  await clock.advance(SOON_MS);
  assert.equal(looks(), 2);
  await clock.advance(PAUSE_MS);
  assert.equal(looks(), 3, 'without a change after the pause');
  assert.deepEqual(said, [], 'a cluster without NodeClaims is no trouble');
});

test('what changes together is seen by one look', async (context) => {
  const { api, clock, looks } = await scene(context);
  await clock.advance(SOON_MS);
  for (const name of ['b', 'c', 'd']) {
    api.put(NODES, node(name, 'False'));
    await clock.advance(20);
  }
  await clock.advance(SOON_MS);
  assert.equal(looks(), 2);
});

test('one look at a time, and as long a rest as a look took', async (context) => {
  const { api, clock, looks, onLook } = await scene(context);
  let running = 0;
  const seen: number[] = [];
  onLook(async () => {
    seen.push(++running);
    await clock.sleep(10_000);
    running -= 1;
  });
  for (let second = 0; second < 60; second++) {
    api.put(NODES, node('a', second % 2 === 0 ? 'False' : 'True'));
    await clock.advance(1000);
  }
  assert.equal(Math.max(...seen), 1);
  assert.ok(looks() >= 3 && looks() <= 5, `${looks()} looks`);
});

test('reports silence with its age, looks again, and reports its end', async (context) => {
  const { api, clock, looks, said } = await scene(context);
  api.setDark(true);
  await clock.advance(20_000);
  assert.match(
    said.join('\n'),
    /^Nodes.* as of \d+ s ago: the API server is silent; looking every/,
  );
  const silent = said.length;
  const before = looks();
  assert.ok(before > 1, 'staleness is a reason to look');
  await clock.advance(2 * PAUSE_MS);
  assert.ok(looks() >= before + 2, 'it goes on after each pause');
  api.setDark(false);
  await clock.advance(20_000);
  assert.deepEqual(said.slice(silent), ['changes arrive again']);
  const healed = looks();
  api.put(NODES, node('a', 'False'));
  await clock.advance(10_000);
  assert.ok(looks() > healed, 'what the dead watches miss is found by those that follow them');
});

test('reports a denied watch with its grant while the others still trigger looks', async (context) => {
  const { api, clock, looks, said } = await scene(context, { forbidden: ['watch nodes'] });
  assert.deepEqual(said, [
    'Nodes not watched: watch permission is denied; looking every 60 s instead; ' +
      'grant it: rollcall permissions --for watch',
  ]);
  await clock.advance(SOON_MS);
  const before = looks();
  api.put(NODES, node('a', 'False'));
  await clock.advance(SOON_MS);
  assert.equal(looks(), before);
  api.put(PODS, pod('aws-node-x', 'kube-system', 'a'));
  await clock.advance(SOON_MS);
  assert.equal(looks(), before + 1);
  await clock.advance(PAUSE_MS);
  assert.equal(looks(), before + 2);
});

test('Pods elsewhere wake only when they are of a Node that was asked about', async (context) => {
  const { api, clock, looks, watched } = await scene(context);
  api.put(PODS, pod('web', 'shop', 'a'));
  await clock.advance(SOON_MS);
  assert.equal(looks(), 1);
  watched.follow(['a', null, 'a', 'b,metadata.name=x']);
  await clock.advance(SOON_MS);
  api.put(PODS, pod('web', 'shop', 'a', 'Running'));
  api.put(PODS, pod('web', 'shop', 'b', 'Running'));
  await clock.advance(SOON_MS);
  assert.equal(looks(), 2);
});

test('no Node has a name that would change the selection', () => {
  assert.equal(podsOfNode('a,metadata.name=b'), null);
  assert.equal(podsOfNode(''), null);
  assert.equal(podsOfNode('ip-10-0-0-1.ec2.internal')?.selection.namespace, undefined);
});

test('AWS is not asked again by each look, and before a look at a new Node it is', async (context) => {
  let aws = fakeAws({ clock: virtualClock() });
  const { api, clock, onLook, watched } = await scene(context, {
    aws: (own) => {
      aws = fakeAws({ clock: own });
      aws.answer('ec2:DescribeInstances', () => [{ Reservations: [] }]);
      return aws;
    },
  });
  const call = { service: 'ec2', operation: 'DescribeInstances', input: {} } as const;
  const asked = (): number => aws.requests().get('ec2:DescribeInstances') ?? 0;
  const answers: unknown[] = [];
  onLook(async () => {
    for await (const page of watched.aws?.pages(call) ?? []) answers.push(page);
  });
  for (const ready of ['False', 'True', 'False']) {
    api.put(NODES, node('a', ready));
    await clock.advance(1300);
  }
  assert.equal(asked(), 1);
  assert.equal(answers.length, 3, 'each look was answered');
  api.put(NODES, node('b', 'True'));
  await clock.advance(1000);
  assert.equal(answers.length, 3, 'a new Node waits until AWS may be asked');
  await clock.advance(5000);
  assert.equal(answers.length, 4);
  assert.equal(asked(), 2);
});

test('reports a failed look and continues, except after the first', async (context) => {
  const { api, clock, done, finish, onLook, said } = await scene(context);
  onLook(async () => {
    throw new SourceError('https://kube.test: no answer\nand more');
  });
  api.put(NODES, node('a', 'False'));
  await clock.advance(2 * SOON_MS);
  assert.deepEqual(said, ['The last look failed: https://kube.test: no answer']);
  onLook(async () => {});
  finish();
  api.put(NODES, node('a', 'True'));
  await clock.advance(2 * SOON_MS);
  assert.equal(await done, 3);
});

test('ends when the first look fails', async (context) => {
  const first = async (): Promise<void> => {
    throw new SourceError('https://kube.test: no answer');
  };
  const { done, looks } = await scene(context, { first });
  await assert.rejects(done, SourceError);
  assert.equal(looks(), 1);
});

test('a bug of an adapter ends the watching with itself', async (context) => {
  const { api, clock, done } = await scene(context);
  const bug = new TypeError('a bug');
  api.failNext('watch', bug as never);
  api.cut();
  await clock.advance(5000);
  await assert.rejects(done, bug);
});
