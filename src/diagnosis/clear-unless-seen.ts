import type { Sighting } from '../evidence/sighting.ts';
import { clear, type Clear } from './cause.ts';

/** Clear where facts rule a cause out, unless one of its signs was seen: null leaves it to those. */
export function clearUnlessSeen<S extends string>(
  view: { sign(name: S): Sighting | null },
  names: readonly S[],
): Clear | null {
  return names.every((name) => view.sign(name) === null) ? clear : null;
}
