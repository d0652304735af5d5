import { existsSync } from 'node:fs';
import { recordedTimes, type TimesOfRow } from '../../../collection/timeline/recorded-times.ts';
import { clusterIn } from './record-question.ts';
import { isPostgres, openForReading, told } from './record-target.ts';

/**
 * What a recording knows of the times of rows.
 *
 * @param mayBeNew true where a file that is not there yet, or is empty, knows nothing
 * @throws UsageError and SourceError
 */
export async function timesInRecord(
  target: string,
  named: string | null,
  mayBeNew: boolean,
): Promise<TimesOfRow | null> {
  if (mayBeNew && !isPostgres(target) && !existsSync(target)) return null;
  const recorder = await openForReading(target);
  try {
    return await told(async () => {
      const clusters = await recorder.clusters();
      const isKnown = named === null ? clusters.length === 1 : clusters.includes(named);
      if (mayBeNew && !isKnown) return null;
      return recordedTimes(recorder, await clusterIn(recorder, named, target));
    });
  } finally {
    await recorder.close();
  }
}
