/** What is to happen at a moment; of two at the same moment the one planned first comes first. */
export interface Planned {
  readonly atMs: number;
  readonly sequence: number;
  readonly task: () => void;
  isCancelled: boolean;
}

function isBefore(one: Planned, other: Planned): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.sequence < other.sequence);
}

/** A binary heap by time and sequence. */
export class EventQueue {
  readonly #heap: Planned[] = [];

  get size(): number {
    return this.#heap.length;
  }

  peek(): Planned | undefined {
    return this.#heap[0];
  }

  push(planned: Planned): void {
    const heap = this.#heap;
    let hole = heap.length;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      const above = heap[parent] as Planned;
      if (isBefore(above, planned)) break;
      heap[hole] = above;
      hole = parent;
    }
    heap[hole] = planned;
  }

  pop(): Planned | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    heap[this.#sink(last)] = last;
    return first;
  }

  /** Moves smaller ones up from the root until `moved` fits; answers its place. */
  #sink(moved: Planned): number {
    const heap = this.#heap;
    let hole = 0;
    for (;;) {
      const left = 2 * hole + 1;
      if (left >= heap.length) return hole;
      const right = left + 1;
      const isRight =
        right < heap.length && isBefore(heap[right] as Planned, heap[left] as Planned);
      const child = isRight ? right : left;
      if (!isBefore(heap[child] as Planned, moved)) return hole;
      heap[hole] = heap[child] as Planned;
      hole = child;
    }
  }
}
