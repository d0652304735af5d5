import { excerptOf } from '../../evidence/redact.ts';
import { METRICS_CONTENT_TYPE } from '../metrics/exposition.ts';
import type { ReflectorState } from '../reflector/reflector-options.ts';

/** One thing that has to be well. */
export interface HealthCheck {
  readonly name: string;
  /** One sentence; null when it is well. */
  readonly why: string | null;
}

export interface HealthReply {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export interface HealthSources {
  /** Whether the program is to be started again. */
  readonly live: () => readonly HealthCheck[];
  /** Whether its answers can be relied on. */
  readonly ready: () => readonly HealthCheck[];
  /** In the text format of Prometheus. */
  readonly metrics: () => string;
}

export interface HealthRequest {
  readonly method: string;
  /** Without a query. */
  readonly path: string;
}

/**
 * What `/livez`, `/readyz` and `/metrics` answer; 405 and 404 for everything else. `/healthz` is the
 * older name of `/livez`, by which deployments of other programs ask.
 */
export function healthReply(request: HealthRequest, sources: HealthSources): HealthReply {
  const { method, path } = request;
  if (method !== 'GET' && method !== 'HEAD') return text(405, 'only GET and HEAD are answered\n');
  if (path === '/livez' || path === '/healthz') return checked('livez', sources.live());
  if (path === '/readyz') return checked('readyz', sources.ready());
  if (path === '/metrics')
    return { status: 200, contentType: METRICS_CONTENT_TYPE, body: sources.metrics() };
  return text(404, 'unknown path; there are /livez, /readyz and /metrics\n');
}

/** In the words of the API server's own `/readyz?verbose`. */
function checked(name: string, checks: readonly HealthCheck[]): HealthReply {
  const lines = checks.map((check) =>
    check.why === null ? `[+]${check.name} ok` : `[-]${check.name} failed: ${excerptOf(check.why)}`,
  );
  const isWell = checks.every(({ why }) => why === null);
  const end = `${name} check ${isWell ? 'passed' : 'failed'}`;
  return text(isWell ? 200 : 503, `${[...lines, end].join('\n')}\n`);
}

function text(status: number, body: string): HealthReply {
  return { status, contentType: 'text/plain; charset=utf-8', body };
}

/** A store that decisions are made by. */
export interface WatchedCache {
  /** `nodes`. */
  readonly name: string;
  readonly state: ReflectorState;
}

/** A quiet watch is confirmed about every 4 s, so that less than 8 s would call a healthy one stale. */
export const CACHE_STALE_MS = 15_000;

/** A cache is well once it is filled, and while it is known to be what the server has. */
export function cacheChecks(
  caches: readonly WatchedCache[],
  staleMostMs = CACHE_STALE_MS,
): readonly HealthCheck[] {
  return caches.map(({ name, state }) => ({
    name: `cache-${name}`,
    why: cacheTrouble(state, staleMostMs),
  }));
}

function cacheTrouble(state: ReflectorState, staleMostMs: number): string | null {
  const { isSynced, lastError, phase, staleMs } = state;
  const because = lastError === null ? '' : `: ${lastError.message}`;
  if (phase === 'stopped') return 'the watch has stopped';
  if (!isSynced) return `not filled yet (${phase})${because}`;
  if (staleMs <= staleMostMs) return null;
  return `not confirmed for ${Math.floor(staleMs / 1000)} s (${phase})${because}`;
}

/** Live as long as no run takes longer than this; a run that hangs holds up its object for ever. */
export const RUN_STUCK_MS = 10 * 60_000;

export function queueCheck(name: string, longestRunMs: number): HealthCheck {
  const isStuck = longestRunMs > RUN_STUCK_MS;
  const why = `one run takes ${Math.floor(longestRunMs / 1000)} s already`;
  return { name: `queue-${name}`, why: isStuck ? why : null };
}
