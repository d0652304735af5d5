/** The port over the model: AWS as one identity of the simulated world sees it. */
import { withoutRawEvent } from '../../evidence/aws/trail.ts';
import { isObject, type Json, type JsonObject } from '../../evidence/json.ts';
import type { AwsApi, AwsCall } from '../../ports/aws-api.ts';
import type { Clock } from '../../ports/clock.ts';
import { PortError, type PortFailure } from '../../ports/port-error.ts';
import type { Random } from '../../ports/random.ts';
import { operationOf } from './catalogue.ts';
import type { AwsCloud, AwsIdentity, AwsRefusal } from './contract.ts';
import { actionOf, isRead, type Pages } from './operation.ts';

export interface AwsPortOptions {
  readonly cloud: Pick<AwsCloud, 'answer' | 'region'>;
  readonly identity: AwsIdentity;
  readonly clock: Clock;
  /** How long one request takes, ms; 0 answers at once and lets no time pass at all. */
  readonly latencyMs?: () => number;
  /** The pause before the second try of a throttled call, ms, doubled each time; 0 for none. */
  readonly pauseMs?: number;
  /** Spreads the pauses; none unless given. */
  readonly random?: Random;
}

/** As often as the adapter sends a request before it gives up. */
const ATTEMPTS_MAX = 4;
const PAUSE_MS = 200;

interface Opened extends AwsPortOptions {
  readonly counts: Map<string, number>;
}

/** Reads only, but for the command that has machines print: an operation that changes things, or that the model lacks, is a bug of the caller. */
export function awsPort(options: AwsPortOptions): AwsApi {
  const counts = new Map<string, number>();
  const { region } = options.cloud;
  return {
    region,
    partition: partitionOf(region),
    pages: (call, signal) => pages({ ...options, counts }, call, signal),
    requests: () => new Map(counts),
  };
}

function partitionOf(region: string): string {
  if (region.startsWith('cn-')) return 'aws-cn';
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
}

async function* pages(
  opened: Opened,
  call: AwsCall,
  signal: AbortSignal = new AbortController().signal,
): AsyncGenerator<JsonObject> {
  const operation = operationOf(call);
  const isKept = isRead(call.operation) || call.operation === 'SendCommand';
  if (operation === null || !isKept)
    throw new TypeError(`${actionOf(call.service, call.operation)} is no call that reads here`);
  let input: JsonObject | null = firstInput(call.input, operation.pages);
  while (input !== null) {
    const answer = await request(opened, { ...call, input }, signal);
    const tokens = tokensOf(answer, operation.pages);
    yield withoutPages(answer, operation.pages);
    input = tokens === null ? null : { ...input, ...tokens };
  }
}

/** Lists that choose by name have no page size beside them. */
const CHOOSES = /(?:Ids|Names|InstanceTypes|Versions)$/;

function firstInput(input: JsonObject, of: Pages | null): JsonObject {
  if (of === null || Object.hasOwn(input, of.size)) return input;
  if (Object.keys(input).some((member) => CHOOSES.test(member))) return input;
  return { ...input, [of.size]: of.sizeMax };
}

/** Records of a hosted zone are continued by the name of the next one (Route 53 API reference). */
const RECORD_TOKENS = [
  ['StartRecordName', 'NextRecordName'],
  ['StartRecordType', 'NextRecordType'],
] as const;

function tokensOf(answer: JsonObject, of: Pages | null): JsonObject | null {
  const names = of === null ? RECORD_TOKENS : [of.token];
  const found = names.flatMap(([member, from]): [string, Json][] => {
    const token = answer[from];
    return typeof token === 'string' && token !== '' ? [[member, token]] : [];
  });
  return found.length === 0 ? null : Object.fromEntries(found);
}

const PAGE_MEMBERS: ReadonlySet<string> = new Set(['IsTruncated', 'MaxItems']);
const RECORD_MEMBERS: readonly string[] = RECORD_TOKENS.flat();

function withoutPages(answer: JsonObject, of: Pages | null): JsonObject {
  const members = new Set<string>([...(of?.token ?? RECORD_MEMBERS), ...PAGE_MEMBERS]);
  const entries = Object.entries(answer).filter(([name]) => !members.has(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, withoutSecrets(name, value)]));
}

/** Passwords and raw requests, which no one needs to diagnose anything. */
const SECRETS: Readonly<Record<string, string>> = {
  authorizationData: 'authorizationToken',
};

function withoutSecrets(name: string, value: Json): Json {
  if (name === 'Events' && Array.isArray(value))
    return (value as readonly Json[]).map(withoutRawEvent);
  const secret = SECRETS[name];
  if (secret === undefined || !Array.isArray(value)) return value;
  return (value as readonly Json[]).map((row) => {
    if (!isObject(row)) return row;
    return Object.fromEntries(Object.entries(row).filter(([member]) => member !== secret));
  });
}

async function request(opened: Opened, call: AwsCall, signal: AbortSignal): Promise<JsonObject> {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    const action = actionOf(call.service, call.operation);
    opened.counts.set(action, (opened.counts.get(action) ?? 0) + 1);
    await wait(opened, opened.latencyMs?.() ?? 0, signal);
    const answer = opened.cloud.answer(opened.identity, call);
    if (answer.ok) return answer.output;
    const failure = failureOf(answer.refusal);
    const isWorthIt = failure === 'throttled' || failure === 'unavailable';
    if (!isWorthIt || attempt >= ATTEMPTS_MAX) throw portError(answer.refusal, failure, action);
    const pauseMs = (opened.pauseMs ?? PAUSE_MS) * 2 ** (attempt - 1);
    await wait(opened, pauseMs * (1 + (opened.random?.next() ?? 0)), signal);
  }
}

async function wait({ clock }: Opened, durationMs: number, signal: AbortSignal): Promise<void> {
  if (durationMs > 0) await clock.sleep(durationMs, signal);
}

const FAILURES: readonly (readonly [RegExp, PortFailure])[] = [
  [/^(?:AccessDenied|UnauthorizedOperation)/, 'denied'],
  [/^(?:Throttling|RequestLimitExceeded|TooManyRequests)/, 'throttled'],
  [
    /^(?:AuthFailure|InvalidClientTokenId|Unrecognized|ExpiredToken|RequestExpired)/,
    'unauthenticated',
  ],
  [/NotFound|^NoSuch/, 'not-found'],
  [/^(?:ResourceInUse|EntityAlreadyExists|AlreadyExists)/, 'conflict'],
  [/^(?:InvalidAction|UnknownOperation|Unsupported)/, 'unsupported'],
  [/^(?:Internal|ServiceUnavailable|Unavailable|ServerException)/, 'unavailable'],
];

export function failureOf({ code, message, status }: AwsRefusal): PortFailure {
  const found = FAILURES.find(([pattern]) => pattern.test(code));
  if (found !== undefined) return found[1];
  if (/does not exist|not found/.test(message)) return 'not-found';
  return status >= 500 ? 'unavailable' : 'invalid';
}

export function portError({ code }: AwsRefusal, failure: PortFailure, action: string): PortError {
  return new PortError({
    failure,
    message: `AWS answered ${action} with ${code}`,
    permission: failure === 'denied' ? action : null,
  });
}
