/** Random programs of requests, small enough in their words that the requests meet one another. */
import fc from 'fast-check';
import type { JsonObject } from '../../src/evidence/json.ts';
import type { Asked } from './differential.ts';
import { BODIES, CONDITIONS, COUNT, METADATA, NAME, TEXT } from './differential-bodies.ts';

/** What a step takes from earlier answers: the version or the uid of its object, or a wrong one. */
export type From = 'own' | 'wrong' | null;

export interface Step extends Asked {
  readonly version?: From;
  readonly uid?: From;
  /** Goes on where the last page of the same list ended. */
  readonly isContinued?: boolean;
}

export const RESOURCE_NAMES: readonly string[] = Object.keys(BODIES);
const CLUSTER_WIDE = new Set([
  'nodes',
  'rules.rollcall.test',
  'priorityclasses.scheduling.k8s.io',
  'storageclasses.storage.k8s.io',
]);

function fullName(resource: string, name: string): string {
  return CLUSTER_WIDE.has(resource) ? `~${name}` : name;
}

/** Meeting the same objects again and again finds more than meeting all kinds once. */
const USUAL = ['configmaps', 'pods', 'nodes', 'deployments.apps', 'leases.coordination.k8s.io'];
const RESOURCE = fc.constantFrom(...RESOURCE_NAMES, ...USUAL, ...USUAL, ...USUAL, ...USUAL);
const FROM = fc.constantFrom<From>(null, null, 'own', 'wrong');
const VALIDATION = fc.constantFrom<Readonly<Record<string, string>>>(
  {},
  {},
  {},
  { dryRun: 'All' },
  { fieldValidation: 'Strict' },
);

interface Target {
  readonly resource: string;
  readonly name: string;
}

const TARGET: fc.Arbitrary<Target> = fc
  .tuple(RESOURCE, NAME)
  .map(([resource, name]) => ({ resource, name: fullName(resource, name) }));

function bodyOf({ resource, name }: Target, isGenerated = false): fc.Arbitrary<JsonObject> {
  const named = isGenerated ? { generateName: `${name}-` } : { name };
  return fc
    .tuple(METADATA, BODIES[resource] ?? fc.constant({}))
    .map(([metadata, body]) => ({ ...body, metadata: { ...metadata, ...named } }));
}

const create: fc.Arbitrary<Step> = fc
  .tuple(TARGET, VALIDATION)
  .chain(([target, query]) =>
    bodyOf(target).map((body) => ({ verb: 'create', resource: target.resource, query, body })),
  );

const generate: fc.Arbitrary<Step> = bodyOf({ resource: 'secrets', name: 'gen' }, true).map(
  (body) => ({
    verb: 'create',
    resource: 'secrets',
    body,
  }),
);

const get: fc.Arbitrary<Step> = TARGET.map((target) => ({ verb: 'get', ...target }));

const LIST_QUERY = fc.constantFrom<Readonly<Record<string, string>>>(
  {},
  { labelSelector: 'app=x' },
  { labelSelector: 'app in (x,y),!tier' },
  { labelSelector: 'app!=x' },
  { fieldSelector: 'metadata.name=a' },
  { resourceVersion: '0' },
  { resourceVersionMatch: 'Exact' },
  { resourceVersionMatch: 'NotOlderThan', resourceVersion: '1' },
  { sendInitialEvents: 'true' },
);

const list: fc.Arbitrary<Step> = fc
  .tuple(RESOURCE, LIST_QUERY)
  .filter(([resource]) => !CLUSTER_WIDE.has(resource))
  .map(([resource, query]) => ({ verb: 'list', resource, query }));

const page: fc.Arbitrary<Step> = fc
  .tuple(fc.constantFrom('configmaps', 'pods'), fc.constantFrom('1', '2'), fc.boolean())
  .map(([resource, limit, isContinued]) => ({
    verb: 'list',
    resource,
    query: { limit },
    isContinued,
  }));

const update: fc.Arbitrary<Step> = fc
  .tuple(TARGET, FROM, fc.constantFrom<From>(null, null, null, 'own', 'wrong'), VALIDATION)
  .chain(([target, version, uid, query]) =>
    bodyOf(target).map((body) => ({ verb: 'update', ...target, query, body, version, uid })),
  );

const merge: fc.Arbitrary<Step> = fc.tuple(TARGET, FROM).chain(([target, version]) =>
  bodyOf(target).map((body) => ({
    verb: 'patch',
    patchType: 'merge',
    ...target,
    body: { ...body, metadata: withoutName(body) },
    version,
  })),
);

const strategic: fc.Arbitrary<Step> = TARGET.chain((target) =>
  bodyOf(target).map((body) => ({
    verb: 'patch',
    patchType: 'strategic',
    ...target,
    body: { ...body, metadata: withoutName(body) },
  })),
);

function withoutName({ metadata }: JsonObject): JsonObject {
  const { name: _, ...rest } = metadata as JsonObject;
  return rest;
}

const OPERATION = fc.constantFrom<JsonObject>(
  { op: 'add', path: '/metadata/labels', value: { app: 'z' } },
  { op: 'add', path: '/metadata/labels/app', value: 'x' },
  { op: 'remove', path: '/metadata/labels/app' },
  { op: 'replace', path: '/metadata/labels/app', value: 'y' },
  { op: 'test', path: '/metadata/name', value: 'a' },
  { op: 'copy', from: '/metadata/labels/app', path: '/metadata/labels/tier' },
  { op: 'move', from: '/metadata/labels/app', path: '/metadata/labels/moved' },
  { op: 'add', path: '/metadata/finalizers', value: ['rollcall.test/more'] },
  { op: 'remove', path: '/metadata/finalizers' },
);

