/** Callers that are not who they say, or send what no client sends. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { type OpenedAws, openAws } from '../../../src/adapters/aws/open.ts';
import { failureOf, testClock } from '../../../src/adapters/aws/testing.ts';
import { smallAws } from '../../sim/aws/world.ts';
import { awsSite, environmentOf, openDoorTo } from './site.ts';

interface Reply {
  readonly status: number;
  readonly text: string;
}

async function send(
  url: string,
  options: {
    readonly method?: string;
    readonly headers?: Record<string, string>;
    readonly body?: string;
  },
): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const sent = request(
    url,
    { method: options.method ?? 'POST', headers: options.headers ?? {} },
    (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
      });
    },
  );
  sent.on('error', reject);
  sent.end(options.body ?? '');
  return promise;
}

function openWith(t: TestContext, env: Readonly<Record<string, string>>): OpenedAws {
  const opened = openAws({
    region: null,
    profile: null,
    env,
    clock: testClock(),
    random: { next: () => 0.5 },
  });
  t.after(() => {
    opened.close();
  });
  return opened;
}

test('a wrong secret and an unknown key are refused, and nothing is asked', async (t) => {
  const { aws, admin, door } = await awsSite(t);
  for (const [key, secret] of [
    [admin.accessKeyId, 'guessed'],
    ['AKIAAAAAAAAAAAAAAAAA', aws.secretOf(admin.accessKeyId) ?? ''],
  ] as const) {
    const opened = openWith(t, environmentOf(door.url, key, secret));
    assert.equal((await failureOf(opened)).failure, 'unauthenticated');
    const eks = { service: 'eks', operation: 'ListClusters', input: {} } as const;
    assert.equal((await failureOf(opened, eks)).failure, 'unauthenticated');
  }
  assert.equal(aws.controls.calls().size, 0);
});

test('temporary keys need their token', async (t) => {
  const { aws, door, roleArn } = await awsSite(t);
  const keys = aws.credentialsOf(roleArn, 'i-0');
  const env = environmentOf(door.url, keys.accessKeyId, keys.secretAccessKey);
  assert.equal((await failureOf(openWith(t, env))).failure, 'unauthenticated');
  const whole = openWith(t, { ...env, AWS_SESSION_TOKEN: keys.sessionToken });
  const pages = [];
  for await (const page of whole.pages({
    service: 'sts',
    operation: 'GetCallerIdentity',
    input: {},
  }))
    pages.push(page);
  assert.equal(pages[0]?.['Arn'], 'arn:aws:sts::123456789012:assumed-role/lab-node/i-0');
  const refusal = await failureOf(whole, {
    service: 'ec2',
    operation: 'DescribeVpcEndpoints',
    input: {},
  });
  assert.deepEqual([refusal.failure, refusal.permission], ['denied', 'ec2:DescribeVpcEndpoints']);
});

test('a signature of another day is refused', async (t) => {
  const { aws, admin } = smallAws();
  const nowMs = (): number => Date.parse('2031-01-01T00:00:00Z');
  const door = await openDoorTo(t, { cloud: aws, nowMs });
  const env = environmentOf(door.url, admin.accessKeyId, aws.secretOf(admin.accessKeyId) ?? '');
  const eks = { service: 'eks', operation: 'ListClusters', input: {} } as const;
  const failure = await failureOf(openWith(t, env), eks);
  assert.match(failure.message, /clock/);
  assert.equal((await failureOf(openWith(t, env))).failure, 'unauthenticated');
});

test('another region is not this one', async (t) => {
  const { door, env } = await awsSite(t);
  const opened = openWith(t, { ...env, AWS_REGION: 'eu-west-1' });
  assert.equal((await failureOf(opened)).failure, 'unauthenticated');
  assert.ok(door.url.startsWith('http://127.0.0.1:'));
});

/** What a client would have sent, caught on its way. */
async function caught(
  t: TestContext,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly headers: Record<string, string>; readonly body: string }> {
  let headers: Record<string, string> = {};
  let chunks: Buffer[] = [];
  const trap = createServer((incoming, response) => {
    const entries = Object.entries(incoming.headers);
    headers = Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
    chunks = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => response.writeHead(400).end());
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  trap.listen(0, '127.0.0.1', resolve);
  await promise;
  t.after(() => trap.close());
  const { port } = trap.address() as AddressInfo;
  await failureOf(openWith(t, { ...env, AWS_ENDPOINT_URL: `http://127.0.0.1:${port}` }));
  const { connection: _connection, ...others } = headers;
  return { headers: others, body: Buffer.concat(chunks).toString() };
}

test('a request may be sent as it was signed, and not with another body', async (t) => {
  const { door, env, aws } = await awsSite(t);
  const { headers, body } = await caught(t, env);
  assert.match(body, /^Action=DescribeInstances&/);
  assert.equal((await send(door.url, { headers, body })).status, 200);
  const changed = body.replace('DescribeInstances', 'DescribeAddresses');
  assert.equal(changed.length, body.length);
  assert.equal((await send(door.url, { headers, body: changed })).status, 401);
  assert.deepEqual(aws.controls.calls(), new Map([['ec2:DescribeInstances', 1]]));
});

test('answers unsigned and badly signed requests with an error only', async (t) => {
  const { door } = await awsSite(t);
  const cases: readonly (readonly [Record<string, string>, number, string])[] = [
    [{}, 403, 'MissingAuthenticationToken'],
    [{ authorization: 'Basic eDp5' }, 400, 'IncompleteSignature'],
    [
      { authorization: `AWS4-HMAC-SHA256 Credential=${'/'.repeat(500)}` },
      400,
      'IncompleteSignature',
    ],
    [{ authorization: signed('s3'), 'x-amz-date': '20260302T090000Z' }, 404, 'UnknownService'],
    [{ authorization: signed('ec2'), 'x-amz-date': '20260302T090000Z' }, 401, 'AuthFailure'],
  ];
  for (const [headers, status, code] of cases) {
    const { status: got, text } = await send(door.url, { headers, body: 'Action=DescribeVpcs' });
    assert.equal(got, status, text);
    assert.match(text, new RegExp(`<Code>${code}</Code>`));
  }
});

function signed(service: string): string {
  const scope = `AKIAAAAAAAAAAAAAAAAA/20260302/us-west-2/${service}/aws4_request`;
  return `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=${'0'.repeat(64)}`;
}

test('a body that is too large is cut off and the next caller is served', async (t) => {
  const { door } = await awsSite(t);
  const body = 'x'.repeat(1_100_000);
  const large = await send(door.url, { body }).catch(() => ({ status: 413, text: '' }));
  assert.equal(large.status, 413);
  assert.equal((await send(door.url, {})).status, 403);
});

test('rejects headers that are too large and bytes that are not HTTP', async (t) => {
  const { door } = await awsSite(t);
  const headers = { 'x-filler': 'a'.repeat(20_000) };
  const large = await send(door.url, { headers }).catch(() => ({ status: 431, text: '' }));
  assert.ok(large.status === 431 || large.status === 400, String(large.status));
  assert.match(await raw(door.port, '\u0016\u0003\u0001 TLS?\r\n\r\n'), /^HTTP\/1\.1 400 /);
  assert.equal((await send(door.url, {})).status, 403);
});

async function raw(port: number, text: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect(port, '127.0.0.1', () => socket.write(text));
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => {
    resolve(Buffer.concat(chunks).toString());
  });
  socket.on('close', () => {
    resolve(Buffer.concat(chunks).toString());
  });
  return promise;
}

