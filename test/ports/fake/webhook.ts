import { type Clock, startTimer } from '../../../src/ports/clock.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import type { Webhook, WebhookMessage } from '../../../src/ports/webhook.ts';

/** A status, no connection, or an answer that never comes. */
export type WebhookReply = number | 'refuse' | 'hang';

export interface FakeWebhook extends Webhook {
  readonly received: WebhookMessage[];
  /** For the next messages; none is 204. */
  readonly replies: WebhookReply[];
}

const LIMIT_MS = 10_000;
const FAILURES = { 302: 'unsupported', 401: 'denied', 404: 'not-found', 429: 'throttled' } as const;

function failureOf(status: number): PortError['failure'] {
  if (status >= 500) return 'unavailable';
  return Object.entries(FAILURES).find(([one]) => Number(one) === status)?.[1] ?? 'invalid';
}

/** The `Webhook` port without a network. */
export function createFakeWebhook(clock: Clock): FakeWebhook {
  const received: WebhookMessage[] = [];
  const replies: WebhookReply[] = [];
  return {
    received,
    replies,
    async send(message, signal) {
      signal.throwIfAborted();
      const reply = replies.shift() ?? 204;
      if (reply === 'refuse') throw new PortError({ failure: 'unreachable', message: 'Refused.' });
      received.push(message);
      if (reply === 'hang') await hang(clock, signal);
      else if (reply >= 300)
        throw new PortError({ failure: failureOf(reply), message: `Answered ${reply}.` });
    },
  };
}

async function hang(clock: Clock, signal: AbortSignal): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = startTimer(clock, LIMIT_MS, () =>
    late.reject(new PortError({ failure: 'timeout', message: 'No answer.' })),
  );
  signal.addEventListener('abort', () => late.reject(signal.reason), { once: true });
  await late.promise.finally(() => timer.cancel());
}