const json: fc.Arbitrary<Step> = fc
  .tuple(TARGET, fc.array(OPERATION, { minLength: 1, maxLength: 3 }))
  .map(([target, body]) => ({ verb: 'patch', patchType: 'json', ...target, body }));

const apply: fc.Arbitrary<Step> = fc
  .tuple(
    fc.constantFrom('configmaps', 'deployments.apps', 'daemonsets.apps'),
    NAME,
    fc.constantFrom('one', 'two'),
    fc.boolean(),
  )
  .chain(([resource, name, fieldManager, force]) =>
    bodyOf({ resource, name }).map((body) => ({
      verb: 'patch',
      patchType: 'apply',
      resource,
      name,
      query: { fieldManager, ...(force ? { force: 'true' } : {}) },
      body: { ...typeOf(resource), ...body },
    })),
  );

function typeOf(resource: string): JsonObject {
  if (resource === 'configmaps') return { apiVersion: 'v1', kind: 'ConfigMap' };
  return {
    apiVersion: 'apps/v1',
    kind: resource === 'deployments.apps' ? 'Deployment' : 'DaemonSet',
  };
}

const STATUS: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(NAME, CONDITIONS, fc.constantFrom('Pending', 'Running', 'Succeeded')).map(
    ([name, conditions, phase]): Step => ({
      verb: 'patch',
      patchType: 'strategic',
      resource: 'pods',
      name,
      subresource: 'status',
      body: { status: { phase, conditions } },
    }),
  ),
  fc.tuple(NAME, CONDITIONS).map(
    ([name, conditions]): Step => ({
      verb: 'patch',
      patchType: 'strategic',
      resource: 'nodes',
      name: `~${name}`,
      subresource: 'status',
      body: { status: { conditions }, spec: { unschedulable: true } },
    }),
  ),
  fc.tuple(NAME, COUNT).map(
    ([name, disruptionsAllowed]): Step => ({
      verb: 'patch',
      patchType: 'merge',
      resource: 'poddisruptionbudgets.policy',
      name,
      subresource: 'status',
      body: { status: { disruptionsAllowed, observedGeneration: 9, desiredHealthy: 1 } },
    }),
  ),
  fc.tuple(NAME, TEXT).map(
    ([name, phase]): Step => ({
      verb: 'patch',
      patchType: 'merge',
      resource: 'rules.rollcall.test',
      name: `~${name}`,
      subresource: 'status',
      body: { status: { phase }, spec: { key: 'other' } },
    }),
  ),
);

const remove: fc.Arbitrary<Step> = fc
  .tuple(
    TARGET,
    fc.constantFrom<JsonObject>(
      {},
      {},
      { gracePeriodSeconds: 0 },
      { gracePeriodSeconds: 7 },
      { propagationPolicy: 'Foreground' },
      { propagationPolicy: 'Orphan' },
      { propagationPolicy: 'Sideways' },
    ),
    FROM,
    FROM,
  )
  .map(([target, body, version, uid]) => ({ verb: 'delete', ...target, body, version, uid }));

const removeAll: fc.Arbitrary<Step> = fc
  .tuple(
    fc.constantFrom('configmaps', 'pods', 'secrets'),
    fc.constantFrom({}, { labelSelector: 'app=x' }),
  )
  .map(([resource, query]) => ({ verb: 'deletecollection', resource, query }));

const bind: fc.Arbitrary<Step> = NAME.map((name) => ({
  verb: 'create',
  resource: 'pods',
  name,
  subresource: 'binding',
  body: {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name },
    target: { kind: 'Node', name: '~n' },
  },
}));

const evict: fc.Arbitrary<Step> = fc.tuple(NAME, NAME).map(([name, other]) => ({
  verb: 'create',
  resource: 'pods',
  name,
  subresource: 'eviction',
  body: {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: other === 'c' ? 'c' : name },
  },
}));

const scale: fc.Arbitrary<Step> = fc.tuple(NAME, COUNT).map(([name, replicas]) => ({
  verb: 'patch',
  patchType: 'merge',
  resource: 'deployments.apps',
  name,
  subresource: 'scale',
  body: { spec: { replicas } },
}));

const readScale: fc.Arbitrary<Step> = NAME.map((name) => ({
  verb: 'get',
  resource: 'deployments.apps',
  name,
  subresource: 'scale',
}));

/** Eighteen kinds of request; objects must come before much can happen to them. */
const STEP: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: create },
  { weight: 1, arbitrary: generate },
  { weight: 2, arbitrary: get },
  { weight: 2, arbitrary: list },
  { weight: 1, arbitrary: page },
  { weight: 3, arbitrary: update },
  { weight: 2, arbitrary: merge },
  { weight: 3, arbitrary: strategic },
  { weight: 2, arbitrary: json },
  { weight: 3, arbitrary: apply },
  { weight: 3, arbitrary: STATUS },
  { weight: 3, arbitrary: remove },
  { weight: 1, arbitrary: removeAll },
  { weight: 2, arbitrary: bind },
  { weight: 2, arbitrary: evict },
  { weight: 1, arbitrary: scale },
  { weight: 1, arbitrary: readScale },
);

export const PROGRAM: fc.Arbitrary<readonly Step[]> = fc.array(STEP, {
  minLength: 1,
  maxLength: 50,
  size: 'max',
});
