import type { JsonObject } from '../../../evidence/json.ts';
import { at, isObject, textAt } from '../../../evidence/json.ts';
import type { Timer } from '../../kernel/kernel.ts';
import type { Health } from '../programs/program.ts';

/** Defaults of core/v1 Probe. */
const PERIOD_SECONDS = 10;
const FAILURES = 3;
const SUCCESSES = 1;

interface ProbeSpec {
  readonly delayMs: number;
  readonly periodMs: number;
  readonly failures: number;
  readonly successes: number;
}

export interface ProbeOwner {
  nowMs(): number;
  after(delayMs: number, task: () => void): Timer;
  onReady(isReady: boolean): void;
  onUnhealthy(probe: 'Readiness' | 'Liveness', message: string): void;
  onLivenessLost(): void;
}

const HEALTHY: Health = { isReady: true, readyMessage: '', isLive: true, liveMessage: '' };

/**
 * Probes without a clock of their own: what a probe sees changes only when the program says so, and
 * then the moment at which enough probes have seen it is known.
 */
export class Probes {
  readonly #readiness: ProbeSpec | null;
  readonly #liveness: ProbeSpec | null;
  readonly #owner: ProbeOwner;
  #health = HEALTHY;
  #isBegun = false;
  #begunMs = 0;
  #readyTimer: Timer | null = null;
  #liveTimer: Timer | null = null;
  #sayTimer: Timer | null = null;

  constructor(container: JsonObject, owner: ProbeOwner) {
    this.#readiness = probeOf(container, 'readinessProbe');
    this.#liveness = probeOf(container, 'livenessProbe');
    this.#owner = owner;
  }

  /** A new run is about to start. */
  reset(): void {
    this.end();
    this.#health = HEALTHY;
  }

  /** It runs; a container without a readiness probe is ready with that. */
  begin(): void {
    this.#isBegun = true;
    this.#begunMs = this.#owner.nowMs();
    if (this.#readiness === null) return this.#owner.onReady(true);
    this.#plan();
    this.#planLiveness();
  }

  end(): void {
    this.#isBegun = false;
    this.#readyTimer?.cancel();
    this.#liveTimer?.cancel();
    this.#sayTimer?.cancel();
  }

  change(change: Partial<Health>): void {
    const before = this.#health;
    this.#health = { ...before, ...change };
    if (!this.#isBegun) return;
    if (this.#health.isReady !== before.isReady) this.#plan();
    if (this.#health.isLive !== before.isLive) this.#planLiveness();
  }

  /** Until the next probe, which come in step with the start of the container. */
  #untilNext({ delayMs, periodMs }: ProbeSpec): number {
    const elapsedMs = this.#owner.nowMs() - this.#begunMs;
    if (elapsedMs <= delayMs) return delayMs - elapsedMs;
    return periodMs - ((elapsedMs - delayMs) % periodMs);
  }

  #plan(): void {
    const probe = this.#readiness;
    if (probe === null) return;
    this.#readyTimer?.cancel();
    this.#sayTimer?.cancel();
    const { isReady } = this.#health;
    const firstMs = this.#untilNext(probe);
    const moreMs = (isReady ? probe.successes - 1 : probe.failures - 1) * probe.periodMs;
    this.#readyTimer = this.#owner.after(firstMs + moreMs, () => this.#owner.onReady(isReady));
    if (!isReady) this.#sayAgain(probe, firstMs);
  }

  /** The event comes with every probe; here with fewer and fewer of them. */
  #sayAgain(probe: ProbeSpec, delayMs: number): void {
    this.#sayTimer = this.#owner.after(delayMs, () => {
      this.#owner.onUnhealthy('Readiness', this.#health.readyMessage);
      this.#sayAgain(probe, Math.max(probe.periodMs, delayMs * 2));
    });
  }

  #planLiveness(): void {
    const probe = this.#liveness;
    if (probe === null) return;
    this.#liveTimer?.cancel();
    if (this.#health.isLive) return;
    const delayMs = this.#untilNext(probe) + (probe.failures - 1) * probe.periodMs;
    this.#liveTimer = this.#owner.after(delayMs, () => {
      this.#owner.onUnhealthy('Liveness', this.#health.liveMessage);
      this.#owner.onLivenessLost();
    });
  }
}

function probeOf(container: JsonObject, name: string): ProbeSpec | null {
  const probe = at(container, name);
  if (!isObject(probe)) return null;
  const number = (key: string, fallback: number): number => Number(textAt(probe, key) ?? fallback);
  return {
    delayMs: number('initialDelaySeconds', 0) * 1000,
    periodMs: number('periodSeconds', PERIOD_SECONDS) * 1000,
    failures: number('failureThreshold', FAILURES),
    successes: number('successThreshold', SUCCESSES),
  };
}
