/** moto as AWS, behind a proxy that does at run time what moto cannot be asked for. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AwsAnswer,
  type AwsCall,
  type AwsRefusal,
  listParameter,
  NO_TOPOLOGY,
  notFound,
  parseCall,
  refusalAnswer,
  selects,
  withoutInstances,
  withoutRepetition,
} from './aws-call.ts';
import { type Bench, withBench } from './bench.ts';
import { freePort } from '../ports/free-port.ts';
import { partPath } from './parts.ts';

/** One call that was answered. */
export interface LoggedCall {
  readonly service: string;
  readonly action: string;
  readonly instanceIds: readonly string[];
  /** Of the answer. */
  readonly status: number;
}

export interface Moto {
  /** The proxy: what programs under test take for AWS. */
  readonly url: string;
  /** moto itself: nothing is hidden, refused or counted here. */
  readonly directUrl: string;
  readonly region: string;
  /** DescribeInstances and DescribeInstanceStatus know nothing of it until it is shown. */
  readonly hide: (instanceId: string) => void;
  readonly show: (instanceId: string) => void;
  /**
   * Refuses calls until they are allowed.
   *
   * @param selector `*`, a service as `ec2:*`, or an action as `DescribeInstances`
   * @param times how often; without it, until `allow`
   */
  readonly refuse: (selector: string, refusal: AwsRefusal, times?: number) => void;
  readonly allow: (selector: string) => void;
  /** Answers later by so many milliseconds; 0 takes it back. */
  readonly delay: (selector: string, latencyMs: number) => void;
  /** Every call since the start or the last `forget`, in the order of the answers. */
  readonly calls: () => readonly LoggedCall[];
  readonly count: (selector: string) => number;
  /** Empties the log. */
  readonly forget: () => void;
  /** Asks moto itself by the EC2 protocol and answers its XML. */
  readonly ec2: (action: string, parameters?: Readonly<Record<string, string>>) => Promise<string>;
  /** Removes everything from moto and takes back every switch. */
  readonly reset: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** What AWS says to a role that lacks a permission. */
export function unauthorized(action: string): AwsRefusal {
  const who = 'User: arn:aws:sts::123456789012:assumed-role/node/i-0';
  return {
    status: 403,
    code: 'UnauthorizedOperation',
    message: `You are not authorized to perform this operation. ${who} is not authorized to perform: ec2:${action}`,
  };
}

/** What EC2 says when its request rate is exceeded. */
export const THROTTLED: AwsRefusal = {
  status: 503,
  code: 'RequestLimitExceeded',
  message: 'Request limit exceeded.',
};

const REGION = 'us-west-2';

/** The environment of a program that takes this for AWS, with credentials that open nothing. */
export function awsEnvironment(url: string): Readonly<Record<string, string>> {
  return {
    AWS_ENDPOINT_URL: url,
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_ACCESS_KEY_ID: 'testing',
    AWS_SECRET_ACCESS_KEY: 'testing',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
}

interface Switches {
  readonly hidden: Set<string>;
  readonly refusals: Map<string, { readonly refusal: AwsRefusal; left: number }>;
  readonly delays: Map<string, number>;
  readonly calls: LoggedCall[];
}

export interface MotoOptions {
  /** Has the policies that AWS manages, whose reading takes it seconds. */
  readonly managedPolicies?: boolean;
}

/** @throws Error with the end of moto's log when it does not come up; nothing is left running */
export function startMoto(options: MotoOptions = {}): Promise<Moto> {
  return withBench(async (bench) => {
    const directUrl = await startServer(bench, options);
    const switches: Switches = {
      hidden: new Set(),
      refusals: new Map(),
      delays: new Map(),
      calls: [],
    };
    const proxy = createServer((request, response) => {
      answer(switches, directUrl, request, response).catch((error: unknown) => {
        response.writeHead(502).end(String(error));
      });
    });
    await listen(proxy);
    const { port } = proxy.address() as AddressInfo;
    return motoOf(bench, proxy, switches, { url: `http://127.0.0.1:${port}`, directUrl });
  });
}

async function startServer(bench: Bench, { managedPolicies }: MotoOptions): Promise<string> {
  const port = await freePort();
  const moto = bench.start({
    name: 'moto',
    path: partPath('moto'),
    args: ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)],
    env: {
      ...awsEnvironment(`http://127.0.0.1:${port}`),
      MOTO_IAM_LOAD_MANAGED_POLICIES: String(managedPolicies === true),
    },
  });
  const url = `http://127.0.0.1:${port}`;
  await moto.untilReady(async () => (await fetch(`${url}/moto-api/`)).ok);
  return url;
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
}

