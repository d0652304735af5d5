import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { at, type JsonObject, listAt } from '../../evidence/json.ts';
import type { WatchEvent, Watcher } from '../../sim/kube/contract.ts';
import { serve } from './serve.ts';
import type { DoorApi, Site } from './site.ts';
import { openStream } from './streams.ts';
import { ask, type Asked, type Exchange, exchange, openSite, type TestSite } from './testing.ts';

const WATCH = '/api/v1/nodes?watch=true';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const PARTIAL = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const NODE = {
  kind: 'Node',
  apiVersion: 'v1',
  metadata: { name: 'a', resourceVersion: '7' },
};

async function opened(site: Site, url: string, asked: Asked = {}): Promise<Exchange> {
  const exchanged = exchange(url, asked);
  await serve(site, exchanged.request, exchanged.response);
  await nextTurn();
  return exchanged;
}

function lines({ answer }: Exchange): readonly JsonObject[] {
  return answer()
    .text.split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JsonObject);
}

/** A door whose watch the test feeds. */
function fed(change: Partial<Site> = {}): TestSite & {
  readonly watcher: () => Watcher;
  readonly stopped: () => number;
} {
  let watcher: Watcher | undefined;
  let stopped = 0;
  const { site } = openSite();
  const watch: DoorApi['watch'] = (_request, given) => {
    watcher = given;
    return { stop: () => (stopped += 1) };
  };
  const api = { ...site.api, watch };
  return {
    ...openSite({ api, ...change }),
    stopped: () => stopped,
    watcher: () => {
      assert.ok(watcher);
      return watcher;
    },
  };
}

function event(type: WatchEvent['type'], object: JsonObject = NODE): WatchEvent {
  return { type, object };
}

describe('a watch', () => {
  test('begins before its first event, with the headers of every answer', async () => {
    const { answer } = await opened(fed().site, WATCH);
    const { code, headers, text } = answer();
    assert.deepEqual([code, text, headers['content-type']], [200, '', 'application/json']);
    assert.equal(headers['date'], 'Fri, 02 Jan 2026 00:00:00 GMT');
    assert.equal(headers['content-length'], undefined);
    assert.equal(headers['transfer-encoding'], undefined);
  });

  test('sends each event as a line, until the server ends it', async () => {
    const own = fed();
    const watch = await opened(own.site, WATCH);
    own.watcher().onEvent(event('ADDED'));
    own.watcher().onEvent(event('DELETED'));
    await nextTurn();
    assert.deepEqual(lines(watch), [
      { type: 'ADDED', object: NODE },
      { type: 'DELETED', object: NODE },
    ]);
    own.watcher().onEnd();
    await watch.ended();
    own.watcher().onEvent(event('ADDED'));
    own.watcher().onEnd();
    await nextTurn();
    assert.equal(lines(watch).length, 2);
    assert.equal(own.bugs.length, 0);
  });

  test('sends events that come before it returns', async () => {
    const { site, watcher } = fed();
    const early: DoorApi['watch'] = (request, given) => {
      const opening = site.api.watch(request, given);
      watcher().onEvent(event('ADDED'));
      return opening;
    };
    const sent = await opened({ ...site, api: { ...site.api, watch: early } }, WATCH);
    assert.deepEqual(lines(sent), [{ type: 'ADDED', object: NODE }]);
    assert.equal(sent.answer().code, 200);
  });
});

describe('a watch that ends', () => {
  test('that ends before it returns is stopped', async () => {
    const { site, watcher, stopped } = fed();
    const short: DoorApi['watch'] = (request, given) => {
      const opening = site.api.watch(request, given);
      watcher().onEnd();
      return opening;
    };
    await opened({ ...site, api: { ...site.api, watch: short } }, WATCH);
    assert.ok(stopped() > 0);
  });

  test('is stopped, and its place free, when its client leaves', async () => {
    const { site, stopped } = fed();
    const { response } = await opened(site, WATCH);
    assert.deepEqual([site.streams.size, stopped()], [1, 0]);
    response.destroy();
    await nextTurn();
    assert.deepEqual([site.streams.size, stopped()], [0, 1]);
  });

  test('is cut off when its client does not read', async () => {
    const { site: full } = openSite();
    const limits = { ...full.limits, unreadBytesMax: 4000 };
    const own = fed({ limits });
    const { response } = await opened(own.site, WATCH, { isStuck: true });
    const large = { ...NODE, note: 'x'.repeat(1000) };
    for (let count = 0; count < 3; count++) own.watcher().onEvent(event('MODIFIED', large));
    assert.equal(response.destroyed, false);
    own.watcher().onEvent(event('MODIFIED', large));
    assert.equal(response.destroyed, true);
    own.watcher().onEvent(event('MODIFIED', large));
  });

  test('that is refused is answered whole, and holds no place', async () => {
    const own = openSite();
    const { code, json } = await ask(own.site, '/api/v1/namespaces/a/pods/b?watch=x');
    assert.equal(code, 404);
    assert.equal(json['kind'], 'Status');
    const refused: DoorApi['watch'] = () => ({
      code: 410,
      object: { kind: 'Status' },
      warnings: [],
    });
    const { site } = openSite({ api: { ...own.site.api, watch: refused } });
    const gone = await ask(site, WATCH);
    assert.deepEqual([gone.code, gone.json, site.streams.size], [410, { kind: 'Status' }, 0]);
  });

  test('of an unknown kind is not found', async () => {
    assert.equal((await ask(fed().site, '/api/v1/none?watch=true')).code, 404);
  });
});

