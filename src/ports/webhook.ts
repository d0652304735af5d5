/** One message to whoever wants to hear of what happens. */
export interface WebhookMessage {
  /** The same for each try of one message, so that a receiver can leave out a second one. */
  readonly id: string;
  /** JSON. */
  readonly body: string;
}

/** Where happenings are sent; nobody's answer is read but its status. */
export interface Webhook {
  /**
   * Sends once, and follows no redirect.
   *
   * @throws PortError `timeout`, `unreachable`, `throttled` and `unavailable` where another try may
   *   succeed; `denied`, `not-found`, `invalid` and `unsupported` (a redirect) where it will not
   */
  send(message: WebhookMessage, signal: AbortSignal): Promise<void>;
}
