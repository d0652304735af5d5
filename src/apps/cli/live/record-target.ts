import { existsSync } from 'node:fs';
import { openRecording, stepBackFile } from '../../../adapters/recorder/open.ts';
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
async function driverFor(url: string) {
  if (!URL.canParse(url))
    throw new UsageError('--record takes a file or postgres://USER@HOST/DATABASE');
  return import('../../../adapters/recorder/postgres.ts');
}

async function openDatabase(url: string): Promise<Recorder> {
  return (await driverFor(url)).openPostgres(url);
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
  mustBeThere(target);
  return told(async () => openRecording(target));
}

/** Brings what `--record` names to the version that the release before opens. */
export async function stepBack(target: string): Promise<void> {
  if (isPostgres(target)) {
    const { stepBackDatabase } = await driverFor(target);
    return told(async () => stepBackDatabase(target));
  }
  mustBeThere(target);
  return told(async () => stepBackFile(target));
}

function mustBeThere(path: string): void {
  if (existsSync(path)) return;
  throw new UsageError(
    `no such file: ${redact(path)}; record one: rollcall record --record ${redact(path)}`,
  );
}

/** What a recorder cannot do is a source that does not answer. */
export async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof PortError ? new SourceError(error.message) : error;
  }
}
