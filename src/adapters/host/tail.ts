/** Bytes of which only the end is kept, in memory of at most twice that. */
export interface Tail {
  push(chunk: Uint8Array): void;
  readonly isCut: () => boolean;
  bytes(): Uint8Array;
}

/** An empty tail that keeps the last `bytesMax` bytes. */
export function createTail(bytesMax: number): Tail {
  const chunks: Uint8Array[] = [];
  let kept = 0;
  let cut = false;
  const compact = (): Uint8Array => {
    const whole = lastOf(chunks, kept, bytesMax);
    cut ||= kept > bytesMax;
    chunks.splice(0, chunks.length, whole);
    kept = whole.length;
    return whole;
  };
  return {
    push(chunk) {
      chunks.push(chunk);
      kept += chunk.length;
      if (kept > 2 * bytesMax + chunk.length) compact();
    },
    isCut: () => cut || kept > bytesMax,
    bytes: compact,
  };
}

function lastOf(chunks: readonly Uint8Array[], total: number, bytesMax: number): Uint8Array {
  const whole = new Uint8Array(total);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole.slice(Math.max(0, total - bytesMax));
}
