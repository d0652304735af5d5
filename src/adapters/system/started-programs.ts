import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/**
 * Hears of every program that this one starts, those of libraries too.
 *
 * Node.js can end for ever in `process.exit()`: it waits for threads that compile, and such a thread
 * may wait for a collection of garbage that only the main thread does
 * (https://github.com/nodejs/node/issues/54918). Who lets go of what it started ends without it.
 *
 * @returns lets go of them: none that hangs keeps this program alive behind its last word
 */
export function followStartedPrograms(): () => void {
  const started = new Set<ChildProcess>();
  subscribe('child_process', (message) => {
    const { process: child } = message as { readonly process: ChildProcess };
    started.add(child);
    child.once('close', () => started.delete(child));
  });
  return () => {
    for (const child of started) {
      child.unref();
      for (const stream of child.stdio) (stream as Socket | null)?.unref();
    }
  };
}
