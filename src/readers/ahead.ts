/** The same values, the next one asked for before this one is used: fetching and reading overlap. */
export async function* ahead<T>(values: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
  const source: AsyncIterator<T> | Iterator<T> =
    Symbol.asyncIterator in values ? values[Symbol.asyncIterator]() : values[Symbol.iterator]();
  const ask = async (): Promise<IteratorResult<T>> => source.next();
  let next = ask();
  for (let value = await next; value.done !== true; value = await next) {
    next = ask();
    // It is waited for when its turn comes, unless reading ends before.
    next.catch(() => {});
    yield value.value;
  }
}
