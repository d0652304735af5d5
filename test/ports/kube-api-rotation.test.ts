/** Certificates of the API server that are replaced while a watch is open. */
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { kubeClient } from '../../src/adapters/kubernetes/client.ts';
import { Http2Wire } from '../../src/adapters/kubernetes/http2-wire.ts';
import { DEFAULT_KUBE_LIMITS } from '../../src/adapters/kubernetes/limits.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { systemRandom } from '../../src/adapters/system/random.ts';
import { Reflector } from '../../src/runtime/reflector/reflector.ts';
import { type Authority, authority } from './fake/kube-certificates.ts';
import { fakeEnvironment } from './fake/kube-environment.ts';
import { NODES, names, node, project, type Row } from './fake/kube-reflector-scene.ts';
import { listening, targetOf } from './fake/kube-server.ts';

type Event = readonly [version: number, line: string];

function eventOf(type: string, version: number, name: string, annotations = {}): Event {
  const { metadata, ...rest } = node(name) as { readonly metadata: object };
  const own = { ...metadata, uid: name, resourceVersion: String(version), annotations };
  return [version, `${JSON.stringify({ type, object: { ...rest, metadata: own } })}\n`];
}

const LISTED: Event = eventOf('BOOKMARK', 2, '', { 'k8s.io/initial-events-end': 'true' });

/** What a server with certificates of its own knows, and everybody who watches it. */
class Watched {
  readonly #events: Event[] = [eventOf('ADDED', 1, 'n1'), LISTED];
  readonly #open = new Set<ServerResponse>();

  answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
    const from = Number(new URL(url, 'https://kube.test').searchParams.get('resourceVersion') ?? 0);
    response.writeHead(200, { 'content-type': 'application/json' });
    for (const [version, line] of this.#events) if (version > from) response.write(line);
    this.#open.add(response);
    response.once('close', () => this.#open.delete(response));
  }

  add(name: string): void {
    const event = eventOf('ADDED', this.#events.length + 1, name);
    this.#events.push(event);
    for (const response of this.#open) response.write(event[1]);
  }
}

function issuedBy(root: Authority): { readonly cert: string; readonly key: string } {
  const { certificatePem, keyPem } = root.issue({ commonName: 'api', addresses: ['127.0.0.1'] });
  return { cert: certificatePem, key: keyPem };
}

async function until(what: () => boolean): Promise<void> {
  while (!what()) await sleep(5);
}

async function scene(context: TestContext, isHttp2: boolean) {
  const root = authority();
  const watched = new Watched();
  const server = createServer(issuedBy(root), (request, response) =>
    watched.answer(request, response),
  );
  const plain = targetOf(`https://127.0.0.1:${await listening(context, server)}`);
  const target = { ...plain, tls: { ...plain.tls, authorityPem: root.certificatePem } };
  const wire = new Http2Wire(target, DEFAULT_KUBE_LIMITS, { clock: systemClock });
  const api = kubeClient(target, {
    environment: fakeEnvironment(),
    clock: systemClock,
    ...(isHttp2 ? { wire } : {}),
  });
  const reflector = new Reflector<Row>({
    api,
    clock: systemClock,
    random: systemRandom,
    resource: NODES,
    project,
    limits: { backoffLeastMs: 5, backoffMostMs: 20 },
  });
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  context.after(async () => {
    stop.abort();
    await running;
    await api.close();
  });
  await reflector.whenSynced();
  const rotate = (to: Authority): void => {
    server.setSecureContext(issuedBy(to));
    server.closeAllConnections();
  };
  return { root, watched, reflector, rotate };
}

for (const isHttp2 of [false, true]) {
  const wire = isHttp2 ? 'the wire of HTTP/2' : 'the wire of HTTP/1.1';

  test(`over ${wire} a watch goes on behind another certificate of its authority`, async (context) => {
    const { root, watched, reflector, rotate } = await scene(context, isHttp2);
    rotate(root);
    watched.add('n2');
    await until(() => reflector.size === 2);
    rotate(root);
    watched.add('n3');
    await until(() => reflector.size === 3);
    assert.deepEqual(names(reflector), ['n1', 'n2', 'n3']);
    assert.equal(reflector.state().counts.listings, 1);
  });

  test(`over ${wire} a certificate of another authority is reported, until there is one of its own`, async (context) => {
    const { root, watched, reflector, rotate } = await scene(context, isHttp2);
    rotate(authority('another'));
    watched.add('n2');
    await until(() => /certificate/.test(reflector.state().lastError?.message ?? ''));
    const { lastError, isSynced } = reflector.state();
    assert.match(lastError?.message ?? '', /authority that the certificate-authority of cluster/);
    assert.deepEqual(
      [lastError?.failure, isSynced, names(reflector)],
      ['unreachable', true, ['n1']],
    );
    rotate(root);
    await until(() => reflector.size === 2);
    assert.equal(reflector.state().counts.listings, 1);
  });
}
