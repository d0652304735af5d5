import { EntryTrail } from '../../controllers/auth/entry-trail.ts';
import type { MachineNotes } from '../../controllers/auth/machine-notes.ts';
import type { AwsApi } from '../../ports/aws-api.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../runtime/log/logger.ts';

export interface EntryTrailParts {
  readonly aws: AwsApi;
  readonly clock: Clock;
  readonly machineNotes: MachineNotes;
  readonly log: Logger;
}

/** What CloudTrail shows of access entries, as lines of the log and words in reports. */
export function createEntryTrail({ aws, clock, machineNotes, log }: EntryTrailParts): EntryTrail {
  let blind: string | null = null;
  return new EntryTrail({
    aws,
    clock,
    onChange: (event, { arn, machines }) => {
      const { text, by, at, from } = event;
      log.warn(`access entry of ${arn}: ${text} Shut out: ${machines.join(', ')}`, {
        by,
        at,
        from,
      });
      machineNotes.keep(machines, `access entry of ${arn}: ${text}`, clock.nowMs());
    },
    onBlind: (why) => {
      if (why !== null && why !== blind) log.warn(`who changed access entries is unknown: ${why}`);
      blind = why;
    },
  });
}
