import { readdir, readFile } from 'node:fs/promises';

/** The environment variable by which a command is found again. */
export const MARK_VARIABLE = 'ROLLCALL_JOIN_COMMAND';

/**
 * True while the process that was started with this mark runs. What it left in the background
 * carries the mark too, in a group or session of another: that is not the command.
 */
export async function isRunning(mark: string): Promise<boolean> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map((pid) => isMarked(pid, mark)));
  return found.includes(true);
}

async function isMarked(pid: string, mark: string): Promise<boolean> {
  try {
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1');
    if (!environment.split('\0').includes(`${MARK_VARIABLE}=${mark}`)) return false;
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    return leadsSession(pid, stat);
  } catch {
    // It ended meanwhile, or is another user's.
    return false;
  }
}

/** `pid (name) state ppid pgrp session …`; the name may hold anything. */
function leadsSession(pid: string, stat: string): boolean {
  const [state, , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return session === pid && state !== 'Z' && state !== 'X';
}
