import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import { aggregated, coreVersions, groupList, groupOf, resourceList } from './discovery.ts';
import { addThings, openSite } from './testing.ts';

const { site } = openSite();
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const CHANGES = ['get', 'patch', 'update'];

function named(objects: readonly Json[], key: string, name: string): JsonObject {
  const found = objects.find((one) => textAt(one, key) === name);
  assert.ok(isObject(found), `no ${name}`);
  return found;
}

function resources(group: string, version = 'v1'): readonly Json[] {
  return listAt(resourceList(site, group, version) ?? {}, 'resources');
}

describe('the resources of a group and version', () => {
  test('are listed under its name, or that of the core', () => {
    const { resources: core, ...head } = resourceList(site, '', 'v1') ?? {};
    assert.deepEqual(head, { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: 'v1' });
    assert.equal(resourceList(site, 'apps', 'v1')?.['groupVersion'], 'apps/v1');
    const names = (core as readonly Json[]).map((one) => textAt(one, 'name') ?? '');
    assert.deepEqual(names, names.toSorted());
    assert.ok(names.length > 20);
  });

  test('are absent for a group or version that is not served', () => {
    assert.equal(resourceList(site, 'none.test', 'v1'), null);
    assert.equal(resourceList(site, 'apps', 'v2'), null);
    assert.equal(resourceList(site, '', 'v2'), null);
  });

  test('have names, short names, categories and verbs', () => {
    assert.deepEqual(named(resources(''), 'name', 'pods'), {
      name: 'pods',
      singularName: 'pod',
      namespaced: true,
      kind: 'Pod',
      verbs: VERBS,
      shortNames: ['po'],
      categories: ['all'],
    });
    assert.deepEqual(named(resources(''), 'name', 'secrets'), {
      name: 'secrets',
      singularName: 'secret',
      namespaced: true,
      kind: 'Secret',
      verbs: VERBS,
    });
    assert.equal(named(resources(''), 'name', 'nodes')['namespaced'], false);
  });
});

describe('parts of resources', () => {
  test('have parts, with the group of their own kind where it is another', () => {
    const part = (name: string): JsonObject => {
      const { singularName, namespaced: _namespaced, ...rest } = named(resources(''), 'name', name);
      assert.equal(singularName, '');
      return rest;
    };
    const own = (name: string, kind: string, verbs: readonly string[]): JsonObject => ({
      name,
      kind,
      verbs,
    });
    const other = { group: 'policy', version: 'v1' };
    const signed = { group: 'authentication.k8s.io', version: 'v1' };
    const scaled = { group: 'autoscaling', version: 'v1' };
    for (const expected of [
      own('pods/status', 'Pod', CHANGES),
      own('pods/binding', 'Binding', ['create']),
      { ...own('pods/eviction', 'Eviction', ['create']), ...other },
      own('pods/log', 'Pod', ['get']),
      own('pods/exec', 'PodExecOptions', ['create', 'get']),
      own('nodes/proxy', 'NodeProxyOptions', ['get']),
      own('services/proxy', 'ServiceProxyOptions', ['get']),
      own('namespaces/finalize', 'Namespace', ['update']),
      { ...own('serviceaccounts/token', 'TokenRequest', ['create']), ...signed },
      { ...own('replicationcontrollers/scale', 'Scale', CHANGES), ...scaled },
    ])
      assert.deepEqual(part(textAt(expected, 'name') ?? ''), expected);
    assert.equal(named(resources(''), 'name', 'nodes/proxy')['namespaced'], false);
  });

  test('of the core are not those of a custom kind of the same name', () => {
    const pods = { ...kindOf('pods'), group: 'own.test', apiVersion: 'own.test/v1' };
    const api = { ...site.api, kinds: () => [pods] };
    const list = listAt(resourceList({ ...site, api }, 'own.test', 'v1') ?? {}, 'resources');
    const log = { name: 'pods/log', singularName: '', namespaced: true, kind: 'Pod' };
    assert.deepEqual(named(list, 'name', 'pods/log'), { ...log, verbs: CHANGES });
  });

  test('of scaled kinds say which version scales', () => {
    const api = { ...site.api, kinds: () => [{ ...kindOf('deployments'), group: 'autoscaling' }] };
    const of = (version: string): JsonObject => {
      const kinds = api.kinds().map((kind) => ({ ...kind, version }));
      const served = { ...site, api: { ...api, kinds: () => kinds } };
      const list = listAt(resourceList(served, 'autoscaling', version) ?? {}, 'resources');
      return named(list, 'name', 'deployments/scale');
    };
    assert.equal(of('v1')['version'], undefined);
    assert.deepEqual([of('v2')['group'], of('v2')['version']], ['autoscaling', 'v1']);
  });
});

