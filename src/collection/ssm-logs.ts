import type { OpenMachine } from '../diagnosis/left-open.ts';
import { type JsonObject, listAt, textAt } from '../evidence/json.ts';
import type { Refusal } from '../evidence/observations.ts';
import { READING_DOCUMENT } from '../ports/aws-api.ts';
import { machineLog } from '../readers/machine-log.ts';
import { type AwsSource, limiter } from './asking.ts';
import { type CollectedEvidence, refusalOf } from './document.ts';
import { inTime } from './in-time.ts';
import { CREATE_DOCUMENT, READING_STEPS, type ReadingStep } from './reading-document.ts';

const MACHINES_MAX = 10;
const PARALLEL_MAX = 4;
/** Of what a step printed; Systems Manager hands out no more (GetCommandInvocation). */
const CHARACTERS_MAX = 24_000;
/** Systems Manager gives a command up that no agent has taken by then; no less is accepted. */
const EXPIRES_SECONDS = 30;
const POLLS_MAX = 20;
const POLL_MS = 1500;

interface Asking {
  readonly source: AwsSource;
  readonly evidence: CollectedEvidence;
  readonly signal: AbortSignal;
}

type Outcome = { readonly got: JsonObject } | { readonly refusal: Refusal };

/**
 * Has Systems Manager run the document that prints logs, on machines without Node. What is not
 * allowed, not set up or not managed is told once, and costs no more.
 */
export async function collectSsmLogs(
  source: AwsSource,
  machines: readonly OpenMachine[],
  evidence: CollectedEvidence,
  signal: AbortSignal,
): Promise<void> {
  const ids = machines.flatMap(({ node, instanceId }) =>
    node === null && instanceId !== null ? [instanceId] : [],
  );
  if (ids.length > MACHINES_MAX)
    evidence.shorten('logs of instances beyond the first 10', ids.length - MACHINES_MAX);
  const asking = { source, evidence, signal };
  const managed = await managedOf(asking, ids.slice(0, MACHINES_MAX));
  if (managed.length === 0) return;
  const sent = await ask(asking, 'SendCommand', {
    DocumentName: READING_DOCUMENT,
    InstanceIds: [...managed],
    TimeoutSeconds: EXPIRES_SECONDS,
    Comment: 'rollcall diagnose --ssm',
  });
  if ('refusal' in sent) return evidence.refuse(withDocument(sent.refusal));
  const commandId = textAt(sent.got, 'Command.CommandId') ?? '';
  const limited = limiter(PARALLEL_MAX);
  await Promise.all(managed.map((id) => limited(() => readMachine(asking, commandId, id))));
}

async function ask(
  { source: { aws, clock }, signal }: Asking,
  operation: string,
  input: JsonObject,
): Promise<Outcome> {
  const first = async (): Promise<JsonObject> => {
    for await (const page of aws.pages({ service: 'ssm', operation, input }, signal)) return page;
    return {};
  };
  const call = `ssm:${operation}`;
  try {
    return { got: await inTime(first(), signal, clock) };
  } catch (error) {
    const refusal = refusalOf(call, error);
    return { refusal: { ...refusal, message: told(`${call}: ${refusal.message}`) } };
  }
}

function told(what: string): string {
  return `Logs through Systems Manager (--ssm): ${what}`;
}

/** The document is made once, by somebody who may. */
function withDocument(refusal: Refusal): Refusal {
  const { message } = refusal;
  if (!message.includes('InvalidDocument')) return refusal;
  return { ...refusal, message: `${message}; create ${READING_DOCUMENT}: ${CREATE_DOCUMENT}` };
}

/** Those with an agent that answers. */
async function managedOf(asking: Asking, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const Filters = [{ Key: 'InstanceIds', Values: [...ids] }];
  const answer = await ask(asking, 'DescribeInstanceInformation', { Filters });
  if ('refusal' in answer) {
    asking.evidence.refuse(answer.refusal);
    return [];
  }
  const rows = listAt(answer.got, 'InstanceInformationList');
  const online = new Set(
    rows
      .filter((one) => textAt(one, 'PingStatus') === 'Online')
      .map((one) => textAt(one, 'InstanceId')),
  );
  const lacking = ids.filter((id) => !online.has(id));
  if (lacking.length > 0) asking.evidence.refuse(unmanaged(lacking));
  return ids.filter((id) => online.has(id));
}

function unmanaged(ids: readonly string[]): Refusal {
  const message = told(
    `no agent answers on ${ids.join(', ')}; it needs AmazonSSMManagedInstanceCore on the role of ` +
      'the instance, and a way to the endpoints ssm and ssmmessages',
  );
  return { call: `ssm of ${ids[0] ?? ''}`, failure: 'unreachable', permission: null, message };
}

/** Steps run one after another, so that the others have ended once the last one has. */
async function readMachine(asking: Asking, commandId: string, instanceId: string): Promise<void> {
  const last = READING_STEPS.at(-1);
  for (const step of last === undefined ? [] : [last, ...READING_STEPS.slice(0, -1)]) {
    const answer = await ended(asking, {
      CommandId: commandId,
      InstanceId: instanceId,
      PluginName: step.name,
    });
    if ('refusal' in answer) return asking.evidence.refuse(answer.refusal);
    take(asking, instanceId, step, answer.got);
  }
}

const RUNNING = /^(?:Pending|InProgress|Delayed)$/;

/** Asks until a step has ended; a command that was just sent is not known at once. */
async function ended(asking: Asking, input: JsonObject): Promise<Outcome> {
  const { clock } = asking.source;
  for (let polls = 1; ; polls++) {
    const answer = await ask(asking, 'GetCommandInvocation', input);
    const isUnder =
      'refusal' in answer
        ? answer.refusal.failure === 'not-found'
        : RUNNING.test(textAt(answer.got, 'Status') ?? '');
    if (!isUnder) return answer;
    if (polls >= POLLS_MAX || asking.signal.aborted) return { refusal: unended(input) };
    await clock.sleep(POLL_MS, asking.signal).catch((error: unknown) => {
      if (!asking.signal.aborted) throw error;
    });
  }
}

function unended(input: JsonObject): Refusal {
  const id = textAt(input, 'InstanceId') ?? '';
  const message = told(`the command on ${id} did not end in time`);
  return { call: `ssm of ${id}`, failure: 'timeout', permission: null, message };
}

function take(
  { evidence }: Asking,
  instanceId: string,
  { name, command, file, unit }: ReadingStep,
  answer: JsonObject,
): void {
  const text = (textAt(answer, 'StandardOutputContent') ?? '').slice(0, CHARACTERS_MAX);
  if (text.trim() === '') return;
  evidence.add({
    name: `aws/ssm/${instanceId}_${name}.json`,
    locator: `aws ssm send-command --document-name ${READING_DOCUMENT} --instance-ids ${instanceId} # ${command}`,
    content: machineLog({ node: null, instanceId, file, unit, text }),
  });
}