test('an error of the world is answered 500 without its words, and reported as a bug', async (t) => {
  const { aws, env } = await awsSite(t);
  const bug = new RangeError('a secret of the program');
  const answer = (): never => {
    throw bug;
  };
  const bugs: unknown[] = [];
  const onBug = (told: unknown): void => {
    bugs.push(told);
  };
  const cloud = Object.create(aws, { answer: { value: answer } }) as typeof aws;
  const { url } = await openDoorTo(t, { cloud, onBug });
  const { headers, body } = await caught(t, env);
  const { status, text } = await send(url, { headers, body });
  assert.deepEqual([status, bugs], [500, [bug]]);
  assert.match(text, /<Code>InternalFailure<\/Code>/);
  assert.doesNotMatch(text, /secret|RangeError/);
});

test('an answer that cannot be written cuts the connection, and is reported as a bug', async (t) => {
  const { aws, env } = await awsSite(t);
  const refusal = { code: 'two\nlines', message: '', status: 400 };
  const cloud = Object.create(aws, {
    answer: { value: () => ({ ok: false, refusal }) },
  }) as typeof aws;
  const bugs: unknown[] = [];
  const onBug = (told: unknown): void => {
    bugs.push(told);
  };
  const { url } = await openDoorTo(t, { cloud, onBug });
  const eks = { service: 'eks', operation: 'ListClusters', input: {} } as const;
  const failure = await failureOf(openWith(t, { ...env, AWS_ENDPOINT_URL: url }), eks);
  assert.equal(failure.failure, 'unreachable');
  assert.equal((bugs[0] as NodeJS.ErrnoException).code, 'ERR_INVALID_CHAR');
});

test('survives a caller that leaves in the middle of a body', async (t) => {
  const { door } = await awsSite(t);
  const socket = connect(door.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write('POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 100\r\n\r\n');
  // The door reads the body from its `100 Continue` on.
  await once(socket, 'data');
  socket.resetAndDestroy();
  assert.equal((await send(door.url, {})).status, 403);
});

test('a taken port is named', async (t) => {
  const { door, aws } = await awsSite(t);
  const again = openDoorTo(t, { cloud: aws, port: door.port });
  await assert.rejects(again, { code: 'EADDRINUSE', port: door.port });
});

test('the door opens on loopback only', async (t) => {
  const { door } = await awsSite(t);
  assert.equal(new URL(door.url).hostname, '127.0.0.1');
});
