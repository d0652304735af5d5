/** Events of EventBridge, out of the SQS queue that takes them. */
import type { ReceiveMessageRequest } from '@aws-sdk/client-sqs';
import { type Json, listAt, textAt } from '../../evidence/json.ts';
import {
  type AwsEventMessage,
  type AwsEvents,
  EVENT_HIDDEN_MS,
  EVENT_MESSAGES_MAX,
} from '../../ports/aws-events.ts';
import { type AwsOptions, askedOf, close, open, request } from './open.ts';

export interface OpenedAwsEvents extends AwsEvents {
  /** Closes all connections. */
  close(): void;
}

/** The most that SQS lets a request wait, s. */
const WAIT_S = 20;
const RECEIVED = {
  MaxNumberOfMessages: EVENT_MESSAGES_MAX,
  WaitTimeSeconds: WAIT_S,
  VisibilityTimeout: EVENT_HIDDEN_MS / 1000,
} satisfies Partial<ReceiveMessageRequest>;

/**
 * Opens the queue at a URL as SQS gives it, and sends nothing. It is asked in the region that the
 * URL names, else in that of the options.
 *
 * @throws PortError `not-configured` for an impossible region
 */
export function openAwsEvents(QueueUrl: string, options: AwsOptions): OpenedAwsEvents {
  const opened = open({ ...options, region: regionOfQueue(QueueUrl) ?? options.region });
  const ask = async (operation: string, more: object, signal: AbortSignal): Promise<Json> => {
    const call = { service: 'sqs', operation, input: { QueueUrl, ...more } } as const;
    return request(opened, call, askedOf(opened, call), signal);
  };
  return {
    receive: async (signal) =>
      listAt(await ask('ReceiveMessage', RECEIVED, signal), 'Messages').flatMap(messageIn),
    async remove(messages, signal) {
      const Entries = messages.map(({ receipt }, index) => ({
        Id: String(index),
        ReceiptHandle: receipt,
      }));
      // A message that is not removed comes again, and is removed then.
      await ask('DeleteMessageBatch', { Entries }, signal);
    },
    close: () => {
      close(opened);
    },
  };
}

const HOST = /^sqs\.(?<region>[a-z0-9-]{1,40})\.amazonaws\.com(?:\.cn)?$/;

function regionOfQueue(url: string): string | null {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return HOST.exec(host)?.groups?.['region'] ?? null;
}

function messageIn(message: Json): readonly AwsEventMessage[] {
  const receipt = textAt(message, 'ReceiptHandle');
  const body = textAt(message, 'Body');
  return receipt === null || body === null ? [] : [{ receipt, body }];
}
