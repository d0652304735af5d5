import type { Seen } from '../evidence/fact.ts';
import type { AutoScalingGroup } from '../evidence/aws/groups.ts';
import { filledGroups } from '../domain/instances/launch.ts';
import type { Sighting } from '../evidence/sighting.ts';
import { clear, type Clear } from './cause.ts';

interface Launches<S extends string> {
  sign(name: S): Sighting | null;
  list(kind: 'aws/auto-scaling-group'): readonly Seen<AutoScalingGroup>[];
}

const ACTIVITY = /^Auto Scaling group (\S+) activity\b/;

/**
 * Clear when every failed launch that was seen is an activity of a group which by now has all the
 * instances it wants; null where anything else was seen, or nothing.
 */
export function clearWhenFilled<S extends string>(
  view: Launches<S>,
  names: readonly S[],
): Clear | null {
  const seen = names.map((name) => view.sign(name)).filter((sighting) => sighting !== null);
  if (seen.length === 0) return null;
  const filled = filledGroups(view.list('aws/auto-scaling-group'));
  const quotes = seen.flatMap(({ first, last, quotes: all }) => [first, last, ...all]);
  const isOver = quotes.every(({ excerpt }) => filled.has(ACTIVITY.exec(excerpt)?.[1] ?? ''));
  return isOver ? clear : null;
}
