import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ApiPath } from '../../sim/kube/contract.ts';
import { type Route, routeOf } from './request-path.ts';
import { DoorRefusal } from './status.ts';

const NODES: ApiPath = {
  group: '',
  version: 'v1',
  plural: 'nodes',
  namespace: null,
  name: null,
  subresource: null,
};
const PODS: ApiPath = { ...NODES, plural: 'pods', namespace: 'shop' };
const NAMESPACE: ApiPath = { ...NODES, plural: 'namespaces', name: 'shop' };
const APPS: ApiPath = { ...NODES, group: 'apps', plural: 'deployments' };

function resource(path: ApiPath, rest = '/'): Route {
  return { is: 'resource', path, rest };
}

const ROUTES: readonly (readonly [string, Route])[] = [
  ['/api', { is: 'group-list', isCore: true }],
  ['/api/', { is: 'group-list', isCore: true }],
  ['/api/v1', { is: 'version', group: '', version: 'v1' }],
  ['/api/v1/', { is: 'version', group: '', version: 'v1' }],
  ['/api/v1/nodes', resource(NODES)],
  ['/api/v1/nodes/', resource(NODES)],
  ['/api/v1/nodes/a', resource({ ...NODES, name: 'a' })],
  ['/api/v1/nodes/a%2Fb', resource({ ...NODES, name: 'a/b' })],
  ['/api/v1/nodes/a/status', resource({ ...NODES, name: 'a', subresource: 'status' })],
  [
    '/api/v1/nodes/a/proxy/logs/kubelet.log',
    resource({ ...NODES, name: 'a', subresource: 'proxy' }, '/logs/kubelet.log'),
  ],
  ['/api/v1/namespaces', resource({ ...NAMESPACE, name: null })],
  ['/api/v1/namespaces/shop', resource(NAMESPACE)],
  ['/api/v1/namespaces/shop/status', resource({ ...NAMESPACE, subresource: 'status' })],
  ['/api/v1/namespaces/shop/finalize', resource({ ...NAMESPACE, subresource: 'finalize' })],
  ['/api/v1/namespaces/shop/pods', resource(PODS)],
  ['/api/v1/namespaces/shop/pods/web', resource({ ...PODS, name: 'web' })],
  ['/api/v1/namespaces/shop/pods/web/log', resource({ ...PODS, name: 'web', subresource: 'log' })],
  ['/apis', { is: 'group-list', isCore: false }],
  ['/apis/apps', { is: 'group', group: 'apps' }],
  ['/apis/apps/v1', { is: 'version', group: 'apps', version: 'v1' }],
  ['/apis/apps/v1/deployments', resource(APPS)],
  ['/apis/apps/v1/namespaces/shop/deployments', resource({ ...APPS, namespace: 'shop' })],
  [
    '/apis/own.test/v1/namespaces/shop/status',
    resource({ ...NODES, group: 'own.test', plural: 'status', namespace: 'shop' }),
  ],
  ['/version', { is: 'other', path: '/version' }],
  ['/', { is: 'other', path: '/' }],
  ['/apix/v1', { is: 'other', path: '/apix/v1' }],
];

for (const [path, route] of ROUTES)
  test(`${path} leads to ${route.is}`, () => {
    assert.deepEqual(routeOf(path), route);
  });

describe('refuses a path', () => {
  const codeOf = (path: string): number => {
    try {
      routeOf(path);
    } catch (error) {
      if (error instanceof DoorRefusal) return error.code;
    }
    return 0;
  };

  test('below what no object has', () => {
    for (const path of ['/api/v1/nodes/a/status/b', '/api/v1/namespaces/shop/pods/web/log/x'])
      assert.equal(codeOf(path), 404, path);
  });

  test('with an empty part', () => {
    for (const path of ['/api/v1//a', '/api/v1/nodes//status', '/api/v1/nodes/a//x', '/api/v1//'])
      assert.equal(codeOf(path), 404, path);
  });

  test('with a broken escape, naming its first 100 characters', () => {
    assert.equal(codeOf('/api/v1/nodes/%zz'), 400);
    assert.throws(() => routeOf(`/api/${'%'.repeat(101)}`), {
      message: `invalid URL escape in "${'%'.repeat(100)}"`,
    });
  });
});
