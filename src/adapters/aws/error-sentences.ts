/** The sentences of failures: the object, what happened, and what to do. */
import type { PortFailure } from '../../ports/port-error.ts';
import type { CredentialFailure } from './credentials.ts';
import type { ErrorKind } from './error-codes.ts';
import type { NoAnswer } from './no-answer.ts';
import type { Profile } from './profile.ts';
import { mustBeEnabled } from './region.ts';
import type { SdkService } from './sdk-packages.ts';

/** What was asked, of whom and as whom. */
export interface Asked {
  readonly service: SdkService;
  /** `ec2:DescribeInstances`; the IAM action of the call. */
  readonly permission: string;
  readonly region: string;
  readonly profile: Profile;
}

export interface Failed extends Asked {
  /** The error code of AWS or of Node, safe to print. */
  readonly code: string;
  /** Of the HTTP answer, null when there was none. */
  readonly status: number | null;
  readonly host: string | null;
  /** What the service wrote, only to be searched for words. */
  readonly message: string;
  /** True when the certificate was the trouble. */
  readonly untrusted: boolean;
}

type Sentence = readonly [PortFailure, string];

export const SENTENCES: Readonly<Record<ErrorKind, (failed: Failed) => Sentence>> = {
  denied: (failed) => ['denied', denied(failed)],
  'expired-credentials': (failed) => [
    'unauthenticated',
    `${identity(failed)} have expired; ${renewal(failed)}`,
  ],
  'clock-skew': ({ permission, code }) => [
    'unauthenticated',
    `${permission} was refused (${code}) because the clock of this machine is wrong; ` +
      'set it, for example with `sudo chronyc makestep`',
  ],
  unauthenticated: (failed) => ['unauthenticated', unauthenticated(failed)],
  'region-disabled': ({ region }) => [
    'not-configured',
    `Region ${region} is not enabled in this account; ` +
      `enable it with \`aws account enable-region --region-name ${region}\``,
  ],
  throttled: (failed) => [
    'throttled',
    `${failed.permission} was throttled in ${failed.region} (${failed.code}); ` +
      'wait a minute, or see who else calls it with CloudTrail',
  ],
  'not-found': ({ permission, region, code }) => [
    'not-found',
    `${permission} found no such object in ${region} (${code}); check its name and the region`,
  ],
  unsupported: ({ permission, region, code }) => [
    'unsupported',
    `${permission} does not exist at this endpoint of ${region} (${code}); check AWS_ENDPOINT_URL`,
  ],
  unavailable: ({ permission, region, code }) => [
    'unavailable',
    `${permission} failed inside AWS in ${region} (${code}); try again in a minute`,
  ],
  timeout: (failed) => ['timeout', `${place(failed)} gave no answer in time; ${network()}`],
  invalid: ({ permission, code }) => [
    'invalid',
    `${permission} was refused as invalid (${code}); check the names and ids that were given`,
  ],
  conflict: ({ permission, code }) => [
    'conflict',
    `${permission} met a change in progress (${code}); try again in a minute`,
  ],
  unreachable: (failed) => ['unreachable', unreachable(failed)],
  malformed: ({ permission, region, status }) => [
    'malformed',
    `${permission} in ${region} was answered in a form that is not of AWS ` +
      `(HTTP ${status ?? 'unknown'}); ${endpointAdvice()}`,
  ],
};

function denied(failed: Failed): string {
  const { permission, message } = failed;
  const who = /User: (arn:[\w+=,.@:/-]{8,300})/.exec(message)?.[1] ?? identity(failed);
  const by = /explicit deny in (an? [a-z -]{3,40}policy|a permissions boundary)/.exec(message)?.[1];
  if (by !== undefined) return `${who} may not call ${permission}: ${by} denies it; change that`;
  const lack = /because no ([a-z -]{3,40}?(?:policy|boundary)) allows/.exec(message)?.[1];
  const why = lack === undefined ? '' : `: no ${lack} allows it`;
  return `${who} may not call ${permission}${why}; allow ${permission} in its IAM policy`;
}

function unauthenticated(failed: Failed): string {
  const { permission, region, code } = failed;
  const refused = `${identity(failed)} are not accepted for ${permission} (${code})`;
  if (!mustBeEnabled(region)) return `${refused}; check them with \`${whoAmI(failed)}\``;
  return (
    `${refused}, or region ${region} is not enabled in this account; ` +
    `check with \`aws account get-region-opt-status --region-name ${region}\``
  );
}

function identity({ profile }: Asked): string {
  if (profile.source === 'environment') return 'The AWS keys in the environment';
  return profile.chosen
    ? `The credentials of profile ${profile.name}`
    : 'The AWS credentials in use here';
}

