/** What one field of a message holds, as it stands in the bytes. */
export interface WireField {
  readonly number: number;
  /** 0 for whole numbers, 1 for eight bytes, 2 for a length and that many bytes, 5 for four. */
  readonly type: number;
  readonly value: bigint;
  readonly bytes: Uint8Array;
}

export class WireError extends Error {
  override readonly name = 'WireError';
}

const VARINT_BYTES_MAX = 10;
const NONE = new Uint8Array(0);

/** The fields of a message in their order. @throws WireError where the bytes are none */
export function* wireFields(bytes: Uint8Array): Generator<WireField> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let index = 0; index < VARINT_BYTES_MAX; index++) {
      const byte = bytes[at++];
      if (byte === undefined) throw new WireError('a number is cut off');
      value |= BigInt(byte & 0x7f) << BigInt(7 * index);
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new WireError('a number is too long');
  };
  const take = (length: number): Uint8Array => {
    if (length > bytes.byteLength - at) throw new WireError('a field is longer than its message');
    const taken = bytes.subarray(at, at + length);
    at += length;
    return taken;
  };
  while (at < bytes.byteLength) {
    const tag = Number(varint());
    const [number, type] = [Math.floor(tag / 8), tag % 8];
    if (number === 0) throw new WireError('a field has no number');
    if (type === 0) yield { number, type, value: varint(), bytes: NONE };
    else if (type === 2) {
      const length = varint();
      yield { number, type, value: length, bytes: take(Number(length)) };
    } else if (type === 1) {
      take(8);
      yield { number, type, value: view.getBigUint64(at - 8, true), bytes: NONE };
    } else if (type === 5) {
      take(4);
      yield { number, type, value: BigInt(view.getUint32(at - 4, true)), bytes: NONE };
    } else throw new WireError(`a field is of the unknown wire type ${type}`);
  }
}
