import { existsSync, renameSync } from 'node:fs';
import { PortError } from '../../ports/port-error.ts';
import type { Recorder } from '../../ports/recorder.ts';
import { openRecorder } from './open.ts';

export interface OpenedAnyway {
  readonly recorder: Recorder;
  /** One sentence about a file that was of no use and was moved aside, else null. */
  readonly movedAside: string | null;
}

const BESIDE = ['', '-wal', '-shm'];

/**
 * Opens a recorder for writing. A file that is damaged or another program's is moved aside under a
 * name with the time, and recording continues in a new one.
 *
 * @throws PortError for any other reason for which it cannot be opened
 */
export function openOrReplace(path: string, nowMs: number): OpenedAnyway {
  try {
    return { recorder: openRecorder(path), movedAside: null };
  } catch (error) {
    if (!(error instanceof PortError) || error.failure !== 'malformed') throw error;
    const aside = `${path}.unusable-${new Date(nowMs).toISOString().replaceAll(':', '')}`;
    for (const end of BESIDE) moveIfThere(path + end, aside + end);
    const what = error.message.slice(0, error.message.lastIndexOf('; '));
    const movedAside = `${what}; it is now ${aside}, and recording continues in a new file.`;
    return { recorder: openRecorder(path), movedAside };
  }
}

function moveIfThere(from: string, to: string): void {
  if (existsSync(from)) renameSync(from, to);
}
