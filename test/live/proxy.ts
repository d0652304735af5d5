/** A proxy in front of one API: counts what is asked, makes objects older, and fails as it is told. */
import { readFileSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from 'node:http';
import { Agent, request as requestHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ControlPlane } from '../real/control-plane.ts';

export interface AskedCall {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly body: string;
}

/** What the proxy says instead of passing a call on; null passes it on. */
export type Fault = (call: AskedCall, response: ServerResponse) => boolean;

export interface ApiProxy {
  readonly url: string;
  /** Every call since the start or the last `reset`. */
  readonly calls: () => readonly AskedCall[];
  /** Answers calls itself where `fault` returns true, until `reset`. */
  readonly fail: (fault: Fault) => void;
  /** Changes the text of answers, until `reset`. */
  readonly rewrite: (change: (text: string, call: AskedCall) => string) => void;
  /** Puts the server's clock ahead by so much, as its answers' Date says, until `reset`. */
  readonly setAhead: (aheadMs: number) => void;
  readonly reset: () => void;
  readonly stop: () => Promise<void>;
}

interface Upstream {
  readonly url: string;
  readonly agent?: Agent;
}

interface Switches {
  calls: AskedCall[];
  fault: Fault;
  change: (text: string, call: AskedCall) => string;
  aheadMs: number;
}

const HOURS_OLD = 6;
const CREATED = /("creationTimestamp":\s*"|<launchTime>|<attachTime>)([^"<]+)/g;

/** What has just been made was made hours ago, so that no machine counts as one that still boots. */
function older(text: string): string {
  return text.replaceAll(CREATED, (_, before: string, time: string) => {
    const ms = Date.parse(time) - HOURS_OLD * 3_600_000;
    return Number.isNaN(ms) ? before + time : before + new Date(ms).toISOString();
  });
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function ask({ url, agent }: Upstream, incoming: IncomingMessage, body: string) {
  const { host: _, 'accept-encoding': __, ...headers } = incoming.headers;
  const target = new URL(incoming.url ?? '/', url);
  const send = target.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = send(target, {
      method: incoming.method ?? 'GET',
      headers,
      ...(agent === undefined ? {} : { agent }),
    });
    outgoing.on('response', resolve).on('error', reject).end(body);
  });
}

async function pass(
  upstream: Upstream,
  switches: Switches,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await textOf(incoming);
  const call = { method: incoming.method ?? '', url: incoming.url ?? '', body };
  switches.calls.push(call);
  if (switches.fault(call, response)) return;
  const answer = await ask(upstream, incoming, body);
  const text = switches.change(older(await textOf(answer)), call);
  const { 'content-length': _, 'transfer-encoding': __, ...headers } = answer.headers;
  const date = new Date(Date.now() + switches.aheadMs).toUTCString();
  response.writeHead(answer.statusCode ?? 502, { ...headers, date }).end(text);
}

async function startProxy(upstream: Upstream): Promise<ApiProxy> {
  const none = (): Omit<Switches, 'calls'> => ({
    fault: () => false,
    change: (text) => text,
    aheadMs: 0,
  });
  const switches: Switches = { calls: [], ...none() };
  const server = createServer((incoming, response) => {
    pass(upstream, switches, incoming, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(502);
      response.end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: () => switches.calls,
    fail: (fault) => Object.assign(switches, { fault }),
    rewrite: (change) => Object.assign(switches, { change }),
    setAhead: (aheadMs) => Object.assign(switches, { aheadMs }),
    reset: () => Object.assign(switches, { calls: [], ...none() }),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      upstream.agent?.destroy();
    },
  };
}

/** Passes calls on to the API server as its administrator. */
export function proxyOf({ url, caPath, admin }: ControlPlane): Promise<ApiProxy> {
  const agent = new Agent({
    ca: readFileSync(caPath),
    cert: readFileSync(admin.certificatePath),
    key: readFileSync(admin.keyPath),
    keepAlive: true,
  });
  return startProxy({ url, agent });
}

/** Passes calls on to what stands for AWS. */
export function awsProxyOf(url: string): Promise<ApiProxy> {
  return startProxy({ url });
}
