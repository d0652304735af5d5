/** What every KubeApi does; run against the server in memory and a real kube-apiserver. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { type JsonObject, textAt } from '../../src/evidence/json.ts';
import type {
  KubeApi,
  KubeListPlace,
  KubeResource,
  KubeSelection,
  KubeWatchEvent,
} from '../../src/ports/kube-api.ts';
import { PortError } from '../../src/ports/port-error.ts';

export const CONFIG_MAPS: KubeResource = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  isNamespaced: true,
};

export interface KubeApiHarness {
  readonly api: KubeApi;
  /** The same server as somebody who may not list ConfigMaps. */
  readonly stranger: KubeApi;
  /** A namespace that is empty when the test starts. */
  readonly namespace: string;
  /** Creates a ConfigMap, or changes its labels. */
  readonly put: (name: string, labels?: Readonly<Record<string, string>>) => Promise<void>;
  readonly remove: (name: string) => Promise<void>;
  /** Lets time pass while something is waited for. */
  readonly during: <T>(waited: Promise<T>) => Promise<T>;
}

type Open = (context: TestContext) => Promise<KubeApiHarness>;

/** @param skip the sentence to skip with, or false */
export function kubeApiContract(name: string, open: Open, skip: string | false = false): void {
  const check = (what: string, body: (harness: KubeApiHarness) => Promise<void>): void => {
    test(`${name}: ${what}`, { skip }, async (context) => await body(await open(context)));
  };
  listing(check);
  watching(check);
  asking(check);
}

type CheckOne = (what: string, body: (harness: KubeApiHarness) => Promise<void>) => void;

function nameOf(object: JsonObject): string {
  return textAt(object, 'metadata.name') ?? '';
}

async function names(
  harness: KubeApiHarness,
  more: KubeSelection = {},
): Promise<readonly string[]> {
  const found: string[] = [];
  const selection = { namespace: harness.namespace, ...more };
  for await (const page of harness.api.list(CONFIG_MAPS, selection))
    found.push(...page.items.map(nameOf));
  return found;
}

async function versionOf({ api, namespace }: KubeApiHarness): Promise<string> {
  for await (const page of api.list(CONFIG_MAPS, { namespace })) return page.resourceVersion;
  throw new Error('a list has at least one page');
}

async function failureOf(call: Promise<unknown>): Promise<PortError> {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  assert.ok(error instanceof PortError, String(error));
  return error;
}

function listing(check: CheckOne): void {
  check('an empty list is one page with a version', async ({ api, namespace }) => {
    const pages = [];
    for await (const page of api.list(CONFIG_MAPS, { namespace })) pages.push(page);
    assert.equal(pages.length, 1);
    assert.deepEqual(pages[0]?.items, []);
    assert.match(pages[0].resourceVersion, /^[1-9]\d*$/);
  });

  check('pages hold every object once and share a version', async (harness) => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await harness.put(name);
    const { api, namespace } = harness;
    const pages = [];
    for await (const page of api.list(CONFIG_MAPS, { namespace, pageSize: 2 })) pages.push(page);
    assert.deepEqual(
      pages.map(({ items }) => items.map(nameOf)),
      [['a', 'b'], ['c', 'd'], ['e']],
    );
    assert.equal(new Set(pages.map(({ resourceVersion }) => resourceVersion)).size, 1);
    assert.equal(textAt(pages[0]?.items[0], 'kind'), null);
  });

  check('pages may grow with what came before and what is left', async (harness) => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await harness.put(name);
    const { api, namespace } = harness;
    const places: KubeListPlace[] = [];
    const pageSize = (place: KubeListPlace): number => (places.push(place) === 1 ? 1 : 3);
    const sizes = [];
    for await (const page of api.list(CONFIG_MAPS, { namespace, pageSize }))
      sizes.push(page.items.length);
    assert.deepEqual(sizes, [1, 3, 1]);
    assert.deepEqual(places, [
      { objectsBefore: 0, objectsLeft: null },
      { objectsBefore: 1, objectsLeft: 4 },
      { objectsBefore: 4, objectsLeft: 1 },
    ]);
  });

  check('selectors by label and field choose objects', async (harness) => {
    await harness.put('a', { team: 'x' });
    await harness.put('b', { team: 'y' });
    await harness.put('c');
    assert.deepEqual(await names(harness, { labelSelector: 'team=x' }), ['a']);
    assert.deepEqual(await names(harness, { labelSelector: 'team' }), ['a', 'b']);
    assert.deepEqual(await names(harness, { labelSelector: '!team' }), ['c']);
    assert.deepEqual(await names(harness, { labelSelector: 'team!=x' }), ['b', 'c']);
    assert.deepEqual(await names(harness, { fieldSelector: 'metadata.name=b' }), ['b']);
  });

  check('an object got by name has its kind, uid and version', async (harness) => {
    await harness.put('a');
    const { api, namespace } = harness;
    const object = await api.get(CONFIG_MAPS, { namespace, name: 'a' });
    assert.equal(textAt(object, 'kind'), 'ConfigMap');
    assert.notEqual(textAt(object, 'metadata.uid') ?? '', '');
    assert.match(textAt(object, 'metadata.resourceVersion') ?? '', /^\d+$/);
  });

  check('a missing object is not-found, an unknown resource unsupported', async (harness) => {
    const { api, namespace } = harness;
    const missing = await failureOf(api.get(CONFIG_MAPS, { namespace, name: 'none' }));
    assert.equal(missing.failure, 'not-found');
    const unknown = { ...CONFIG_MAPS, group: 'nobody.example', plural: 'things' };
    const list = api.list(unknown, { namespace })[Symbol.asyncIterator]();
    assert.equal((await failureOf(Promise.resolve(list.next()))).failure, 'unsupported');
  });
}

