import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commonHeaders, jsonReply, type Reply, send, textReply, warningHeaders } from './reply.ts';
import { type Answer, type Asked, exchange, openSite } from './testing.ts';

const { site } = openSite();

async function sent(reply: Reply, asked: Asked = {}): Promise<Answer> {
  const { response, ended, answer } = exchange('/', asked);
  send(site, response, reply);
  await ended();
  return answer();
}

test('an answer carries its type, its length in bytes and the time of the world', async () => {
  const { code, headers, text } = await sent(textReply(200, 'für'));
  assert.deepEqual([code, text], [200, 'für']);
  const { 'audit-id': id, connection: _connection, ...rest } = headers;
  assert.match(id ?? '', /^[0-9a-f-]{36}$/);
  assert.deepEqual(rest, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': '4',
    'cache-control': 'no-cache, private',
    date: 'Fri, 02 Jan 2026 00:00:00 GMT',
  });
  assert.notEqual(commonHeaders(site)['audit-id'], commonHeaders(site)['audit-id']);
});

test('JSON ends with a line feed, and is of its type', async () => {
  const { headers, text } = await sent(jsonReply(201, { a: 1 }));
  assert.deepEqual([headers['content-type'], text], ['application/json', '{"a":1}\n']);
  const yaml = await sent(jsonReply(200, {}, 'application/yaml'));
  assert.equal(yaml.headers['content-type'], 'application/yaml');
});

test('headers of the answer are sent, each as often as it has values', async () => {
  const headers = { warning: ['299 - "a"', '299 - "b"'], 'retry-after': '1' };
  const answer = await sent({ ...textReply(200, ''), headers });
  assert.equal(answer.headers['warning'], '299 - "a"\n299 - "b"');
  assert.equal(answer.headers['retry-after'], '1');
});

test('a HEAD and an unchanged document are answered without a body', async () => {
  const head = await sent(textReply(200, 'ok'), { method: 'HEAD' });
  assert.deepEqual([head.text, head.headers['content-length']], ['', '2']);
  const unchanged = await sent({ code: 304, type: 'a/b', body: 'ok' });
  assert.deepEqual([unchanged.text, unchanged.headers['content-length']], ['', undefined]);
});

test('of two answers only the first is sent, and none on a broken connection', async () => {
  const { response, ended, answer } = exchange('/');
  send(site, response, textReply(200, 'first'));
  send(site, response, textReply(500, 'second'));
  await ended();
  assert.deepEqual([answer().code, answer().text], [200, 'first']);
  const broken = exchange('/');
  broken.response.destroy();
  send(site, broken.response, textReply(200, 'late'));
  assert.equal(broken.response.headersSent, false);
});

test('warnings are quoted, in ASCII, and limited', () => {
  assert.deepEqual(warningHeaders([]), {});
  assert.deepEqual(warningHeaders(['unknown field "a\\b" für\n~ ']), {
    warning: ['299 - "unknown field \\"a\\\\b\\" f r ~ "'],
  });
  const many = Array.from({ length: 21 }, () => 'x'.repeat(1025));
  const { warning = [] } = warningHeaders(many);
  assert.equal(warning.length, 20);
  assert.equal(warning[0], `299 - "${'x'.repeat(1024)}"`);
});
