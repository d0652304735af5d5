import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '../../evidence/json.ts';
import type { KubeObject } from '../../evidence/kube/object.ts';
import { endpointsOf, endpointWords } from './services.ts';
import { fact, objectOf } from '../../evidence/testing.ts';
import {
  type Admitted,
  mayBeAsked,
  openingCommand,
  openingSteps,
  silentWebhooks,
  type WebhookFacts,
  webhookWords,
} from './webhooks.ts';
import type { Seen } from '../../evidence/fact.ts';
import type { EndpointSlice } from '../../evidence/kube/network.ts';
import type { WebhookConfiguration } from '../../evidence/kube/admission.ts';

const POD: Admitted = {
  group: '',
  resource: 'pods',
  namespaceLabels: { team: 'a' },
  labels: { app: 'x' },
};
const NODE: Admitted = { group: '', resource: 'nodes', namespaceLabels: null, labels: null };
const RULE = { operations: ['CREATE'], apiGroups: [''], resources: ['pods'] };

function webhook(change: JsonObject = {}): JsonObject {
  return {
    name: 'check.shop.example',
    clientConfig: { service: { namespace: 'shop', name: 'hook' } },
    rules: [RULE],
    ...change,
  };
}

function slice(ready: Json, change: Partial<KubeObject> = {}): Seen<EndpointSlice> {
  const body = { service: 'hook', ready, notReady: 2, ports: [443, 443, 8443] };
  return fact(objectOf('EndpointSlice', 'hook-1', body, change));
}

interface Scene {
  readonly webhooks?: readonly Json[];
  readonly mutating?: readonly Json[];
  readonly slices?: readonly Seen<EndpointSlice>[];
  readonly complete?: readonly string[];
}

function factsOf({
  webhooks = [],
  mutating = [],
  slices = [],
  complete = [],
}: Scene): WebhookFacts {
  const holder = (
    kind: 'MutatingWebhookConfiguration' | 'ValidatingWebhookConfiguration',
    list: readonly Json[],
  ): readonly Seen<WebhookConfiguration>[] =>
    list.length === 0 ? [] : [fact(objectOf(kind, 'holder', { webhooks: list }))];
  const lists: Readonly<Record<string, readonly Seen<KubeObject>[]>> = {
    'kube/ValidatingWebhookConfiguration': holder('ValidatingWebhookConfiguration', webhooks),
    'kube/MutatingWebhookConfiguration': holder('MutatingWebhookConfiguration', mutating),
    'kube/EndpointSlice': slices,
  };
  return {
    isComplete: (kind: string) => complete.includes(kind),
    list: (kind: string) => lists[kind] ?? [],
  } as WebhookFacts;
}

function silentNames(change: JsonObject, object: Admitted = POD): readonly string[] {
  const found = silentWebhooks(
    factsOf({ webhooks: [webhook(change)], slices: [slice(0)] }),
    object,
  );
  return found === 'unlisted' ? [found] : found.map(({ name }) => name);
}

const ASKED = ['check.shop.example'];

describe('a webhook is asked', () => {
  test('unless it may fail, has conditions, or has no Service', () => {
    assert.deepEqual(silentNames({}), ASKED);
    assert.deepEqual(silentNames({ failurePolicy: 'Fail' }), ASKED);
    assert.deepEqual(silentNames({ failurePolicy: 'Ignore' }), []);
    assert.deepEqual(silentNames({ matchConditions: [{ expression: 'x' }] }), []);
    assert.deepEqual(silentNames({ matchConditions: [] }), ASKED);
    for (const service of [{ name: 'hook' }, { namespace: 'shop' }]) {
      const webhooks = [webhook({ clientConfig: { service } })];
      const complete = ['kube/EndpointSlice'];
      assert.deepEqual(silentWebhooks(factsOf({ webhooks, complete }), POD), []);
    }
  });

  for (const [title, change, isAsked] of [
    ['any operation', { operations: ['*'] }, true],
    ['several operations', { operations: ['DELETE', 'CREATE'] }, true],
    ['another operation', { operations: ['DELETE'] }, false],
    ['any group', { apiGroups: ['*'] }, true],
    ['another group', { apiGroups: ['apps'] }, false],
    ['all resources', { resources: ['*'] }, true],
    ['all with their subresources', { resources: ['*/*'] }, true],
    ['another resource', { resources: ['pods/status'] }, false],
    ['any scope', { scope: '*' }, true],
    ['its scope', { scope: 'Namespaced' }, true],
    ['the other scope', { scope: 'Cluster' }, false],
  ] as const)
    test(`by a rule of ${title}: ${isAsked}`, () => {
      assert.deepEqual(silentNames({ rules: [{ ...RULE, ...change }] }), isAsked ? ASKED : []);
      const second = [
        { ...RULE, operations: ['DELETE'] },
        { ...RULE, ...change },
      ];
      assert.deepEqual(silentNames({ rules: second }), isAsked ? ASKED : []);
    });

  test('of what its selectors fit', () => {
    const wants = (labels: JsonObject): JsonObject => ({ matchLabels: labels });
    assert.deepEqual(silentNames({ objectSelector: wants({ app: 'x' }) }), ASKED);
    assert.deepEqual(silentNames({ objectSelector: wants({ app: 'y' }) }), []);
    assert.deepEqual(silentNames({ namespaceSelector: wants({ team: 'a' }) }), ASKED);
    assert.deepEqual(silentNames({ namespaceSelector: wants({ team: 'b' }) }), []);
    const unlabeled = { ...POD, labels: null };
    assert.deepEqual(silentNames({}, unlabeled), ASKED);
    assert.deepEqual(silentNames({ objectSelector: wants({ app: 'x' }) }, unlabeled), []);
  });

  test('of objects of the cluster whatever its namespaces are', () => {
    const rules = [{ ...RULE, resources: ['nodes'], scope: 'Cluster' }];
    const namespaceSelector = { matchLabels: { team: 'b' } };
    assert.deepEqual(silentNames({ rules, namespaceSelector }, NODE), ASKED);
    const namespaced = [{ ...RULE, resources: ['nodes'], scope: 'Namespaced' }];
    assert.deepEqual(silentNames({ rules: namespaced }, NODE), []);
  });
});

