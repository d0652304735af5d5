import type { JsonObject } from '../../../evidence/json.ts';
import { textAt } from '../../../evidence/json.ts';
import type { Action } from '../../../ports/action.ts';
import { DAEMON_SETS } from '../../gate/caches.ts';
import { type FixOrder, type FixStep, type FixTools, undoCommand } from '../fix.ts';
import { lastWriterOf } from '../last-writer.ts';
import type { NamedMachine } from '../machine/named-machines.ts';
import { orRefused, outcomeOf, plainStep, withRetries } from '../step.ts';
import {
  AWS_NODE,
  AWS_NODE_PLACE,
  type CniContainer,
  cniContainerOf,
  installerOf,
  readAwsNode,
  variableOf,
  type Variables,
  variablesDiff,
  variablesPatch,
} from './aws-node.ts';
import { type CniDecision, decideLeaner, decidePrefixes } from './decide.ts';
import { type CniFacts, readFreeAddresses, readNodes, setupOf } from './facts.ts';
import { addOnChange, type CniOwner, ownerOf } from './owner.ts';
import type { CniOrder } from './order.ts';
import { releaseStep } from './release.ts';

const FULL_SUBNET = 'subnet-out-of-pod-addresses';
const UNKNOWN_TYPE = 'instance-type-unknown-to-cni';

/** Causes that other settings or another release of the VPC CNI end. */
export const CNI_CAUSES: ReadonlySet<string> = new Set([
  'max-pods-above-address-capacity',
  'eni-limit-reached',
  FULL_SUBNET,
  UNKNOWN_TYPE,
]);
/** What gives the DaemonSet its former variables. */
export const CNI_NOTE = 'cni-variables';

const RESTARTS =
  'aws-node restarts on one machine after another; pods keep their addresses, and new pods wait some seconds.';
const BLOCKS = [
  'Machines take blocks of 16 addresses; where a subnet has no whole block left, new pods get no address.',
  'Machines that are full now get room as pods leave, or when they are replaced.',
];
const CALLS = 'The CNI calls EC2 more often where many pods come and go.';

/** What the change disturbs, in sentences. */
export function cniDisturbs(machines: readonly NamedMachine[]): readonly string[] {
  return [RESTARTS, ...(isSubnetFull(machines) ? [CALLS] : BLOCKS)];
}

function isSubnetFull(machines: readonly NamedMachine[]): boolean {
  return machines.some(({ cause }) => cause === FULL_SUBNET);
}

/** Changes the settings of the VPC CNI, and names the release that knows the machines' type. */
export async function fixCni(order: CniOrder, tools: FixTools): Promise<readonly FixStep[]> {
  const isOf = (cause: string): boolean => cause === UNKNOWN_TYPE;
  const [unknown, others] = [
    order.machines.filter(({ cause }) => isOf(cause)),
    order.machines.filter(({ cause }) => !isOf(cause)),
  ];
  const steps: FixStep[] = [];
  if (unknown.length > 0)
    steps.push(
      await orRefused(AWS_NODE, async () => releaseStep({ ...order, machines: unknown }, tools)),
    );
  if (others.length > 0)
    steps.push(
      await withRetries(tools, async () =>
        orRefused(AWS_NODE, async () => attempt({ ...order, machines: others }, tools)),
      ),
    );
  return steps;
}

/** A subnet that is full comes first, as blocks would take more of it. */
async function decided(
  { machines }: CniOrder,
  container: CniContainer,
  { kube, aws }: FixTools,
): Promise<CniDecision> {
  const nodes = await readNodes(kube, machines);
  const facts: CniFacts = { setup: setupOf(container), nodes, freeAddresses: null };
  if (isSubnetFull(machines)) return decideLeaner(facts);
  const freeAddresses = aws === null ? null : await readFreeAddresses(aws, machines);
  return decidePrefixes({ ...facts, freeAddresses });
}

