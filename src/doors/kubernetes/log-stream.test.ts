import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json, JsonObject } from '../../evidence/json.ts';
import type { ApiAnswer, ApiRequest } from '../../sim/kube/contract.ts';
import { DOOR_LIMITS } from './limits.ts';
import { isFollowedLog } from './log-stream.ts';
import { serve } from './serve.ts';
import { type Asked, type Exchange, exchange, openSite, type TestSite } from './testing.ts';

const LOG = '/api/v1/namespaces/shop/pods/web/log';
const RUNNING: JsonObject = {
  status: {
    phase: 'Running',
    containerStatuses: [
      { name: 'side', state: { running: {} } },
      { name: 'main', state: { running: {} } },
    ],
  },
};

/** What the world says of a pod and of its log; a test changes both. */
interface World extends TestSite {
  log: string;
  logCode: number;
  pod: JsonObject | null;
  failure: Error | null;
  readonly asked: ApiRequest[];
}

const open = new Set<Exchange>();

after(() => {
  for (const { response } of open) response.destroy();
});

function answerOf(code: number, object: JsonObject): ApiAnswer {
  return { code, object, warnings: [] };
}

/** A log is looked at every millisecond. */
function openWorld(log: string): World {
  const asked: ApiRequest[] = [];
  const own = openSite();
  const limits = { ...DOOR_LIMITS, logPollEveryMs: 1, unreadBytesMax: 1000 };
  const answer = (request: ApiRequest): ApiAnswer => {
    if (world.failure !== null) throw world.failure;
    asked.push(request);
    if (request.path.subresource !== 'log')
      return world.pod === null ? answerOf(404, { kind: 'Status' }) : answerOf(200, world.pod);
    return world.logCode === 200
      ? answerOf(200, { text: world.log })
      : answerOf(world.logCode, { kind: 'Status', code: world.logCode });
  };
  const site = openSite({ api: { ...own.site.api, answer }, limits });
  const world: World = { ...site, log, logCode: 200, pod: RUNNING, failure: null, asked };
  return world;
}

async function follow(world: World, query = 'follow=true', asked: Asked = {}): Promise<Exchange> {
  const exchanged = exchange(`${LOG}?${query}`, asked);
  open.add(exchanged);
  await serve(world.site, exchanged.request, exchanged.response);
  return exchanged;
}

/** Waits for what the next looks at the log bring. */
async function until(isThere: () => boolean): Promise<void> {
  for (let turn = 0; turn < 500; turn++) {
    if (isThere()) return;
    await sleep(1);
  }
  throw new Error('it does not come');
}

async function looks(world: World, count = 3): Promise<void> {
  const before = world.asked.length;
  await until(() => world.asked.length >= before + 2 * count);
}

function ended({ response }: Exchange): boolean {
  return response.writableFinished || response.destroyed;
}

test('only the log of a pod that is read may be followed', () => {
  const request = (change: object, query: Readonly<Record<string, string>>): ApiRequest =>
    ({ verb: 'get', path: { subresource: 'log' }, query, ...change }) as ApiRequest;
  for (const value of ['true', '1'])
    assert.equal(isFollowedLog(request({}, { follow: value })), true);
  for (const value of ['false', '', 'yes'])
    assert.equal(isFollowedLog(request({}, { follow: value })), false);
  assert.equal(isFollowedLog(request({}, {})), false);
  const query = { follow: 'true' };
  assert.equal(isFollowedLog(request({ verb: 'create' }, query)), false);
  assert.equal(isFollowedLog(request({ path: { subresource: 'status' } }, query)), false);
});

