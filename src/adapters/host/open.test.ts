import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { test } from 'node:test';
import { openHost } from './open.ts';
import { failsWith, handClock } from './testing.ts';

/** A test that waits for what never comes fails soon. */
const LIMIT = { timeout: 3000 };

test('the host is this machine', LIMIT, async (context) => {
  const host = openHost(handClock());
  const { pathname } = new URL('.', import.meta.url);
  assert.ok((await host.listFolder(pathname)).includes('open.test.ts'));
  assert.equal((await host.readFile(`${pathname}open.test.ts`, 3)).length, 3);
  const { stdout } = await host.run(['echo', 'a'], { timeoutMs: 5000, bytesMax: 100 });
  assert.equal(new TextDecoder().decode(stdout), 'a\n');
  assert.equal(host.hostname(), hostname());
  await assert.rejects(host.resolve('-a', 5000), failsWith('invalid', '"-a" is not a host name.'));
  const server = createServer((_, response) => response.end('b'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/`;
  assert.equal((await host.request({ url, timeoutMs: 5000, bytesMax: 9 })).body, 'b');
  const plain = { tlsServerName: null, caPem: null, timeoutMs: 5000 };
  assert.equal((await host.probe({ host: '127.0.0.1', port, ...plain })).tls, null);
});
