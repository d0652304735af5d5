/** What an event of EventBridge reports of machines. */
export interface MachineNews {
  /** The event's; the same where it comes twice. */
  readonly id: string;
  /** When AWS wrote it, ms since the epoch; null where it does not tell. */
  readonly atMs: number | null;
  /**
   * `state`: an instance is in another state. `spot`: EC2 takes a spot instance back. `rebalance`:
   * it may soon. `maintenance`: AWS Health announces work on a machine. `hook`: Auto Scaling waits
   * for a lifecycle hook. `scaling`: Auto Scaling started or ended a machine, or could not.
   */
  readonly kind: 'state' | 'spot' | 'rebalance' | 'maintenance' | 'hook' | 'scaling';
  /** Empty where a launch failed before there was one. */
  readonly instanceIds: readonly string[];
  /** One line for people. */
  readonly text: string;
}
