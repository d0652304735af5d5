import { awaitMachine, nodeUids } from '../../controllers/fix/auth/await-machine.ts';
import type { MappingPlace } from '../../controllers/fix/auth/decide-entry.ts';
import { fixAuth } from '../../controllers/fix/auth/fix-auth.ts';
import type { MapEditor } from '../../controllers/fix/auth/map-editor.ts';
import type { NodeType } from '../../controllers/fix/auth/node-mapping.ts';
import { authCauseOf, shutOutIn } from '../../controllers/fix/auth/targets.ts';
import {
  type FixBeginning,
  type FixDocument,
  fixDocument,
} from '../../controllers/fix/document.ts';
import { type FixStep, isWell } from '../../controllers/fix/fix.ts';
import type { ActionReason } from '../../ports/action.ts';
import { readRoles, withoutInserted, withRole } from '../../readers/kube/aws-auth-edit.ts';
import { type CliContext, UsageError } from '../cli/context.ts';
import { lookWith, wholeQuestion } from '../cli/live/diagnose-cluster.ts';
import type { LiveFlags } from '../cli/live/flags.ts';
import { newFixId } from './new-id.ts';
import { type FixSession, inFixSession } from './session.ts';

export const MAP_EDITOR: MapEditor = { readRoles, withRole, withoutInserted };

export interface AuthFixOptions {
  readonly flags: LiveFlags;
  readonly record: string | null;
  readonly isDryRun: boolean;
  /** null to take those that the diagnosis shows. */
  readonly role: string | null;
  /** null as the machines are, and Linux where nobody knows them. */
  readonly type: NodeType | null;
  readonly place: MappingPlace | null;
  /** How long a machine is waited for, ms; null for not at all. */
  readonly waitMs: number | null;
}

interface Target {
  readonly role: string;
  readonly type: NodeType;
  readonly machines: readonly string[];
}

/** What is to be fixed, and why. */
interface Order {
  readonly cluster: string;
  readonly targets: readonly Target[];
  readonly why: ActionReason;
}

/** Lets the node roles in that are shut out. @throws SourceError, UsageError */
export async function runAuthFix(
  options: AuthFixOptions,
  context: CliContext,
): Promise<FixDocument> {
  return await inFixSession({ ...options, context }, async (session) => {
    const order = await orderOf(options, session, context);
    if (order.targets.length === 0) return nothingFor(order, options);
    return await fixed(order, options, session);
  });
}

async function orderOf(
  { role, flags, type }: AuthFixOptions,
  { clients }: FixSession,
  context: CliContext,
): Promise<Order> {
  if (role !== null) return askedOrder(role, flags, type);
  const { document, observations, cluster } = await lookWith(
    clients,
    wholeQuestion([], flags),
    context,
  );
  const named = authCauseOf(document);
  const found = shutOutIn(observations);
  if (named === null) {
    const text = 'The diagnosis is not sure of a cause that a mapping of a role would fix.';
    return { cluster: cluster ?? '', targets: [], why: { kind: 'finding', name: '', text } };
  }
  const why: ActionReason = { kind: 'finding', name: named.cause, text: named.summary };
  const targets = found.map((one) => ({ ...one, role: one.arn, type: type ?? one.type }));
  return { cluster: cluster ?? '', targets: cluster === null ? [] : targets, why };
}

/** @throws UsageError */
function askedOrder(role: string, { cluster }: LiveFlags, type: NodeType | null): Order {
  if (cluster === undefined)
    throw new UsageError('--role needs --cluster NAME, whose authentication mode is looked up');
  const why: ActionReason = { kind: 'request', name: '', text: `--role ${role} was asked for.` };
  return { cluster, targets: [{ role, type: type ?? 'linux', machines: [] }], why };
}

function beginningOf({ why }: Order, { isDryRun }: AuthFixOptions): FixBeginning {
  const cause = why.kind === 'finding' && why.name !== '' ? why.name : null;
  return { fix: 'auth', isDryRun, why: { cause, text: why.text } };
}

const ASK = 'Name the role: rollcall fix auth --cluster NAME --role ARN';

function nothingFor(order: Order, options: AuthFixOptions): FixDocument {
  const beginning = beginningOf(order, options);
  const why =
    beginning.why.cause === null
      ? `${order.why.text} ${ASK}`
      : `No look shows the role of the machines that are shut out. ${ASK}`;
  const object = order.cluster === '' ? 'cluster' : `cluster ${order.cluster}`;
  const step: FixStep = { object, outcome: 'refused', why, diff: [], commands: [] };
  return fixDocument(beginning, '', [step]);
}

async function fixed(
  order: Order,
  options: AuthFixOptions,
  session: FixSession,
): Promise<FixDocument> {
  const id = newFixId('auth');
  const tools = session.tools({ id, isDryRun: options.isDryRun });
  const before = options.waitMs === null ? new Set<string>() : await nodeUids(tools.kube);
  const steps: FixStep[] = [];
  for (const target of order.targets) {
    const { isDryRun, place } = options;
    const one = { id, isDryRun, why: order.why, cluster: order.cluster, place };
    steps.push(...(await fixAuth({ ...one, ...target, editor: MAP_EDITOR }, tools)));
  }
  const document = fixDocument(beginningOf(order, options), id, steps);
  const { waitMs, isDryRun } = options;
  if (waitMs === null || isDryRun || !steps.every(isWell)) return document;
  const machines = order.targets.flatMap((target) => target.machines);
  const node = await awaitMachine({ before, machines, limitMs: waitMs }, tools);
  return { ...document, result: resultOf(node, waitMs) };
}

function resultOf(node: string | null, waitMs: number): FixDocument['result'] {
  if (node !== null) return { isReached: true, text: `Node ${node} registered.` };
  const seconds = Math.round(waitMs / 1000);
  const text = `No machine registered within ${seconds} s. A kubelet that gave up is started again by systemctl restart kubelet; look again: rollcall diagnose`;
  return { isReached: false, text };
}
