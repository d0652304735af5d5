/** What the bytes of answers become: lines, events, objects and texts. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PortError } from '../../ports/port-error.ts';
import { answerText, jsonOf, malformed } from './answer.ts';
import { codeOf } from './environment.ts';
import { LineError, Lines } from './lines.ts';
import { resourceName, textOf } from './request-name.ts';
import { watchEvent } from './watch-event.ts';

const NAME = { verb: 'watch', resource: 'nodes' };
const SCENE = { server: 'https://one.test', name: NAME, nowMs: 0 };

async function* stream(...chunks: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

async function lines(bytesMax: number, ...chunks: readonly (string | Uint8Array)[]) {
  const found: string[] = [];
  try {
    const open = new Lines(bytesMax);
    for await (const chunk of stream(...chunks))
      for (const line of open.of(chunk)) found.push(line);
    open.end();
  } catch (error) {
    assert.ok(error instanceof LineError);
    found.push(`too ${error.what}: ${error.message}`);
  }
  return found;
}

function failureOf(call: () => unknown): readonly [string, string] {
  try {
    call();
  } catch (error) {
    if (error instanceof PortError) return [error.failure, error.message];
  }
  return ['none', ''];
}

describe('lines of a stream', () => {
  test('come as they end, across chunks, without blanks and empty ones', async () => {
    assert.deepEqual(await lines(100, 'a\nb', 'c\n\r\n', ' \n', '', 'd\r\n'), ['a', 'bc', 'd']);
    const [half, rest] = [Buffer.from('für\n').subarray(0, 2), Buffer.from('für\n').subarray(2)];
    assert.deepEqual(await lines(100, half, rest), ['für']);
    assert.deepEqual(await lines(100), []);
  });

  test('have a limit, also before their end', async () => {
    assert.deepEqual(await lines(3, 'abc\nabc\n'), ['abc', 'abc']);
    assert.deepEqual(await lines(3, 'ab', 'cd'), ['too long: a line is too long']);
    assert.deepEqual(await lines(3, 'a\nabcd\n'), ['a', 'too long: a line is too long']);
  });

  test('that do not end are half', async () => {
    assert.deepEqual(await lines(100, 'a\nb'), ['a', 'too half: a line is too half']);
    assert.deepEqual(await lines(100, 'a\n '), ['a']);
  });
});

describe('an event of a watch', () => {
  const object = { kind: 'Node', metadata: { name: 'a', resourceVersion: '7' } };
  const line = (type: unknown, more: object = object): string =>
    JSON.stringify({ type, object: more });

  test('has its type, its object and its version', () => {
    for (const type of ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'] as const)
      assert.deepEqual(watchEvent(line(type), SCENE), {
        type,
        object,
        resourceVersion: '7',
        endsInitialEvents: false,
      });
  });

  test('ends the initial events by the annotation of a bookmark', () => {
    const ends = (type: string, annotations: unknown): boolean =>
      watchEvent(line(type, { metadata: { resourceVersion: '7', annotations } }), SCENE)
        .endsInitialEvents;
    const mark = { 'k8s.io/initial-events-end': 'true' };
    assert.equal(ends('BOOKMARK', mark), true);
    assert.equal(ends('ADDED', mark), false);
    assert.equal(ends('BOOKMARK', { 'k8s.io/initial-events-end': 'false' }), false);
    assert.equal(ends('BOOKMARK', { other: 'true' }), false);
    assert.equal(ends('BOOKMARK', null), false);
  });

  test('that is half, or of an unknown type, is malformed', () => {
    const half =
      'https://one.test answered watch nodes with half an event, as when something between cuts ' +
      'it; compare: kubectl get --raw /version';
    for (const text of ['{"type":', '[]', 'null', '{}', '{"type":"ADDED"}', line('ADDED', [])])
      assert.deepEqual(
        failureOf(() => watchEvent(text, SCENE)),
        ['malformed', half],
        text,
      );
    for (const text of [
      line('NEW'),
      line(null),
      line('ADDED', {}),
      line('ADDED', { metadata: {} }),
    ])
      assert.match(
        failureOf(() => watchEvent(text, SCENE))[1],
        /with an event without a known type and a version,/,
      );
  });

  test('of an error is the failure that its Status says', () => {
    const error = (status: object): readonly [string, string] =>
      failureOf(() => watchEvent(line('ERROR', status), SCENE));
    const [gone, words] = error({ kind: 'Status', code: 410, message: 'too old version' });
    assert.equal(gone, 'expired');
    assert.match(words, /too old version/);
    assert.equal(error({ message: 'odd' })[0], 'unavailable');
    assert.equal(error({ code: 403, message: 'no' })[0], 'denied');
    const [unknown, refused] = error({ code: 401 });
    assert.equal(unknown, 'unauthenticated');
    assert.match(refused, /the credential of the watch.*kubectl auth whoami/);
  });
});

describe('a whole answer', () => {
  const read = (bytesMax: number, ...chunks: readonly string[]): Promise<string> =>
    answerText(Object.assign(stream(...chunks), { destroy: () => undefined }), bytesMax, () =>
      Object.assign(new Error('too big')),
    );

  test('is read up to its limit', async () => {
    assert.equal(await read(4, 'ab', 'cd'), 'abcd');
    await assert.rejects(read(3, 'ab', 'cd'), /^Error: too big$/);
    assert.equal(await read(0), '');
  });

  test('is an object of JSON, or malformed', () => {
    const scene = {
      server: 'https://one.test',
      name: { verb: 'get', resource: 'nodes' },
      headers: {},
    };
    assert.deepEqual(jsonOf('{"a":1}', scene), { a: 1 });
    const words = (text: string): string => failureOf(() => jsonOf(text, scene))[1];
    assert.match(words('{"a":'), /answered get nodes with half a JSON or none,/);
    assert.match(words(''), /half a JSON or none/);
    for (const text of ['[]', 'null', '7']) assert.match(words(text), /with no JSON object,/);
    const html = { ...scene, headers: { 'content-type': 'text/html' } };
    const [failure, message] = failureOf(() => jsonOf('<html><title>Sign in</title>', html));
    assert.equal(failure, 'malformed');
    assert.doesNotMatch(message, /JSON object/);
  });

  test('that is not one names what was asked', () => {
    assert.match(
      malformed('https://one.test', NAME, 'x').message,
      /^https:\/\/one\.test answered watch nodes with x,/,
    );
  });
});

test('a request is named in the words of RBAC', () => {
  const pods = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', isNamespaced: true };
  assert.equal(resourceName(pods), 'pods');
  assert.equal(resourceName({ ...pods, group: 'apps', plural: 'daemonsets' }), 'daemonsets.apps');
  assert.equal(textOf({ verb: 'get', resource: 'pods/log' }), 'get pods/log');
});

test('the code of an error is that of the system', () => {
  assert.equal(codeOf(Object.assign(new Error('x'), { code: 'ENOENT' })), 'ENOENT');
  for (const none of [null, undefined, new Error('x'), { code: 7 }]) assert.equal(codeOf(none), '');
});
