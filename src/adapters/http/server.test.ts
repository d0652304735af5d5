import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import {
  type HttpQuestion,
  type HttpServerOptions,
  openHttpServer,
  type OpenHttpServer,
} from './server.ts';

interface Scene {
  readonly port: number;
  readonly questions: HttpQuestion[];
  readonly bugs: unknown[];
  readonly server: OpenHttpServer;
}

async function served(context: TestContext, told: Partial<HttpServerOptions> = {}): Promise<Scene> {
  const questions: HttpQuestion[] = [];
  const bugs: unknown[] = [];
  const server = await openHttpServer({
    host: '127.0.0.1',
    port: 0,
    answer(question) {
      questions.push(question);
      return { status: 203, contentType: 'text/plain', body: 'wohl auf: grün\n' };
    },
    onBug: (error) => bugs.push(error),
    ...told,
  });
  context.after(async () => server.close());
  return { port: server.port, questions, bugs, server };
}

interface Client {
  readonly socket: Socket;
  /** All that came until the server ended the connection. */
  readonly ended: Promise<string>;
}

async function dial(port: number, text = ''): Promise<Client> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (part: string) => (received += part));
  socket.on('error', () => undefined);
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(received)));
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  socket.write(text);
  return { socket, ended };
}

function request(line: string, ...headers: readonly string[]): string {
  return [line, 'Host: a', ...headers, '', ''].join('\r\n');
}

const CLOSE = 'Connection: close';

test('a request is answered with status, type, length and body', async (context) => {
  const { port, questions } = await served(context);
  const client = await dial(port, request('GET /livez?verbose=1&a=%00 HTTP/1.1', CLOSE));
  const reply = await client.ended;
  assert.match(reply, /^HTTP\/1\.1 203 /);
  assert.match(reply, /^content-type: text\/plain\r$/im);
  assert.match(reply, /^content-length: 16\r$/im);
  assert.match(reply, /\r\n\r\nwohl auf: grün\n$/);
  assert.deepEqual(questions, [{ method: 'GET', path: '/livez' }]);
});

test('HEAD has the same head and no body', async (context) => {
  const { port } = await served(context);
  const reply = await (await dial(port, request('HEAD /livez HTTP/1.1', CLOSE))).ended;
  assert.match(reply, /content-length: 16\r\n/i);
  assert.match(reply, /\r\n\r\n$/);
});

test('a connection is kept for the next request', async (context) => {
  const { port, questions } = await served(context);
  const two = request('GET /a HTTP/1.1') + request('GET /b HTTP/1.1', CLOSE);
  await (await dial(port, two)).ended;
  assert.deepEqual(
    questions.map(({ path }) => path),
    ['/a', '/b'],
  );
});

test('a body is not taken for the next request', async (context) => {
  const { port, questions } = await served(context);
  const hidden = request('GET /hidden HTTP/1.1', CLOSE);
  const post = `${request('POST /a HTTP/1.1', `Content-Length: ${hidden.length}`)}${hidden}`;
  await (await dial(port, post)).ended;
  assert.deepEqual(questions, [{ method: 'POST', path: '/a' }]);
});

test('a body of unknown length is not taken for the next request either', async (context) => {
  const { port, questions } = await served(context);
  const hidden = request('GET /hidden HTTP/1.1');
  const chunks = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;
  const post = request('POST /a HTTP/1.1', 'Transfer-Encoding: chunked') + chunks;
  const reply = await (await dial(port, post)).ended;
  assert.match(reply, /^connection: close\r$/im);
  assert.deepEqual(questions, [{ method: 'POST', path: '/a' }]);
});

test('a request without a body leaves its connection open', async (context) => {
  const { port } = await served(context);
  for (const headers of [[], ['Content-Length: 0']]) {
    const client = await dial(port, request('GET /a HTTP/1.1', ...headers));
    const reply = await new Promise<string>((resolve) => client.socket.once('data', resolve));
    assert.match(reply, /^connection: keep-alive\r$/im);
    client.socket.destroy();
  }
});

test('an answer is kept and guessed at by nobody', async (context) => {
  const { port } = await served(context);
  const reply = await (await dial(port, request('GET /a HTTP/1.1', CLOSE))).ended;
  assert.match(reply, /^cache-control: no-store\r$/im);
  assert.match(reply, /^x-content-type-options: nosniff\r$/im);
});

test('a bug is reported, and the client learns nothing of it', async (context) => {
  const bug = new TypeError('secret of the program');
  const { port, bugs } = await served(context, {
    answer() {
      throw bug;
    },
  });
  const reply = await (await dial(port, request('GET /a HTTP/1.1', CLOSE))).ended;
  assert.match(reply, /^HTTP\/1\.1 500 .*\r\n\r\ninternal error\n$/s);
  assert.deepEqual(bugs, [bug]);
});

test('a head beyond the limit is refused', async (context) => {
  const { port, questions } = await served(context);
  const reply = await (await dial(port, request('GET /a HTTP/1.1', `A: ${'a'.repeat(9000)}`)))
    .ended;
  assert.match(reply, /^HTTP\/1\.1 431 /);
  assert.deepEqual(questions, []);
});

test('anything but HTTP is refused', async (context) => {
  const { port, questions } = await served(context);
  assert.match(
    await (await dial(port, '\u0016\u0003\u0001 hello\r\n\r\n')).ended,
    /^HTTP\/1\.1 400 /,
  );
  assert.deepEqual(questions, []);
});

test('a request that does not end is ended', async (context) => {
  const { port } = await served(context, { limits: { requestMs: 100 } });
  const reply = await (await dial(port, 'GET /a HTTP/1.1\r\nHost: a\r\n')).ended;
  assert.match(reply, /^HTTP\/1\.1 408 |^$/);
});

test('a silent connection is ended', async (context) => {
  const { port } = await served(context, { limits: { silenceMs: 50, requestMs: 60_000 } });
  assert.equal(await (await dial(port)).ended, '');
});

test('connections beyond the limit are dropped, and the others stay', async (context) => {
  const { port } = await served(context, { limits: { connectionsMost: 2 } });
  const [first] = [await dial(port), await dial(port)];
  assert.equal(await (await dial(port, request('GET /a HTTP/1.1', CLOSE))).ended, '');
  first.socket.write(request('GET /a HTTP/1.1', CLOSE));
  assert.match(await first.ended, /^HTTP\/1\.1 203 /);
});

test('closing ends open connections', async (context) => {
  const limits = { requestMs: 600_000, silenceMs: 600_000 };
  const { port, server } = await served(context, { limits });
  const client = await dial(port, `${request('GET /whole HTTP/1.1')}GET /half`);
  await new Promise<void>((resolve) => client.socket.once('data', () => resolve()));
  await server.close();
  await client.ended;
  await assert.rejects(dialed(port), /ECONNREFUSED/);
});

async function dialed(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
}

test('an address in use is an error of the system', async (context) => {
  const { port } = await served(context);
  await assert.rejects(served(context, { port }), /EADDRINUSE/);
});
