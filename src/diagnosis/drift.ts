import { linkKeys } from '../evidence/names.ts';
import type { Hit, Observations } from '../evidence/observations.ts';
import { type LineSource, SOURCES } from '../evidence/source.ts';
import { utcMs } from '../evidence/time.ts';

/** What the stamps of one machine's own logs need, to stand beside those of others. */
export interface Drift {
  /** How far stamps without a zone are ahead of UTC, ms. */
  readonly zoneOffsetMs: number;
  /** How far the machine's clock is ahead of the true time, ms; null when wrong by an unknown amount. */
  readonly aheadMs: number | null;
  /** Name of the machine's own clock, for when the error is unknown. */
  readonly clock: string;
}

/**
 * AWS tells both times when it refuses a signature: the one signed with and, before the limit that
 * it adds or subtracts, its own.
 */
const SIGNATURE =
  /Signature (?:expired|not yet current): (\d{8}T\d{6}Z) is (?:now earlier|still later) than \d{8}T\d{6}Z \((\d{8}T\d{6}Z) [+-] \d+ min/;
/** A certificate that is not valid yet proves a clock behind, and not by how much. */
const BEFORE_VALIDITY = /is not yet valid: current time \S+ is before \d/;
/** A clock this close to the true one orders events of several machines well enough. */
const NEGLIGIBLE_MS = 1000;

/** Programs of containers print UTC, whatever zone their host has. */
const HOST_LOGS: ReadonlySet<LineSource> = new Set([
  'kubelet',
  'containerd',
  'nodeadm',
  'cloud-init',
  'nodeup',
  'kubeadm',
  'kernel',
  'journal',
]);

function compactMs(stamp: string): number {
  const part = (from: number, to: number): number => Number(stamp.slice(from, to));
  const seconds = (part(9, 11) * 60 + part(11, 13)) * 60 + part(13, 15);
  return utcMs(part(0, 4), part(4, 6), part(6, 8), seconds * 1000);
}

/** What one line says of its machine's clock; undefined when it says nothing. */
function aheadOf(line: string): number | null | undefined {
  const signature = SIGNATURE.exec(line);
  if (signature !== null) return compactMs(signature[1] ?? '') - compactMs(signature[2] ?? '');
  return BEFORE_VALIDITY.test(line) ? null : undefined;
}

/** Keys under which what a hit shows of a clock is kept: its machine, archive and document. */
function homesOf(hit: Hit, observations: Observations): readonly string[] {
  if (!hit.onMachine || !SOURCES[hit.first.source].onMachine) return [];
  const container = observations.documents[hit.document]?.container ?? null;
  return [
    ...(hit.about === null ? [] : linkKeys(hit.about)),
    ...(container === null ? [] : [`in ${container}`]),
    `document ${hit.document}`,
  ];
}

function readErrors(observations: Observations): ReadonlyMap<string, number | null> {
  const errors = new Map<string, number | null>();
  for (const hit of observations.hits) {
    const ahead = aheadOf(hit.first.excerpt);
    if (ahead === undefined || (ahead !== null && Math.abs(ahead) < NEGLIGIBLE_MS)) continue;
    for (const home of homesOf(hit, observations)) {
      // A measured error says more than a certificate.
      if (ahead !== null || !errors.has(home)) errors.set(home, ahead);
    }
  }
  return errors;
}

/** The zone of a document, by itself or by another file of its archive, ms ahead of UTC. */
function zoneOf(hit: Hit, observations: Observations): number {
  const document = observations.documents[hit.document];
  if (document === undefined) return 0;
  if (document.zoneOffsetMs !== null) return document.zoneOffsetMs;
  if (document.container === null || !HOST_LOGS.has(hit.first.source)) return 0;
  const sibling = observations.documents.find(
    (other) => other.container === document.container && other.zoneOffsetMs !== null,
  );
  return sibling?.zoneOffsetMs ?? 0;
}

/** How the stamps of each hit must be read; null where they stand as they are. */
export function readDrifts(observations: Observations): (hit: Hit) => Drift | null {
  const errors = readErrors(observations);
  return (hit) => {
    const home = homesOf(hit, observations).find((key) => errors.has(key));
    const zoneOffsetMs = zoneOf(hit, observations);
    if (home === undefined) {
      return zoneOffsetMs === 0 ? null : { zoneOffsetMs, aheadMs: 0, clock: 'utc' };
    }
    return { zoneOffsetMs, aheadMs: errors.get(home) ?? null, clock: `machine ${home}` };
  };
}
