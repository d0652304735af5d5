/** Values on their way to one reader, until somebody closes it. */
export class Channel<T> {
  readonly #values: T[] = [];
  #end: { readonly error: Error | null } | null = null;
  #wake: () => void = () => undefined;

  push(value: T): void {
    if (this.#end !== null) return;
    this.#values.push(value);
    this.#wake();
  }

  /** @param error what the reader gets after what was pushed; null for a clean end */
  close(error: Error | null): void {
    this.#end ??= { error };
    this.#wake();
  }

  async *drain(): AsyncGenerator<T, void> {
    for (;;) {
      const value = this.#values.shift();
      if (value !== undefined) yield value;
      else if (this.#end !== null) return this.#finish(this.#end.error);
      else await this.#woken();
    }
  }

  #finish(error: Error | null): void {
    if (error !== null) throw error;
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