/** Events until a number of objects came, or the watch ended. */
async function take(
  harness: KubeApiHarness,
  options: Parameters<KubeApi['watch']>[1],
  most = 100,
): Promise<readonly KubeWatchEvent[]> {
  const events: KubeWatchEvent[] = [];
  const read = async (): Promise<void> => {
    const { namespace } = harness;
    for await (const event of harness.api.watch(CONFIG_MAPS, { namespace, ...options })) {
      if (event.type !== 'BOOKMARK' || event.endsInitialEvents) events.push(event);
      if (events.length === most) return;
    }
  };
  await harness.during(read());
  return events;
}

function told(events: readonly KubeWatchEvent[]): readonly string[] {
  return events.map(({ type, object }) => `${type} ${nameOf(object)}`);
}

function watching(check: CheckOne): void {
  check('a watch goes on after a version, in order, up to its end', async (harness) => {
    await harness.put('before');
    const resourceVersion = await versionOf(harness);
    await harness.put('a');
    await harness.put('a', { changed: 'yes' });
    await harness.remove('a');
    const events = await take(harness, { resourceVersion, timeoutSeconds: 1 });
    assert.deepEqual(told(events), ['ADDED a', 'MODIFIED a', 'DELETED a']);
    const versions = events.map((event) => Number(event.resourceVersion));
    assert.deepEqual(
      versions,
      [...new Set(versions)].toSorted((x, y) => x - y),
    );
    assert.equal(textAt(events[2]?.object, 'metadata.labels.changed'), 'yes');
  });

  check('a watch brings what happens while it is open', async (harness) => {
    const resourceVersion = await versionOf(harness);
    const { namespace, api } = harness;
    const options = { namespace, resourceVersion, timeoutSeconds: 60 };
    const watch = api.watch(CONFIG_MAPS, options)[Symbol.asyncIterator]();
    const first = watch.next();
    await harness.put('a');
    const event = (await first).value as KubeWatchEvent;
    assert.equal(event.type, 'ADDED');
    assert.equal(nameOf(event.object), 'a');
    await watch.return?.();
  });

  check('initial events are the objects and then the bookmark of their end', async (harness) => {
    await harness.put('a');
    await harness.put('b');
    const events = await take(harness, { sendInitialEvents: true, timeoutSeconds: 60 }, 3);
    assert.deepEqual(told(events).slice(0, 2).toSorted(), ['ADDED a', 'ADDED b']);
    assert.equal(events[2]?.endsInitialEvents, true);
    assert.ok(Number(events[2].resourceVersion) >= Number(events[1]?.resourceVersion));
  });

  check(
    'an object that leaves a selection is told as deleted, one that comes as added',
    async (harness) => {
      await harness.put('a', { team: 'x' });
      await harness.put('b', { team: 'y' });
      const resourceVersion = await versionOf(harness);
      await harness.put('a', { team: 'y' });
      await harness.put('b', { team: 'x' });
      const options = { resourceVersion, labelSelector: 'team=x', timeoutSeconds: 60 };
      assert.deepEqual(told(await take(harness, options, 2)), ['DELETED a', 'ADDED b']);
    },
  );

  check('a watch from a version that is still to come is silent', async (harness) => {
    const events = await take(harness, { resourceVersion: '999999999', timeoutSeconds: 1 });
    assert.deepEqual(events, []);
  });

  check('an abort ends a watch with its own reason', async ({ api, namespace }) => {
    const stop = new AbortController();
    const options = { namespace, resourceVersion: '999999999', signal: stop.signal };
    const next = api.watch(CONFIG_MAPS, options)[Symbol.asyncIterator]().next();
    const reason = new Error('enough');
    setTimeout(() => stop.abort(reason), 20);
    await assert.rejects(Promise.resolve(next), reason);
  });
}

function asking(check: CheckOne): void {
  check('a stranger is denied by verb and resource', async ({ stranger, namespace }) => {
    const list = stranger.list(CONFIG_MAPS, { namespace })[Symbol.asyncIterator]();
    const listed = await failureOf(Promise.resolve(list.next()));
    assert.equal(listed.failure, 'denied');
    assert.equal(listed.permission, 'list configmaps');
    const watch = stranger.watch(CONFIG_MAPS, { namespace, resourceVersion: '1' });
    const watched = await failureOf(Promise.resolve(watch[Symbol.asyncIterator]().next()));
    assert.equal(watched.permission, 'watch configmaps');
  });

  check('who may and who may not is known beforehand', async ({ api, stranger, namespace }) => {
    const access = { verb: 'list', group: '', resource: 'configmaps', namespace };
    assert.equal(await api.mayI(access), true);
    assert.equal(await stranger.mayI(access), false);
  });

  check('the version is that of a release', async ({ api }) => {
    assert.match(await api.version(), /^v\d+\.\d+\.\d+/);
  });

  check('logs and kubelets that are not there are not-found', async ({ api, namespace }) => {
    const options = { tailLines: 5, bytesMax: 100 };
    const log = await failureOf(api.logs({ namespace, name: 'none' }, options));
    assert.equal(log.failure, 'not-found');
    assert.equal((await failureOf(api.kubeletHealth('none'))).failure, 'not-found');
    for (const place of [{ path: '' }, { path: 'a/b.log' }, { unit: 'kubelet', tailLines: 5 }])
      assert.equal(
        (await failureOf(api.nodeLog('none', place, { bytesMax: 100 }))).failure,
        'not-found',
      );
  });
}
