import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectPlain, type Socket } from 'node:net';
import { after, afterEach, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { textAt } from '../../../src/evidence/json.ts';
import { ask, open } from './ask.ts';
import { type Cluster, openCluster, TOKEN } from './fixture.ts';

const LIMITS = {
  headTimeoutMs: 400,
  requestTimeoutMs: 800,
  checkEveryMs: 100,
  connectionsMax: 40,
  streamsMax: 5,
  unreadBytesMax: 64 * 1024,
};

let cluster: Cluster;
const thrown: unknown[] = [];
const keepThrown = (error: unknown): void => {
  thrown.push(error);
};

before(async () => {
  process.on('uncaughtExceptionMonitor', keepThrown);
  cluster = await openCluster({ limits: LIMITS });
});

after(async () => {
  process.removeListener('uncaughtExceptionMonitor', keepThrown);
  await cluster.close();
});

afterEach(async () => {
  assert.deepEqual(thrown, []);
  const answer = await ask(cluster.door, '/api/v1/namespaces/default');
  assert.equal(answer.code, 200, answer.text);
});

async function tls(): Promise<TLSSocket> {
  const { port, caPem } = cluster.door;
  const socket = connectTls({ host: '127.0.0.1', port, ca: caPem });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  return socket;
}

/** What the server said until it closed the connection. */
async function untilClosed(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  socket.on('error', () => undefined);
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

const HEAD = `host: x\r\nauthorization: Bearer ${TOKEN}\r\n`;

test('closes the connection on bytes that are not TLS', async () => {
  for (const text of ['\0'.repeat(1000), 'GET / HTTP/1.1\r\n\r\n', '\x16\x03\x01\xff\xff']) {
    const socket = connectPlain(cluster.door.port, '127.0.0.1');
    socket.write(text);
    await untilClosed(socket);
  }
});

test('answers 400 to bytes that are not HTTP and closes', async () => {
  for (const text of ['garbage\r\n\r\n', 'GET\r\n\r\n', `GET / HTTP/9.9\r\n${HEAD}\r\n`]) {
    const socket = await tls();
    socket.write(text);
    assert.match(await untilClosed(socket), /^HTTP\/1\.1 400 /);
  }
});

test('closes a silent connection, before and after the handshake', async () => {
  await untilClosed(connectPlain(cluster.door.port, '127.0.0.1'));
  await untilClosed(await tls());
});

test('gives up on headers that come letter by letter', async () => {
  const socket = await tls();
  const timer = setInterval(() => socket.write('x'), 50);
  socket.write('GET /api HTTP/1.1\r\nx-slow: ');
  assert.match(await untilClosed(socket), /^HTTP\/1\.1 408 /);
  clearInterval(timer);
});

test('gives up on a body that comes letter by letter', async () => {
  const socket = await tls();
  const timer = setInterval(() => socket.write('1\r\n \r\n'), 50);
  const path = '/api/v1/namespaces/default/configmaps';
  socket.write(`POST ${path} HTTP/1.1\r\n${HEAD}transfer-encoding: chunked\r\n\r\n`);
  await untilClosed(socket);
  clearInterval(timer);
});

test('more header than there is room for is answered 431', async () => {
  const socket = await tls();
  socket.write(`GET /api HTTP/1.1\r\n${HEAD}x-long: ${'x'.repeat(64 * 1024)}\r\n\r\n`);
  assert.match(await untilClosed(socket), /^HTTP\/1\.1 431 /);
  const many = await tls();
  const flood = Array.from({ length: 10_000 }, (_, index) => `x-${index}: 1\r\n`).join('');
  many.write(`GET /api HTTP/1.1\r\n${HEAD}${flood}\r\n`);
  assert.match(await untilClosed(many), /^HTTP\/1\.1 431 /);
});

test('a body that is announced too large is refused before it comes', async () => {
  const socket = await tls();
  const path = '/api/v1/namespaces/default/configmaps';
  socket.write(`POST ${path} HTTP/1.1\r\n${HEAD}content-length: 99999999999\r\n\r\n`);
  const said = await untilClosed(socket);
  assert.match(said, /^HTTP\/1\.1 413 /);
  assert.match(said, /"message":"Request entity too large: limit is 3145728"/);
});

test('a body without an end is refused at the limit', async () => {
  const socket = await tls();
  const path = '/api/v1/namespaces/default/configmaps';
  socket.write(`POST ${path} HTTP/1.1\r\n${HEAD}transfer-encoding: chunked\r\n\r\n`);
  const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
  for (let count = 0; count < 80 && socket.writable; count++) socket.write(chunk);
  assert.match(await untilClosed(socket), /^(HTTP\/1\.1 413 |$)/);
});

test('a body of just the limit is read', async () => {
  const body = `{"a":"${'x'.repeat(3 * 1024 * 1024 - 8)}"}`;
  const path = '/api/v1/namespaces/default/configmaps';
  const { code, json } = await ask(cluster.door, path, { method: 'POST', body });
  assert.ok(code === 400 || code === 422, String(code));
  assert.equal(json['kind'], 'Status');
  const more = await ask(cluster.door, path, { method: 'POST', body: `${body} ` });
  assert.equal(more.code, 413);
});

test('documents that would grow are refused', async () => {
  const path = '/api/v1/namespaces/default/configmaps/a?fieldManager=me';
  const bomb = ['a: &a [x,x,x,x,x,x,x,x,x,x]'];
  for (let level = 0; level < 12; level++) {
    const [own, last] = ['bcdefghijklm'[level], 'abcdefghijkl'[level]];
    bomb.push(`${own}: &${own} [${Array.from({ length: 9 }, () => `*${last}`).join(',')}]`);
  }
  const cases = [
    bomb.join('\n'),
    'a: &a [*a]',
    '['.repeat(5000),
    '&a '.repeat(2000),
    '? '.repeat(500),
  ];
  for (const body of cases) {
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const answer = await ask(cluster.door, path, { method: 'PATCH', headers, body });
    assert.equal(answer.code, 400, answer.text.slice(0, 300));
  }
});

test('names of what every object has are but names', async () => {
  const path = '/api/v1/namespaces/default/configmaps';
  const body =
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"odd"},' +
    '"data":{"__proto__":"1","constructor":"2"},"__proto__":{"polluted":1}}';
  const { code, text } = await ask(cluster.door, path, { method: 'POST', body });
  assert.ok(code === 201 || code === 400 || code === 422, text);
  assert.equal(({} as { polluted?: number }).polluted, undefined);
  for (const name of ['__proto__', 'constructor', 'toString']) {
    assert.equal((await ask(cluster.door, `/api/v1/${name}`)).code, 404, name);
    assert.equal((await ask(cluster.door, `/apis/${name}/v1/${name}`)).code, 404, name);
    assert.equal((await ask(cluster.door, `/apis/${name}`)).code, 404, name);
    const review = `/apis/authorization.k8s.io/v1/${name}`;
    assert.equal((await ask(cluster.door, review, { method: 'POST', body: {} })).code, 404, name);
  }
});

test('rejects targets that are not paths', async () => {
  for (const target of ['*', 'http://other/api', '//x', '/%00', '/\\x']) {
    const socket = await tls();
    socket.write(`GET ${target} HTTP/1.1\r\n${HEAD}connection: close\r\n\r\n`);
    assert.match(await untilClosed(socket), /^HTTP\/1\.1 4\d\d /, target);
  }
});

test('rejects unsupported methods and upgrades', async () => {
  const lines = [
    `CONNECT other:443 HTTP/1.1\r\n${HEAD}\r\n`,
    `TRACE /api HTTP/1.1\r\n${HEAD}connection: close\r\n\r\n`,
    `GET /api/v1/namespaces/default/pods/a/exec HTTP/1.1\r\n${HEAD}connection: close, upgrade\r\nupgrade: websocket\r\n\r\n`,
  ];
  for (const line of lines) {
    const socket = await tls();
    socket.write(line);
    assert.match(await untilClosed(socket), /^($|HTTP\/1\.1 [45]\d\d )/, line);
  }
});

test('protocol buffers of any bytes are refused or read, never more', async () => {
  const path = '/api/v1/namespaces/default/configmaps';
  const headers = { 'content-type': 'application/vnd.kubernetes.protobuf' };
  let seed = 7;
  const next = (): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return seed >>> 16;
  };
  const head = Buffer.from('k8s\0\n\x0f\n\x02v1\x12\x09ConfigMap\x12', 'latin1');
  for (let round = 0; round < 100; round++) {
    const tail = Buffer.from(Array.from({ length: next() % 60 }, () => next() & 0xff));
    const body = Buffer.concat([head, Buffer.from([tail.byteLength]), tail]);
    const { code, text } = await ask(cluster.door, path, { method: 'POST', headers, body });
    assert.ok(code >= 400 && code < 500, text);
  }
});

