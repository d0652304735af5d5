import { UsageError } from '../context.ts';
import { quoted } from './quoted.ts';

const ZONE = /^[a-z]{2,5}(?:-[a-z0-9]{1,12}){2,6}[a-z]$/;

/** @throws UsageError for what cannot be a zone */
export function mustBeZones(zones: readonly string[]): void {
  const wrong = zones.find((one) => !ZONE.test(one));
  if (wrong !== undefined)
    throw new UsageError(`--zone takes a zone such as eu-west-1a, not ${quoted(wrong)}`);
}
