import type { JsonObject } from '../../evidence/json.ts';
import { redactKeys, redactValue } from '../../evidence/redact.ts';
import type { Clock } from '../../ports/clock.ts';
import { isTransient, PortError } from '../../ports/port-error.ts';
import type { Random } from '../../ports/random.ts';
import type { Webhook, WebhookMessage } from '../../ports/webhook.ts';
import { pause } from '../abort.ts';
import { Backoff } from '../backoff.ts';

/** How a message ended: `failed` after its last try, `dropped` before its first. */
export const DELIVERIES = ['sent', 'failed', 'dropped'] as const;

export type Delivery = (typeof DELIVERIES)[number];

export interface WebhookPublisherOptions {
  readonly webhook: Webhook;
  readonly clock: Clock;
  readonly random: Random;
  /** Told of each message once, and why it was not sent. */
  readonly onDelivery: (delivery: Delivery, error: PortError | null) => void;
}

const QUEUE_MAX = 1000;
const TRIES_MAX = 5;
const WAIT = { leastMs: 1_000, mostMs: 60_000 };
/** A receiver that asks for more is asked again before it said. */
const RETRY_AFTER_MS_MAX = 120_000;

/** Sends messages in their order, each a few times at most; nobody waits for it. */
export class WebhookPublisher {
  readonly #options: WebhookPublisherOptions;
  readonly #waiting: WebhookMessage[] = [];
  #wake = Promise.withResolvers<void>();
  #isOver = false;

  constructor(options: WebhookPublisherOptions) {
    this.#options = options;
  }

  /** Takes a message; never throws and never waits. */
  publish(body: JsonObject): void {
    if (this.#isOver || this.#waiting.length >= QUEUE_MAX)
      return this.#options.onDelivery('dropped', null);
    const clean = redactKeys(redactValue(body));
    this.#waiting.push({ id: this.#drawId(), body: JSON.stringify(clean) });
    this.#wake.resolve();
  }

  /** Sends until the stop; what waits then is dropped. @throws what is no `PortError`, a bug */
  async run(stop: AbortSignal): Promise<void> {
    const onStop = (): void => this.#wake.resolve();
    stop.addEventListener('abort', onStop, { once: true });
    while (!stop.aborted) {
      const message = this.#waiting.shift();
      if (message !== undefined) await this.#deliver(message, stop);
      else await this.#slept();
    }
    this.#isOver = true;
    for (const _ of this.#waiting.splice(0)) this.#options.onDelivery('dropped', null);
  }

  async #slept(): Promise<void> {
    await this.#wake.promise;
    this.#wake = Promise.withResolvers();
  }

  #drawId(): string {
    const part = (): string =>
      Math.floor(this.#options.random.next() * 2 ** 32)
        .toString(16)
        .padStart(8, '0');
    return `${part()}${part()}`;
  }

  async #deliver(message: WebhookMessage, stop: AbortSignal): Promise<void> {
    const { clock, random, onDelivery } = this.#options;
    const backoff = new Backoff(random, WAIT);
    for (let attempt = 1; ; attempt++) {
      const error = await this.#attempt(message, stop);
      if (error === null) return onDelivery('sent', null);
      if (!isTransient(error) || attempt === TRIES_MAX || stop.aborted)
        return onDelivery('failed', error);
      const askedMs = Math.min(error.retryAfterMs ?? 0, RETRY_AFTER_MS_MAX);
      await pause(clock, Math.max(askedMs, backoff.nextMs()), stop);
    }
  }

  /** @returns why it was not sent, null when it was */
  async #attempt(message: WebhookMessage, stop: AbortSignal): Promise<PortError | null> {
    try {
      await this.#options.webhook.send(message, stop);
      return null;
    } catch (error) {
      if (error instanceof PortError) return error;
      if (!stop.aborted) throw error;
      return new PortError({ failure: 'timeout', message: 'The program ends.' });
    }
  }
}
