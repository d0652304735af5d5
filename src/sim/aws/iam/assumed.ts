/** Answers that carry keys of a role. */
import type { JsonObject } from '../../../evidence/json.ts';
import { isoMoment } from '../account.ts';
import { numberIn } from '../operation.ts';
import type { Keys } from '../state.ts';

/** An hour unless asked otherwise (STS API reference). */
const DURATION_S = 3600;

export function credentialsIn(
  input: JsonObject,
  assumed: (durationMs: number) => Keys,
): JsonObject {
  const seconds = numberIn(input, 'DurationSeconds') ?? DURATION_S;
  const keys = assumed(seconds * 1000);
  return {
    Credentials: {
      AccessKeyId: keys.accessKeyId,
      SecretAccessKey: keys.secretAccessKey,
      SessionToken: keys.sessionToken,
      Expiration: isoMoment(keys.expiresMs),
    },
    AssumedRoleUser: { AssumedRoleId: keys.userId, Arn: keys.arn },
  };
}
