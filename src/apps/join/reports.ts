import { openHost } from '../../adapters/host/open.ts';
import { openHostWrites } from '../../adapters/host/writes.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import { systemRandom } from '../../adapters/system/random.ts';
import type { JoinEvent } from '../../controllers/join/event.ts';
import { shortText } from '../../collection/host/machine.ts';
import { excerptOf } from '../../evidence/redact.ts';
import type { JsonObject } from '../../evidence/json.ts';
import { startTimer } from '../../ports/clock.ts';
import { PortError } from '../../ports/port-error.ts';
import type { CliContext } from '../cli/context.ts';
import type { JoinCause } from './failure-cause.ts';
import { eventDocument, eventLine, summaryLines } from './report.ts';

export interface ReportPlaces {
  readonly isJson: boolean;
  readonly console: string | null;
  /** A file that holds the URL, as that is a secret. */
  readonly webhookFile: string | null;
  /** A kubeconfig that may write NodeReports. */
  readonly nodeReport: string | null;
}

const URL_BYTES_MAX = 4096;
const WEBHOOK_MS = 30_000;

/** Tells people and programs how a join goes; none of them can hold it up. */
export class JoinReports {
  readonly #places: ReportPlaces;
  readonly #context: CliContext;
  #last: JoinEvent | null = null;

  constructor(places: ReportPlaces, context: CliContext) {
    this.#places = places;
    this.#context = context;
  }

  readonly say = (event: JoinEvent): void => {
    const clean = { ...event, message: excerptOf(event.message, MESSAGE_MAX) };
    this.#last = clean;
    const isEnd = event.event === 'joined' || event.event === 'failed';
    if (!this.#places.isJson) this.#context.err(`${eventLine(clean)}\n`);
    else if (!isEnd) this.#context.out(`${JSON.stringify(eventDocument(clean, null))}\n`);
  };

  /** The end, with its cause where it is a bad one. */
  async end(output: string): Promise<void> {
    const last = this.#last;
    if (last === null) return;
    const cause = last.event === 'failed' ? await causeOf(output) : null;
    const lines = summaryLines(last, cause).map((line) => excerptOf(line, MESSAGE_MAX));
    const document = eventDocument(last, cause);
    this.#context.out(
      this.#places.isJson ? `${JSON.stringify(document)}\n` : `${lines.join('\n')}\n`,
    );
    await this.#toConsole(lines);
    await this.#toWebhook(document);
    await this.#toNodeReport(last, cause);
  }

  async #toConsole(lines: readonly string[]): Promise<void> {
    const { console: path } = this.#places;
    if (path === null) return;
    await this.#unlessRefused(async () => {
      const writes = openHostWrites(systemClock);
      for (const line of lines) await writes.appendLine(path, `rollcall join: ${line}`);
    });
  }

  async #toWebhook(document: JsonObject): Promise<void> {
    const { webhookFile } = this.#places;
    if (webhookFile === null) return;
    const url = await shortText(openHost(systemClock), webhookFile, URL_BYTES_MAX);
    if (url === null || !/^https?:\/\/[^\s@]+$/.test(url)) {
      this.#context.err(`${webhookFile} holds no http or https URL; nothing was sent.\n`);
      return;
    }
    await sendOnce(url, document, (message) => this.#context.err(`${message}\n`));
  }

  async #toNodeReport(end: JoinEvent, cause: JoinCause | null): Promise<void> {
    const { nodeReport } = this.#places;
    if (nodeReport === null) return;
    const { writeNodeReport } = await import('./node-report.ts');
    const { rowOfJoin } = await import('../../controllers/join/join-row.ts');
    const why = await writeNodeReport(nodeReport, rowOfJoin(end, cause));
    if (why !== null) this.#context.err(`The NodeReport was not written: ${why}\n`);
  }

  async #unlessRefused(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      this.#context.err(`${error.message}\n`);
    }
  }
}

const MESSAGE_MAX = 1000;

/** A join that waits does without the causes and what reads them: 30 MB. */
async function causeOf(output: string): Promise<JoinCause | null> {
  const { causeOfFailure } = await import('./failure-cause.ts');
  return causeOfFailure(output);
}

async function sendOnce(
  url: string,
  document: JsonObject,
  err: (message: string) => void,
): Promise<void> {
  const { openWebhook } = await import('../../adapters/webhook/webhook.ts');
  const { WebhookPublisher } = await import('../../runtime/webhook/webhook-publisher.ts');
  const over = new AbortController();
  const publisher = new WebhookPublisher({
    webhook: openWebhook({ target: () => ({ url, secret: null }), clock: systemClock }),
    clock: systemClock,
    random: systemRandom,
    onDelivery(outcome, error) {
      if (outcome !== 'sent') err(`The webhook was not told: ${error?.message ?? outcome}`);
      over.abort();
    },
  });
  publisher.publish(document);
  const limit = startTimer(systemClock, WEBHOOK_MS, () => over.abort());
  await publisher.run(over.signal);
  limit.cancel();
}
