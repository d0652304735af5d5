import type { DiagnosisDocument } from '../document.ts';
import { excerptOf } from '../../evidence/redact.ts';

const CALLS_SHOWN = 3;
/** A call to AWS or a list of Kubernetes; anything else left out is said of a whole source. */
const CALL = /^(?:list |[a-z0-9-]+:[A-Z])/;
/** Lists without which machines are missing. */
const MACHINES = /^(?:list nodes|ec2:DescribeInstances)$/;

type Losses = DiagnosisDocument['losses'];

function rankOf(locator: string): number {
  if (!CALL.test(locator)) return 0;
  return MACHINES.test(locator) ? 1 : 2;
}

/** What was left out in sentences, each once: first what is said of all machines. */
export function lossSentences(losses: Losses): readonly string[] {
  const sorted = losses.toSorted((a, b) => rankOf(a.locator) - rankOf(b.locator));
  return [...new Set(sorted.map(({ what }) => what))];
}

/**
 * One line for whoever gets no page that tells what was left out; null when nothing was.
 *
 * @param all the command that tells all of it
 */
export function leftOutLine(losses: Losses, all: string): string | null {
  const [only, ...others] = lossSentences(losses);
  if (only === undefined) return null;
  if (others.length === 0) return `Left out: ${excerptOf(only)}`;
  const places = [...new Set(losses.map(({ locator }) => locator))].toSorted(
    (a, b) => rankOf(a) - rankOf(b),
  );
  const shown = places.slice(0, CALLS_SHOWN).map((place) => excerptOf(place));
  const rest = places.length - shown.length;
  const more = rest > 0 ? ` and ${rest} more` : '';
  return `Left out: ${shown.join(', ')}${more}; why: ${all}`;
}
