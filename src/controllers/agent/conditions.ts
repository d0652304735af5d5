import { type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import { excerptOf } from '../../evidence/redact.ts';
import { isoMs, isoTime } from '../../evidence/time.ts';

const DOMAIN = 'rollcall.dev';

/** Every condition that an agent may write: what the admission policy allows, and no more. */
export const AGENT_CONDITIONS = [
  'ApiServerReachable',
  'DnsWorks',
  'PodNetworkWorks',
  'MetadataGuarded',
  'PodIdentityWorks',
  'CsiSocketsRegistered',
  'ImagePullPath',
  'ClockOffset',
  'DiskUsable',
  'KubeletRuns',
  'InterruptionNotice',
] as const;

export type AgentCondition = (typeof AGENT_CONDITIONS)[number];

/** The type as it stands in `status.conditions`. */
export function conditionType(name: AgentCondition): string {
  return `${DOMAIN}/${name}`;
}

export const CONDITION_TYPES: readonly string[] = AGENT_CONDITIONS.map(conditionType);

export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** A condition of a Node; times in ms since the Unix epoch. */
export interface NodeCondition {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
  readonly heartbeatMs: number;
  readonly transitionMs: number;
}

const STATUSES: readonly ConditionStatus[] = ['True', 'False', 'Unknown'];
/** The API server keeps more; a Node with many conditions should stay small. */
const MESSAGE_CHARS_MAX = 512;

/** To whole seconds, as the API server keeps them. */
function timeText(ms: number): string {
  return isoTime({ ms: Math.floor(ms / 1000) * 1000, yearless: false, clock: 'utc' }) ?? '';
}

/** The condition as the API server takes it. */
export function conditionObject(condition: NodeCondition): JsonObject {
  const { type, status, reason, message, heartbeatMs, transitionMs } = condition;
  return {
    type,
    status,
    reason,
    message: excerptOf(message, MESSAGE_CHARS_MAX),
    lastHeartbeatTime: timeText(heartbeatMs),
    lastTransitionTime: timeText(transitionMs),
  };
}

function readCondition(value: Json): NodeCondition | null {
  const type = textAt(value, 'type');
  const status = STATUSES.find((one) => one === textAt(value, 'status'));
  const heartbeatMs = isoMs(textAt(value, 'lastHeartbeatTime'));
  const transitionMs = isoMs(textAt(value, 'lastTransitionTime'));
  if (type === null || status === undefined || heartbeatMs === null || transitionMs === null)
    return null;
  const reason = textAt(value, 'reason') ?? 'None';
  const message = textAt(value, 'message') ?? 'no message';
  return { type, status, reason, message, heartbeatMs, transitionMs };
}

/** The conditions of a Node that are an agent's. */
export function agentConditions(node: JsonObject): readonly NodeCondition[] {
  return listAt(node, 'status.conditions')
    .map(readCondition)
    .filter((one) => one !== null)
    .filter(({ type }) => CONDITION_TYPES.includes(type));
}
