/** News wait until they are part of a standing that was taken; only then their queue forgets them. */
export class KeptNews {
  #waiting: (() => void)[] = [];

  /** A standing begins to be taken; the answer is called when it is taken and recorded. */
  taking(): () => void {
    const waiting = this.#waiting;
    this.#waiting = [];
    return () => waiting.forEach((resolve) => resolve());
  }

  /** Reports news, and ends when the standing that they are part of was taken. */
  async keep(report: () => void): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    report();
    await promise;
  }
}
