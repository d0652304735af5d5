import { kubeClient } from '../../adapters/kubernetes/client.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import { EVENTS } from '../../collection/resources.ts';
import { readAll, readInput } from '../../controllers/slip-ins/live.ts';
import type { SlipInReason } from '../../controllers/slip-ins/notes.ts';
import {
  findSlipIns,
  type ReportedReplacement,
  type SlipInReport,
} from '../../controllers/slip-ins/report.ts';
import { type JsonObject, textAt } from '../../evidence/json.ts';
import { excerptOf } from '../../evidence/redact.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import { PortError } from '../../ports/port-error.ts';
import { SourceError } from '../cli/context.ts';
import type { LiveFlags } from '../cli/live/flags.ts';
import { openKubeTarget } from '../cli/live/open-kube-target.ts';
import { policyKinds } from './policy-kinds.ts';

const REPLACED: SlipInReason = 'SlipInReplaced';
const MESSAGE_CHARS_MAX = 500;

function replacementOf(event: JsonObject): ReportedReplacement {
  const at = textAt(event, 'lastTimestamp') ?? textAt(event, 'eventTime');
  return {
    at: at === null ? null : excerptOf(at),
    says: excerptOf(textAt(event, 'message') ?? '', MESSAGE_CHARS_MAX),
  };
}

async function replacements(
  api: KubeApi,
  notRead: string[],
): Promise<readonly ReportedReplacement[]> {
  try {
    const selection = { fieldSelector: `reason=${REPLACED}` };
    return await readAll(api, EVENTS, selection, replacementOf);
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    notRead.push(excerptOf(`events: ${error.message}`));
    return [];
  }
}

/** Looks at the Pods of one node or of all. @throws SourceError, PortError */
export async function reportedSlipIns(api: KubeApi, name: string | null): Promise<SlipInReport> {
  const input = await readInput(api, policyKinds(), name, systemClock.nowMs());
  const unread = input.notRead.map((why) => excerptOf(why));
  const replaced = await replacements(api, unread);
  return {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'SlipIns',
    slipIns: findSlipIns(input),
    replaced,
    nodesLookedAt: input.nodes.length,
    notRead: unread,
  };
}

/** `rollcall gate slip-ins`. @throws SourceError when the cluster cannot be looked at */
export async function reportSlipIns(flags: LiveFlags, name: string | null): Promise<SlipInReport> {
  try {
    const { target, environment } = await openKubeTarget(flags);
    const api = kubeClient(target, { environment, clock: systemClock });
    try {
      return await reportedSlipIns(api, name);
    } finally {
      await api.close();
    }
  } catch (error) {
    if (error instanceof PortError) throw new SourceError(error.message);
    throw error;
  }
}