async function attempt(order: CniOrder, tools: FixTools): Promise<FixStep> {
  const daemonSet = await readAwsNode(tools.kube);
  const container = daemonSet === null ? null : cniContainerOf(daemonSet);
  if (daemonSet === null || container === null)
    return plainStep(AWS_NODE, 'refused', 'There is no such DaemonSet with the VPC CNI.');
  const decision = await decided(order, container, tools);
  if (decision.do === 'refuse') return plainStep(AWS_NODE, 'refused', decision.why);
  const variables = missingOf(container, decision.variables);
  const diff = variablesDiff(container.env, variables);
  const elsewhere = elsewhereWords(container, variables);
  if (elsewhere !== null) return { ...plainStep(AWS_NODE, 'refused', elsewhere), diff };
  const owner = await ownerOf(daemonSet, order.cluster, {
    aws: tools.aws,
    server: tools.kube.server,
  });
  if (owner.by !== 'manifest') return ownersStep(owner, variables, diff);
  const step = await changed(order, { daemonSet, container, variables }, tools);
  return { ...step, diff, why: `${decision.why} ${step.why}${installerWords(daemonSet)}` };
}

/** Those that do not have their value yet. */
function missingOf({ env }: CniContainer, variables: Variables): Variables {
  return new Map([...variables].filter(([name, value]) => variableOf(env, name) !== value));
}

function elsewhereWords({ env }: CniContainer, variables: Variables): string | null {
  const name = [...variables.keys()].find((one) => variableOf(env, one) === undefined);
  if (name === undefined) return null;
  return `${name} comes from another object (valueFrom); change it there.`;
}

function installerWords(daemonSet: JsonObject): string {
  const installer = installerOf(daemonSet);
  if (installer === null) return '';
  return ` Set the same values in ${installer}, which else takes them back when it next applies.`;
}

function ownersStep(
  owner: Exclude<CniOwner, { by: 'manifest' }>,
  variables: Variables,
  diff: readonly string[],
): FixStep {
  if (owner.by === 'unknown') return { ...plainStep(AWS_NODE, 'refused', owner.why), diff };
  const { why, command } = addOnChange(owner, variables);
  return { ...plainStep(AWS_NODE, 'refused', why), diff, commands: [command] };
}

interface CniChange {
  readonly daemonSet: JsonObject;
  readonly container: CniContainer;
  readonly variables: Variables;
}

async function changed(order: CniOrder, change: CniChange, tools: FixTools): Promise<FixStep> {
  const { daemonSet, container, variables } = change;
  const before = [...variables.keys()].map((name) => [
    name,
    variableOf(container.env, name) ?? null,
  ]);
  const note = {
    kind: CNI_NOTE,
    uid: textAt(daemonSet, 'metadata.uid') ?? '',
    before: Object.fromEntries(before) as JsonObject,
    after: Object.fromEntries(variables),
  };
  if (!order.isDryRun) await tools.keep(note);
  return await setVariables({ ...order, askedBy: 'fix cni' }, change, tools);
}

/** Writes variables by the version that was read, and reads them back. @throws PortError */
export async function setVariables(
  order: FixOrder & { readonly askedBy: string },
  change: CniChange,
  tools: FixTools,
): Promise<FixStep> {
  const { outcome, why } = await tools.perform(actionOf(order, change));
  if (outcome !== 'done') return plainStep(AWS_NODE, outcomeOf(outcome), why);
  if (order.isDryRun) return plainStep(AWS_NODE, 'would-write', why);
  const now = await readAwsNode(tools.kube);
  const env = (now === null ? null : cniContainerOf(now))?.env ?? [];
  const isThere = [...change.variables].every(([name, value]) => variableOf(env, name) === value);
  if (isThere) return plainStep(AWS_NODE, 'written', 'It has the values, as reading it shows.');
  const by = lastWriterOf(now) ?? 'another program';
  const told = `The values were written and are gone again: ${by} wrote the DaemonSet after it. Set them there.`;
  return plainStep(AWS_NODE, 'overwritten', told);
}

function actionOf(
  { id, why, askedBy }: FixOrder & { readonly askedBy: string },
  { daemonSet, variables }: CniChange,
): Action {
  const uid = textAt(daemonSet, 'metadata.uid') ?? '';
  const resourceVersion = textAt(daemonSet, 'metadata.resourceVersion') ?? '';
  const change = variablesPatch(variables);
  return {
    id: `${id}/aws-node/${resourceVersion}`,
    object: { resource: DAEMON_SETS, ...AWS_NODE_PLACE, seen: { uid, resourceVersion } },
    write: {
      verb: 'patch',
      patch: { type: 'strategic', change },
      requires: 'same-version',
    },
    why,
    askedBy,
    undo: { text: 'Give the VPC CNI its former settings', command: undoCommand(id) },
  };
}
