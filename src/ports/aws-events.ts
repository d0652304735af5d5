/** One message of a queue, as it was sent. */
export interface AwsEventMessage {
  /** By which it is removed; another one each time that it is received. */
  readonly receipt: string;
  readonly body: string;
}

/** Messages that are received at once at most, by SQS. */
export const EVENT_MESSAGES_MAX = 10;
/** A message that nobody removes comes again after so long, ms. */
export const EVENT_HIDDEN_MS = 120_000;

/**
 * The SQS queue to which EventBridge sends what AWS reports of machines. A message comes at least
 * once, in no certain order. Both calls throw `PortError`.
 */
export interface AwsEvents {
  /** Waits up to 20 s for messages; empty when none came. */
  receive(signal: AbortSignal): Promise<readonly AwsEventMessage[]>;
  /** Removes messages that were received, so that they do not come again. */
  remove(messages: readonly AwsEventMessage[], signal: AbortSignal): Promise<void>;
}