describe('a webhook is silent', () => {
  test('when no endpoint of its Service is ready', () => {
    const webhooks = [webhook({ failurePolicy: 'Ignore' }), webhook()];
    const [found, ...more] = silentWebhooks(factsOf({ webhooks, slices: [slice(0)] }), POD);
    assert.ok(typeof found === 'object');
    assert.deepEqual(
      [found.index, found.service, more],
      [1, { namespace: 'shop', name: 'hook' }, []],
    );
    assert.equal(
      webhookWords(found),
      'ValidatingWebhookConfiguration holder: webhook check.shop.example, failurePolicy Fail, asks the Service shop/hook',
    );
    const ready = silentWebhooks(factsOf({ webhooks, slices: [slice(0), slice(1)] }), POD);
    assert.deepEqual(ready, []);
  });

  test('also one that changes objects, and one without a name', () => {
    const { name: _, ...nameless } = webhook();
    const found = silentWebhooks(factsOf({ mutating: [nameless], slices: [slice(0)] }), POD);
    assert.ok(found !== 'unlisted');
    assert.deepEqual(
      found.map(({ name }) => name),
      ['holder'],
    );
  });

  test('when a complete list shows no endpoint; unknown without one', () => {
    const webhooks = [webhook()];
    const complete = ['kube/EndpointSlice'];
    assert.equal(silentWebhooks(factsOf({ webhooks }), POD), 'unlisted');
    assert.deepEqual(silentWebhooks(factsOf({}), POD), []);
    assert.equal(silentWebhooks(factsOf({ webhooks, complete }), POD).length, 1);
    const other = slice(1, { namespace: 'other' });
    assert.deepEqual(silentWebhooks(factsOf({ webhooks, slices: [other] }), POD), []);
    assert.equal(silentWebhooks(factsOf({ webhooks, slices: [other], complete }), POD).length, 1);
  });
});

test('asks no webhook where both lists are complete and no rule fits', () => {
  const both = ['kube/ValidatingWebhookConfiguration', 'kube/MutatingWebhookConfiguration'];
  const may = (scene: Scene, object: Admitted = POD): boolean => mayBeAsked(factsOf(scene), object);
  assert.equal(may({ complete: both }), false);
  for (const one of both) assert.equal(may({ complete: [one] }), true);
  assert.equal(may({ complete: both, webhooks: [webhook({ failurePolicy: 'Ignore' })] }), true);
  assert.equal(may({ complete: both, mutating: [webhook({ rules: [] }), webhook()] }), true);
  assert.equal(may({ complete: both, webhooks: [webhook()] }, NODE), false);
  const namespaceSelector = { matchLabels: { team: 'b' } };
  assert.equal(may({ complete: both, webhooks: [webhook({ namespaceSelector })] }), false);
});

test('the endpoints of a Service are the sums of its slices', () => {
  const service = { namespace: 'shop', name: 'hook' };
  const slices = [slice(1), slice(2), slice('many'), slice(4, { namespace: 'other' })];
  const own = endpointsOf(service, slices);
  assert.deepEqual([own.ready, own.notReady, own.ports], [3, 6, ['443', '8443']]);
  assert.deepEqual(own.slices, slices.slice(0, 3));
  assert.equal(endpointWords(service, own), 'EndpointSlices of shop/hook: 3 ready, 6 not ready');
  const none = endpointsOf({ ...service, name: 'other' }, slices);
  assert.equal(
    endpointWords({ ...service, name: 'other' }, none),
    'no EndpointSlice of the Service shop/other exists',
  );
});

test('commands find and open a webhook by its name or its place', () => {
  const [found, opened] = openingSteps('Let pods pass.', 'check.example');
  assert.match(found?.command ?? '', /-o name \| xargs .*grep -q check\.example/);
  assert.match(opened?.text ?? '', /^Let pods pass\. The first word/);
  assert.match(
    opened?.command ?? '',
    /'\{"webhooks":\[\{"name":"check\.example","failurePolicy":"Ignore"\}\]\}'$/,
  );
  assert.equal(
    openingCommand('ValidatingWebhookConfiguration', 'holder', '2'),
    `kubectl patch validatingwebhookconfiguration holder --type=json -p '[{"op":"replace","path":"/webhooks/2/failurePolicy","value":"Ignore"}]'`,
  );
});
