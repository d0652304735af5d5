import type { Clock } from '../../ports/clock.ts';
import type { PortError } from '../../ports/port-error.ts';
import type { Watcher, WatchEvent } from './contract.ts';
import type { AskedName } from './port-failure.ts';
import type { PortHooks } from './port-hooks.ts';

/** Events between the server that sends them and the product code that waits for them. */
export class PortWatch implements Watcher {
  readonly asked: AskedName;
  readonly #clock: Clock;
  readonly #arrives: PortHooks['arrives'];
  readonly #delayMs: PortHooks['delayMs'];
  readonly #events: WatchEvent[] = [];
  #head = 0;
  #isEnded = false;
  #failure: PortError | null = null;
  #wake: () => void = () => undefined;
  #isOpen = false;
  #lastMs = 0;

  constructor(
    asked: AskedName,
    clock: Clock,
    arrives: PortHooks['arrives'],
    delayMs: PortHooks['delayMs'],
  ) {
    this.asked = asked;
    this.#clock = clock;
    this.#arrives = arrives;
    this.#delayMs = delayMs;
  }

  readonly onEvent = (event: WatchEvent): void => {
    const arriving = this.#arrives?.(this.asked, event) ?? [event];
    this.#later(() => this.#events.push(...arriving));
  };

  readonly onEnd = (): void => {
    this.#later(() => {
      this.#isEnded = true;
    });
  };

  fail(error: PortError): void {
    this.#later(() => {
      this.#failure = error;
    });
  }

  /** The next event; null at the end. @throws PortError, or the reason of the signal */
  async next(signal?: AbortSignal): Promise<WatchEvent | null> {
    this.#isOpen = true;
    for (;;) {
      signal?.throwIfAborted();
      const event = this.#events[this.#head];
      if (event !== undefined) {
        this.#take();
        return event;
      }
      if (this.#failure !== null) throw this.#failure;
      if (this.#isEnded) return null;
      await this.#change(signal);
    }
  }

  #take(): void {
    this.#head++;
    if (this.#head < this.#events.length) return;
    this.#events.length = 0;
    this.#head = 0;
  }

  /** What there is when the watch opens is there at once; all that follows is on its way first. */
  #later(arrive: () => void): void {
    if (!this.#isOpen) {
      arrive();
      return;
    }
    const nowMs = this.#clock.monotonicMs();
    this.#lastMs = Math.max(this.#lastMs, nowMs + (this.#delayMs?.(this.asked) ?? 0));
    // A sleep of no length too: only the clock tells the kernel that somebody goes on.
    void this.#afterDelay(this.#lastMs - nowMs, arrive);
  }

  async #afterDelay(delayMs: number, arrive: () => void): Promise<void> {
    await this.#clock.sleep(delayMs);
    arrive();
    this.#wake();
  }

  async #change(signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = (): void => {
      // For the kernel, which would go on to its next event before whoever waits here does.
      void this.#clock.sleep(0);
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#wake = resolve;
    try {
      await promise;
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#wake = () => undefined;
    }
  }
}
