import { fstatSync, writeSync } from 'node:fs';

const TRIES_MAX = 2000;
const WAIT_MS = 5;

/** Waits without turning the event loop, as a write that must not be reordered needs. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/**
 * Writes text to a descriptor, all of it, before it returns; loading Node's streams for that would
 * cost more than the rest of a start. A reader that went away (`| head`) is no error.
 */
export function writeAll(descriptor: number, text: string): void {
  const bytes = new TextEncoder().encode(text);
  let written = 0;
  for (let tries = 0; written < bytes.length && tries < TRIES_MAX; ) {
    try {
      written += writeSync(descriptor, bytes, written);
      tries = 0;
    } catch (error) {
      if (codeOf(error) === 'EPIPE') return;
      if (codeOf(error) !== 'EAGAIN') throw error;
      tries++;
      pause();
    }
  }
}

/** True for a descriptor that a person looks at: a terminal is a character device. */
export function isTerminal(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice();
  } catch {
    return false;
  }
}
