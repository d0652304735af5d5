import { textAt } from '../../../evidence/json.ts';
import type { AwsAuth } from '../../../evidence/kinds.ts';
import { parseAwsAuth } from '../../../readers/kube/aws-auth.ts';
import type { AwsIdentity } from '../../aws/contract.ts';
import type { ApiUser } from '../../kube/contract.ts';
import type { World } from '../../world.ts';
import type { LoggedLine } from '../cloud-controller/klog.ts';
import { keyOf } from '../objects/meta.ts';
import { timestamp } from '../objects/stamp.ts';
import { type ActorOptions, componentUser, createActor, type Running } from '../running/actor.ts';
import {
  CLOCK_SKEW_MAX_MS,
  type EksToken,
  readToken,
  TOKEN_LIFE_MS,
  TOKEN_PREFIX,
} from './eks-token.ts';
import { createEntryCache, type EntryCache } from './access-entries.ts';
import {
  callerOf,
  type Caller,
  filledIn,
  type Mapped,
  mappedByConfigMap,
  mappedByEntry,
} from './mapping.ts';

/** Of `accessConfig.authenticationMode`. */
export type AuthenticationMode = 'CONFIG_MAP' | 'API_AND_CONFIG_MAP' | 'API';

export interface AuthenticatorOptions extends ActorOptions {
  readonly clusterName: string;
  readonly mode?: AuthenticationMode;
  /** The role with which the service reads its access entries. */
  readonly roleArn?: string;
}

/** aws-iam-authenticator as EKS runs it, and the API server's cache before it. */
export interface Authenticator extends Running {
  /** Whose token it is; null for nobody's, which the API server answers with 401. */
  authenticate(token: string): ApiUser | null;
  /** What it printed, as the control plane log `authenticator` shows it. */
  log(): readonly LoggedLine[];
}

/** `--authentication-token-webhook-cache-ttl`: grants and refusals are remembered alike. */
const CACHE_MS = 2 * 60_000;
const CACHE_MAX = 5000;
const LOG_MAX = 5000;
const NO_MAPPINGS: AwsAuth = { roles: [], users: [], malformed: null };

type Decision =
  | { readonly user: ApiUser; readonly caller: Caller }
  | { readonly user: null; readonly error: string; readonly arn: string };

export function startAuthenticator(world: World, options: AuthenticatorOptions): Authenticator {
  const user = componentUser('eks:authenticator');
  const actor = createActor(world, 'aws-iam-authenticator', user, options);
  const lines: LoggedLine[] = [];
  const cache = new Map<string, { readonly user: ApiUser | null; readonly untilMs: number }>();
  let mappings = NO_MAPPINGS;
  actor.follow('ConfigMap', (type, object) => {
    if (keyOf(object) !== 'kube-system/aws-auth') return;
    mappings = type === 'DELETED' ? NO_MAPPINGS : parseAwsAuth(object);
  });
  const nowMs = (): number => actor.kernel.nowMs();
  const entries = createEntryCache(world, options);
  // A kubelet shows one token for as long as it is good, and the cache of decisions is shorter.
  const readings = new Map<string, EksToken | null>();
  const reading = (token: string): EksToken | null => {
    const known = readings.get(token);
    if (known !== undefined) return known;
    const read = readToken(token);
    readings.set(token, read);
    trim(readings);
    return read;
  };
  const decide = (token: string): Decision => {
    const read = reading(token);
    const fault = read === null ? 'input token was not properly formatted' : faultOf(read, nowMs());
    if (read === null || fault !== null) return refused(fault ?? '', '');
    const identity = world.aws.identityOf(read.accessKeyId);
    const arn = identity === null ? null : callerArn(world, identity);
    if (arn === null) return refused(STS_REFUSED, '');
    const caller = callerOf(arn, read.accessKeyId);
    return userOf(world, caller, mappedBy(options, entries, mappings, caller));
  };
  return {
    stop: () => actor.stop(),
    log: () => lines,
    authenticate: (token) => {
      if (!token.startsWith(TOKEN_PREFIX)) return null;
      const known = cache.get(token);
      if (known !== undefined && known.untilMs > nowMs()) return known.user;
      const decision = decide(token);
      lines.push(lineOf(decision, nowMs()));
      if (lines.length > LOG_MAX) lines.shift();
      cache.delete(token);
      cache.set(token, { user: decision.user, untilMs: nowMs() + CACHE_MS });
      trim(cache);
      return decision.user;
    },
  };
}

