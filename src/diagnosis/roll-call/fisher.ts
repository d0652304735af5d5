/** Machines in the four fields of a table: failing and usable, with a value and without. */
export interface Contingency {
  readonly failingWith: number;
  readonly failingWithout: number;
  readonly usableWith: number;
  readonly usableWithout: number;
}

/** Natural logarithms of 0! … max!, each from the one before, so that none overflows. */
export function logFactorials(max: number): Float64Array {
  const logs = new Float64Array(max + 1);
  for (let n = 2; n <= max; n++) logs[n] = (logs[n - 1] ?? 0) + Math.log(n);
  return logs;
}

/**
 * Fisher's exact test, one-sided: the probability that at least as many failing machines have the
 * value when failing and having it are independent. One-sided because only a value that failing
 * machines have *more* often can be behind the failures; a value that they lack is no news.
 *
 * @param logs from {@link logFactorials}, up to the sum of all four fields at least
 * @returns a probability between 0 and 1
 */
export function fisherGreater(table: Contingency, logs: Float64Array): number {
  const failing = table.failingWith + table.failingWithout;
  const having = table.failingWith + table.usableWith;
  const all = failing + table.usableWith + table.usableWithout;
  const choose = (n: number, k: number): number =>
    (logs[n] ?? 0) - (logs[k] ?? 0) - (logs[n - k] ?? 0);
  const total = choose(all, failing);
  let sum = 0;
  for (let both = Math.min(failing, having); both >= table.failingWith; both--) {
    if (failing - both > all - having) break;
    sum += Math.exp(choose(having, both) + choose(all - having, failing - both) - total);
  }
  return Math.min(1, sum);
}
