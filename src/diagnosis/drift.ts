import { factsOfKind } from '../evidence/fact-values.ts';
import type { FactRecord, Hit, Observations } from '../evidence/observations.ts';
import type { Quote } from '../evidence/sighting.ts';
import { type LineSource, SOURCES } from '../evidence/source.ts';
import { utcMs } from '../evidence/time.ts';
import { measuredClocks } from './measured-clock.ts';
import { keysAmong, type KeysOf } from './namesakes.ts';

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

const AHEAD = new WeakMap<Quote, number | null | undefined>();

/** What one line says of its machine's clock; undefined when it says nothing. */
function aheadOf(quote: Quote): number | null | undefined {
  if (!AHEAD.has(quote)) AHEAD.set(quote, aheadIn(quote.excerpt));
  return AHEAD.get(quote);
}

function aheadIn(line: string): number | null | undefined {
  const signature = SIGNATURE.exec(line);
  if (signature !== null) return compactMs(signature[1] ?? '') - compactMs(signature[2] ?? '');
  return BEFORE_VALIDITY.test(line) ? null : undefined;
}

/** Where the clock of a machine is kept that nothing names, when the logs here are of one alone. */
const ONLY_MACHINE = 'the only machine';

interface Scene {
  readonly observations: Observations;
  readonly keysOf: KeysOf;
}

/** What is said on a machine, by its clock and of its clock. */
function isOwn(hit: Hit): boolean {
  return hit.onMachine && SOURCES[hit.first.source].onMachine;
}

function placesOf(document: number, { documents }: Observations): readonly string[] {
  const container = documents[document]?.container ?? null;
  return [...(container === null ? [] : [`in ${container}`]), `document ${document}`];
}

/** Keys under which what a hit shows of a clock is kept: its machine, archive and document. */
function homesOf(hit: Hit, { observations, keysOf }: Scene): readonly string[] {
  if (!isOwn(hit)) return [];
  const named = hit.about === null ? [] : keysOf(hit.about);
  return [...named, ...placesOf(hit.document, observations), ONLY_MACHINE];
}

/** Keys of the machines that have logs here. */
function namedHere({ observations, keysOf }: Scene): ReadonlySet<string> {
  const named = observations.hits
    .filter(isOwn)
    .flatMap(({ about }) => (about === null ? [] : [about]));
  return new Set(named.flatMap(keysOf));
}

/** Keys under which the logs of a clock's machine are found. */
function homesOfClock(
  { about, moment }: FactRecord<'host/clock'>,
  { observations, keysOf }: Scene,
  named: ReadonlySet<string>,
): readonly string[] {
  const places = placesOf(moment.at.document, observations);
  const keys = about.flatMap(keysOf);
  const isLoose = places.length === 1;
  const isAlone = named.size <= 1 && (keys.length === 0 || keys.some((key) => named.has(key)));
  return [...places, ...(isLoose && isAlone ? [ONLY_MACHINE] : []), ...keys];
}

/** Errors that programs measured; where the most exact one finds none, there is none. */
function measuredErrors(scene: Scene): Map<string, number | null> {
  const clocks = measuredClocks(factsOfKind(scene.observations.facts, 'host/clock'));
  const measured = new Map<string, number>();
  if (clocks.length === 0) return new Map();
  const named = namedHere(scene);
  for (const clock of clocks) {
    const homes = homesOfClock(clock, scene, named);
    if (homes.some((home) => measured.has(home))) continue;
    for (const home of homes) measured.set(home, clock.value.aheadMs ?? 0);
  }
  return new Map([...measured].filter(([, ms]) => Math.abs(ms) >= NEGLIGIBLE_MS));
}

function readErrors(scene: Scene): ReadonlyMap<string, number | null> {
  const errors = measuredErrors(scene);
  for (const hit of scene.observations.hits) {
    const ahead = aheadOf(hit.first);
    if (ahead === undefined || (ahead !== null && Math.abs(ahead) < NEGLIGIBLE_MS)) continue;
    for (const home of homesOf(hit, scene)) {
      if (home === ONLY_MACHINE) continue;
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
  const scene: Scene = { observations, keysOf: keysAmong(observations.facts) };
  const errors = readErrors(scene);
  return (hit) => {
    const home = errors.size === 0 ? undefined : homesOf(hit, scene).find((key) => errors.has(key));
    const zoneOffsetMs = zoneOf(hit, observations);
    if (home === undefined) {
      return zoneOffsetMs === 0 ? null : { zoneOffsetMs, aheadMs: 0, clock: 'utc' };
    }
    return { zoneOffsetMs, aheadMs: errors.get(home) ?? null, clock: `machine ${home}` };
  };
}