test('connections beyond the limit are closed, and the others are served', async () => {
  const sockets: Socket[] = [];
  for (let count = 0; count < LIMITS.connectionsMax * 5; count++) {
    const socket = connectPlain(cluster.door.port, '127.0.0.1');
    socket.on('error', () => undefined);
    sockets.push(socket);
  }
  await Promise.all(sockets.map(async (socket) => untilClosed(socket)));
});

test('one watch too many is answered 429', async () => {
  const path = '/api/v1/namespaces?watch=true';
  const watches = await Promise.all(
    Array.from({ length: LIMITS.streamsMax }, () => open(cluster.door, path)),
  );
  const refused = await ask(cluster.door, path);
  assert.equal(refused.code, 429);
  assert.equal(refused.headers['retry-after'], '1');
  for (const watch of watches) watch.close();
  await cluster.untilWatches(0);
  const again = await open(cluster.door, path);
  again.close();
  assert.equal(again.code, 200);
});

test('a watcher that does not read is cut off', async () => {
  const socket = await tls();
  socket.pause();
  socket.write(`GET /api/v1/configmaps?watch=true HTTP/1.1\r\n${HEAD}\r\n`);
  const large = { text: 'x'.repeat(500_000) };
  for (let count = 0; count < 40; count++) {
    const metadata = { name: `large-${count}`, namespace: 'default' };
    assert.ok(
      cluster.admin.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: large }).ok,
    );
    await sleep(5);
  }
  socket.resume();
  const said = await untilClosed(socket);
  assert.ok(said.length < 40 * 500_000, String(said.length));
});

