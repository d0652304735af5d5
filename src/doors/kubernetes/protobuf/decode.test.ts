import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../../../evidence/json.ts';
import { decodeObject } from './decode.ts';
import { message, object, type Part, text, whole } from './testing.ts';

const NAME = message(1, text(1, 'one'));

function decoded(apiVersion: string, kind: string, ...parts: readonly Part[]): Json {
  return decodeObject(object(apiVersion, kind, ...parts));
}

function pod(...spec: readonly Part[]): Json | undefined {
  const made = decodeObject(object('v1', 'Pod', NAME, message(2, ...spec)));
  return made?.['spec'];
}

test('an object has its version, its kind and the fields that are known', () => {
  const unknown = text(99, 'later versions may send it');
  assert.deepEqual(decoded('v1', 'ConfigMap', NAME, unknown), {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'one' },
  });
  assert.deepEqual(decoded('v1', 'ConfigMap'), { apiVersion: 'v1', kind: 'ConfigMap' });
});

test('an unknown kind is null, and other bytes are refused', () => {
  assert.equal(decoded('example.test/v1', 'Thing'), null);
  const refusal = { name: 'WireError', message: /does not begin as an object/ };
  for (const bytes of [
    Buffer.from('{}'),
    Buffer.from('k8s'),
    Buffer.from('K8s\0'),
    Buffer.alloc(0),
  ])
    assert.throws(() => decodeObject(bytes), refusal);
  assert.equal(decodeObject(Buffer.from('k8s\0')), null);
});

test('an object says its kind within more that it may say of itself', () => {
  const type = message(1, text(1, 'v1'), text(2, 'ConfigMap'), text(3, 'later'));
  const rest = [message(2, NAME), text(3, 'gzip'), text(4, 'application/json')];
  const bytes = Uint8Array.from([...Buffer.from('k8s\0'), ...type, ...rest.flat()]);
  assert.deepEqual(decodeObject(bytes), {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'one' },
  });
  assert.equal(decodeObject(Uint8Array.from([...Buffer.from('k8s\0'), ...message(1)])), null);
});

test('of what is sent twice the last holds', () => {
  const twice = [message(2, whole(4, 1n)), message(2, whole(4, 2n))];
  assert.deepEqual(decoded('v1', 'Pod', ...twice), {
    apiVersion: 'v1',
    kind: 'Pod',
    spec: { terminationGracePeriodSeconds: 2 },
  });
});

test('a zero is left out unless its field is kept', () => {
  assert.deepEqual(pod(text(3, ''), whole(11, 0n), whole(4, 0n), whole(21, 0n)), {
    terminationGracePeriodSeconds: 0,
    automountServiceAccountToken: false,
  });
  assert.deepEqual(pod(text(3, 'Always'), whole(11, 1n)), {
    restartPolicy: 'Always',
    hostNetwork: true,
  });
  assert.deepEqual(pod(), {});
  const deployment = decodeObject(object('apps/v1', 'Deployment', message(2, whole(5, 0n))));
  assert.deepEqual(deployment?.['spec'], {});
});

describe('lists and maps', () => {
  test('gather what comes under their number', () => {
    const containers = [message(2, text(1, 'a')), message(2, text(1, 'b'))];
    const labels = [
      message(7, text(1, 'zone'), text(2, 'a')),
      message(7, text(1, 'disk'), text(2, 'ssd')),
      message(7, text(1, 'zone'), text(2, 'b')),
    ];
    assert.deepEqual(pod(...containers, ...labels), {
      nodeSelector: { zone: 'b', disk: 'ssd' },
      containers: [{ name: 'a' }, { name: 'b' }],
    });
  });

  test('may hold texts, empty ones as well', () => {
    const metadata = message(1, text(14, 'a'), text(14, ''), message(11, text(1, 'key')));
    assert.deepEqual(decoded('v1', 'ConfigMap', metadata), {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { finalizers: ['a', ''], labels: { key: '' } },
    });
  });

  test('have an empty key where an entry has none', () => {
    assert.deepEqual(pod(message(7, text(2, 'a'))), { nodeSelector: { '': 'a' } });
  });

  test('may hold messages', () => {
    const limits = message(1, text(1, 'cpu'), message(2, text(1, '2')));
    assert.deepEqual(pod(message(2, text(1, 'a'), message(8, limits))), {
      containers: [{ name: 'a', resources: { limits: { cpu: '2' } } }],
    });
  });

  test('with names of every object are but names', () => {
    const entry = message(2, text(1, '__proto__'), text(2, 'x'));
    const made = decodeObject(object('v1', 'ConfigMap', entry));
    assert.equal(JSON.stringify(made?.['data']), '{"__proto__":"x"}');
  });
});

test('fields without a name are among those of their owner', () => {
  const webhook = 'ValidatingAdmissionPolicy';
  const rules = message(
    3,
    text(1, 'web'),
    message(2, text(1, 'CREATE'), message(2, text(3, 'pods'))),
  );
  const spec = message(2, message(2, rules));
  assert.deepEqual(decoded('admissionregistration.k8s.io/v1', webhook, spec), {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: webhook,
    spec: {
      matchConstraints: {
        resourceRules: [{ resourceNames: ['web'], operations: ['CREATE'], resources: ['pods'] }],
      },
    },
  });
});

test('an absent time leaves its field out', () => {
  const metadata = message(1, text(1, 'one'), message(8), message(9, whole(1, 60n)));
  assert.deepEqual(decoded('v1', 'ConfigMap', metadata), {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'one', deletionTimestamp: '1970-01-01T00:01:00Z' },
  });
});
