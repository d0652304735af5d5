import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { createServer as createTcp } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import type { HostRequest } from '../../ports/host.ts';
import { sendRequest } from './request.ts';
import { failsWith, handClock, type HandClock } from './testing.ts';

/** A test that waits for what never comes fails soon. */
const LIMIT = { timeout: 3000 };

async function portOf(context: TestContext, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function served(context: TestContext, answer: Answer): Promise<string> {
  return `http://127.0.0.1:${await portOf(context, createServer(answer))}/x`;
}

async function ask(url: string, change: Partial<HostRequest> = {}, clock: HandClock = handClock()) {
  return sendRequest({ url, timeoutMs: 5000, bytesMax: 1000, ...change }, clock);
}

describe('a request', () => {
  test('has the method and headers that it is given, and GET without', LIMIT, async (context) => {
    const url = await served(context, ({ method, url: path, headers }, response) =>
      response.end(`${method ?? ''} ${path ?? ''} ${String(headers['x-token'] ?? 'none')}`),
    );
    assert.equal((await ask(url)).body, 'GET /x none');
    const put = await ask(url, { method: 'PUT', headers: { 'X-Token': 'abc' } });
    assert.equal(put.body, 'PUT /x abc');
  });

  test('is answered with status, headers and text', LIMIT, async (context) => {
    const url = await served(context, (_, response) => {
      response.writeHead(404, { 'X-One': 'a', 'Set-Cookie': ['b', 'c'] });
      response.write('grü');
      response.end('n');
    });
    const { status, headers, body } = await ask(url);
    assert.deepEqual(
      [status, headers['x-one'], headers['set-cookie'], body],
      [404, 'a', 'b, c', 'grün'],
    );
  });

  test('follows no redirect', LIMIT, async (context) => {
    const url = await served(context, (_, response) =>
      response.writeHead(302, { Location: '/other' }).end(),
    );
    assert.equal((await ask(url)).status, 302);
  });

  test('takes as many bytes as it may, and no more', LIMIT, async (context) => {
    const url = await served(context, (_, response) => response.end('x'.repeat(10)));
    assert.equal((await ask(url, { bytesMax: 10 })).body, 'xxxxxxxxxx');
    const message = `${url} answered with more than 9 bytes.`;
    await assert.rejects(ask(url, { bytesMax: 9 }), failsWith('malformed', message));
  });

  test('counts the bytes of all chunks together', LIMIT, async (context) => {
    const url = await served(context, (_, response) => {
      response.write('x'.repeat(8));
      setImmediate(() => response.end('x'.repeat(8)));
    });
    const message = `${url} answered with more than 9 bytes.`;
    await assert.rejects(ask(url, { bytesMax: 9 }), failsWith('malformed', message));
  });
});

describe('a request fails', () => {
  test('ends at its limit, and its timer with the answer', LIMIT, async (context) => {
    const clock = handClock();
    const url = await served(context, (request, response) => {
      if (request.method === 'HEAD') response.end();
      else clock.pass(5000);
    });
    await ask(url, { method: 'HEAD' }, clock);
    await new Promise(setImmediate);
    assert.equal(clock.sleeping(), 0);
    const message = `${url} did not answer within 5 s.`;
    await assert.rejects(ask(url, {}, clock), failsWith('timeout', message));
  });

  test('ends at its limit while the answer comes', LIMIT, async (context) => {
    const clock = handClock();
    const url = await served(context, (_, response) => {
      response.write('x');
      setImmediate(() => clock.pass(5000));
    });
    await assert.rejects(
      ask(url, {}, clock),
      failsWith('timeout', `${url} did not answer within 5 s.`),
    );
  });

  test('tells a port that nobody listens on, and what is not HTTP', LIMIT, async (context) => {
    const talking = createTcp((socket) => socket.resume().end('hello\r\n\r\n'));
    const url = `http://127.0.0.1:${await portOf(context, talking)}/`;
    const words = `${url} answered something that is not HTTP.`;
    await assert.rejects(ask(url), failsWith('malformed', words));
    const gone = createTcp();
    const closed = `http://127.0.0.1:${await portOf(context, gone)}/`;
    await new Promise((resolve) => gone.close(resolve));
    await assert.rejects(
      ask(closed),
      failsWith('unreachable', `${closed} refused the connection.`),
    );
  });

  test('tells a server that closes before the end of its answer', LIMIT, async (context) => {
    const url = await served(context, (_, response) => {
      response.writeHead(200, { 'Content-Length': '10' });
      response.write('x', () => response.destroy());
    });
    const words = `${url} closed the connection before it answered.`;
    await assert.rejects(ask(url), failsWith('unreachable', words));
  });

  test('is made over HTTP and HTTPS alone', LIMIT, async (context) => {
    for (const url of ['file:///etc/passwd', 'ftp://127.0.0.1/', 'nothing', '']) {
      const words = `${url} is not an http or https address.`;
      await assert.rejects(ask(url), failsWith('invalid', words));
    }
    const plain = await served(context, (_, response) => response.end());
    const secure = plain.replace('http:', 'https:');
    await assert.rejects(ask(secure), /ended the TLS handshake|closed the connection/);
  });
});
