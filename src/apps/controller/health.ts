import type { FeedHealth } from '../../collection/resident/feeds.ts';
import type { HealthCheck } from '../../runtime/health/health.ts';
import type { ControllerState } from './program.ts';

/** A quiet watch is confirmed about every 4 s. */
const STALE_MS = 15_000;
/** Judged at least every 30 s; what takes this long hangs. */
const JUDGED_MS_MAX = 10 * 60_000;
/** AWS is asked every minute. */
const AWS_MS_MAX = 10 * 60_000;

function listCheck({
  kind,
  isSynced,
  isOptional,
  staleMs,
  phase,
  failure,
}: FeedHealth): HealthCheck {
  const name = `list-${kind}`;
  const because = failure === null ? '' : ` (${failure})`;
  if (!isSynced) return { name, why: isOptional ? null : `not read yet, ${phase}${because}` };
  const isOld = staleMs > STALE_MS;
  return {
    name,
    why: isOld ? `not confirmed for ${Math.round(staleMs / 1000)} s${because}` : null,
  };
}

/** Live as long as it judges; what the API server does is not its fault. */
export function liveChecks({ resident }: ControllerState): readonly HealthCheck[] {
  const ageMs = resident.judgedAgeMs;
  const hangs = ageMs !== null && ageMs > JUDGED_MS_MAX;
  return [{ name: 'judging', why: hangs ? `not judged for ${Math.round(ageMs / 1000)} s` : null }];
}

/** Ready while its roll call is that of now; a list that may not be read is no reason to wait. */
export function readyChecks({ resident }: ControllerState): readonly HealthCheck[] {
  const { judgedAgeMs, awsAgeMs, lists } = resident;
  const isJudged = judgedAgeMs !== null;
  const isAwsOld = awsAgeMs !== null && awsAgeMs > AWS_MS_MAX;
  const readable = lists.filter(({ phase }) => phase !== 'denied' && phase !== 'unauthenticated');
  return [
    { name: 'roll-call', why: isJudged ? null : 'the first roll call is not complete' },
    { name: 'aws', why: isAwsOld ? `not asked for ${Math.round(awsAgeMs / 1000)} s` : null },
    ...readable.map(listCheck),
  ];
}
