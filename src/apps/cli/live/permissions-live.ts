import type { KubePermission } from '../../../collection/permissions.ts';
import {
  checkAws,
  checkKube,
  type PermissionAnswer,
} from '../../../collection/permissions-check.ts';
import { SourceError } from '../context.ts';
import type { LiveFlags } from './flags.ts';
import { openClients } from './open-clients.ts';
import { startLimit } from '../../../collection/time-limit.ts';
import { timeLimitMs } from './time-limit.ts';

export interface Checked {
  readonly answers: readonly PermissionAnswer[];
  /** Why one of the two APIs was not asked. */
  readonly unseen: readonly string[];
}

/** Asks both APIs what the present identity may. Throws `SourceError` when neither can be asked. */
export async function checkPermissions(
  wanted: { readonly kubernetes: readonly KubePermission[]; readonly aws: readonly string[] },
  flags: LiveFlags,
  ending?: AbortSignal,
): Promise<Checked> {
  const limitMs = timeLimitMs(flags);
  const clients = await openClients(flags);
  const limit = startLimit(clients.clock, limitMs);
  const signal = ending === undefined ? limit.signal : AbortSignal.any([limit.signal, ending]);
  try {
    const { kube, aws, refusals } = clients;
    const unseen = refusals.map(({ message }) => message);
    if (kube === null && aws === null) throw new SourceError(unseen.join('\n'));
    const [ofKube, ofAws] = await Promise.all([
      kube === null ? [] : checkKube(kube, wanted.kubernetes, signal),
      aws === null ? [] : checkAws(aws, wanted.aws, signal),
    ]);
    const answers = [...ofKube, ...ofAws];
    if (answers.every(({ granted }) => granted === 'unknown'))
      throw new SourceError([...new Set(answers.map(({ how }) => how))].slice(0, 4).join('\n'));
    return { answers, unseen };
  } finally {
    limit.clear();
    await clients.close();
  }
}
