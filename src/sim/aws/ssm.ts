/** Calls of Systems Manager: documents whose commands the agents of machines run. */
import { isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import { type Account, isoMoment } from './account.ts';
import { put } from './ec2/network.ts';
import { judge } from './iam/policies.ts';
import { documentsOf, roleArnOf } from './iam/roles.ts';
import {
  needed,
  objectsIn,
  type Operation,
  type Operations,
  reads,
  type Request,
  textIn,
  textsIn,
} from './operation.ts';
import { refused } from './refusal.ts';

/** What an agent may do, so that it is heard of (AmazonSSMManagedInstanceCore). */
const REGISTERS = 'ssm:UpdateInstanceInformation';
/** Of what a step prints (GetCommandInvocation). */
const CHARACTERS_MAX = 24_000;

function isManaged(account: Account, instanceId: string): boolean {
  const instance = account.instances.get(instanceId);
  if (instance?.state !== 'running' || account.agents.run === null) return false;
  const role = roleArnOf(account, instance.profileArn)?.split('/').at(-1) ?? '';
  const policies = documentsOf(account, role, Number.POSITIVE_INFINITY);
  const demand = { action: REGISTERS, resource: '*', context: {} };
  return judge(policies, demand) === 'allowed';
}

function information({ account, input }: Request): JsonObject {
  const filter = objectsIn(input, 'Filters').find((one) => textIn(one, 'Key') === 'InstanceIds');
  const wanted = filter === undefined ? null : new Set(textsIn(filter, 'Values'));
  const rows = account.instances
    .values()
    .filter(({ instanceId }) => wanted === null || wanted.has(instanceId))
    .filter(({ instanceId }) => isManaged(account, instanceId))
    .map(({ instanceId }) => ({
      InstanceId: instanceId,
      PingStatus: 'Online',
      PlatformType: 'Linux',
      ResourceType: 'EC2Instance',
    }));
  return { InstanceInformationList: [...rows] };
}

function createDocument({ account, input }: Request): JsonObject {
  const name = needed(input, 'Name', 'ValidationException');
  const content = parsed(needed(input, 'Content', 'ValidationException'));
  if (content === null) throw refused('InvalidDocumentContent', 'The content is not JSON.');
  if (account.plain.document.get(name) !== undefined)
    throw refused('DocumentAlreadyExists', `Document with same name ${name} already exists`);
  put(account, 'document', name, { Name: name, Content: content });
  return { DocumentDescription: { Name: name, DocumentType: 'Command', Status: 'Active' } };
}

function parsed(text: string): JsonObject | null {
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function sendCommand({ account, input }: Request): JsonObject {
  const name = needed(input, 'DocumentName', 'ValidationException');
  const document = account.plain.document.get(name);
  if (document === undefined)
    throw refused('InvalidDocument', `document ${name} does not exist in your account`);
  const ids = textsIn(input, 'InstanceIds');
  if (!ids.every((id) => isManaged(account, id)))
    throw refused('InvalidInstanceId', 'Instances not in a valid state for account');
  const CommandId = account.ids.uuid();
  const steps = listAt(document, 'Content.mainSteps').filter(isObject);
  const Command: JsonObject = {
    CommandId,
    DocumentName: name,
    Comment: textIn(input, 'Comment') ?? '',
    InstanceIds: ids,
    Status: 'Pending',
    RequestedDateTime: isoMoment(account.kernel.nowMs()),
  };
  put(account, 'command', CommandId, Command);
  for (const id of ids) runSteps(account, { CommandId, InstanceId: id }, steps);
  return { Command };
}

/** The newest first; a command has ended once the last of its steps has. */
function listCommands({ account, input }: Request): JsonObject {
  const instanceId = textIn(input, 'InstanceId');
  const filters = objectsIn(input, 'Filters');
  const name = filters.find((one) => textIn(one, 'key') === 'DocumentName')?.['value'];
  const Commands = account.plain.command
    .valuesAt(account.kernel.nowMs())
    .filter((one) => one['DocumentName'] !== undefined)
    .filter((one) => name === undefined || one['DocumentName'] === name)
    .filter((one) => instanceId === undefined || textsIn(one, 'InstanceIds').includes(instanceId))
    .map((one) => ({ ...one, Status: hasEnded(account, one) ? 'Success' : 'InProgress' }));
  return { Commands: [...Commands].toReversed() };
}

function hasEnded(account: Account, command: JsonObject): boolean {
  const document = account.plain.document.get(textAt(command, 'DocumentName') ?? '');
  const last = textAt(listAt(document, 'Content.mainSteps').at(-1), 'name') ?? '';
  const CommandId = textAt(command, 'CommandId') ?? '';
  return textsIn(command, 'InstanceIds').every(
    (InstanceId) => account.plain.command.get(keyOf({ CommandId, InstanceId }, last)) !== undefined,
  );
}

function getDocument({ account, input }: Request): JsonObject {
  const name = needed(input, 'Name', 'ValidationException');
  const document = account.plain.document.get(name);
  if (document === undefined)
    throw refused('InvalidDocument', `Document with name ${name} does not exist.`);
  return {
    Name: name,
    DocumentVersion: '1',
    Status: 'Active',
    Content: JSON.stringify(document['Content'] ?? {}),
    DocumentType: 'Command',
    DocumentFormat: 'JSON',
  };
}

interface Invocation {
  readonly CommandId: string;
  readonly InstanceId: string;
}

function keyOf({ CommandId, InstanceId }: Invocation, step: string): string {
  return `${CommandId} ${InstanceId} ${step}`;
}

/** One step begins when the one before has ended. */
function runSteps(
  account: Account,
  of: Invocation,
  [step, ...others]: readonly JsonObject[],
): void {
  if (step === undefined) return;
  const name = textAt(step, 'name') ?? '';
  const script = listAt(step, 'inputs.runCommand').map(String).join('\n');
  account.agents.run?.(of.InstanceId, script, (stdout) => {
    put(account, 'command', keyOf(of, name), {
      StandardOutputContent: stdout.slice(0, CHARACTERS_MAX),
    });
    runSteps(account, of, others);
  });
}

function invocation({ account, input }: Request): JsonObject {
  const CommandId = needed(input, 'CommandId', 'ValidationException');
  const InstanceId = needed(input, 'InstanceId', 'ValidationException');
  const PluginName = needed(input, 'PluginName', 'ValidationException');
  const output = account.plain.command.get(keyOf({ CommandId, InstanceId }, PluginName));
  const of = { CommandId, InstanceId, PluginName };
  if (output === undefined) return { ...of, Status: 'InProgress', ResponseCode: -1 };
  return { ...of, Status: 'Success', ResponseCode: 0, StandardErrorContent: '', ...output };
}

/** A policy may allow one document on some machines (Service Authorization Reference). */
const onDocument: NonNullable<Operation['resource']> = ({ account, input }) =>
  `arn:${account.partition}:ssm:${account.region}:${account.accountId}:document/${textIn(input, 'DocumentName') ?? ''}`;

export const SSM: Operations = {
  CreateDocument: reads(createDocument),
  DescribeInstanceInformation: reads(information, {
    list: 'InstanceInformationList',
    size: 'MaxResults',
    sizeMax: 50,
    sizeDefault: 10,
    token: ['NextToken', 'NextToken'],
  }),
  GetCommandInvocation: reads(invocation),
  GetDocument: reads(getDocument),
  ListCommands: reads(listCommands, {
    list: 'Commands',
    size: 'MaxResults',
    sizeMax: 50,
    sizeDefault: 50,
    token: ['NextToken', 'NextToken'],
  }),
  SendCommand: { answer: sendCommand, pages: null, resource: onDocument },
};
