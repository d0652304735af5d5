/** A server that answers as it is told, and time that passes when it is told. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { JsonObject } from '../../evidence/json.ts';
import type { AwsCall } from '../../ports/aws-api.ts';
import type { Clock } from '../../ports/clock.ts';
import { PortError } from '../../ports/port-error.ts';
import { type AwsOptions, type OpenedAws, openAws } from './open.ts';

/** Longer waits are time limits, shorter ones the pauses between two tries. */
const LIMIT_MS = 25_000;

export interface TestClock extends Clock {
  /** Ends every wait of exactly this long as soon as there is one. */
  expire(durationMs: number): void;
  /** The pauses so far, ms. */
  readonly pauses: readonly number[];
}

/** Pauses pass at once and move the time; time limits are reached only by `expire`. */
export function testClock(): TestClock {
  let nowMs = 0;
  const pauses: number[] = [];
  const waiting: { readonly durationMs: number; readonly end: () => void }[] = [];
  const expired = new Set<number>();
  return {
    pauses,
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    sleep: (durationMs, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      signal?.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
      if (durationMs >= LIMIT_MS && !expired.has(durationMs)) {
        waiting.push({ durationMs, end: resolve });
        return promise;
      }
      pauses.push(durationMs);
      nowMs += durationMs;
      resolve();
      return promise;
    },
    expire: (durationMs) => {
      expired.add(durationMs);
      for (const wait of waiting) if (wait.durationMs === durationMs) wait.end();
    },
  };
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type Respond = (request: IncomingMessage, response: ServerResponse, count: number) => void;

/** @param respond is told how many requests came before; @returns the server's address */
export async function serve(t: TestContext, respond: Respond): Promise<string> {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume();
    respond(request, response, count++);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Gives the answers in this order, and the last one ever after. */
export function inTurn(...answers: readonly Answer[]): Respond {
  return (_request, response, count) => {
    const { status = 200, headers = {}, body = '' } = answers[count] ?? answers.at(-1) ?? {};
    response.writeHead(status, { 'content-type': 'text/xml', ...headers }).end(body);
  };
}

/** As EC2 words its errors. */
export function ec2Error(status: number, code: string, message = 'Words of AWS.'): Answer {
  const error = `<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return { status, body: `<Response><Errors>${error}</Errors><RequestID>0</RequestID></Response>` };
}

/** DescribeInstances with one instance and, where given, a further page. */
export function instances(id: string, nextToken = ''): Answer {
  const instance = `<instancesSet><item><instanceId>${id}</instanceId></item></instancesSet>`;
  const set = `<reservationSet><item>${instance}</item></reservationSet>`;
  const token = `<nextToken>${nextToken}</nextToken>`;
  return { body: `<DescribeInstancesResponse>${set}${token}</DescribeInstancesResponse>` };
}

export const KEYS = { AWS_ACCESS_KEY_ID: 'AKIDTEST', AWS_SECRET_ACCESS_KEY: 'keyOfTheTest' };

/** Opened with keys that open nothing, in eu-west-1, on virtual time. */
export function openAt(url: string, options: Partial<AwsOptions> = {}): OpenedAws {
  return openAws({
    region: 'eu-west-1',
    profile: null,
    env: { ...KEYS, AWS_CONFIG_FILE: '/dev/null', AWS_ENDPOINT_URL: url },
    clock: testClock(),
    random: { next: () => 0 },
    ...options,
  });
}

export const DESCRIBE: AwsCall = { service: 'ec2', operation: 'DescribeInstances', input: {} };

export async function allPages(
  aws: OpenedAws,
  call: AwsCall = DESCRIBE,
  signal?: AbortSignal,
): Promise<readonly JsonObject[]> {
  const pages: JsonObject[] = [];
  for await (const page of aws.pages(call, signal)) pages.push(page);
  return pages;
}

/** @returns the failure of the call, which must be named */
export async function failureOf(aws: OpenedAws, call: AwsCall = DESCRIBE): Promise<PortError> {
  const error: unknown = await allPages(aws, call).then(
    () => 'it was answered',
    (thrown: unknown) => thrown,
  );
  if (error instanceof PortError) return error;
  throw new Error('the call did not fail with a PortError', { cause: error });
}
