import type { AwsAnswer } from '../../aws/contract.ts';
import type { MetadataAnswer } from '../network/metadata.ts';
import type { ProgramRun } from './program.ts';
import { projectedToken } from './projected-token.ts';

/** Sessions of STS for pods live an hour, as SDKs ask for them. */
const SESSION_MS = 3_600_000;
/** Of one answer of STS, and of four tries of which each is refused as too many. */
const ANSWER_MS = 120;
const THROTTLED_MS = 1500;
const TIMEOUT_MS = 5000;
/** Of a regional endpoint, as its name resolves. */
const STS_ADDRESS = '54.240.251.132';
const TOKEN_FILE = '/var/run/secrets/eks.amazonaws.com/serviceaccount/token';
/** Asked without keys: the token says who asks. */
const NOBODY = { arn: '', accessKeyId: '' };

/** What STS says to the token of a pod, as AssumeRoleWithWebIdentity of the SDKs asks it. */
export function byWebIdentity(run: ProgramRun, RoleArn: string): MetadataAnswer {
  const { host, network } = run;
  const { aws, kernel } = host.world;
  if (network.isLost('aws-api')) return unreachable(aws.region);
  const WebIdentityToken = projectedToken(run, 'sts.amazonaws.com');
  if (WebIdentityToken === null) return withoutToken();
  const RoleSessionName = String(kernel.nowMs() * 1_000_000);
  const input = { RoleArn, RoleSessionName, WebIdentityToken };
  const call = { service: 'sts', operation: 'AssumeRoleWithWebIdentity', input } as const;
  const answer = aws.answer(NOBODY, call);
  if (!answer.ok) return refusedBy(answer, requestId(run));
  return { ok: true, identity: 'own-role', tookMs: ANSWER_MS, lifetimeMs: SESSION_MS };
}

function unreachable(region: string): MetadataAnswer {
  const error =
    `RequestError: send request failed\ncaused by: Post "https://sts.${region}.amazonaws.com/": ` +
    `dial tcp ${STS_ADDRESS}:443: i/o timeout`;
  return { ok: false, error, tookMs: TIMEOUT_MS };
}

function withoutToken(): MetadataAnswer {
  const error = `WebIdentityErr: failed fetching WebIdentity token: \ncaused by: open ${TOKEN_FILE}: no such file or directory`;
  return { ok: false, error, tookMs: 1 };
}

/** As aws-sdk-go prints an error of a request (aws/awserr). */
function refusedBy(
  { refusal: { code, message, status } }: Extract<AwsAnswer, { ok: false }>,
  id: string,
): MetadataAnswer {
  const error = `${code}: ${message}\n\tstatus code: ${status}, request id: ${id}`;
  return { ok: false, error, tookMs: code === 'Throttling' ? THROTTLED_MS : ANSWER_MS };
}

/** As AWS counts requests. */
export function requestId({ host }: ProgramRun): string {
  return [8, 4, 4, 4, 12].map((length) => host.random.hex(length)).join('-');
}
