/** AWS through its SDK: loaded service by service, read only, every failure named. */
import type { JsonObject } from '../../evidence/json.ts';
import type { AwsApi, AwsCall } from '../../ports/aws-api.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';
import { PortError } from '../../ports/port-error.ts';
import { type Agents, openAgents } from './agents.ts';
import { readAnswer } from './answer-guard.ts';
import { attempt, unlessAborted } from './attempts.ts';
import { type CallShape, shapeOf } from './calls.ts';
import { type LoadedService, loadService, type Middleware, type SdkClient } from './clients.ts';
import { CHAIN_TIMEOUT_MS, QUIET, shareCredentials } from './credentials.ts';
import type { Asked } from './error-sentences.ts';
import { nameError } from './errors.ts';
import { NoAnswerError } from './no-answer.ts';
import { firstInput, nextTokens, withoutPaging } from './paging.ts';
import { plainAnswer, sdkInput } from './plain.ts';
import { type Environment, readProfile } from './profile.ts';
import { isRegionName, partitionOf } from './region.ts';
import { RetryBudget } from './retry-budget.ts';
import type { SdkService } from './sdk-packages.ts';

export interface AwsOptions {
  /** null: the region of AWS_REGION, AWS_DEFAULT_REGION or the profile, in this order. */
  readonly region: string | null;
  /** null: the profile of AWS_PROFILE, else `default`. Given, it goes before keys in `env`. */
  readonly profile: string | null;
  readonly env: Environment;
  readonly clock: Clock;
  /** How often one request is sent at most; 4 unless given. */
  readonly maxAttempts?: number;
  /** How long one request may take, ms; 30 s unless given. */
  readonly requestTimeoutMs?: number;
  /** How long credentials may take to be found, ms; 60 s unless given. */
  readonly credentialTimeoutMs?: number;
  /** Spreads retries. */
  readonly random: Random;
}

/** AWS as opened here; the connections are its own. */
export interface OpenedAws extends AwsApi {
  /** Loads the clients that every look uses, so that the first call does not wait for that. */
  prepare(): Promise<void>;
  /** Closes all connections. Calls afterwards open new ones. */
  close(): void;
}

/** A call of a service that may be none of those which `AwsApi` asks. */
export type SdkCall = Pick<AwsCall, 'operation' | 'input'> & { readonly service: SdkService };

/** What reading and writing have in common: one region, one identity, counted requests. */
export interface Opened {
  readonly options: AwsOptions;
  readonly region: string | null;
  readonly profile: ReturnType<typeof readProfile>;
  readonly counts: Map<string, number>;
  readonly services: Map<SdkService, Promise<LoadedService>>;
  readonly budgets: Map<SdkService, RetryBudget>;
  readonly credentials: ReturnType<typeof shareCredentials>;
  agents: Agents | null;
}

/** Reads the configuration files and sends nothing. Throws `PortError` for an impossible region. */
export function openAws(options: AwsOptions): OpenedAws {
  const opened = open(options);
  return {
    region: opened.region,
    partition: partitionOf(opened.region),
    pages: (call, signal) => pages(opened, call, signal ?? new AbortController().signal),
    requests: () => new Map(opened.counts),
    prepare: () => prepare(opened),
    close: () => {
      close(opened);
    },
  };
}

/** Throws `PortError` for an impossible region. */
export function open(options: AwsOptions): Opened {
  const profile = readProfile(options.profile, options.env);
  return {
    options,
    profile,
    region: regionOf(options, profile.region),
    counts: new Map(),
    services: new Map(),
    budgets: new Map(),
    credentials: shareCredentials({
      profile,
      environment: options.env,
      clock: options.clock,
      timeoutMs: options.credentialTimeoutMs ?? CHAIN_TIMEOUT_MS,
    }),
    agents: null,
  };
}

