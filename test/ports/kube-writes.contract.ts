/** What every KubeWrites does; run against the fake, the simulator, its door and a real server. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { type JsonObject, textAt } from '../../src/evidence/json.ts';
import type { KubeResource } from '../../src/ports/kube-api.ts';
import { CONFIG_MAPS } from './kube-api.contract.ts';
import {
  type CheckOne,
  errorOf,
  failureOf,
  type KubeWritesHarness,
  uidOf,
  versionOf,
} from './kube-writes.harness.ts';
import { evicting, subresources } from './kube-writes-pods.contract.ts';

type Open = (context: TestContext) => Promise<KubeWritesHarness>;

/** @param skip the sentence to skip with, or false */
export function kubeWritesContract(name: string, open: Open, skip: string | false = false): void {
  const check: CheckOne = (what, body) => {
    test(`${name}: ${what}`, { skip }, async (context) => await body(await open(context)));
  };
  creating(check);
  updating(check);
  patching(check);
  patchingByOperations(check);
  patchingOtherwise(check);
  applying(check);
  deleting(check);
  evicting(check);
  subresources(check);
  refusing(check);
  answering(check);
}

function answering(check: CheckOne): void {
  check('a write of whose object nothing but metadata is wanted answers that', async (harness) => {
    const options = { answer: 'metadata' } as const;
    const object = configMap(harness, 'a', { k: 'v' });
    const first = await harness.writes.create(CONFIG_MAPS, object, options);
    assert.equal(uidOf(first), uidOf(await stored(harness, 'a')));
    const place = { namespace: harness.namespace, name: 'a' };
    const patch = { type: 'merge', change: { data: { k: 'w' } } } as const;
    const second = await harness.writes.patch(CONFIG_MAPS, place, patch, options);
    assert.equal(versionOf(second), versionOf(await stored(harness, 'a')));
    assert.notEqual(versionOf(second), versionOf(first));
    const metadata = { ...(object['metadata'] as JsonObject), resourceVersion: versionOf(second) };
    const third = await harness.writes.update(CONFIG_MAPS, { ...object, metadata }, options);
    assert.equal(versionOf(third), versionOf(await stored(harness, 'a')));
    for (const answer of [first, second, third]) assert.equal(answer['data'], undefined);
  });

  check('a write whose answer nobody wants is done, and one after the other', async (harness) => {
    const options = { answer: 'none' } as const;
    for (const name of ['a', 'b', 'c', 'd'])
      assert.deepEqual(
        await harness.writes.create(CONFIG_MAPS, configMap(harness, name), options),
        {},
      );
    const place = { namespace: harness.namespace, name: 'd' };
    const patch = { type: 'merge', change: { data: { k: 'w' } } } as const;
    assert.deepEqual(await harness.writes.patch(CONFIG_MAPS, place, patch, options), {});
    assert.deepEqual((await stored(harness, 'd'))['data'], { k: 'w' });
    const taken = harness.writes.create(CONFIG_MAPS, configMap(harness, 'a'), options);
    assert.equal(await failureOf(taken), 'already-exists');
  });
}

function configMap({ namespace }: KubeWritesHarness, name: string, data = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data };
}

async function made(harness: KubeWritesHarness, name: string, data = {}): Promise<JsonObject> {
  return await harness.writes.create(CONFIG_MAPS, configMap(harness, name, data));
}

async function stored(
  { api, namespace }: KubeWritesHarness,
  name: string,
  resource: KubeResource = CONFIG_MAPS,
): Promise<JsonObject> {
  return await api.get(resource, { namespace, name });
}

