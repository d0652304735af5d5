import { type OpenedAwsWrites, openAwsWrites } from '../../../adapters/aws/writes.ts';
import { systemClock } from '../../../adapters/system/clock.ts';
import { systemRandom } from '../../../adapters/system/random.ts';
import type { LiveFlags } from './flags.ts';
import type { Clients } from './open-clients.ts';

/** Writes to the AWS that the clients read; null where AWS could not be opened. */
export function openAwsWritesFor(
  flags: LiveFlags,
  { aws, described }: Pick<Clients, 'aws' | 'described'>,
): OpenedAwsWrites | null {
  if (aws === null) return null;
  return openAwsWrites({
    region: flags.region ?? described?.region ?? null,
    profile: flags.profile ?? described?.awsProfile ?? null,
    env: process.env,
    clock: systemClock,
    random: systemRandom,
  });
}
