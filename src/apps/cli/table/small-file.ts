import { closeSync, openSync, readSync } from 'node:fs';
import { UsageError } from '../context.ts';
import { quoted } from '../options/quoted.ts';

const BYTES_MAX = 4 * 1024 * 1024;

/**
 * The text of a file that an option names.
 *
 * @throws UsageError when it cannot be read or is over 4 MiB
 */
export function readSmallFile(path: string): string {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    throw unreadable(path, error);
  }
  try {
    return textOf(descriptor, path);
  } finally {
    closeSync(descriptor);
  }
}

function unreadable(path: string, error: unknown): UsageError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'an error';
  return new UsageError(`${quoted(path)} cannot be read: ${code}.`);
}

/** One byte more than allowed is asked for, so that a file that grows or never ends is noticed. */
function textOf(descriptor: number, path: string): string {
  const bytes = new Uint8Array(BYTES_MAX + 1);
  let length = 0;
  try {
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(descriptor, bytes, length, bytes.length - length, null);
  } catch (error) {
    throw unreadable(path, error);
  }
  if (length > BYTES_MAX)
    throw new UsageError(`${quoted(path)} is over ${BYTES_MAX} bytes; give a smaller file.`);
  return new TextDecoder().decode(bytes.subarray(0, length));
}