function creating(check: CheckOne): void {
  check('an object that is created is answered with its uid and version', async (harness) => {
    const answer = await made(harness, 'a', { k: 'v' });
    assert.notEqual(uidOf(answer), '');
    assert.match(versionOf(answer), /^\d+$/);
    assert.deepEqual((await stored(harness, 'a'))['data'], { k: 'v' });
    assert.equal(uidOf(await stored(harness, 'a')), uidOf(answer));
  });

  check('a name that is taken already exists, and its object stays', async (harness) => {
    const first = await made(harness, 'a', { k: 'v' });
    assert.equal(await failureOf(made(harness, 'a', { k: 'w' })), 'already-exists');
    assert.equal(versionOf(await stored(harness, 'a')), versionOf(first));
  });

  check('a dry run of a creation answers the object and stores nothing', async (harness) => {
    const object = configMap(harness, 'a', { k: 'v' });
    const answer = await harness.writes.create(CONFIG_MAPS, object, { isDryRun: true });
    assert.deepEqual(answer['data'], { k: 'v' });
    assert.equal(await failureOf(stored(harness, 'a')), 'not-found');
  });

  check('an object that the server does not accept is invalid', async (harness) => {
    const object = configMap(harness, 'a');
    const metadata = { ...(object['metadata'] as JsonObject), labels: { team: 'not valid!' } };
    const call = harness.writes.create(CONFIG_MAPS, { ...object, metadata });
    assert.equal(await failureOf(call), 'invalid');
  });

  check('an object without the namespace of its kind is not sent', async ({ writes }) => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    assert.equal(await failureOf(writes.create(CONFIG_MAPS, object)), 'invalid');
  });
}

function updating(check: CheckOne): void {
  check('an update replaces the object and moves its version', async (harness) => {
    const first = await made(harness, 'a', { k: 'v', gone: 'x' });
    const answer = await harness.writes.update(CONFIG_MAPS, { ...first, data: { k: 'w' } });
    assert.deepEqual(answer['data'], { k: 'w' });
    assert.notEqual(versionOf(answer), versionOf(first));
    assert.deepEqual((await stored(harness, 'a'))['data'], { k: 'w' });
  });

  check('of two updates from one version the second is a conflict', async (harness) => {
    const first = await made(harness, 'a', { k: 'v' });
    await harness.writes.update(CONFIG_MAPS, { ...first, data: { k: 'one' } });
    const second = harness.writes.update(CONFIG_MAPS, { ...first, data: { k: 'two' } });
    assert.equal(await failureOf(second), 'conflict');
    assert.deepEqual((await stored(harness, 'a'))['data'], { k: 'one' });
  });

  check('an update of an object that was made again is a conflict', async (harness) => {
    const first = await made(harness, 'a');
    const { namespace, writes } = harness;
    await writes.delete(CONFIG_MAPS, { namespace, name: 'a' }, { preconditions: {} });
    await made(harness, 'a', { k: 'new' });
    assert.equal(await failureOf(writes.update(CONFIG_MAPS, first)), 'conflict');
    assert.deepEqual((await stored(harness, 'a'))['data'], { k: 'new' });
  });

  check('an update without a version is not sent', async (harness) => {
    await made(harness, 'a');
    const object = configMap(harness, 'a', { k: 'w' });
    assert.equal(await failureOf(harness.writes.update(CONFIG_MAPS, object)), 'invalid');
  });

  check('an update of an object that is not there is not-found', async (harness) => {
    const first = await made(harness, 'a');
    const { namespace, writes } = harness;
    await writes.delete(CONFIG_MAPS, { namespace, name: 'a' }, { preconditions: {} });
    assert.equal(await failureOf(writes.update(CONFIG_MAPS, first)), 'not-found');
  });

  check('a dry run of an update changes nothing', async (harness) => {
    const first = await made(harness, 'a', { k: 'v' });
    const changed = { ...first, data: { k: 'w' } };
    const answer = await harness.writes.update(CONFIG_MAPS, changed, { isDryRun: true });
    assert.deepEqual(answer['data'], { k: 'w' });
    assert.equal(versionOf(await stored(harness, 'a')), versionOf(first));
  });
}

function patching(check: CheckOne): void {
  const name = 'a';
  check('a merge patch sets, keeps and removes', async (harness) => {
    await made(harness, name, { k: 'v', kept: 'x', gone: 'y' });
    const { namespace, writes } = harness;
    const change = { data: { k: 'w', gone: null } };
    const answer = await writes.patch(CONFIG_MAPS, { namespace, name }, { type: 'merge', change });
    assert.deepEqual(answer['data'], { k: 'w', kept: 'x' });
    assert.deepEqual((await stored(harness, name))['data'], { k: 'w', kept: 'x' });
  });

  check('a patch with another version or uid is a conflict', async (harness) => {
    const first = await made(harness, name, { k: 'v' });
    const { namespace, writes } = harness;
    const patched = async (metadata: JsonObject): Promise<unknown> => {
      const change = { metadata, data: { k: 'w' } };
      return await writes.patch(CONFIG_MAPS, { namespace, name }, { type: 'merge', change });
    };
    const other = '00000000-0000-4000-8000-000000000000';
    assert.equal(await failureOf(patched({ resourceVersion: '1' })), 'conflict');
    assert.equal(await failureOf(patched({ uid: other })), 'conflict');
    assert.equal(versionOf(await stored(harness, name)), versionOf(first));
    await patched({ resourceVersion: versionOf(first), uid: uidOf(first) });
    assert.deepEqual((await stored(harness, name))['data'], { k: 'w' });
  });
}

