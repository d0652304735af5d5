import { isObject, type Json, textAt } from '../../evidence/json.ts';
import type { ApiAnswer, ApiRequest, KubeObject } from './contract.ts';
import { badRequest, conflictOn, methodNotAllowed, noSuchPath, notFound } from './refusal.ts';
import { patchedBy } from './patch.ts';
import { listIn, objectAt } from './rules/fields.ts';
import { objectKey, type Scope, secondsStamp, stored } from './scope.ts';
import { metadataOf } from './store.ts';
import { assertNamed, evict, withCondition } from './sub/eviction.ts';
import { nodeProxy, podLog } from './sub/log.ts';
import { scaled, scaleOf } from './sub/scale.ts';
import { issueToken } from './sub/token.ts';
import { isFinished, replaced } from './update.ts';
import { wordOf } from './word.ts';

type Answered = Pick<ApiAnswer, 'code' | 'object'>;

const CREATED: Answered = {
  code: 201,
  object: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
};

/** What is asked of a part of an object. @throws Refusal */
export function answerSubresource(scope: Scope, request: ApiRequest): Answered {
  if (!scope.kind.subresources.includes(scope.subresource ?? ''))
    throw scope.kind.custom === null ? noSuchPath() : notFound(scope.kind, scope.name);
  if (scope.subresource === 'eviction') assertNamed(scope, request.body);
  const object = stored(scope);
  if (object === null) throw notFound(scope.kind, scope.name);
  const answer = PARTS[scope.subresource ?? ''];
  if (answer === undefined) throw methodNotAllowed(scope.kind);
  return answer(scope, object, request);
}

type Part = (scope: Scope, object: KubeObject, request: ApiRequest) => Answered;

const PARTS: Readonly<Record<string, Part>> = {
  binding: (scope, pod, request) => {
    bind(scope, pod, created(scope, request));
    return CREATED;
  },
  eviction: (scope, pod, request) => {
    evict(scope, pod, created(scope, request));
    return CREATED;
  },
  log: (scope, pod) => ({ code: 200, object: { text: podLog(scope, pod) } }),
  proxy: (scope, node) => nodeProxy(scope, node),
  token: (scope, account, request) => ({
    code: 201,
    object: issueToken(scope, account, created(scope, request)),
  }),
  scale: (scope, object, request) => ({ code: 200, object: scale(scope, object, request) }),
  approval: (scope, object, request) => ({
    code: 200,
    object: approved(scope, object, request),
  }),
  finalize: (scope, object, request) => ({
    code: 200,
    object: finalized(scope, object, request.body),
  }),
  ephemeralcontainers: (scope, object, request) => ({
    code: 200,
    object: whole(scope, object, request),
  }),
  resize: (scope, object, request) => ({ code: 200, object: whole(scope, object, request) }),
};

function created({ kind }: Scope, { verb, body }: ApiRequest): Json {
  if (verb !== 'create') throw methodNotAllowed(kind);
  return body;
}

/** Sets the node of a pod, once. @throws Refusal 400, 409 */
function bind(scope: Scope, pod: KubeObject, body: Json): void {
  const target = textAt(body, 'target.name') ?? '';
  if (target === '') throw badRequest('target.name is required');
  const spec = objectAt(pod, 'spec');
  const current = wordOf(spec['nodeName'] ?? '');
  if (metadataOf(pod)['deletionTimestamp'] !== undefined)
    throw conflictOn(
      'pods/binding',
      scope.name,
      `pod ${scope.name} is being deleted, cannot be assigned to a host`,
    );
  if (current !== '')
    throw conflictOn(
      'pods/binding',
      scope.name,
      `pod ${scope.name} is already assigned to node "${current}"`,
    );
  const scheduled = {
    type: 'PodScheduled',
    status: 'True',
    lastTransitionTime: secondsStamp(scope.core.kernel.nowMs()),
  };
  const status = objectAt(pod, 'status');
  const conditions = withCondition(listIn(status, 'conditions'), scheduled);
  const bound = { ...pod, spec: { ...spec, nodeName: target }, status: { ...status, conditions } };
  if (!scope.isDryRun) scope.core.store.write(scope.table, objectKey(scope), bound);
}

/** The whole object with what a patch or a body says. */
function changedObject(scope: Scope, object: KubeObject, request: ApiRequest): KubeObject {
  const { verb, patchType, body } = request;
  const asked = verb === 'patch' ? patchedBy(scope, patchType ?? 'merge', object, body) : body;
  if (!isObject(asked)) throw badRequest('the body of the request is not an object');
  return asked;
}

function whole(scope: Scope, object: KubeObject, request: ApiRequest): KubeObject {
  if (request.verb === 'get') return object;
  const spec = {
    ...objectAt(object, 'spec'),
    ...objectAt(changedObject(scope, object, request), 'spec'),
  };
  return scope.core.store.write(scope.table, objectKey(scope), { ...object, spec });
}

function scale(scope: Scope, object: KubeObject, request: ApiRequest): KubeObject {
  if (request.verb === 'get') return scaleOf(object);
  if (request.verb !== 'update' && request.verb !== 'patch') throw methodNotAllowed(scope.kind);
  const asked = changedObject(scope, scaleOf(object), request);
  const plain = { ...scope, subresource: null, writesAs: 'scale' };
  return scaleOf(replaced(plain, scaled(object, asked), object));
}

/** Only the conditions of a signing request are written here. */
function approved(scope: Scope, object: KubeObject, request: ApiRequest): KubeObject {
  if (request.verb === 'get') return object;
  const asked = objectAt(changedObject(scope, object, request), 'status');
  const now = secondsStamp(scope.core.kernel.nowMs());
  const conditions = listIn(asked, 'conditions').map((one) =>
    isObject(one) ? { lastUpdateTime: now, lastTransitionTime: now, ...one } : one,
  );
  const status = { ...objectAt(object, 'status'), conditions };
  return scope.core.store.write(scope.table, objectKey(scope), { ...object, status });
}

/** Gives up the finalizers in the spec of a Namespace; the last one ends it. */
function finalized(scope: Scope, object: KubeObject, body: Json): KubeObject {
  const spec = objectAt(isObject(body) ? body : {}, 'spec');
  const after = { ...object, spec };
  const ends = isFinished(after) && listIn(spec, 'finalizers').length === 0;
  const written = scope.core.store.write(scope.table, objectKey(scope), ends ? null : after);
  return ends ? after : written;
}
