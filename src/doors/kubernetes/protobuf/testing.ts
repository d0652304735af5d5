/** Bytes of protocol buffers for tests, written apart from what reads and writes them. */

export type Part = readonly number[];

export function varint(value: bigint): Part {
  const rest = BigInt.asUintN(64, value);
  return rest < 0x80n ? [Number(rest)] : [Number(rest & 0x7fn) + 0x80, ...varint(rest >> 7n)];
}

/** A field that holds a whole number. */
export function whole(number: number, value: bigint): Part {
  return [...varint(BigInt(number * 8)), ...varint(value)];
}

/** A field that holds a message of these parts, or bytes. */
export function message(number: number, ...parts: readonly Part[]): Part {
  const bytes = parts.flat();
  return [...varint(BigInt(number * 8 + 2)), ...varint(BigInt(bytes.length)), ...bytes];
}

export function text(number: number, value: string): Part {
  return message(number, [...Buffer.from(value)]);
}

/** A field of eight bytes that holds a broken number. */
export function double(number: number, value: number): Part {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return [...varint(BigInt(number * 8 + 1)), ...bytes];
}

/** An object as Kubernetes sends it. */
export function object(
  apiVersion: string,
  kind: string,
  ...parts: readonly Part[]
): Uint8Array<ArrayBuffer> {
  const type = message(1, text(1, apiVersion), text(2, kind));
  return Uint8Array.from([...Buffer.from('k8s\0'), ...type, ...message(2, ...parts)]);
}
