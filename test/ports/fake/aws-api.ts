/** AWS in memory: tables of objects answered by call, with pages, refusals and latency. */
import type { JsonObject } from '../../../src/evidence/json.ts';
import type { AwsApi, AwsCall, AwsService } from '../../../src/ports/aws-api.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { PortError, type PortFailure } from '../../../src/ports/port-error.ts';

/** The pages that answer an input. May throw a `PortError`. */
export type Answering = (input: JsonObject) => readonly JsonObject[];

export interface FakeAws extends AwsApi {
  /** Answers a call from now on; `permission` is `ec2:DescribeInstances`. */
  answer(permission: string, answering: Answering): void;
  /** Answers with a list in one member, cut into pages by `MaxResults` or its like. */
  table(
    permission: string,
    member: string,
    rows: (input: JsonObject) => readonly JsonObject[],
  ): void;
  /** Refuses a call; without `times` until `allow`. Throttled ones are sent again, as AWS's are. */
  refuse(permission: string, failure: PortFailure, times?: number): void;
  allow(permission: string): void;
  /** Each request of a call takes so long on the clock, ms. */
  delay(permission: string, latencyMs: number): void;
}

export interface FakeAwsOptions {
  readonly clock: Clock;
  readonly region?: string | null;
  readonly partition?: string;
}

/** As often as the real one sends a request before it gives up. */
const ATTEMPTS_MAX = 4;
const PAUSE_MS = 200;
const PAGE_SIZES = ['MaxResults', 'maxResults', 'MaxRecords', 'MaxItems'];

interface Refusal {
  readonly failure: PortFailure;
  left: number;
}

interface World {
  readonly clock: Clock;
  readonly answers: Map<string, Answering>;
  readonly refusals: Map<string, Refusal>;
  readonly latencies: Map<string, number>;
  readonly counts: Map<string, number>;
}

export function fakeAws({ clock, region, partition }: FakeAwsOptions): FakeAws {
  const world: World = {
    clock,
    answers: new Map(),
    refusals: new Map(),
    latencies: new Map(),
    counts: new Map(),
  };
  const answer = (permission: string, answering: Answering): void => {
    world.answers.set(permission, answering);
  };
  return {
    region: region === undefined ? 'us-west-2' : region,
    partition: partition ?? 'aws',
    pages: (call, signal) => pages(world, call, signal ?? new AbortController().signal),
    requests: () => new Map(world.counts),
    answer,
    table: (permission, member, rows) => {
      answer(permission, (input) => pagesOf(member, rows(input), input));
    },
    refuse: (permission, failure, times = Infinity) => {
      world.refusals.set(permission, { failure, left: times });
    },
    allow: (permission) => {
      world.refusals.delete(permission);
    },
    delay: (permission, latencyMs) => {
      world.latencies.set(permission, latencyMs);
    },
  };
}

function pagesOf(
  member: string,
  rows: readonly JsonObject[],
  input: JsonObject,
): readonly JsonObject[] {
  const size = PAGE_SIZES.map((name) => input[name]).find((one) => typeof one === 'number') ?? 1000;
  const cut = Array.from({ length: Math.max(1, Math.ceil(rows.length / size)) }, (_one, index) =>
    rows.slice(index * size, (index + 1) * size),
  );
  return cut.map((part) => ({ [member]: part }));
}

async function* pages(
  world: World,
  { service, operation, input }: AwsCall,
  signal: AbortSignal,
): AsyncGenerator<JsonObject> {
  const permission = `${service}:${operation}`;
  const answering = world.answers.get(permission);
  if (answering === undefined) throw new TypeError(`${permission} is not among the answers here`);
  signal.throwIfAborted();
  await request(world, service, permission, signal);
  const [first, ...further] = answering(input);
  if (first !== undefined) yield first;
  for (const page of further) {
    await request(world, service, permission, signal);
    yield page;
  }
}

async function request(
  world: World,
  service: AwsService,
  permission: string,
  signal: AbortSignal,
): Promise<void> {
  const { clock, counts, latencies } = world;
  for (let attempts = 1; ; attempts++) {
    counts.set(permission, (counts.get(permission) ?? 0) + 1);
    await clock.sleep(latencies.get(permission) ?? 0, signal);
    const failure = refusalOf(world, permission);
    if (failure === null) return;
    if (failure !== 'throttled' || attempts >= ATTEMPTS_MAX)
      throw refused(failure, service, permission);
    await clock.sleep(PAUSE_MS * 2 ** attempts, signal);
  }
}

function refusalOf({ refusals }: World, permission: string): PortFailure | null {
  const refusal = refusals.get(permission);
  if (refusal === undefined || refusal.left <= 0) return null;
  refusal.left -= 1;
  return refusal.failure;
}

function refused(failure: PortFailure, service: AwsService, permission: string): PortError {
  return new PortError({
    failure,
    message: `The fake ${service} answers ${permission} with ${failure}; allow it in the test`,
    permission: failure === 'denied' ? permission : null,
  });
}
