import type { KubeletToRestart } from '../../../diagnosis/repair.ts';
import { isEqual } from '../../../evidence/equal.ts';
import { isObject, type Json, type JsonObject, listAt, textAt } from '../../../evidence/json.ts';
import { isoMs } from '../../../evidence/time.ts';
import { type AwsApi, RESTART_DOCUMENT } from '../../../ports/aws-api.ts';
import { PortError } from '../../../ports/port-error.ts';
import { askForAll, askOnce, instanceStates } from '../aws-read.ts';
import type { FixTools } from '../fix.ts';
import { standingOf } from '../name/node-standing.ts';
import type { RestartSeen, SeenCommand } from './decide-restart.ts';
import { restartDocument } from './restart-document.ts';

/** Systems Manager shows more, of which none is of matter. */
const COMMANDS_MAX = 50;

/** @throws PortError where any part of it cannot be read */
export async function restartSights(
  { instanceId, node }: KubeletToRestart,
  aws: AwsApi,
  { kube, clock }: Pick<FixTools, 'kube' | 'clock'>,
): Promise<RestartSeen> {
  const states = await instanceStates(aws, [instanceId]);
  const agent = await agentOf(aws, instanceId);
  const document = await documentOf(aws);
  const commands = agent === null ? [] : await commandsOn(aws, instanceId);
  return {
    nowMs: clock.nowMs(),
    state: states.get(instanceId) ?? null,
    agent,
    document,
    commands,
    // It may come back at any time, so it is read last.
    node: await standingOf(kube, node),
  };
}

async function agentOf(aws: AwsApi, instanceId: string): Promise<RestartSeen['agent']> {
  const input = { Filters: [{ Key: 'InstanceIds', Values: [instanceId] }] };
  const call = { service: 'ssm', operation: 'DescribeInstanceInformation', input } as const;
  const rows = await askForAll(aws, call, 'InstanceInformationList');
  const row = rows.find((one) => textAt(one, 'InstanceId') === instanceId);
  if (row === undefined) return null;
  return { ping: textAt(row, 'PingStatus') ?? '', platform: textAt(row, 'PlatformType') ?? '' };
}

async function documentOf(aws: AwsApi): Promise<RestartSeen['document']> {
  try {
    const input = { Name: RESTART_DOCUMENT, DocumentFormat: 'JSON' };
    const found = await askOnce(aws, { service: 'ssm', operation: 'GetDocument', input });
    const isOurs = isEqual(parsed(textAt(found, 'Content') ?? ''), restartDocument());
    return { version: textAt(found, 'DocumentVersion') ?? '', isOurs };
  } catch (error) {
    if (error instanceof PortError && error.message.includes('InvalidDocument')) return null;
    throw error;
  }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Runs of the document on a machine, the newest first. @throws PortError */
export async function commandsOn(aws: AwsApi, instanceId: string): Promise<readonly SeenCommand[]> {
  const Filters = [{ key: 'DocumentName', value: RESTART_DOCUMENT }];
  const input = { InstanceId: instanceId, Filters };
  const call = { service: 'ssm', operation: 'ListCommands', input } as const;
  const page = await askOnce(aws, call);
  const found = listAt(page, 'Commands').filter(isObject).map(commandOf);
  return found.slice(0, COMMANDS_MAX);
}

function commandOf(command: JsonObject): SeenCommand {
  return {
    id: textAt(command, 'CommandId') ?? '',
    comment: textAt(command, 'Comment') ?? '',
    status: textAt(command, 'Status') ?? '',
    requestedMs: isoMs(textAt(command, 'RequestedDateTime')),
  };
}
