import { type OpenedAwsEvents, openAwsEvents } from '../../../adapters/aws/events.ts';
import { systemClock } from '../../../adapters/system/clock.ts';
import { systemRandom } from '../../../adapters/system/random.ts';
import { SourceError } from '../context.ts';
import type { LiveFlags } from './flags.ts';
import type { Clients } from './open-clients.ts';

/** How the name of a queue ends that belongs to a watch. */
const OF_WATCH = /-watch(?:\.fifo)?$/;

/** A user in a URL would be sent in a header that no receiver asks for. */
export function isPlainUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username + password === '';
}

/** `https://sqs.REGION.amazonaws.com/ACCOUNT/NAME`, and what endpoints of one's own make of it. */
function isQueueUrl(text: string): boolean {
  return isPlainUrl(text) && /^\/\d{12}\/[\w-]{1,80}(?:\.fifo)?$/.test(new URL(text).pathname);
}

/**
 * What is wrong with a queue for one of its readers; null when nothing is. Each removes what it
 * reads, and so neither takes the queue of the other.
 */
export function queueTrouble(url: string, reader: 'watch' | 'controller'): string | null {
  if (!isQueueUrl(url)) return 'is not the URL of a queue; list them: aws sqs list-queues';
  const isOfWatch = OF_WATCH.test(new URL(url).pathname);
  if (isOfWatch === (reader === 'watch')) return null;
  return reader === 'watch'
    ? 'is a queue whose name does not end in -watch, and a watch removes what it reads; make one for it: aws sqs create-queue --queue-name rollcall-watch'
    : 'is the queue of a watch, as its name ends in -watch; make another: aws sqs create-queue --queue-name rollcall';
}

/** @throws SourceError where AWS is not asked */
export function openQueue(
  url: string,
  flags: LiveFlags,
  { aws, described }: Pick<Clients, 'aws' | 'described'>,
): OpenedAwsEvents {
  if (aws === null) throw new SourceError('--aws-events needs AWS; name a region: --region');
  return openAwsEvents(url, {
    region: flags.region ?? described?.region ?? null,
    profile: flags.profile ?? described?.awsProfile ?? null,
    env: process.env,
    clock: systemClock,
    random: systemRandom,
  });
}
