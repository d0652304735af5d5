import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { OpenedAwsWrites } from '../../adapters/aws/writes.ts';
import { kubeWriter } from '../../adapters/kubernetes/writes.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import { systemRandom } from '../../adapters/system/random.ts';
import type { FixOrder, FixTools, UndoNote } from '../../controllers/fix/fix.ts';
import { isObject, type Json, listAt } from '../../evidence/json.ts';
import { PortError } from '../../ports/port-error.ts';
import type { Recorder } from '../../ports/recorder.ts';
import { perform } from '../../runtime/perform.ts';
import { performAws } from '../../runtime/perform-aws.ts';
import { type CliContext, SourceError, UsageError } from '../cli/context.ts';
import type { LiveFlags } from '../cli/live/flags.ts';
import { openAwsWritesFor } from '../cli/live/open-aws-writes.ts';
import { type Clients, openClients } from '../cli/live/open-clients.ts';
import { openKubeTarget } from '../cli/live/open-kube-target.ts';
import { isPostgres, openForWriting } from '../cli/live/record-target.ts';

/** A cluster and an account that are looked at and may be changed. */
export interface FixSession {
  readonly clients: Clients;
  /** The cluster's name in the records. */
  readonly cluster: string;
  readonly tools: (order: Pick<FixOrder, 'id' | 'isDryRun'>) => FixTools;
  /** Notes of a fix that was done here; null where there is none. */
  readonly notesOf: (id: string) => Promise<readonly UndoNote[] | null>;
  /** Ids of the fixes that were done here, from the oldest on. */
  readonly ids: () => Promise<readonly string[]>;
}

export interface FixSessionOptions {
  readonly flags: LiveFlags;
  /** File or URL of the flight recorder; null for the usual file. */
  readonly record: string | null;
  readonly context: CliContext;
}

/** Where fixes are recorded when nobody names a place (XDG Base Directory Specification). */
function usualRecord(): string {
  const state = process.env['XDG_STATE_HOME'] ?? '';
  const base = state.startsWith('/') ? state : join(homedir(), '.local/state');
  return join(base, 'rollcall/fixes.db');
}

async function openRecord(record: string | null, context: CliContext): Promise<Recorder> {
  const target = record ?? usualRecord();
  if (record === null) mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  const say = (line: string): void => context.err(`${line}\n`);
  if (isPostgres(target) || target !== '')
    return await openForWriting(target, systemClock.nowMs(), say);
  throw new UsageError('--record needs a file or a postgres:// URL');
}

/** Opens everything for some work, and closes it. @throws SourceError where the cluster does not answer */
export async function inFixSession<T>(
  { flags, record, context }: FixSessionOptions,
  work: (session: FixSession) => Promise<T>,
): Promise<T> {
  const recorder = await openRecord(record, context);
  const clients = await openClients(flags);
  const { target, environment } = await told(async () => openKubeTarget(flags));
  const kubeWrites = kubeWriter(target, { environment, clock: systemClock });
  const awsWrites = openAwsWritesFor(flags, clients);
  const cluster = target.server;
  const parts: Parts = { clients, recorder, kubeWrites, awsWrites, cluster };
  try {
    return await told(async () => work(sessionOf(parts)));
  } finally {
    awsWrites?.close();
    await Promise.all([clients.close(), kubeWrites.close(), recorder.close()]);
  }
}

interface Parts {
  readonly clients: Clients;
  readonly recorder: Recorder;
  readonly kubeWrites: ReturnType<typeof kubeWriter>;
  readonly awsWrites: OpenedAwsWrites | null;
  readonly cluster: string;
}

async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof PortError ? new SourceError(error.message) : error;
  }
}

function sessionOf(parts: Parts): FixSession {
  const { clients, recorder, cluster } = parts;
  const idsOf = async (): Promise<ReadonlyMap<string, Json>> => recorder.notes(cluster);
  return {
    clients,
    cluster,
    tools: (order) => toolsOf(parts, order),
    notesOf: async (id) => {
      const note = (await idsOf()).get(noteId(id));
      return note === undefined ? null : listAt(note, 'notes').filter(isObject);
    },
    ids: async () =>
      [...(await idsOf()).keys()]
        .filter((id) => id.startsWith(NOTE))
        .map((id) => id.slice(NOTE.length)),
  };
}

const NOTE = 'fix/';

function noteId(id: string): string {
  return `${NOTE}${id}`;
}

function toolsOf(
  { clients, recorder, kubeWrites, awsWrites, cluster }: Parts,
  { id, isDryRun }: Pick<FixOrder, 'id' | 'isDryRun'>,
): FixTools {
  const { kube, aws } = clients;
  if (kube === null) throw new SourceError('Kubernetes could not be opened, so nothing is fixed.');
  const notes: UndoNote[] = [];
  const performTools = { api: kube, writes: kubeWrites, recorder, clock: systemClock, cluster };
  return {
    kube,
    aws: awsWrites === null ? null : aws,
    clock: systemClock,
    random: systemRandom,
    perform: async (action) => perform(action, performTools, { isDryRun }),
    performAws: async (action, tookEffect, isAllowed) => {
      if (awsWrites === null) throw new TypeError('a call without AWS');
      const tools = {
        writes: awsWrites,
        recorder,
        clock: systemClock,
        cluster,
        isDryRun,
        isAllowed,
      };
      return performAws(action, tools, tookEffect);
    },
    keep: async (note) => {
      // A try that met another's change is followed by one with the same text.
      if (!notes.some((one) => JSON.stringify(one) === JSON.stringify(note))) notes.push(note);
      await recorder.append([], [{ cluster, id: noteId(id), body: { notes } }]);
    },
  };
}
