import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../../evidence/json.ts';
import { mediaType, parseBody, patchTypeOf, readBody } from './body.ts';
import { BODIES_BYTES_MAX, BODY_BYTES_MAX, BODY_DEPTH_MAX, YAML_VALUES_MAX } from './limits.ts';
import { object, text } from './protobuf/testing.ts';
import { DoorRefusal } from './status.ts';
import { type Asked, exchange, openSite } from './testing.ts';

const JSON_TYPE = 'application/json';
const YAML = 'application/yaml';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

function parsed(type: string, body: string | Uint8Array): Json {
  return parseBody(type, Buffer.from(body));
}

function refusal(type: string, body: string | Uint8Array): readonly [number, string] {
  try {
    parsed(type, body);
  } catch (error) {
    if (error instanceof DoorRefusal) return [error.code, error.message];
    throw error;
  }
  return [0, ''];
}

describe('reading a body', () => {
  const read = async (asked: Asked, arriving = { bytes: 0 }): Promise<string | number> => {
    const { site } = openSite({ arriving });
    try {
      return (await readBody(site, exchange('/', asked).request)).toString();
    } catch (error) {
      if (error instanceof DoorRefusal) return error.code;
      throw error;
    }
  };

  test('ends with its bytes, or at its limit', async () => {
    assert.equal(await read({}), '');
    assert.equal(await read({ body: 'für' }), 'für');
    const most = new Uint8Array(BODY_BYTES_MAX);
    assert.equal(String(await read({ body: most })).length, BODY_BYTES_MAX);
    assert.equal(await read({ body: new Uint8Array(BODY_BYTES_MAX + 1) }), 413);
  });

  test('does not begin when too much is announced', async () => {
    const announced = (bytes: number): Asked => ({
      headers: [['content-length', String(bytes)]],
      body: 'x',
    });
    assert.equal(await read(announced(BODY_BYTES_MAX)), 'x');
    assert.equal(await read(announced(BODY_BYTES_MAX + 1)), 413);
  });

  test('counts with all that arrive at once, until it has been read', async () => {
    const arriving = { bytes: BODIES_BYTES_MAX - 3 };
    assert.equal(await read({ body: 'abc' }, arriving), 'abc');
    assert.equal(await read({ body: 'abcd' }, arriving), 429);
    assert.equal(arriving.bytes, BODIES_BYTES_MAX - 3);
  });
});

test('the media type is what comes before its parameters, else JSON', () => {
  const typeOf = (value: string): string =>
    mediaType(exchange('/', { headers: [['content-type', value]] }).request);
  assert.equal(typeOf(' Application/YAML ; charset=utf-8'), YAML);
  assert.equal(typeOf(';charset=utf-8'), JSON_TYPE);
  assert.equal(mediaType(exchange('/').request), JSON_TYPE);
});

test('a patch is of one of four kinds, of custom objects of three', () => {
  for (const [type, kind, isOfCustom] of [
    ['application/json-patch+json', 'json', true],
    ['application/merge-patch+json', 'merge', true],
    ['application/apply-patch+yaml', 'apply', true],
    ['application/strategic-merge-patch+json', 'strategic', false],
  ] as const) {
    assert.equal(patchTypeOf(type, false), kind);
    if (isOfCustom) assert.equal(patchTypeOf(type, true), kind);
    else assert.throws(() => patchTypeOf(type, true), { code: 415 });
  }
  assert.throws(() => patchTypeOf(JSON_TYPE, false), {
    code: 415,
    message:
      'the body of the request was in an unknown format - accepted media types include: ' +
      'application/json-patch+json, application/merge-patch+json, ' +
      'application/strategic-merge-patch+json, application/apply-patch+yaml',
  });
});