function withProfile(command: string, { profile }: Asked): string {
  const named = profile.chosen && profile.source !== 'environment';
  return named ? `${command} --profile ${shellWord(profile.name)}` : command;
}

function shellWord(name: string): string {
  return /^[\w.@+=,/-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}

function whoAmI(asked: Asked): string {
  return withProfile('aws sts get-caller-identity', asked);
}

function renewal(asked: Asked): string {
  if (asked.profile.source === 'sso')
    return `log in with \`${withProfile('aws sso login', asked)}\``;
  return `renew them, then check with \`${whoAmI(asked)}\``;
}

function unreachable(failed: Failed): string {
  const { code, region, service, untrusted } = failed;
  if (untrusted) {
    return (
      `The certificate of ${place(failed)} is not trusted here (${code}); ` +
      'give the authority of your proxy in AWS_CA_BUNDLE'
    );
  }
  if (code === 'ENOTFOUND') {
    return (
      `${place(failed)} has no address: there is no ${service} in ${region}, or DNS does not ` +
      'work here; check --region and AWS_REGION'
    );
  }
  return `${place(failed)} cannot be reached (${code}); ${network()}`;
}

function place({ host, service, region }: Failed): string {
  return host !== null && /^[\w.-]{1,253}$/.test(host) ? host : `The ${service} API of ${region}`;
}

function network(): string {
  return 'check the route, security groups, proxy (HTTPS_PROXY) and VPC endpoints from here';
}

function endpointAdvice(): string {
  return 'check AWS_ENDPOINT_URL and the proxy (HTTPS_PROXY)';
}

/** What came back that is no answer. */
export function noAnswerSentence(what: NoAnswer, { permission, region }: Asked): Sentence {
  const call = `${permission} in ${region}`;
  if (what.kind === 'late') {
    const seconds = what.afterMs / 1000;
    return ['timeout', `${call} gave no answer in ${seconds} s; ${network()}`];
  }
  const failure = what.kind === 'html' ? failureOfPage(what.status) : 'malformed';
  const advice = what.kind === 'cut' ? 'try again' : endpointAdvice();
  return [failure, `${call} ${answeredWith(what)}; ${advice}`];
}

function answeredWith(what: Exclude<NoAnswer, { readonly kind: 'late' }>): string {
  if (what.kind === 'html') return `was answered with a web page (HTTP ${what.status})`;
  if (what.kind === 'redirect') {
    const to = what.to === null ? '' : ` to ${what.to}`;
    return `was redirected${to} (HTTP ${what.status}), which AWS does not do`;
  }
  if (what.kind === 'too-long') return 'was answered with more than 64 MiB';
  if (what.kind === 'cut') return 'was answered with a document that is cut off';
  if (what.kind === 'no-end') return `gives pages without end (${what.pages} read)`;
  return `was answered without ${what.lacks}, which every answer has`;
}

function failureOfPage(status: number): PortFailure {
  if (status === 429) return 'throttled';
  return status >= 500 && status !== 501 ? 'unavailable' : 'malformed';
}

/** Why there is no identity to call as. */
export function credentialSentence(failure: CredentialFailure, asked: Asked): Sentence {
  const { name, source } = asked.profile;
  if (failure === 'no-such-profile') {
    const which = 'see which are with `aws configure list-profiles`';
    return ['not-configured', `Profile ${name} is in neither AWS configuration file; ${which}`];
  }
  if (failure === 'code-wanted') {
    const how = `aws configure export-credentials --profile ${shellWord(name)} --format env`;
    const what = `Profile ${name} wants a one-time code`;
    return ['unauthenticated', `${what}; enter it first with \`eval "$(${how})"\``];
  }
  const see = `see why with \`${whoAmI(asked)}\``;
  if (failure === 'late')
    return ['unauthenticated', `The credentials of profile ${name} did not come in time; ${see}`];
  if (source !== 'none') {
    const what = `${SOURCE_NAMES[source]} of profile ${name}`;
    const next = source === 'sso' ? renewal(asked) : see;
    return ['unauthenticated', `${what} gave no credentials; ${next}`];
  }
  const how = 'set AWS_PROFILE, or log in with `aws configure sso`';
  return ['not-configured', `No AWS credentials were found; ${how}`];
}

const SOURCE_NAMES: Readonly<Record<Profile['source'], string>> = {
  environment: 'The environment',
  sso: 'The SSO session',
  process: 'The credential_process',
  role: 'The role',
  'web-identity': 'The web identity',
  keys: 'The access key',
  none: 'The configuration',
};
