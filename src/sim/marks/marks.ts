/** States that a run must have come through now and then, or it tests less than it seems to. */
export const MARKS = {
  'node-deleted-while-kubelet-runs': 'a Node was deleted while its kubelet ran',
  'two-faults-on-one-machine': 'two faults struck one machine at the same time',
  'look-during-refusal': 'Rollcall looked while the API server refused some of its lists',
  'look-during-throttling': 'Rollcall looked while AWS throttled a call of it',
  'gap-hid-the-cause': 'a machine was broken and what was given did not show why',
  'cause-named-despite-gaps': 'a true cause was named although documents were missing',
  'whole-fleet-broken': 'no machine of the world was usable',
  'calm-and-well': 'after all faults every machine was usable again',
  'node-came-back': 'a Node that had been deleted was there again',
  'aws-auth-unreadable': 'aws-auth was there and could not be parsed',
  'subnet-exhausted': 'a subnet had no free address left',
  'clock-off-by-minutes': 'the clock of a machine was off by more than five minutes',
  'watch-dead': 'a watch of Rollcall was silently dead',
  'watch-expired': 'a watch of Rollcall ended with 410 in its middle',
  'listed-again': 'a watcher of Rollcall had to list again',
  'shrunk-to-one-fault': 'a failure was shrunk to one fault',
} as const;

export type MarkId = keyof typeof MARKS;

/** Which of them were reached, and how often. */
export class Marks {
  readonly #reached = new Map<MarkId, number>();

  reach(id: MarkId): void {
    this.#reached.set(id, (this.#reached.get(id) ?? 0) + 1);
  }

  reached(): ReadonlyMap<MarkId, number> {
    return this.#reached;
  }

  add(other: Marks): void {
    for (const [id, times] of other.reached())
      this.#reached.set(id, (this.#reached.get(id) ?? 0) + times);
  }
}