function motoOf(
  bench: Bench,
  proxy: Server,
  switches: Switches,
  urls: Pick<Moto, 'url' | 'directUrl'>,
): Moto {
  const { hidden, refusals, delays, calls } = switches;
  return {
    ...urls,
    region: REGION,
    hide: (instanceId) => hidden.add(instanceId),
    show: (instanceId) => hidden.delete(instanceId),
    refuse: (selector, refusal, times = Infinity) =>
      refusals.set(selector, { refusal, left: times }),
    allow: (selector) => refusals.delete(selector),
    delay: (selector, latencyMs) => delays.set(selector, latencyMs),
    calls: () => [...calls],
    count: (selector) => calls.filter((call) => selects(selector, call)).length,
    forget: () => calls.splice(0),
    ec2: (action, parameters) => askEc2(urls.directUrl, action, parameters ?? {}),
    reset: async () => {
      for (const all of [hidden, refusals, delays]) all.clear();
      calls.splice(0);
      const answered = await fetch(`${urls.directUrl}/moto-api/reset`, { method: 'POST' });
      if (!answered.ok) throw new Error(`moto was not reset: ${answered.status}`);
    },
    stop: async () => {
      proxy.closeAllConnections();
      proxy.close();
      await bench.close();
    },
  };
}

async function answer(
  switches: Switches,
  upstream: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await bodyOf(request);
  const { method = 'GET', url = '/', headers } = request;
  const call = parseCall({ method, url, headers, body: body.toString() });
  if (!(await waited(latencyOf(switches, call), response))) return;
  const made =
    ownAnswer(switches, call) ?? (await forward(switches, upstream, call, request, body));
  const instanceIds = listParameter(call.parameters, 'InstanceId');
  const { service, action } = call;
  switches.calls.push({ service, action, instanceIds, status: made.status });
  response.writeHead(made.status, made.headers).end(made.body);
}

/** @returns false when the client gave up meanwhile */
async function waited(latencyMs: number, response: ServerResponse): Promise<boolean> {
  const patience = new AbortController();
  const giveUp = (): void => patience.abort();
  response.once('close', giveUp);
  try {
    await sleep(latencyMs, null, { signal: patience.signal });
    return true;
  } catch {
    return false;
  } finally {
    response.removeListener('close', giveUp);
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function latencyOf({ delays }: Switches, call: AwsCall): number {
  const latencies = [...delays].map(([selector, ms]) => (selects(selector, call) ? ms : 0));
  return Math.max(0, ...latencies);
}

/** What moto is not asked at all. */
function ownAnswer(switches: Switches, call: AwsCall): AwsAnswer | null {
  const refused = [...switches.refusals].find(
    ([selector, { left }]) => left > 0 && selects(selector, call),
  )?.[1];
  if (refused !== undefined) {
    refused.left -= 1;
    return refusalAnswer(call, refused.refusal);
  }
  if (hidesIn(call)) {
    const asked = listParameter(call.parameters, 'InstanceId');
    const hidden = asked.filter((id) => switches.hidden.has(id));
    if (hidden.length > 0) return refusalAnswer(call, notFound([...new Set(hidden)]));
  }
  return call.action === 'DescribeInstanceTopology' ? NO_TOPOLOGY : null;
}

function hidesIn({ action }: AwsCall): boolean {
  return action === 'DescribeInstances' || action === 'DescribeInstanceStatus';
}

interface Upstream extends Omit<AwsAnswer, 'body'> {
  readonly body: string | Buffer;
}

async function forward(
  { hidden }: Switches,
  upstream: string,
  call: AwsCall,
  { method = 'GET', url = '/', headers }: IncomingMessage,
  body: Buffer,
): Promise<Upstream> {
  const sent = hidesIn(call)
    ? Buffer.from(withoutRepetition(call.parameters, 'InstanceId').toString())
    : body;
  const answered = await fetch(new URL(url, upstream), {
    method,
    headers: passedOn(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    ...(method === 'GET' || method === 'HEAD' ? {} : { body: sent }),
  });
  const bytes = Buffer.from(await answered.arrayBuffer());
  return {
    status: answered.status,
    // What was compressed is not any more.
    headers: passedOn([...answered.headers].filter(([name]) => name !== 'content-encoding')),
    body: hidesIn(call) ? withoutInstances(bytes.toString(), hidden) : bytes,
  };
}

/** These say how one connection carries a body, not what is in it. */
const OF_THE_CONNECTION = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]);

function passedOn(
  headers: readonly (readonly [string, string])[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(headers.filter(([name]) => !OF_THE_CONNECTION.has(name)));
}

/** moto reads the region and the service from the signature and does not verify it. */
async function askEc2(
  url: string,
  action: string,
  parameters: Readonly<Record<string, string>>,
): Promise<string> {
  const answered = await fetch(url, {
    method: 'POST',
    headers: { authorization: signature('ec2') },
    body: new URLSearchParams({ Action: action, Version: '2016-11-15', ...parameters }),
  });
  const text = await answered.text();
  if (!answered.ok) throw new Error(`${action}: ${answered.status} ${text}`);
  return text;
}

/** An Authorization header that says for which service a request is, and proves nothing. */
export function signature(service: string): string {
  const scope = `testing/20260101/${REGION}/${service}/aws4_request`;
  return `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`;
}
