import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type KubeListPlace, type KubeResource, LIST_START } from '../../ports/kube-api.ts';
import { PortError } from '../../ports/port-error.ts';
import { listPath, objectPath, segment, watchPath, withQuery } from './paths.ts';

const NODES: KubeResource = {
  group: '',
  version: 'v1',
  plural: 'nodes',
  kind: 'Node',
  isNamespaced: false,
};
const PODS = { ...NODES, plural: 'pods', kind: 'Pod', isNamespaced: true };
const SETS = { ...PODS, group: 'apps', plural: 'daemonsets', kind: 'DaemonSet' };
const START = { place: LIST_START, token: null };

function queryOf(path: string): Readonly<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(path.split('?')[1] ?? ''));
}

test('objects are below their group, version and namespace', () => {
  assert.equal(objectPath(NODES, { name: 'a' }), '/api/v1/nodes/a');
  assert.equal(objectPath(NODES, { name: 'a', namespace: 'shop' }), '/api/v1/nodes/a');
  assert.equal(
    objectPath(PODS, { name: 'a', namespace: 'shop' }),
    '/api/v1/namespaces/shop/pods/a',
  );
  assert.equal(objectPath(PODS, { name: 'a', namespace: null }), '/api/v1/pods/a');
  assert.equal(
    objectPath(SETS, { name: 'a', namespace: 'shop' }),
    '/apis/apps/v1/namespaces/shop/daemonsets/a',
  );
});

describe('a list', () => {
  test('asks for pages of 500, of everything', () => {
    assert.equal(listPath(NODES, {}, START), '/api/v1/nodes?limit=500');
    assert.equal(
      listPath(SETS, { namespace: 'shop' }, START),
      '/apis/apps/v1/namespaces/shop/daemonsets?limit=500',
    );
  });

  test('asks for what is selected, in pages of the wanted size', () => {
    const options = { labelSelector: 'a=b', fieldSelector: 'spec.nodeName=n', pageSize: 7 };
    assert.deepEqual(queryOf(listPath(PODS, { ...options, resourceVersion: '0' }, START)), {
      labelSelector: 'a=b',
      fieldSelector: 'spec.nodeName=n',
      limit: '7',
      resourceVersion: '0',
    });
  });

  test('continues by its token, which holds the version', () => {
    const place: KubeListPlace = { objectsBefore: 500, objectsLeft: 40 };
    const sizes: KubeListPlace[] = [];
    const pageSize = (at: KubeListPlace): number => {
      sizes.push(at);
      return 40;
    };
    const path = listPath(PODS, { resourceVersion: '0', pageSize }, { place, token: 'next' });
    assert.deepEqual(queryOf(path), { limit: '40', continue: 'next' });
    assert.deepEqual(sizes, [place]);
  });
});

describe('a watch', () => {
  test('continues from a version, with bookmarks', () => {
    const options = { resourceVersion: '7', timeoutSeconds: 299.6, labelSelector: 'a=b' };
    assert.deepEqual(queryOf(watchPath(PODS, { ...options, namespace: 'shop' })), {
      labelSelector: 'a=b',
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: '7',
      timeoutSeconds: '300',
    });
    assert.match(watchPath(PODS, { namespace: 'shop' }), /^\/api\/v1\/namespaces\/shop\/pods\?/);
  });

  test('may begin with what exists', () => {
    assert.deepEqual(queryOf(watchPath(NODES, { sendInitialEvents: true })), {
      watch: 'true',
      allowWatchBookmarks: 'true',
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
    });
    const plain = queryOf(watchPath(NODES, { sendInitialEvents: false }));
    assert.deepEqual(plain, { watch: 'true', allowWatchBookmarks: 'true' });
  });
});

test('a name is one part of a path, whatever is in it', () => {
  assert.equal(segment('system:node'), 'system%3Anode');
  assert.equal(segment('x'.repeat(253)), 'x'.repeat(253));
  for (const name of [
    '',
    '.',
    '..',
    'a/b',
    'a%2Fb',
    'a\\b',
    'a?b',
    'a#b',
    'a b',
    'a\n',
    'x'.repeat(254),
  ])
    assert.throws(
      () => segment(name),
      (error: unknown) => error instanceof PortError && error.failure === 'invalid',
      JSON.stringify(name),
    );
  assert.equal(segment('...'), '...');
});

test('a query has what is set, and is left out when nothing is', () => {
  assert.equal(withQuery('/a', { b: 'c d', e: undefined }), '/a?b=c+d');
  assert.equal(withQuery('/a', { e: undefined }), '/a');
});
