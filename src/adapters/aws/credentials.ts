/**
 * One identity for all services, found by the chain of the SDK: keys in the environment, the
 * profile (keys, SSO, assumed role, `credential_process`), web identity, container, IMDS.
 *
 * The chain itself reads from the environment of the program: HOME for the SSO cache, the
 * variables of web identity (AWS_ROLE_ARN, AWS_WEB_IDENTITY_TOKEN_FILE), of containers
 * (AWS_CONTAINER_…) and of IMDS (AWS_EC2_METADATA_…), and endpoints of its own calls to STS and
 * SSO. Keys, the profile and the paths of both files are taken from the environment given here.
 */
import type { Clock } from '../../ports/clock.ts';
import type { ChainOf, CredentialProvider, Credentials, SdkClient } from './clients.ts';
import type { Environment, Profile } from './profile.ts';

/** A browser login or a hardware key may be behind `credential_process`. */
export const CHAIN_TIMEOUT_MS = 60_000;
/** Two requests are made to IMDS before it counts as silent, which is 1.8 s together. */
const IMDS_TIMEOUT_MS = 900;
/** After a failure the chain is not asked again for this long. */
const FAILURE_KEPT_MS = 30_000;

export type CredentialFailure =
  /** The whole chain found nothing. */
  | 'none'
  | 'no-such-profile'
  /** The chain went past the profile that was asked for and found the machine's own role. */
  | 'other-identity'
  /** A one-time code is wanted. */
  | 'code-wanted'
  | 'late';

export class CredentialError extends Error {
  readonly failure: CredentialFailure;

  constructor(failure: CredentialFailure, cause?: unknown) {
    super(failure, { cause });
    this.name = 'CredentialError';
    this.failure = failure;
  }
}

export interface CredentialOptions {
  readonly profile: Profile;
  readonly environment: Environment;
  readonly clock: Clock;
  /** How long the chain may take, ms. */
  readonly timeoutMs: number;
}

export interface SharedCredentials {
  /** Asks the chain that this client came with; the first client's serves all. */
  providerFor(client: () => SdkClient): CredentialProvider;
}

export function shareCredentials(options: CredentialOptions): SharedCredentials {
  const keys = options.profile.source === 'environment' ? keysOf(options.environment) : null;
  let chain: CredentialProvider | null = null;
  let failed: { readonly error: unknown; readonly atMs: number } | null = null;
  const ask = async (client: SdkClient): Promise<Credentials> => {
    const { clock } = options;
    if (failed !== null && clock.monotonicMs() - failed.atMs < FAILURE_KEPT_MS) throw failed.error;
    chain ??= chainOf(client, options);
    try {
      return await resolve(chain, options);
    } catch (error) {
      failed = { error, atMs: clock.monotonicMs() };
      throw error;
    }
  };
  return {
    providerFor: (client) => async () => keys ?? ask(client()),
  };
}

function keysOf(environment: Environment): Credentials {
  const accessKeyId = environment['AWS_ACCESS_KEY_ID'] ?? '';
  const secretAccessKey = environment['AWS_SECRET_ACCESS_KEY'] ?? '';
  const sessionToken = environment['AWS_SESSION_TOKEN'] ?? '';
  return { accessKeyId, secretAccessKey, ...(sessionToken === '' ? {} : { sessionToken }) };
}

function chainOf(client: SdkClient, { profile }: CredentialOptions): CredentialProvider {
  const defaultChain = client.config.credentialDefaultProvider as ChainOf;
  return defaultChain({
    ...(profile.chosen ? { profile: profile.name } : {}),
    configFilepath: profile.configPath,
    filepath: profile.credentialsPath,
    parentClientConfig: client.config,
    logger: QUIET,
    timeout: IMDS_TIMEOUT_MS,
    maxRetries: 0,
  });
}

/**
 * The SDK prints warnings of its own to the console unless it is given something to print to. For
 * `info` and `error` it would first copy each request and answer without their secrets.
 */
export const QUIET = { trace: ignore, debug: ignore, warn: ignore } as const;

function ignore(): void {
  // What matters is in the error that is thrown.
}

async function resolve(
  chain: CredentialProvider,
  options: CredentialOptions,
): Promise<Credentials> {
  const { profile, clock, timeoutMs } = options;
  if (profile.chosen && !profile.found) throw new CredentialError('no-such-profile');
  const answered = new AbortController();
  const late = clock.sleep(timeoutMs, answered.signal).then(() => {
    throw new CredentialError('late');
  });
  try {
    const found = await Promise.race([chain(), late]);
    if (isOtherIdentity(found, profile)) throw new CredentialError('other-identity');
    return found;
  } catch (error) {
    throw namedByChain(error);
  } finally {
    answered.abort();
    late.catch(ignore);
  }
}

/** @returns what the chain says by words alone as our own error; refusals of AWS as they came */
function namedByChain(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof CredentialError) return error;
  if (isOfFiles(error)) return new CredentialError('none', error);
  if (error.name !== 'CredentialsProviderError') return error;
  if (/multi-factor/i.test(error.message)) return new CredentialError('code-wanted', error);
  return /SSO/i.test(error.message) ? error : new CredentialError('none', error);
}

/** A file that a profile names and that is not there, or a section that it names and that is not. */
function isOfFiles(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : '';
  return error instanceof TypeError || /^(?:ENOENT|EACCES|EISDIR|ENOTDIR)$/.test(code);
}

/** The chain goes on to the machine's role when the profile gave nothing; nobody asked for it. */
function isOtherIdentity(found: Credentials, { chosen, source }: Profile): boolean {
  const links = Object.keys(found.$source ?? {});
  const fromProfile = links.some((link) => /^CREDENTIALS_(?:PROFILE|PROCESS|SSO)/.test(link));
  return chosen && source !== 'none' && !fromProfile;
}
