import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '../../evidence/json.ts';
import type { ApiPath, ApiUser } from '../../sim/kube/contract.ts';
import { reviewed } from './reviews.ts';
import type { AccessQuestion, DoorApi, Site } from './site.ts';
import { DoorRefusal } from './status.ts';
import { ADMIN, JANE, JANES_TOKEN, openSite, withoutAuthorizer } from './testing.ts';

interface Asked {
  readonly user: ApiUser;
  readonly question: AccessQuestion;
}

const CREATE = {
  verb: 'create',
  group: 'authorization.k8s.io',
  version: 'v1',
  subresource: '',
  namespace: '',
  name: '',
};

/** A site whose authorizer keeps what it was asked, and allows what it is told to. */
function spied(isAllowed: (asked: Asked) => boolean = () => true): {
  readonly site: Site;
  readonly asked: Asked[];
} {
  const { site } = openSite();
  const asked: Asked[] = [];
  const authorize: DoorApi['authorize'] = (user, question) => {
    asked.push({ user, question });
    return { isAllowed: isAllowed({ user, question }), reason: 'RBAC' };
  };
  return { site: { ...site, api: { ...site.api, authorize } }, asked };
}

function pathOf(plural: string, more: Partial<ApiPath> = {}): ApiPath {
  const { group, version } = CREATE;
  return { group, version, plural, namespace: null, name: null, subresource: null, ...more };
}

function answerOf(site: Site, plural: string, spec: Json, user = JANE): JsonObject {
  const answer = reviewed(site, user, pathOf(plural), { kind: 'Asked', spec });
  assert.ok(answer);
  return answer;
}

test('any other resource is not a question', () => {
  assert.equal(reviewed(spied().site, ADMIN, pathOf('pods'), {}), null);
});

describe('who asks', () => {
  test('needs the right to create the question, where it is asked', () => {
    const { site, asked } = spied();
    const resource = 'localsubjectaccessreviews';
    reviewed(site, JANE, pathOf(resource, { namespace: 'shop' }), {});
    const question = { ...CREATE, resource, namespace: 'shop' };
    assert.deepEqual(asked[0], { user: JANE, question });
  });

  test('is refused without it, in the words of the API server', () => {
    const { site } = spied(() => false);
    const refusalIn = (namespace: string | null): DoorRefusal | null => {
      try {
        reviewed(site, JANE, pathOf('subjectaccessreviews', { namespace }), {});
      } catch (error) {
        if (error instanceof DoorRefusal) return error;
      }
      return null;
    };
    const words =
      'subjectaccessreviews.authorization.k8s.io is forbidden: User "jane" cannot create ' +
      'resource "subjectaccessreviews" in API group "authorization.k8s.io"';
    assert.equal(refusalIn(null)?.code, 403);
    assert.equal(refusalIn(null)?.message, `${words} at the cluster scope`);
    assert.equal(refusalIn('shop')?.message, `${words} in the namespace "shop"`);
  });

  test('sends an object', () => {
    for (const body of [null, [], 'text'])
      assert.throws(() => reviewed(spied().site, JANE, pathOf('tokenreviews'), body), {
        message: 'the body of the request is not an object',
        code: 400,
      });
  });

  test('gets the object back with its metadata, or with empty metadata', () => {
    const { site } = spied();
    const plural = pathOf('selfsubjectaccessreviews');
    const body = { kind: 'Asked', metadata: { name: 'n' }, spec: 'odd', more: 1 };
    const status = { allowed: true, reason: 'RBAC' };
    assert.deepEqual(reviewed(site, JANE, plural, body), { ...body, spec: {}, status });
    const bare = { metadata: {}, spec: {}, status };
    assert.deepEqual(reviewed(site, JANE, plural, {}), bare);
    assert.deepEqual(reviewed(site, JANE, plural, { metadata: [], spec: null }), bare);
  });
});