function patchingByOperations(check: CheckOne): void {
  const name = 'a';
  check('a JSON patch changes what its tests find', async (harness) => {
    await made(harness, name, { k: 'v', gone: 'y' });
    const { namespace, writes } = harness;
    const patched = async (...operations: JsonObject[]): Promise<JsonObject> =>
      await writes.patch(CONFIG_MAPS, { namespace, name }, { type: 'json', operations });
    const answer = await patched(
      { op: 'test', path: '/data/k', value: 'v' },
      { op: 'replace', path: '/data/k', value: 'w' },
      { op: 'remove', path: '/data/gone' },
    );
    assert.deepEqual(answer['data'], { k: 'w' });
    const late = patched(
      { op: 'test', path: '/data/k', value: 'v' },
      { op: 'replace', path: '/data/k', value: 'x' },
    );
    assert.equal(await failureOf(late), 'conflict');
    const stale = patched({ op: 'replace', path: '/metadata/resourceVersion', value: '1' });
    assert.equal(await failureOf(stale), 'conflict');
    const missing = patched({ op: 'remove', path: '/data/gone' });
    assert.equal(await failureOf(missing), 'conflict');
    assert.deepEqual((await stored(harness, name))['data'], { k: 'w' });
  });

  check('a JSON patch to an object that was made again is a conflict', async (harness) => {
    await made(harness, name, { k: 'v' });
    const uid = '00000000-0000-4000-8000-000000000000';
    const operations = [
      { op: 'replace', path: '/metadata/uid', value: uid },
      { op: 'replace', path: '/data/k', value: 'w' },
    ];
    const { namespace, writes } = harness;
    const call = writes.patch(CONFIG_MAPS, { namespace, name }, { type: 'json', operations });
    assert.equal(await failureOf(call), 'conflict');
  });
}

function patchingOtherwise(check: CheckOne): void {
  const name = 'a';
  check('a strategic patch merges', async (harness) => {
    await made(harness, name, { k: 'v', kept: 'x' });
    const { namespace, writes } = harness;
    const change = { metadata: { labels: { team: 'y' } }, data: { k: 'w' } };
    const patch = { type: 'strategic', change } as const;
    const answer = await writes.patch(CONFIG_MAPS, { namespace, name }, patch);
    assert.deepEqual(answer['data'], { k: 'w', kept: 'x' });
    assert.equal(textAt(answer, 'metadata.labels.team'), 'y');
  });

  check('a dry run of a patch changes nothing', async (harness) => {
    const first = await made(harness, name, { k: 'v' });
    const { namespace, writes } = harness;
    const patch = { type: 'merge', change: { data: { k: 'w' } } } as const;
    const answer = await writes.patch(CONFIG_MAPS, { namespace, name }, patch, { isDryRun: true });
    assert.deepEqual(answer['data'], { k: 'w' });
    assert.equal(versionOf(await stored(harness, name)), versionOf(first));
  });

  check('a patch of an object that is not there is not-found', async (harness) => {
    const { namespace, writes } = harness;
    const patch = { type: 'merge', change: { data: { k: 'w' } } } as const;
    const call = writes.patch(CONFIG_MAPS, { namespace, name: 'none' }, patch);
    assert.equal(await failureOf(call), 'not-found');
  });
}