describe('a watch of tables', () => {
  const watching = async (
    accept: string,
    url = WATCH,
  ): Promise<[ReturnType<typeof fed>, Exchange]> => {
    const own = fed();
    return [own, await opened(own.site, url, { headers: [['accept', accept]] })];
  };
  const objects = (watch: Exchange): readonly JsonObject[] =>
    lines(watch).map(({ object }) => object as JsonObject);

  test('names the columns in its first event alone', async () => {
    const [{ watcher }, watch] = await watching(TABLE);
    watcher().onEvent(event('ADDED'));
    watcher().onEvent(event('MODIFIED'));
    await nextTurn();
    const [first, second] = objects(watch);
    assert.equal(first?.['kind'], 'Table');
    assert.ok((first['columnDefinitions'] as readonly object[]).length > 5);
    assert.deepEqual(second?.['columnDefinitions'], []);
    assert.equal(at(listAt(second, 'rows')[0], 'object.kind'), 'PartialObjectMetadata');
    assert.deepEqual(second['metadata'], { resourceVersion: '7' });
  });

  test('carries as much of the object as was asked for', async () => {
    const [{ watcher }, watch] = await watching(TABLE, `${WATCH}&includeObject=Object`);
    watcher().onEvent(event('ADDED'));
    await nextTurn();
    assert.deepEqual(at(listAt(objects(watch)[0], 'rows')[0], 'object'), NODE);
  });

  test('has bookmarks without cells, and errors as they are', async () => {
    const [{ watcher }, watch] = await watching(TABLE);
    const gone = { kind: 'Status', code: 410 };
    watcher().onEvent(event('BOOKMARK'));
    watcher().onEvent(event('ERROR', gone));
    await nextTurn();
    const [bookmark, error] = objects(watch);
    assert.deepEqual(bookmark?.['rows'], [{ cells: [], object: NODE }]);
    assert.deepEqual(error, gone);
  });

  test('of metadata has nothing else, but errors as they are', async () => {
    const [{ watcher }, watch] = await watching(PARTIAL);
    const gone = { kind: 'Status', code: 410 };
    watcher().onEvent(event('ADDED', { ...NODE, spec: { a: 1 } }));
    watcher().onEvent(event('ERROR', gone));
    await nextTurn();
    const partial = { ...NODE, kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' };
    assert.deepEqual(objects(watch), [partial, gone]);
  });
});

describe('a place for a stream', () => {
  test('is given until all are taken, and given back', () => {
    const { site } = openSite({ limits: { ...openSite().site.limits, streamsMax: 1 } });
    const { response } = exchange('/');
    const stream = openStream(site, response, () => assert.fail('it was given back'));
    assert.throws(() => openStream(site, exchange('/').response, () => undefined), { code: 429 });
    stream.release();
    assert.equal(site.streams.size, 0);
    response.destroy();
    response.emit('close');
  });

  test('is free once its answer is closed', () => {
    const { site } = openSite();
    const closed: string[] = [];
    const { response } = exchange('/');
    openStream(site, response, () => closed.push('closed'));
    response.emit('close');
    response.emit('close');
    assert.deepEqual([closed, site.streams.size], [['closed'], 0]);
  });

  test('may be ended once by either side', () => {
    const { site } = openSite();
    const { response } = exchange('/');
    const stream = openStream(site, response, () => undefined);
    for (const end of site.streams) end();
    stream.end();
    assert.equal(response.writableEnded, true);
  });
});