function regionOf({ region, env }: AwsOptions, ofProfile: string | null): string | null {
  const found = [region, env['AWS_REGION'], env['AWS_DEFAULT_REGION'], ofProfile].find(
    (one) => one !== null && one !== undefined && one !== '',
  );
  if (found === null || found === undefined) return null;
  if (isRegionName(found)) return found;
  const message = `${JSON.stringify(found.slice(0, 40))} is not a region; use --region or set AWS_REGION`;
  throw new PortError({ failure: 'not-configured', message });
}

/** The first one loads what all have in common. */
const ALWAYS_USED: readonly SdkService[] = ['ec2', 'eks', 'autoscaling', 'sts', 'iam'];
/** Between two of them answers that have come are looked at. */
const BREATH_MS = 30;

async function prepare(opened: Opened): Promise<void> {
  const { region, options } = opened;
  if (region === null) return;
  for (const service of ALWAYS_USED) {
    // A call that needs a client which cannot be opened says so itself.
    await serviceOf(opened, service, region).catch(() => {});
    await options.clock.sleep(BREATH_MS);
  }
}

export function close(opened: Opened): void {
  opened.agents?.httpAgent.destroy();
  opened.agents?.httpsAgent.destroy();
}

async function* pages(
  opened: Opened,
  call: AwsCall,
  signal: AbortSignal,
): AsyncGenerator<JsonObject> {
  const shape = shapeOf(call.service, call.operation);
  if (shape === null || shape.only?.(call.input) === false) {
    throw new TypeError(`${call.service}:${call.operation} is not among the calls of Rollcall`);
  }
  const asked = askedOf(opened, call);
  const seen = new Set<string>();
  let input: JsonObject | null = firstInput(call.input, shape.paging);
  while (input !== null) {
    const answer = await request(opened, { ...call, input }, asked, signal);
    checkResult(answer, shape, asked);
    const tokens = nextTokens(answer, shape.paging);
    yield onePage(answer, shape);
    input = tokens === null ? null : { ...input, ...tokens };
    if (tokens !== null) checkProgress(seen, tokens, asked);
  }
}

/** More pages than any account has. */
const PAGES_MAX = 10_000;

/** A token that comes twice would lead round in a circle. */
function checkProgress(seen: Set<string>, tokens: JsonObject, asked: Asked): void {
  const text = JSON.stringify(tokens);
  if (seen.has(text) || seen.size >= PAGES_MAX) {
    throw nameError(new NoAnswerError({ kind: 'no-end', pages: seen.size + 1 }), asked);
  }
  seen.add(text);
}

function checkResult(answer: JsonObject, { result }: CallShape, asked: Asked): void {
  if (Object.hasOwn(answer, result)) return;
  throw nameError(new NoAnswerError({ kind: 'other-document', lacks: result }), asked);
}

function onePage(answer: JsonObject, { paging, reshape }: CallShape): JsonObject {
  const page = withoutPaging(answer, paging);
  return reshape === null ? page : reshape(page);
}

/** Services that are the same in all regions of a partition. */
const GLOBAL: ReadonlySet<SdkService> = new Set(['iam', 'route53', 'sts']);

export function askedOf({ region, profile }: Opened, { service, operation }: SdkCall): Asked {
  const asked = { service, permission: `${service}:${operation}`, profile };
  if (region !== null) return { ...asked, region };
  if (GLOBAL.has(service)) return { ...asked, region: 'us-east-1' };
  const message = 'AWS needs a region; use --region or set AWS_REGION';
  throw new PortError({ failure: 'not-configured', message });
}

const ATTEMPTS_MAX = 4;
const REQUEST_TIMEOUT_MS = 30_000;

/** @param name what a failure of the request is; that of a question when not given */
export async function request(
  opened: Opened,
  call: SdkCall,
  asked: Asked,
  signal: AbortSignal,
  name = nameError,
): Promise<JsonObject> {
  const { options } = opened;
  signal.throwIfAborted();
  const { client, command } = await serviceOf(opened, call.service, asked.region);
  await identify(client, asked, signal);
  const times = timesOf(call);
  const output = await attempt({
    clock: options.clock,
    budget: budgetOf(opened, call.service),
    attemptsMax: options.maxAttempts ?? ATTEMPTS_MAX,
    timeoutMs: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
    random: options.random,
    signal,
    send: async (abortSignal) =>
      client.send(command(call.operation, sdkInput(call.input, times)), { abortSignal }),
    nameError: (error) => name(error, asked),
  });
  return plainAnswer(output);
}