function applying(check: CheckOne): void {
  const name = 'a';
  const applied = async (
    harness: KubeWritesHarness,
    data: JsonObject,
    fieldManager: string,
    isForced = false,
  ): Promise<JsonObject> => {
    const { namespace, writes } = harness;
    const object = configMap(harness, name, data);
    const patch = { type: 'apply', object, isForced } as const;
    return await writes.patch(CONFIG_MAPS, { namespace, name }, patch, { fieldManager });
  };

  check('applying creates, changes, and takes back what is left out', async (harness) => {
    await applied(harness, { k: 'v', gone: 'y' }, 'one');
    const answer = await applied(harness, { k: 'w' }, 'one');
    assert.deepEqual(answer['data'], { k: 'w' });
    assert.deepEqual((await stored(harness, name))['data'], { k: 'w' });
  });

  check('a field of another owner is a conflict unless it is forced', async (harness) => {
    await applied(harness, { k: 'one' }, 'one');
    await applied(harness, { other: 'two' }, 'two');
    assert.equal(await failureOf(applied(harness, { k: 'two' }, 'two')), 'conflict');
    assert.deepEqual((await stored(harness, name))['data'], { k: 'one', other: 'two' });
    await applied(harness, { k: 'two', other: 'two' }, 'two', true);
    assert.deepEqual((await stored(harness, name))['data'], { k: 'two', other: 'two' });
    assert.equal(await failureOf(applied(harness, { k: 'one' }, 'one')), 'conflict');
  });
}

function deleting(check: CheckOne): void {
  const name = 'a';
  check('a delete takes the object that was seen, and no other', async (harness) => {
    const first = await made(harness, name);
    const { namespace, writes } = harness;
    const remove = async (preconditions: object, isDryRun = false): Promise<JsonObject> =>
      await writes.delete(CONFIG_MAPS, { namespace, name }, { preconditions, isDryRun });
    const uid = '00000000-0000-4000-8000-000000000000';
    assert.equal(await failureOf(remove({ uid })), 'conflict');
    assert.equal(await failureOf(remove({ resourceVersion: '1' })), 'conflict');
    const seen = { uid: uidOf(first), resourceVersion: versionOf(first) };
    await remove(seen, true);
    assert.equal(versionOf(await stored(harness, name)), versionOf(first));
    await remove(seen);
    assert.equal(await failureOf(stored(harness, name)), 'not-found');
    assert.equal(await failureOf(remove(seen)), 'not-found');
  });

  check('an object with a finalizer waits for its end', async (harness) => {
    const { namespace, writes } = harness;
    const finalizers = ['rollcall.dev/test'];
    const object = { ...configMap(harness, name), metadata: { namespace, name, finalizers } };
    await writes.create(CONFIG_MAPS, object);
    const answer = await writes.delete(
      CONFIG_MAPS,
      { namespace, name },
      { preconditions: {}, propagation: 'Background' },
    );
    assert.notEqual(textAt(answer, 'metadata.deletionTimestamp'), null);
    assert.notEqual(textAt(await stored(harness, name), 'metadata.deletionTimestamp'), null);
    const change = { metadata: { finalizers: null } };
    await writes.patch(CONFIG_MAPS, { namespace, name }, { type: 'merge', change });
    assert.equal(await failureOf(stored(harness, name)), 'not-found');
  });
}

function refusing(check: CheckOne): void {
  check('a stranger is denied by verb and resource', async (harness) => {
    await made(harness, 'a');
    const { namespace, stranger } = harness;
    const name = { namespace, name: 'a' };
    const created = await errorOf(stranger.create(CONFIG_MAPS, configMap(harness, 'b')));
    assert.deepEqual([created.failure, created.permission], ['denied', 'create configmaps']);
    const patch = { type: 'merge', change: { data: { k: 'w' } } } as const;
    const patched = await errorOf(stranger.patch(CONFIG_MAPS, name, patch));
    assert.deepEqual([patched.failure, patched.permission], ['denied', 'patch configmaps']);
    const removed = await errorOf(stranger.delete(CONFIG_MAPS, name, { preconditions: {} }));
    assert.deepEqual([removed.failure, removed.permission], ['denied', 'delete configmaps']);
    const evicted = await errorOf(stranger.evict(name, { preconditions: {} }));
    assert.deepEqual([evicted.failure, evicted.permission], ['denied', 'create pods/eviction']);
  });

  check('an abort before it is sent writes nothing', async (harness) => {
    const reason = new Error('enough');
    const object = configMap(harness, 'a');
    const options = { signal: AbortSignal.abort(reason) };
    await assert.rejects(harness.writes.create(CONFIG_MAPS, object, options), reason);
    assert.equal(await failureOf(stored(harness, 'a')), 'not-found');
  });
}
