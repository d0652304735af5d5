import type { JsonObject } from '../../../evidence/json.ts';
import type { KubeKind } from '../../../sim/kube/kinds.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Parameters of writes by which clients find out what the server can do. */
const WRITE_PARAMETERS = ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => ({
  name,
  in: 'query',
  schema: { type: 'string', uniqueItems: true },
}));
const FORCE = { name: 'force', in: 'query', schema: { type: 'boolean', uniqueItems: true } };

const ACTIONS: Readonly<Record<Method, string>> = {
  get: 'get',
  post: 'post',
  put: 'put',
  patch: 'patch',
  delete: 'delete',
};

const PATCHES = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
];

function contentOf(types: readonly string[]): JsonObject {
  const content = types.map((type) => [type, { schema: { type: 'object' } }]);
  return { content: Object.fromEntries(content) as JsonObject };
}

function patchBody({ custom }: KubeKind): JsonObject {
  const types = custom === null ? [...PATCHES, 'application/strategic-merge-patch+json'] : PATCHES;
  return { requestBody: contentOf(types) };
}

function parametersOf(method: Method): readonly JsonObject[] {
  if (method === 'patch') return [...WRITE_PARAMETERS, FORCE];
  return method === 'post' || method === 'put' ? WRITE_PARAMETERS : [];
}

/** What may be done at a path with objects of a kind. */
export function operations(kind: KubeKind, methods: readonly Method[]): JsonObject {
  const mark = { group: kind.group, kind: kind.kind, version: kind.version };
  const entries = methods.map((method) => [
    method,
    {
      ...(method === 'patch' ? patchBody(kind) : {}),
      parameters: parametersOf(method),
      responses: { 200: { description: 'OK' } },
      'x-kubernetes-action': ACTIONS[method],
      'x-kubernetes-group-version-kind': mark,
    },
  ]);
  return Object.fromEntries(entries) as JsonObject;
}