test('an error of the world is answered 500 without its words, and reported as a bug', async () => {
  const bug = new RangeError('a secret of the program');
  const fail = (): never => {
    throw bug;
  };
  const broken = await openCluster({
    wrap: (api) => ({ ...api, answer: fail, watch: fail }),
  });
  try {
    for (const path of ['/api/v1/nodes', '/api/v1/nodes?watch=true']) {
      const { code, json, text } = await ask(broken.door, path);
      assert.equal(code, 500);
      assert.equal(textAt(json, 'reason'), 'InternalError');
      assert.ok(!text.includes('secret'));
      assert.deepEqual(broken.bugs.splice(0), [bug]);
    }
  } finally {
    await broken.close();
  }
});

test('a token longer than any is looked up nowhere', async () => {
  const asked: number[] = [];
  const spied = await openCluster({
    wrap: (api) => ({
      ...api,
      authenticate: (credential) => {
        asked.push(credential.bearerToken?.length ?? 0);
        return api.authenticate(credential);
      },
    }),
  });
  try {
    for (const length of [16_384, 16_385])
      assert.equal((await ask(spied.door, '/api', { token: 'x'.repeat(length) })).code, 401);
    assert.deepEqual(asked, [16_384]);
  } finally {
    await spied.close();
  }
});

test('survives a caller that leaves in the middle of a body', async () => {
  const socket = await tls();
  const path = '/api/v1/namespaces/default/configmaps';
  socket.write(`POST ${path} HTTP/1.1\r\n${HEAD}expect: 100-continue\r\ncontent-length: 9\r\n\r\n`);
  await once(socket, 'data');
  socket.destroy();
  await ask(cluster.door, '/healthz');
  assert.deepEqual(cluster.bugs, []);
});

test('closing ends open connections', async () => {
  const other = await openCluster();
  const watch = await open(other.door, '/api/v1/nodes?watch=true');
  const idle = connectPlain(other.door.port, '127.0.0.1');
  idle.on('error', () => undefined);
  await once(idle, 'connect');
  await other.close();
  await watch.ended;
  await untilClosed(idle);
});