describe('a body', () => {
  test('is parsed by its type, and nothing is null', () => {
    const body = { a: [1, 'b'] };
    assert.deepEqual(parsed(JSON_TYPE, JSON.stringify(body)), body);
    assert.deepEqual(parsed('application/merge-patch+json', JSON.stringify(body)), body);
    assert.deepEqual(parsed(YAML, 'a: [1, b]'), body);
    assert.deepEqual(parsed('application/apply-patch+yaml', 'a: [1, b]'), body);
    assert.deepEqual(parsed(PROTOBUF, object('v1', 'ConfigMap')), {
      apiVersion: 'v1',
      kind: 'ConfigMap',
    });
    for (const type of [JSON_TYPE, YAML, PROTOBUF, 'text/plain'])
      assert.equal(parsed(type, ''), null);
  });

  test('of another type is refused with those that are accepted', () => {
    const words =
      'the body of the request was in an unknown format - accepted media types include: ';
    const known = `${JSON_TYPE}, ${YAML}`;
    assert.deepEqual(refusal('text/plain', 'x'), [415, `${words}${known}, ${PROTOBUF}`]);
    const thing = object('example.test/v1', 'Thing');
    assert.deepEqual(refusal(PROTOBUF, thing), [415, `${words}${known}`]);
  });

  test('that is broken is refused', () => {
    for (const type of [JSON_TYPE, YAML])
      assert.deepEqual(refusal(type, Uint8Array.of(0x22, 0xff, 0x22)), [
        400,
        'the body of the request is not valid UTF-8',
      ]);
    const [json, word] = refusal(JSON_TYPE, '{"a":');
    assert.equal(json, 400);
    assert.match(word, /^error decoding the body: ./);
    const [yaml, reason] = refusal(YAML, 'a: [');
    assert.equal(yaml, 400);
    assert.match(reason, /^error parsing YAML: [^\n]+$/);
    const short = object('v1', 'ConfigMap', text(1, 'x'));
    assert.deepEqual(refusal(PROTOBUF, short.subarray(0, -1)), [
      400,
      'error decoding the body: a field is longer than its message',
    ]);
  });

  test('is quoted in a refusal up to a limit', () => {
    const [, message] = refusal(YAML, `{${'x'.repeat(1000)}: *${'y'.repeat(1000)}}`);
    assert.equal(message.length, 'error parsing YAML: '.length + 300);
  });
});

describe('depth', () => {
  const nested = (open: string, close: string, levels: number): string =>
    open.repeat(levels) + close.repeat(levels);

  test('of JSON has a limit, for lists and objects', () => {
    const tooDeep = [400, 'exceeded max depth'];
    assert.deepEqual(refusal(JSON_TYPE, nested('[', ']', BODY_DEPTH_MAX)), [0, '']);
    assert.deepEqual(refusal(JSON_TYPE, nested('[', ']', BODY_DEPTH_MAX + 1)), tooDeep);
    const objects = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    assert.deepEqual(refusal(JSON_TYPE, objects(BODY_DEPTH_MAX)), [0, '']);
    assert.deepEqual(refusal(JSON_TYPE, objects(BODY_DEPTH_MAX + 1)), tooDeep);
  });

  test('of JSON does not count what is closed, or within texts', () => {
    const flat = Array.from({ length: BODY_DEPTH_MAX + 1 }, () => '[{}]').join(',');
    assert.deepEqual(refusal(JSON_TYPE, `[${flat}]`), [0, '']);
    const brackets = '[{'.repeat(BODY_DEPTH_MAX);
    assert.equal(parsed(JSON_TYPE, JSON.stringify(brackets)), brackets);
    const quoted = `"\\\\\\"${brackets}`;
    assert.equal(parsed(JSON_TYPE, JSON.stringify(quoted)), quoted);
    const closing = JSON.stringify([']'.repeat(50)]);
    const deep = nested('[', ']', BODY_DEPTH_MAX + 1);
    assert.equal(refusal(JSON_TYPE, `[${closing},${deep}]`)[1], 'exceeded max depth');
  });

  test('of YAML has the same limit', () => {
    assert.equal(refusal(YAML, nested('[', ']', BODY_DEPTH_MAX - 1))[0], 0);
    assert.equal(refusal(YAML, nested('[', ']', BODY_DEPTH_MAX + 2))[0], 400);
  });
});

describe('YAML', () => {
  test('is what JSON has', () => {
    assert.deepEqual(parsed(YAML, 'a: 1\nb: true\nc: null\nd:\ne: 2026-01-02\n'), {
      a: 1,
      b: true,
      c: null,
      d: null,
      e: '2026-01-02',
    });
    const message = 'error parsing YAML: a value is not one that JSON has';
    for (const value of ['.nan', '.inf', '-.inf'])
      assert.deepEqual(refusal(YAML, `a: ${value}`), [400, message]);
  });

  test('does not share parts that an alias repeats', () => {
    const value = parsed(YAML, 'a: &x {k: [1]}\nb: *x\n') as { a: object; b: object };
    assert.deepEqual(value.b, { k: [1] });
    assert.notEqual(value.a, value.b);
  });

  test('has a limit to what its aliases make', () => {
    const rows = Math.ceil(YAML_VALUES_MAX / 50);
    const grown = `a: &x [${'1,'.repeat(rows)}]\nb: [${'*x,'.repeat(51)}]\n`;
    const message = 'error parsing YAML: the document is too large';
    assert.deepEqual(refusal(YAML, grown), [400, message]);
    assert.equal(refusal(YAML, grown.replace(/(\*x,)+/, '*x,*x,'))[0], 0);
  });
});