describe('a followed log', () => {
  test('begins with what is there, and continues with what is added', async () => {
    const world = openWorld('one\n');
    const { answer } = await follow(world);
    await until(() => answer().text === 'one\n');
    const { code, headers } = answer();
    assert.deepEqual([code, headers['content-type']], [200, 'text/plain; charset=utf-8']);
    assert.equal(headers['date'], 'Fri, 02 Jan 2026 00:00:00 GMT');
    assert.equal(headers['content-length'], undefined);
    await looks(world);
    assert.equal(answer().text, 'one\n');
    world.log = 'one\ntwo\n';
    await until(() => answer().text.length > 4);
    assert.equal(answer().text, 'one\ntwo\n');
    world.log = 'one\ntwo\nthree\n';
    await until(() => answer().text === 'one\ntwo\nthree\n');
  });

  test('that is empty has its headers at once', async () => {
    const { answer } = await follow(openWorld(''));
    await until(() => answer().code === 200);
    assert.equal(answer().text, '');
  });

  test('that became shorter is sent from its beginning', async () => {
    const world = openWorld('one\ntwo\n');
    const { answer } = await follow(world);
    await looks(world);
    world.log = 'new\n';
    await until(() => answer().text.endsWith('new\n'));
    assert.equal(answer().text, 'one\ntwo\nnew\n');
  });

  test('is asked for in part at first, and then whole', async () => {
    const world = openWorld('one\n');
    const part = 'tailLines=1&sinceSeconds=2&sinceTime=t&limitBytes=9';
    await follow(world, `follow=1&container=main&${part}`);
    await looks(world, 1);
    const [first, second, third] = world.asked.filter(({ path }) => path.subresource === 'log');
    assert.deepEqual(first?.query, {
      container: 'main',
      tailLines: '1',
      sinceSeconds: '2',
      sinceTime: 't',
      limitBytes: '9',
    });
    for (const whole of [second, third]) assert.deepEqual(whole?.query, { container: 'main' });
  });

  test('that cannot be read is refused', async () => {
    const world = openWorld('');
    world.logCode = 400;
    const refused = await follow(world);
    await refused.ended();
    assert.deepEqual([refused.answer().code, refused.answer().json['code']], [400, 400]);
    assert.equal(world.site.streams.size, 0);
  });

  test('without any text of the kubelet is answered as it is', async () => {
    const world = openWorld('');
    const answer = (): ApiAnswer => answerOf(200, { kind: 'Odd' });
    const site = { ...world.site, api: { ...world.site.api, answer } };
    const odd = await follow({ ...world, site });
    await odd.ended();
    assert.deepEqual(odd.answer().json, { kind: 'Odd' });
  });
});

describe('a followed log ends', () => {
  const statuses = (...names: readonly string[]): JsonObject => ({
    status: {
      phase: 'Running',
      containerStatuses: ['side', 'main'].map((name) => ({
        name,
        state: names.includes(name) ? { terminated: { exitCode: 0 } } : { running: {} },
      })),
    },
  });
  const endsWhen = async (pod: Json, query?: string): Promise<boolean> => {
    const world = openWorld('one\n');
    const followed = await follow(world, query);
    await looks(world, 1);
    world.log = 'one\nlast\n';
    world.pod = pod as JsonObject | null;
    await until(() => followed.answer().text.endsWith('last\n'));
    await Promise.race([looks(world), until(() => ended(followed))]);
    const isOver = ended(followed);
    followed.response.destroy();
    return isOver;
  };

  test('with its pod, after what the pod said last', async () => {
    assert.equal(await endsWhen(null), true);
    assert.equal(await endsWhen(RUNNING), false);
    for (const phase of ['Succeeded', 'Failed'])
      assert.equal(await endsWhen({ status: { phase } }), true, phase);
    assert.equal(await endsWhen({}), false);
  });

  test('with its container, which is the first where none is named', async () => {
    assert.equal(await endsWhen(statuses('main'), 'follow=true&container=main'), true);
    assert.equal(await endsWhen(statuses('side'), 'follow=true&container=main'), false);
    assert.equal(await endsWhen(statuses('side')), true);
    assert.equal(await endsWhen(statuses('main')), false);
  });
});

describe('a followed log is given up', () => {
  test('when it cannot be read any more', async () => {
    const world = openWorld('one\n');
    const followed = await follow(world);
    await looks(world, 1);
    world.logCode = 404;
    await until(() => ended(followed));
    assert.deepEqual([followed.answer().text, world.bugs], ['one\n', []]);
  });

  test('when its client leaves, and is looked at no more', async () => {
    const world = openWorld('one\n');
    const { response } = await follow(world);
    await looks(world, 1);
    response.destroy();
    await sleep(2);
    const asked = world.asked.length;
    await sleep(20);
    assert.equal(world.asked.length, asked);
    assert.equal(world.site.streams.size, 0);
  });

  test('when its client does not read', async () => {
    const world = openWorld('one\n');
    const { response } = await follow(world, 'follow=true', { isStuck: true });
    await looks(world);
    assert.equal(response.destroyed, false);
    world.log = 'x'.repeat(2000);
    await until(() => response.destroyed);
    assert.deepEqual(world.bugs, []);
  });

  test('with an error of the world, which is reported', async () => {
    const world = openWorld('one\n');
    const { response } = await follow(world);
    await looks(world, 1);
    const bug = new RangeError('of the world');
    world.failure = bug;
    await until(() => response.destroyed);
    assert.deepEqual(world.bugs, [bug]);
  });
});
