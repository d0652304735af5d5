import type { RecordingLimits } from '../../../collection/recording/recording.ts';
import type { RECORD_LIMITS } from '../declared/record.ts';
import type { ParsedOptions } from '../options/declaration.ts';

const MIB = 1024 * 1024;

/** What `--keep` and `--max-size` say. */
export function limitsOf(values: ParsedOptions<typeof RECORD_LIMITS>): RecordingLimits {
  return { keepMs: values.keep, bytesMax: values['max-size'] * MIB };
}

/** The same where nobody says anything: 30 days and 1 GiB. */
export const USUAL_LIMITS: RecordingLimits = { keepMs: 30 * 86_400_000, bytesMax: 1024 * MIB };
