import { lengthText, shellWord, shown } from '../../../domain/words.ts';
import type { KubeletToRestart } from '../../../diagnosis/repair.ts';
import { RESTART_DOCUMENT } from '../../../ports/aws-api.ts';
import type { NodeStanding } from '../name/node-standing.ts';
import { CREATE_RESTART_DOCUMENT } from './restart-document.ts';

/** A run of the document on the machine. */
export interface SeenCommand {
  readonly id: string;
  readonly comment: string;
  readonly status: string;
  /** ms since the epoch; null where Systems Manager does not say. */
  readonly requestedMs: number | null;
}

/** What was read right before. */
export interface RestartSeen {
  readonly nowMs: number;
  /** The Node that its kubelet makes; null where there is none. */
  readonly node: NodeStanding | null;
  /** null where EC2 does not show the instance. */
  readonly state: string | null;
  /** The agent of Systems Manager; null where none registered. */
  readonly agent: { readonly ping: string; readonly platform: string } | null;
  /** The document in its default version; null where there is none. */
  readonly document: { readonly version: string; readonly isOurs: boolean } | null;
  /** From the newest on. */
  readonly commands: readonly SeenCommand[];
}

export type RestartDecision =
  | {
      readonly do: 'nothing' | 'refuse';
      readonly why: string;
      readonly commands: readonly string[];
    }
  | { readonly do: 'restart'; readonly version: string };

/** A kubelet that was restarted registers within seconds; a slow machine takes a minute or two. */
const SETTLES_MS = 10 * 60_000;
const ENDED_BADLY = /^(?:Failed|TimedOut|Cancelled|Cancelling)$/;

function nothing(why: string): RestartDecision {
  return { do: 'nothing', why, commands: [] };
}

function refuse(why: string, ...commands: readonly string[]): RestartDecision {
  return { do: 'refuse', why, commands };
}

/** Whether the kubelet of a machine without a Node is restarted. */
export function decideRestart(
  { instanceId, node: name }: KubeletToRestart,
  seen: RestartSeen,
): RestartDecision {
  const { node, state, commands, nowMs } = seen;
  if (node !== null) return nothing(`Node ${shown(node.name)} is there again.`);
  if (state !== 'running')
    return refuse(
      state === null
        ? `EC2 does not show ${instanceId}, so no kubelet of it runs.`
        : `EC2 shows ${instanceId} as ${state}, so no kubelet of it runs.`,
    );
  const before = commands.find((one) => isRecent(one, nowMs));
  if (before !== undefined)
    return nothing(
      `Its kubelet was restarted ${lengthText(nowMs - (before.requestedMs ?? nowMs))} ago by command ${shown(before.id)}; Node ${shown(name)} may still come.`,
    );
  return whyNotRun(instanceId, seen) ?? { do: 'restart', version: seen.document?.version ?? '' };
}

/** A run that was killed after it had sent its command is not repeated by the next one. */
function isRecent({ status, requestedMs }: SeenCommand, nowMs: number): boolean {
  return !ENDED_BADLY.test(status) && requestedMs !== null && nowMs - requestedMs < SETTLES_MS;
}

const BY_HAND = 'sudo systemctl restart kubelet';

function whyNotRun(id: string, { agent, document }: RestartSeen): RestartDecision | null {
  if (agent?.ping !== 'Online')
    return refuse(
      `No agent of Systems Manager answers on ${id}; it needs AmazonSSMManagedInstanceCore on its role, and a way to the endpoints ssm and ssmmessages. On the machine:`,
      BY_HAND,
    );
  if (agent.platform !== 'Linux')
    return refuse(`${id} runs ${shown(agent.platform)}, for which there is no such document.`);
  if (document === null)
    return refuse(
      `The document ${RESTART_DOCUMENT} does not exist in this account and region; create it once.`,
      CREATE_RESTART_DOCUMENT,
    );
  if (document.isOurs) return null;
  return refuse(
    `The document ${RESTART_DOCUMENT} has another content than this version of Rollcall runs; look at it, delete it and create it again.`,
    `aws ssm get-document --name ${shellWord(RESTART_DOCUMENT)}`,
    CREATE_RESTART_DOCUMENT,
  );
}