describe('a question about a right', () => {
  const resourceAttributes = {
    verb: 'get',
    group: 'apps',
    version: 'v2',
    resource: 'deployments',
    subresource: 'scale',
    namespace: 'shop',
    name: 'web',
  };

  test('is asked with all its parts, of who asks', () => {
    const { site, asked } = spied();
    const spec = { resourceAttributes };
    const answer = answerOf(site, 'selfsubjectaccessreviews', spec);
    assert.deepEqual(answer['spec'], spec);
    assert.deepEqual(asked[1], { user: JANE, question: resourceAttributes });
  });

  test('has empty parts where it does not name them', () => {
    const { site, asked } = spied();
    answerOf(site, 'selfsubjectaccessreviews', {});
    const empty = Object.fromEntries(Object.keys(resourceAttributes).map((key) => [key, '']));
    assert.deepEqual(asked[1]?.question, empty);
  });

  test('may be about a path', () => {
    const { site, asked } = spied();
    const nonResourceAttributes = { path: '/metrics', verb: 'get' };
    answerOf(site, 'selfsubjectaccessreviews', { nonResourceAttributes, resourceAttributes });
    assert.deepEqual(asked[1]?.question, { verb: 'get', nonResourcePath: '/metrics' });
    answerOf(site, 'selfsubjectaccessreviews', { nonResourceAttributes: { path: '/' } });
    assert.deepEqual(asked[3]?.question, { verb: '', nonResourcePath: '/' });
  });

  test('may be about another user', () => {
    for (const plural of ['subjectaccessreviews', 'localsubjectaccessreviews']) {
      const { site, asked } = spied();
      const spec = { user: 'joe', groups: ['a', 'b'], resourceAttributes };
      const { spec: told, status } = answerOf(site, plural, spec);
      assert.deepEqual(told, spec);
      assert.deepEqual(status, { allowed: true, reason: 'RBAC' });
      assert.deepEqual(asked[1]?.user, { name: 'joe', groups: ['a', 'b'] });
      answerOf(site, plural, {});
      assert.deepEqual(asked[3]?.user, { name: '', groups: [] });
    }
  });

  test('is answered without a reason where there is none', () => {
    const { site } = spied();
    const { status } = answerOf(withoutAuthorizer(site), 'selfsubjectaccessreviews', {});
    assert.deepEqual(status, { allowed: true });
  });
});

test('all rights are shown to who has all of them, and public paths to the others', () => {
  const isCreate = ({ question }: Asked): boolean => question.verb === 'create';
  const few = spied(isCreate);
  const paths = ['/api', '/apis', '/openapi', '/version'];
  const answer = answerOf(few.site, 'selfsubjectrulesreviews', { namespace: 'shop' });
  assert.deepEqual(answer['spec'], {});
  assert.deepEqual(answer['status'], {
    resourceRules: [],
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: paths }],
    incomplete: true,
  });
  assert.deepEqual(few.asked[1]?.question, {
    verb: '*',
    group: '*',
    version: '*',
    resource: '*',
    subresource: '',
    namespace: '',
    name: '',
  });
  assert.deepEqual(answerOf(spied().site, 'selfsubjectrulesreviews', {})['status'], {
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    incomplete: false,
  });
});

test('a user hears who it is', () => {
  const { status } = answerOf(spied().site, 'selfsubjectreviews', {});
  assert.deepEqual(status, { userInfo: { username: 'jane', groups: ['readers'] } });
});

test('a token is its holder, or nobody', () => {
  const { site } = spied();
  const told = (spec: JsonObject): unknown => answerOf(site, 'tokenreviews', spec)['status'];
  const user = { username: 'jane', groups: ['readers', 'system:authenticated'] };
  assert.deepEqual(told({ token: JANES_TOKEN }), { authenticated: true, user });
  for (const none of [{}, { token: 'none' }])
    assert.deepEqual(told(none), { authenticated: false });
  const spec = { token: JANES_TOKEN };
  assert.deepEqual(answerOf(site, 'tokenreviews', spec)['spec'], spec);
});
