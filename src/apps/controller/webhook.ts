import { systemClock } from '../../adapters/system/clock.ts';
import { systemRandom } from '../../adapters/system/random.ts';
import { openWebhook } from '../../adapters/webhook/webhook.ts';
import type { MetricsRegistry } from '../../runtime/metrics/registry.ts';
import { DELIVERIES, WebhookPublisher } from '../../runtime/webhook/webhook-publisher.ts';
import type { OpenConfiguration } from './configuration.ts';

/** Who sends happenings to the URL that is configured; null where none is. */
export function webhookOf(
  { current, log }: OpenConfiguration,
  registry: MetricsRegistry,
): WebhookPublisher | null {
  const { webhook: url } = current();
  if (url === null) return null;
  const messages = registry.counter({
    name: 'rollcall_webhook_messages_total',
    help: 'Messages to the webhook by how they ended; dropped are those that found the queue full.',
    labels: { outcome: [...DELIVERIES] },
  });
  const target = () => ({ url, secret: current().webhookSecret });
  return new WebhookPublisher({
    webhook: openWebhook({ target, clock: systemClock }),
    clock: systemClock,
    random: systemRandom,
    onDelivery(outcome, error) {
      messages.add({ outcome });
      if (error !== null) log.warn(`${error.message} A message was not sent.`, { outcome });
    },
  });
}