function trim(cache: Map<string, unknown>): void {
  for (const key of cache.keys()) {
    if (cache.size <= CACHE_MAX) return;
    cache.delete(key);
  }
}

function refused(error: string, arn: string): Decision {
  return { user: null, error, arn };
}

function faultOf({ signedMs }: EksToken, nowMs: number): string | null {
  if (nowMs > signedMs + TOKEN_LIFE_MS) return 'X-Amz-Date parameter is expired';
  if (signedMs > nowMs + CLOCK_SKEW_MAX_MS)
    return 'sts getCallerIdentity failed: SignatureDoesNotMatch: Signature not yet current';
  return null;
}

const STS_REFUSED = 'sts getCallerIdentity failed: error from AWS (expected 200, got 403)';

/** The signed request is sent on to STS, whose answer is the proof; null when it refuses. */
function callerArn({ aws }: World, identity: AwsIdentity): string | null {
  const call = { service: 'sts', operation: 'GetCallerIdentity', input: {} } as const;
  const answer = aws.answer(identity, call);
  return answer.ok ? textAt(answer.output, 'Arn') : null;
}

/** Access entries come before aws-auth where both are asked. */
function mappedBy(
  options: AuthenticatorOptions,
  entries: EntryCache,
  mappings: AwsAuth,
  caller: Caller,
): Mapped | null {
  const mode = options.mode ?? 'CONFIG_MAP';
  const byEntry = mode === 'CONFIG_MAP' ? null : mappedByEntry(entries.of(caller), caller);
  if (byEntry !== null || mode === 'API') return byEntry;
  return mappedByConfigMap(mappings, caller);
}

function userOf(world: World, caller: Caller, mapped: Mapped | null): Decision {
  if (mapped === null) return refused('ARN is not mapped', caller.canonicalArn);
  const dnsNameOf = (id: string): string | null => world.aws.instance(id)?.privateDnsName ?? null;
  const name = filledIn(mapped.username, caller, dnsNameOf);
  if (name === null)
    return refused(
      `failed mapping username: unable to find private DNS name of instance ${caller.session}`,
      caller.canonicalArn,
    );
  const groups = mapped.groups.map((group) => filledIn(group, caller, dnsNameOf) ?? group);
  return { user: { name, groups: [...groups, 'system:authenticated'] }, caller };
}

/** A line as logrus prints it in the control plane log. */
function lineOf(decision: Decision, atMs: number): LoggedLine {
  const time = `time="${timestamp(atMs)}"`;
  const request = 'client="127.0.0.1:36724"';
  const tail = 'method=POST path=/authenticate';
  if (decision.user === null) {
    const arn = decision.arn === '' ? '' : ` arn="${decision.arn}"`;
    const error = `error=${JSON.stringify(decision.error)}`;
    return {
      atMs,
      text: `${time} level=warning msg="access denied"${arn} ${request} ${error} ${tail}`,
    };
  }
  const { user, caller } = decision;
  const groups = user.groups.filter((group) => group !== 'system:authenticated').join(' ');
  return {
    atMs,
    text: `${time} level=info msg="access granted" arn="${caller.canonicalArn}" ${request} groups="[${groups}]" ${tail} uid="aws-iam-authenticator:${caller.accountId}:${caller.accessKeyId}" username="${user.name}"`,
  };
}