describe('questions among the resources', () => {
  test('include the questions that nothing keeps, once', () => {
    const created = { verbs: ['create'], namespaced: false };
    assert.deepEqual(named(resources('authentication.k8s.io'), 'name', 'tokenreviews'), {
      name: 'tokenreviews',
      singularName: 'tokenreview',
      kind: 'TokenReview',
      ...created,
    });
    const names = resources('authorization.k8s.io').map((one) => [
      textAt(one, 'kind'),
      textAt(one, 'name'),
      textAt(one, 'namespaced'),
    ]);
    assert.deepEqual(names, [
      ['LocalSubjectAccessReview', 'localsubjectaccessreviews', 'true'],
      ['SelfSubjectAccessReview', 'selfsubjectaccessreviews', 'false'],
      ['SelfSubjectRulesReview', 'selfsubjectrulesreviews', 'false'],
      ['SubjectAccessReview', 'subjectaccessreviews', 'false'],
    ]);
    const reviews = { ...kindOf('nodes'), group: 'authentication.k8s.io', plural: 'tokenreviews' };
    const api = { ...site.api, kinds: () => [reviews] };
    const list = listAt(
      resourceList({ ...site, api }, 'authentication.k8s.io', 'v1') ?? {},
      'resources',
    );
    assert.deepEqual(
      list.map((one) => textAt(one, 'name')).filter((name) => !name?.includes('/')),
      ['selfsubjectreviews', 'tokenreviews'],
    );
  });
});

function kindOf(plural: string): ReturnType<typeof site.api.kinds>[number] {
  const found = site.api.kinds().find((kind) => kind.plural === plural);
  assert.ok(found);
  return found;
}

describe('groups', () => {
  test('are listed with their versions, without the core', () => {
    const { groups, ...head } = groupList(site);
    assert.deepEqual(head, { kind: 'APIGroupList', apiVersion: 'v1' });
    const version = { groupVersion: 'apps/v1', version: 'v1' };
    const apps = { name: 'apps', versions: [version], preferredVersion: version };
    assert.deepEqual(named(groups as readonly Json[], 'name', 'apps'), apps);
    const names = (groups as readonly Json[]).map((one) => textAt(one, 'name'));
    assert.equal(new Set(names).size, names.length);
    assert.ok(!names.includes(''));
    assert.deepEqual(groupOf(site, 'apps'), { kind: 'APIGroup', apiVersion: 'v1', ...apps });
  });

  test('prefer their first version', () => {
    const things = openSite();
    addThings(things);
    const kinds = things.site.api.kinds();
    const newer = kinds
      .filter(({ group }) => group === 'example.test')
      .map((kind) => ({ ...kind, version: 'v2' }));
    const served = {
      ...things.site,
      api: { ...things.site.api, kinds: () => [...kinds, ...newer] },
    };
    const [v1, v2] = ['v1', 'v2'].map((version) => ({
      groupVersion: `example.test/${version}`,
      version,
    }));
    assert.deepEqual(groupOf(served, 'example.test'), {
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'example.test',
      versions: [v1, v2],
      preferredVersion: v1,
    });
  });

  test('are absent when they are not served, as is the core', () => {
    assert.equal(groupOf(site, 'none.test'), null);
    assert.equal(groupOf(site, ''), null);
  });

  test('the core has one version, and an address for every client', () => {
    assert.deepEqual(coreVersions('127.0.0.1:6443'), {
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1:6443' }],
    });
  });
});

describe('discovery in one answer', () => {
  test('has a group with its versions, its resources and their parts', () => {
    const { items, ...head } = aggregated(site, false, 'v2');
    assert.deepEqual(head, {
      kind: 'APIGroupDiscoveryList',
      apiVersion: 'apidiscovery.k8s.io/v2',
      metadata: {},
    });
    const apps = named(items as readonly Json[], 'metadata.name', 'apps');
    assert.deepEqual(apps['metadata'], { name: 'apps' });
    const [version] = listAt(apps, 'versions');
    assert.ok(isObject(version));
    assert.deepEqual([version['version'], version['freshness']], ['v1', 'Current']);
    const names = listAt(version, 'resources').map((one) => textAt(one, 'resource') ?? '');
    assert.deepEqual(names, names.toSorted());
    const responseKind = { group: 'apps', version: 'v1', kind: 'Deployment' };
    const scale = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
    assert.deepEqual(named(listAt(version, 'resources'), 'resource', 'deployments'), {
      resource: 'deployments',
      responseKind,
      scope: 'Namespaced',
      singularResource: 'deployment',
      verbs: VERBS,
      shortNames: ['deploy'],
      categories: ['all'],
      subresources: [
        { subresource: 'status', responseKind, verbs: CHANGES },
        { subresource: 'scale', responseKind: scale, verbs: CHANGES },
      ],
    });
  });

  test('has the core alone, without a name', () => {
    const [core, ...more] = listAt(aggregated(site, true, 'v2beta1'), 'items');
    assert.ok(isObject(core));
    assert.deepEqual([core['metadata'], more], [{}, []]);
    const list = listAt(listAt(core, 'versions')[0], 'resources');
    const node = named(list, 'resource', 'nodes');
    assert.equal(node['scope'], 'Cluster');
    const secret = named(list, 'resource', 'secrets');
    assert.deepEqual(Object.keys(secret).toSorted(), [
      'resource',
      'responseKind',
      'scope',
      'singularResource',
      'verbs',
    ]);
    const others = listAt(aggregated(site, false, 'v2'), 'items');
    assert.ok(others.every((one) => textAt(one, 'metadata.name') !== null));
  });

  test('keeps the kinds of each version apart', () => {
    const newer = { ...kindOf('deployments'), version: 'v2' };
    const api = { ...site.api, kinds: () => [...site.api.kinds(), newer] };
    const items = listAt(aggregated({ ...site, api }, false, 'v2'), 'items');
    const versions = listAt(named(items, 'metadata.name', 'apps'), 'versions');
    assert.deepEqual(
      versions.map((one) => [textAt(one, 'version'), listAt(one, 'resources').length]),
      [
        ['v1', 5],
        ['v2', 1],
      ],
    );
  });
});
