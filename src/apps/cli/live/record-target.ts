import { existsSync } from 'node:fs';
import { openRecording } from '../../../adapters/recorder/open.ts';
import { openOrReplace } from '../../../adapters/recorder/replace.ts';
import { redact } from '../../../evidence/redact.ts';
import { PortError } from '../../../ports/port-error.ts';
import type { Recorder } from '../../../ports/recorder.ts';
import { SourceError, UsageError } from '../context.ts';

const POSTGRES = /^postgres(?:ql)?:\/\//;

export function isPostgres(target: string): boolean {
  return POSTGRES.test(target);
}

/** Its driver is loaded only where somebody names a database. */
async function openDatabase(url: string): Promise<Recorder> {
  if (!URL.canParse(url))
    throw new UsageError('--record takes a file or postgres://USER@HOST/DATABASE');
  return (await import('../../../adapters/recorder/postgres.ts')).openPostgres(url);
}

/** Opens what `--record` names for writing. Throws `SourceError` with why it cannot be. */
export async function openForWriting(
  target: string,
  nowMs: number,
  say: (line: string) => void,
): Promise<Recorder> {
  return told(async () => {
    if (isPostgres(target)) return openDatabase(target);
    const { recorder, movedAside } = openOrReplace(target, nowMs);
    if (movedAside !== null) say(movedAside);
    return recorder;
  });
}

/** Opens what `--record` names for reading. Throws `UsageError` where there is no such file. */
export async function openForReading(target: string): Promise<Recorder> {
  if (isPostgres(target)) return openDatabase(target);
  if (!existsSync(target))
    throw new UsageError(
      `no such file: ${redact(target)}; record one: rollcall record --record ${redact(target)}`,
    );
  return told(async () => openRecording(target));
}

/** What a recorder cannot do is a source that does not answer. */
export async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof PortError ? new SourceError(error.message) : error;
  }
}
