import { Buffer } from 'node:buffer';
import type { Json } from '../../../evidence/json.ts';
import { type WireField, WireError, wireFields } from './wire.ts';

/** U+FEFF at the beginning of a text is part of it. */
const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function textOf(bytes: Uint8Array): string {
  try {
    return DECODER.decode(bytes);
  } catch {
    throw new WireError('a text is not valid UTF-8');
  }
}

const signed = (value: bigint): number => Number(BigInt.asIntN(64, value));

/** A value by the code of its type; undefined for a time that is none. */
export function scalarOf(code: string, wire: WireField): Json | undefined {
  switch (code) {
    case 's':
      return textOf(wire.bytes);
    case 'b':
      return wire.value !== 0n;
    case 'i':
      return signed(wire.value);
    case 'n':
      return finite(wire.value);
    case 'y':
      return Buffer.from(wire.bytes).toString('base64');
    case 'q':
      return textOf(partOf(wire.bytes, 1));
    case 'e':
      return [...wireFields(wire.bytes)].map(({ bytes }) => textOf(bytes));
    case 'x':
      return numberOrText(wire.bytes);
    case 'f':
    case 'r':
      return parsed(partOf(wire.bytes, 1));
    default:
      return timeOf(wire.bytes, code === 'u');
  }
}

function finite(bits: bigint): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits);
  const value = view.getFloat64(0);
  if (!Number.isFinite(value)) throw new WireError('a number is not one that JSON has');
  return value;
}

function partOf(bytes: Uint8Array, wanted: number): Uint8Array {
  let found: Uint8Array = new Uint8Array(0);
  for (const { number, bytes: own } of wireFields(bytes)) if (number === wanted) found = own;
  return found;
}

function numberOrText(bytes: Uint8Array): Json {
  let [isText, value, text] = [false, 0, ''];
  for (const wire of wireFields(bytes)) {
    if (wire.number === 1) isText = wire.value === 1n;
    if (wire.number === 2) value = signed(wire.value);
    if (wire.number === 3) text = textOf(wire.bytes);
  }
  return isText ? text : value;
}

function parsed(bytes: Uint8Array): Json {
  if (bytes.byteLength === 0) return {};
  try {
    return JSON.parse(textOf(bytes)) as Json;
  } catch {
    throw new WireError('what should be JSON is not');
  }
}

const MOMENT_MS_MAX = 8.64e15;

function timeOf(bytes: Uint8Array, isMicro: boolean): Json | undefined {
  let [seconds, nanos] = [0, 0];
  for (const { number, value } of wireFields(bytes)) {
    if (number === 1) seconds = signed(value);
    if (number === 2) nanos = signed(value);
  }
  if (bytes.byteLength === 0) return undefined;
  if (Math.abs(seconds * 1000) > MOMENT_MS_MAX) throw new WireError('a time is out of range');
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
  if (!isMicro) return `${whole}Z`;
  return `${whole}.${String(Math.trunc(nanos / 1000)).padStart(6, '0')}Z`;
}
