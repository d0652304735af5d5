import { systemClock } from '../../adapters/system/clock.ts';
import {
  type FixBeginning,
  type FixDocument,
  fixDocument,
} from '../../controllers/fix/document.ts';
import { ENI_DISTURBS, ENI_NOTE, fixEni } from '../../controllers/fix/eni/fix-eni.ts';
import { type CliContext, UsageError } from '../cli/context.ts';
import type { LiveFlags } from '../cli/live/flags.ts';
import { newFixId } from './new-id.ts';
import { notedSince } from './noted-since.ts';
import { type FixSession, inFixSession } from './session.ts';

export interface EniFixOptions {
  readonly flags: LiveFlags;
  readonly record: string | null;
  readonly isDryRun: boolean;
  /** From the first look to the second, ms. */
  readonly apartMs: number;
  /** Interfaces that are deleted within one hour. */
  readonly mostOfHour: number;
}

const NAME = 'eni';
const HOUR_MS = 3_600_000;
/** The CNI itself waits for five minutes, within which a slow machine still attaches its interface. */
const AGE_MS = HOUR_MS / 2;

/** Deletes leaked network interfaces of a cluster. @throws SourceError, UsageError */
export async function runEniFix(options: EniFixOptions, context: CliContext): Promise<FixDocument> {
  const { isDryRun, apartMs, mostOfHour } = options;
  return await inFixSession({ ...options, context }, async (session) => {
    const cluster = clusterOf(options, session);
    const text = `Network interfaces of cluster ${cluster} that the CNI left behind.`;
    const why = { kind: 'request', name: '', text } as const;
    const id = newFixId(NAME);
    const used = await notedSince(
      session,
      { fix: NAME, kind: ENI_NOTE },
      systemClock.nowMs() - HOUR_MS,
    );
    const rules = { ageMs: AGE_MS, apartMs, most: Math.max(0, mostOfHour - used) };
    const say = (line: string): void => context.err(`${line}\n`);
    const order = { id, isDryRun, why, cluster, rules, say };
    const steps = await fixEni(order, session.tools({ id, isDryRun }));
    const beginning: FixBeginning = { fix: NAME, isDryRun, why: { cause: null, text } };
    return fixDocument(beginning, id, steps, ENI_DISTURBS);
  });
}

/** @throws UsageError */
function clusterOf({ flags }: EniFixOptions, { clients }: FixSession): string {
  const told = clients.described?.clusterName ?? null;
  const name = flags.cluster ?? told;
  if (name === null)
    throw new UsageError('fix eni needs --cluster NAME, which the tags of its interfaces name');
  if (told !== null && told !== name)
    throw new UsageError(`the kubeconfig names cluster ${told}; choose its context: --context`);
  return name;
}