function timesOf({ service, operation }: SdkCall): readonly string[] {
  return service === 'sqs' ? [] : (shapeOf(service, operation)?.times ?? []);
}

/** Before the time of the request begins, as a login in a browser may be behind it. */
async function identify(client: SdkClient, asked: Asked, signal: AbortSignal): Promise<void> {
  try {
    await unlessAborted(client.config.credentials(), signal);
  } catch (error) {
    signal.throwIfAborted();
    throw nameError(error, asked);
  }
}

function budgetOf({ budgets, options }: Opened, service: SdkService): RetryBudget {
  const budget = budgets.get(service) ?? new RetryBudget(options.clock);
  budgets.set(service, budget);
  return budget;
}

async function serviceOf(
  opened: Opened,
  service: SdkService,
  region: string,
): Promise<LoadedService> {
  const loading = opened.services.get(service) ?? loadOne(opened, service, region);
  opened.services.set(service, loading);
  return loading;
}

async function loadOne(
  opened: Opened,
  service: SdkService,
  region: string,
): Promise<LoadedService> {
  const loaded = await loadService(service, {
    ...settingsOf(opened, service, region),
    credentials: opened.credentials.providerFor((): SdkClient => loaded.client),
  });
  loaded.client.middlewareStack.add(counting(opened, service), {
    step: 'deserialize',
    priority: 'low',
    name: 'rollcallAnswerGuard',
  });
  return loaded;
}

/** Reaching the other side takes longer than this only where nothing answers at all. */
const CONNECT_TIMEOUT_MS = 5000;

function settingsOf(opened: Opened, service: SdkService, region: string): object {
  const { profile, options } = opened;
  opened.agents ??= openAgents(options.env, profile.caBundle);
  const endpoint = endpointOf(service, options.env);
  return {
    region,
    ...(profile.chosen ? { profile: profile.name } : {}),
    ...(endpoint === null ? {} : { endpoint }),
    maxAttempts: 1,
    logger: QUIET,
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      httpAgent: opened.agents.httpAgent,
      httpsAgent: opened.agents.httpsAgent,
    },
  };
}

/** As the SDKs name services in `AWS_ENDPOINT_URL_…`. */
const ENDPOINT_NAMES: Readonly<Record<SdkService, string>> = {
  ec2: 'EC2',
  autoscaling: 'AUTO_SCALING',
  eks: 'EKS',
  iam: 'IAM',
  sts: 'STS',
  cloudformation: 'CLOUDFORMATION',
  kms: 'KMS',
  route53: 'ROUTE_53',
  ecr: 'ECR',
  cloudtrail: 'CLOUDTRAIL',
  ssm: 'SSM',
  logs: 'CLOUDWATCH_LOGS',
  sqs: 'SQS',
};

/** null leaves it to the SDK, which also knows the endpoints in configuration files. */
function endpointOf(service: SdkService, environment: Environment): string | null {
  if (environment['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS'] === 'true') return null;
  const found =
    environment[`AWS_ENDPOINT_URL_${ENDPOINT_NAMES[service]}`] ?? environment['AWS_ENDPOINT_URL'];
  if (found === undefined || found === '') return null;
  if (URL.canParse(found) && /^https?:/.test(found)) return found;
  const message = 'AWS_ENDPOINT_URL is not an http address; fix or unset it';
  throw new PortError({ failure: 'not-configured', message });
}

/** The last step before the wire, so that each request that is sent counts once. */
function counting({ counts }: Opened, service: SdkService): Middleware {
  return (next, { commandName = '' }) => {
    const name = `${service}:${commandName.replace(/Command$/, '')}`;
    return async (args) => {
      counts.set(name, (counts.get(name) ?? 0) + 1);
      const result = await next(args);
      await readAnswer(result.response);
      return result;
    };
  };
}
