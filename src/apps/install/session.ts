import { kubeClient } from '../../adapters/kubernetes/client.ts';
import { kubeWriter } from '../../adapters/kubernetes/writes.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import type { Action } from '../../ports/action.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import { PortError } from '../../ports/port-error.ts';
import { type Performed, perform, type PerformTools } from '../../runtime/perform.ts';
import { SourceError } from '../cli/context.ts';
import type { LiveFlags } from '../cli/live/flags.ts';
import { openKubeTarget } from '../cli/live/open-kube-target.ts';
import { openForWriting } from '../cli/live/record-target.ts';

export interface SessionOptions {
  readonly flags: LiveFlags;
  /** File or URL of a flight recorder; null for none. */
  readonly record: string | null;
  /** True to have the server check each write and store nothing. */
  readonly isDryRun: boolean;
  /** One line for each write. */
  readonly say: (line: string) => void;
}

/** A cluster that is read and written once. */
export interface Session {
  readonly api: KubeApi;
  readonly isDryRun: boolean;
  readonly say: (line: string) => void;
  readonly clock: Clock;
  readonly perform: (action: Action) => Promise<Performed>;
}

const NO_RECORDER: PerformTools['recorder'] = { append: async () => 0 };

async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof PortError ? new SourceError(error.message) : error;
  }
}

/** Opens a cluster for some work and closes it. @throws SourceError where it does not answer */
export async function inSession<T>(
  { flags, record, isDryRun, say }: SessionOptions,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const { target, environment } = await told(async () => openKubeTarget(flags));
  const options = { environment, clock: systemClock };
  const recorder = record === null ? null : await openForWriting(record, systemClock.nowMs(), say);
  const api = kubeClient(target, options);
  const writes = kubeWriter(target, options);
  const tools: PerformTools = {
    api,
    writes,
    recorder: recorder ?? NO_RECORDER,
    clock: systemClock,
    cluster: target.server,
  };
  const performed = async (action: Action): Promise<Performed> =>
    await perform(action, tools, { isDryRun });
  try {
    return await told(async () =>
      work({ api, isDryRun, say, clock: systemClock, perform: performed }),
    );
  } finally {
    await Promise.all([api.close(), writes.close(), recorder?.close()]);
  }
}

/** The object as it is now, or null where there is none. @throws PortError */
export async function found<T>(look: () => Promise<T>): Promise<T | null> {
  try {
    return await look();
  } catch (error) {
    const isAbsent =
      error instanceof PortError &&
      (error.failure === 'not-found' || error.failure === 'unsupported');
    if (isAbsent) return null;
    throw error;
  }
}
