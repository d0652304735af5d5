import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeObject } from '../../../src/doors/kubernetes/protobuf/decode.ts';
import { messageName, messageOf } from '../../../src/doors/kubernetes/protobuf/messages.ts';
import { PROTOBUF_TABLE } from '../../../src/doors/kubernetes/protobuf/table.generated.ts';
import { WireError, wireFields } from '../../../src/doors/kubernetes/protobuf/wire.ts';

function varint(value: bigint): readonly number[] {
  const rest = BigInt.asUintN(64, value);
  return rest < 0x80n ? [Number(rest)] : [Number(rest & 0x7fn) + 0x80, ...varint(rest >> 7n)];
}

type Part = readonly number[];

function text(number: number, value: string): Part {
  return message(number, [...Buffer.from(value)]);
}

function message(number: number, ...parts: readonly Part[]): Part {
  const bytes = parts.flat();
  return [...varint(BigInt(number * 8 + 2)), ...varint(BigInt(bytes.length)), ...bytes];
}

function whole(number: number, value: bigint): Part {
  return [...varint(BigInt(number * 8)), ...varint(value)];
}

function object(apiVersion: string, kind: string, ...parts: readonly Part[]): Uint8Array {
  const type = message(1, text(1, apiVersion), text(2, kind));
  return Buffer.from([...Buffer.from('k8s\0'), ...type, ...message(2, ...parts)]);
}

test('a pod comes out as JSON has it', () => {
  const metadata = message(
    1,
    text(1, 'web'),
    text(3, ''),
    message(8),
    message(11, text(1, 'app'), text(2, 'web')),
    message(11, text(1, '__proto__'), text(2, 'x')),
  );
  const quantity = message(2, text(1, 'cpu'), message(2, text(1, '500m')));
  const probe = message(
    10,
    message(1, message(2, text(1, '/'), message(2, whole(1, 1n), text(3, 'http')))),
  );
  const container = message(
    2,
    text(1, 'main'),
    text(2, 'app:1'),
    message(8, quantity),
    probe,
    whole(18, 0n),
  );
  const volume = message(1, text(1, 'v'), message(2, message(2, text(1, 'Memory'))));
  const spec = message(2, volume, container, whole(4, 30n), whole(21, 0n), whole(25, -5n));
  const decoded = decodeObject(object('v1', 'Pod', metadata, spec));
  assert.equal(
    JSON.stringify(decoded?.['metadata']),
    '{"name":"web","labels":{"app":"web","__proto__":"x"}}',
  );
  const podSpec = decoded?.['spec'] as Readonly<Record<string, unknown>>;
  assert.deepEqual(podSpec['volumes'], [{ name: 'v', emptyDir: { medium: 'Memory' } }]);
  assert.deepEqual(podSpec['containers'], [
    {
      name: 'main',
      image: 'app:1',
      resources: { requests: { cpu: '500m' } },
      livenessProbe: { httpGet: { path: '/', port: 'http' } },
    },
  ]);
  assert.equal(podSpec['terminationGracePeriodSeconds'], 30);
  assert.equal(podSpec['automountServiceAccountToken'], false, 'said though it is false');
  assert.equal(podSpec['priority'], -5);
});

test('keeps a byte order mark at the beginning of a text', () => {
  const metadata = message(1, text(1, 'web'), message(12, text(1, 'a'), text(2, '\uFEFFx')));
  const decoded = decodeObject(object('v1', 'ConfigMap', metadata));
  assert.deepEqual(decoded?.['metadata'], { name: 'web', annotations: { a: '\uFEFFx' } });
});

test('distinguishes an unknown kind from bytes without one', () => {
  assert.equal(decodeObject(object('example.test/v1', 'Thing')), null);
  assert.throws(() => decodeObject(Buffer.from('{}')), WireError);
  assert.throws(() => decodeObject(Buffer.from('k8s\0\xff', 'latin1')), WireError);
});

test('lengths and numbers that lie are refused', () => {
  const lies: readonly (readonly number[])[] = [
    [0x0a, 0x05, 1],
    [0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f],
    [0x08, ...Array.from({ length: 11 }, () => 0xff)],
    [0x00],
    [0x0b],
    [0x09, 1, 2],
  ];
  for (const bytes of lies)
    assert.throws(() => [...wireFields(Uint8Array.from(bytes))], WireError, String(bytes));
});

test('no message contains itself', () => {
  const finished = new Set<string>();
  const visit = (name: string, path: readonly string[]): void => {
    assert.ok(!path.includes(name), [...path, name].join(' > '));
    if (finished.has(name)) return;
    for (const { coding } of messageOf(name)?.values() ?? []) {
      let inner = coding;
      while (inner.is === 'list' || inner.is === 'map') inner = inner.element;
      if (inner.is === 'message') visit(inner.name, [...path, name]);
    }
    finished.add(name);
  };
  for (const line of PROTOBUF_TABLE.trim().split('\n')) visit(line.split(' ')[0] ?? '', []);
  assert.ok(finished.size > 300);
});

test('every message that another one names is there', () => {
  const named = [...PROTOBUF_TABLE.matchAll(/@([\w/]+\.\w+)/g)].map(([, name = '']) => name);
  assert.ok(named.length > 300);
  for (const name of named) assert.notEqual(messageOf(name), null, name);
  assert.equal(messageName('rbac.authorization.k8s.io/v1', 'Role'), 'rbac/v1.Role');
  assert.notEqual(
    messageOf(messageName('authorization.k8s.io/v1', 'SelfSubjectAccessReview')),
    null,
  );
});
