interface Place {
  readonly key: string;
  readonly sinceMs: number;
}

/** Keys in the order in which they came, each at most once. */
export class KeyLine {
  readonly #keys = new Set<string>();
  #places: Place[] = [];
  #head = 0;

  get size(): number {
    return this.#keys.size;
  }

  /** @returns false when the key stands in the line already */
  push(key: string, nowMs: number): boolean {
    if (this.#keys.has(key)) return false;
    this.#keys.add(key);
    this.#places.push({ key, sinceMs: nowMs });
    return true;
  }

  shift(): Place | undefined {
    const place = this.#places[this.#head];
    if (place === undefined) return undefined;
    this.#keys.delete(place.key);
    this.#head += 1;
    this.#compact();
    return place;
  }

  /** Cutting off the front costs its length, so it waits until that is half of the line. */
  #compact(): void {
    if (this.#head * 2 < this.#places.length) return;
    this.#places = this.#places.slice(this.#head);
    this.#head = 0;
  }
}
