import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANSWER_BYTES_MAX, readAnswer } from './answer-guard.ts';
import type { HttpAnswer } from './clients.ts';
import { type NoAnswer, NoAnswerError } from './no-answer.ts';

function answer(body: unknown, statusCode = 200, headers: HttpAnswer['headers'] = {}): HttpAnswer {
  return { statusCode, headers, body };
}

/** What is wrong with an answer, null when nothing is. */
async function faultOf(given: HttpAnswer): Promise<NoAnswer | null> {
  try {
    await readAnswer(given);
    return null;
  } catch (error) {
    if (error instanceof NoAnswerError) return error.what;
    throw error;
  }
}

async function* chunks(...parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

test('joins a body in pieces and reads a missing one as empty', async () => {
  const pieces = answer(chunks(bytes('{"a"'), bytes(':1}')));
  assert.equal(await faultOf(pieces), null);
  assert.equal(Buffer.from(pieces.body as Uint8Array).toString(), '{"a":1}');
  for (const body of [undefined, null, 'a text', 7, {}]) {
    const nothing = answer(body);
    assert.equal(await faultOf(nothing), null);
    assert.deepEqual(nothing.body, new Uint8Array());
  }
});

test('an answer may have as many bytes as the limit says and not one more', async () => {
  const half = new Uint8Array(ANSWER_BYTES_MAX / 2);
  assert.equal(await faultOf(answer(chunks(half, half))), null);
  const more = answer(chunks(half, half, new Uint8Array(1)));
  assert.deepEqual(await faultOf(more), { kind: 'too-long' });
});

test('rejects a redirect and names only its host', async () => {
  const location = 'https://login.corp/path?token=secret';
  assert.deepEqual(await faultOf(answer(bytes(''), 302, { location })), {
    kind: 'redirect',
    status: 302,
    to: 'login.corp',
  });
  const nowhere = { kind: 'redirect', status: 300, to: null };
  assert.deepEqual(await faultOf(answer(bytes(''), 300, { location: '/login' })), nowhere);
  assert.deepEqual(await faultOf(answer(bytes(''), 399)), { ...nowhere, status: 399 });
  assert.equal(await faultOf(answer(bytes('{}'), 299)), null);
  assert.equal(await faultOf(answer(bytes('{}'), 400)), null);
});

test('rejects a web page', async () => {
  const pages = ['<!DOCTYPE html><p>', '<html>', '  \n<HTML lang="en">'];
  for (const page of pages)
    assert.deepEqual(await faultOf(answer(bytes(page), 502)), { kind: 'html', status: 502 });
  assert.equal(await faultOf(answer(bytes('{"Policy":"<html>"}'))), null);
  assert.equal(await faultOf(answer(bytes('<a><html></html></a>'))), null);
});

const WHOLE: readonly string[] = [
  '<DescribeResponse xmlns="x"><a/></DescribeResponse>',
  '<?xml version="1.0" encoding="UTF-8"?>\n<a:Response>1</a:Response>\n \n',
  '<a></a>',
  '<?xml version="1.0"?> <Empty/>',
  `<Response>${'x'.repeat(2000)}</Response>`,
  '{"not": "xml"}',
  '',
];

for (const text of WHOLE) {
  test(`a document is whole: ${text.slice(0, 40)}`, async () => {
    assert.equal(await faultOf(answer(bytes(text))), null);
  });
}

const CUT: readonly string[] = [
  '<DescribeResponse xmlns="x"><a/>'.padEnd(300, '<a/>'),
  '<DescribeResponse><item>1</item>',
  '<Response><Respo',
  '<Response></Respons',
  '<',
  '< >',
  `<${'n'.repeat(129)}></${'n'.repeat(129)}>`,
  '<?xml version="1.0"?>',
  `<a>${'<b/>'.repeat(80)}`,
];

for (const text of CUT) {
  test(`a document that stops in between is cut: ${text.slice(0, 40)}`, async () => {
    assert.deepEqual(await faultOf(answer(bytes(text))), { kind: 'cut' });
  });
}
