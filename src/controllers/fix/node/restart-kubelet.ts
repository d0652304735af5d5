import { shown } from '../../../domain/words.ts';
import { textAt } from '../../../evidence/json.ts';
import { excerptOf } from '../../../evidence/redact.ts';
import type { AwsAction } from '../../../ports/aws-action.ts';
import { type AwsApi, RESTART_DOCUMENT } from '../../../ports/aws-api.ts';
import { askOnce } from '../aws-read.ts';
import type { FixStep, FixTools } from '../fix.ts';
import { standingOf } from '../name/node-standing.ts';
import type { NamedRepair } from '../repairs-in.ts';
import { outcomeOf, plainStep } from '../step.ts';
import { decideRestart } from './decide-restart.ts';
import {
  MACHINE_PERMISSIONS,
  type MachineEnd,
  machineNote,
  type MachineOrder,
  orUnwritten,
  shownWithin,
  unwritten,
} from './machine-repair.ts';
import { RESTART_COMMAND, RESTART_STEP } from './restart-document.ts';
import { commandsOn, restartSights } from './restart-sights.ts';

export const RESTART_DISTURBS: readonly string[] = [
  'Containers keep running while a kubelet restarts; its probes and new Pods wait for some seconds.',
];

type Target = NamedRepair<'restart-kubelet'>;

/** Restarts the kubelet of a machine without a Node, through Systems Manager. */
export async function restartKubelet(
  target: Target,
  order: MachineOrder,
  tools: FixTools,
): Promise<MachineEnd> {
  const { instanceId } = target.repair;
  const object = `kubelet of ${instanceId}`;
  const { aws } = tools;
  if (aws === null) return unwritten(plainStep(object, 'refused', 'AWS could not be opened.'));
  const restart: Restart = { target, object, order, aws, tools };
  return await orUnwritten(object, async () => attempt(restart));
}

interface Restart {
  readonly target: Target;
  readonly object: string;
  readonly order: MachineOrder;
  readonly aws: AwsApi;
  readonly tools: FixTools;
}

async function attempt(restart: Restart): Promise<MachineEnd> {
  const { target, object, order, aws, tools } = restart;
  const { cause, repair } = target;
  const readMs = tools.clock.monotonicMs();
  const decision = decideRestart(repair, await restartSights(repair, aws, tools));
  const told = `${cause}: ${shown(repair.says)}.`;
  if (decision.do !== 'restart') {
    const outcome = decision.do === 'nothing' ? 'not-needed' : 'refused';
    const { why, commands } = decision;
    return unwritten({ ...plainStep(object, outcome, `${told} ${why}`), commands });
  }
  const { version } = decision;
  const { instanceId } = repair;
  const diff = [
    `+ ssm:SendCommand ${RESTART_DOCUMENT} version ${shown(version)} on ${instanceId}`,
    `+   ${RESTART_COMMAND}`,
  ];
  const step = (outcome: FixStep['outcome'], why: string): FixStep => ({
    ...plainStep(object, outcome, `${told} ${why}`),
    diff,
  });
  if (order.whyNot !== null) return unwritten(step('refused', order.whyNot));
  if (order.isDryRun)
    return unwritten(step('would-write', 'AWS cannot check this beforehand; nothing was sent.'));
  await tools.keep(machineNote('restart', instanceId, tools));
  const isSent = async (): Promise<boolean> => (await sentCommand(restart)) !== null;
  const isFresh = (): boolean => tools.clock.monotonicMs() - readMs <= FRESH_MS;
  const action = actionOf(restart, version);
  const { outcome, why, failure } = await tools.performAws(action, isSent, isFresh);
  if (outcome !== 'done') {
    const isDenied = failure === 'denied';
    const commands = isDenied ? [MACHINE_PERMISSIONS] : [];
    const end = unwritten({ ...step(outcomeOf(outcome), why), commands }, isDenied);
    return { ...end, isWritten: outcome === 'unclear' };
  }
  return await verified(restart, step);
}

/** What was read so long ago may be otherwise by now, ms. */
const FRESH_MS = 30_000;

/** What tells this run's command from others; Systems Manager keeps 100 characters of it. */
function commentOf({ order }: Restart): string {
  return `rollcall fix node ${order.id}`;
}

/** The id of the command that this run has sent; null where Systems Manager shows none. */
async function sentCommand(restart: Restart): Promise<string | null> {
  const { aws, target } = restart;
  const commands = await commandsOn(aws, target.repair.instanceId);
  return commands.find(({ comment }) => comment === commentOf(restart))?.id ?? null;
}

function actionOf(restart: Restart, version: string): AwsAction {
  const { order, target } = restart;
  const { instanceId, node } = target.repair;
  return {
    id: `${order.id}/${instanceId}`,
    object: { kind: 'Instance', name: instanceId, seen: { node, documentVersion: version } },
    call: {
      service: 'ssm',
      operation: 'SendCommand',
      input: {
        DocumentName: RESTART_DOCUMENT,
        DocumentVersion: version,
        InstanceIds: [instanceId],
        TimeoutSeconds: EXPIRES_SECONDS,
        Comment: commentOf(restart),
      },
    },
    why: order.why,
    askedBy: 'fix node',
    undo: null,
  };
}

/** Systems Manager gives a command up that no agent has taken by then; no less is accepted. */
const EXPIRES_SECONDS = 30;
const COMMAND_MS = 120_000;
const OUTPUT_CHARACTERS_MAX = 300;

interface CommandEnd {
  readonly status: string;
  /** The beginning of what it printed. */
  readonly output: string;
}

const RUNNING = /^(?:Pending|InProgress|Delayed)$/;

async function commandEnd(restart: Restart): Promise<CommandEnd | null> {
  const { aws, target } = restart;
  const CommandId = await sentCommand(restart);
  if (CommandId === null) return null;
  const { instanceId } = target.repair;
  const input = { CommandId, InstanceId: instanceId, PluginName: RESTART_STEP };
  const call = { service: 'ssm', operation: 'GetCommandInvocation', input } as const;
  const answer = await askOnce(aws, call);
  const status = textAt(answer, 'Status') ?? '';
  if (RUNNING.test(status)) return null;
  const [out, errors] = ['StandardOutputContent', 'StandardErrorContent'].map(
    (member) => textAt(answer, member) ?? '',
  );
  return { status, output: excerptOf(`${errors} ${out}`, OUTPUT_CHARACTERS_MAX).trim() };
}

async function verified(
  restart: Restart,
  step: (outcome: FixStep['outcome'], why: string) => FixStep,
): Promise<MachineEnd> {
  const { target, order, tools } = restart;
  const { node } = target.repair;
  const end = await shownWithin(COMMAND_MS, tools, async () => commandEnd(restart));
  const isRestarted = end?.status === 'Success';
  if (!isRestarted) {
    const why =
      end === null
        ? `The command did not end within ${seconds(COMMAND_MS)}.`
        : `The command ended as ${shown(end.status)}: ${shown(end.output)}`;
    return { ...unwritten(step('unclear', why)), isWritten: true };
  }
  const back = await shownWithin(order.waitMs, tools, async () => {
    const found = await standingOf(tools.kube, node);
    return found?.isReady === true ? found : null;
  });
  const why =
    back === null
      ? `Its kubelet was restarted, and Node ${shown(node)} is not Ready within ${seconds(order.waitMs)}; look again: rollcall diagnose ${target.repair.instanceId}`
      : `Its kubelet was restarted, and Node ${shown(node)} is there again and Ready.`;
  return { ...unwritten(step('written', why)), isWritten: true, isReached: back !== null };
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
