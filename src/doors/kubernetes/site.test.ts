import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiRequest } from '../../sim/kube/contract.ts';
import type { KubeKind } from '../../sim/kube/kinds.ts';
import { customSchema, customVersion } from './custom-resources.ts';
import { authorize, lookUp } from './site.ts';
import {
  badRequest,
  bodyTooLarge,
  type DoorRefusal,
  forbidden,
  internalError,
  methodNotAllowed,
  noSuchPath,
  notAcceptable,
  notSimulated,
  tooManyRequests,
  unauthorized,
  unsupportedMediaType,
} from './status.ts';
import { addThings, JANE, openSite, withoutAuthorizer } from './testing.ts';

test('without an authorizer everybody may do everything', () => {
  const { site } = openSite();
  const question = { verb: 'get', nonResourcePath: '/metrics' };
  assert.equal(authorize(site, JANE, question).isAllowed, false);
  const open = withoutAuthorizer(site);
  assert.deepEqual(authorize(open, JANE, question), { isAllowed: true, reason: '' });
});

test('the door looks up an object as the API server itself', () => {
  const { site } = openSite();
  const asked: ApiRequest[] = [];
  const answer = (request: ApiRequest): ReturnType<typeof site.api.answer> => {
    asked.push(request);
    return { code: request.path.name === 'a' ? 200 : 404, object: { a: 1 }, warnings: [] };
  };
  const spied = { ...site, api: { ...site.api, answer } };
  assert.deepEqual(lookUp(spied, 'apps', 'deployments', 'shop', 'a'), { a: 1 });
  assert.equal(lookUp(spied, 'apps', 'deployments', 'shop', 'b'), null);
  assert.deepEqual(asked[0], {
    user: { name: 'system:apiserver', groups: ['system:masters'] },
    verb: 'get',
    path: {
      group: 'apps',
      version: 'v1',
      plural: 'deployments',
      namespace: 'shop',
      name: 'a',
      subresource: null,
    },
    query: {},
    body: null,
    patchType: null,
  });
});

test('a custom kind has the version and schema of its definition', () => {
  const things = openSite();
  const schema = { type: 'object', description: 'A thing.' };
  addThings(things, { schema: { openAPIV3Schema: schema } });
  const { site } = things;
  const kinds = site.api.kinds();
  const thing = kinds.find(({ kind }) => kind === 'Thing') as KubeKind;
  assert.equal(customVersion(site, thing)?.['name'], 'v1');
  assert.deepEqual(customSchema(site, thing), schema);
  const node = kinds.find(({ kind }) => kind === 'Node') as KubeKind;
  const other = { ...thing, version: 'v2' };
  const lost = { ...thing, custom: { ...thing.custom, crd: 'none' } as KubeKind['custom'] };
  for (const kind of [node, other, lost])
    assert.deepEqual([customVersion(site, kind), customSchema(site, kind)], [null, null]);
});

test('refusals have the code, the reason and the details that clients look at', () => {
  const refusals: readonly (readonly [DoorRefusal, number, string, object | undefined])[] = [
    [badRequest('m'), 400, 'BadRequest', undefined],
    [unauthorized(), 401, 'Unauthorized', undefined],
    [forbidden('m'), 403, 'Forbidden', {}],
    [noSuchPath(), 404, 'NotFound', {}],
    [methodNotAllowed(), 405, 'MethodNotAllowed', {}],
    [notSimulated('pods/exec'), 405, 'MethodNotAllowed', {}],
    [notAcceptable(), 406, 'NotAcceptable', undefined],
    [bodyTooLarge(3), 413, 'RequestEntityTooLarge', undefined],
    [unsupportedMediaType(['a/b']), 415, 'UnsupportedMediaType', undefined],
    [tooManyRequests(), 429, 'TooManyRequests', { retryAfterSeconds: 1 }],
    [internalError('E'), 500, 'InternalError', { causes: [{ message: 'E' }] }],
  ];
  for (const [refusal, code, reason, details] of refusals) {
    assert.deepEqual([refusal.code, refusal.name], [code, 'DoorRefusal']);
    assert.deepEqual(refusal.status, {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: refusal.message,
      reason,
      ...(details === undefined ? {} : { details }),
      code,
    });
    assert.notEqual(refusal.message, '');
  }
});
