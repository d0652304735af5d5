import { type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import { durationOf } from '../stories/fields.ts';
import type { GroupInfrastructure } from './infrastructure.ts';
import { awsAuth } from './cluster-objects.ts';
import { runFixAuth } from './fix-auth-move.ts';
import { ADMIN, type SimulatedCluster } from './simulated-cluster.ts';
import { joinCommand } from './user-data.ts';
import { PRODUCTION } from './workload-roles.ts';

type Given = Readonly<Record<string, string>>;
type Move = (simulated: SimulatedCluster, given: Given) => void;

function wordOf(given: Given, name: string): string {
  const value = given[name];
  if (value === undefined) throw new RangeError(`with: ${name} is missing`);
  return value;
}

function timeOf(given: Given, name: string): number {
  const text = wordOf(given, name);
  const found = durationOf(text);
  if (found === null) throw new RangeError(`with: ${name}: ${text} is no time such as 30s`);
  return found;
}

function numberOf(given: Given, name: string): number {
  const text = wordOf(given, name);
  if (!/^\d{1,6}$/.test(text)) throw new RangeError(`with: ${name}: ${text} is no whole number`);
  return Number(text);
}

function instanceIn(simulated: SimulatedCluster, given: Given): string {
  const name = wordOf(given, 'machine');
  const found = simulated.instanceOf(name);
  if (found === null) throw new RangeError(`with: machine: there is no ${name}`);
  return found;
}

function groupIn({ infrastructure }: SimulatedCluster, given: Given): GroupInfrastructure {
  const name = wordOf(given, 'group');
  const found = infrastructure.groups.find(({ setting }) => setting.name === name);
  if (found === undefined) throw new RangeError(`with: group: there is no ${name}`);
  return found;
}

function instancesOfGroup(simulated: SimulatedCluster, name: string): readonly string[] {
  return simulated.names().flatMap((machine) => {
    const isOfGroup = machine.slice(0, machine.lastIndexOf('-')) === name;
    return isOfGroup ? (simulated.instanceOf(machine) ?? []) : [];
  });
}

/** Shell words in braces are what only the world knows: of the machine, and how it joins. */
function filled(simulated: SimulatedCluster, instanceId: string, command: string): string {
  const instance = simulated.cloud.instance(instanceId);
  return command
    .replaceAll('{private-dns-name}', instance?.privateDnsName ?? '')
    .replaceAll('{instance-id}', instanceId)
    .replaceAll('{join}', joinCommand(simulated.join));
}

function writeAwsAuth(simulated: SimulatedCluster, roleArns: readonly string[]): void {
  const client = simulated.world.client(ADMIN);
  const next = awsAuth(roleArns);
  const isThere = client.get('ConfigMap', 'kube-system/aws-auth') !== null;
  if (!isThere) client.create(next);
  else client.patch('ConfigMap', 'kube-system/aws-auth', 'merge', { data: next['data'] ?? null });
}

function changeWorkload(simulated: SimulatedCluster, given: Given, spec: JsonObject): void {
  const name = `${given['namespace'] ?? PRODUCTION}/${wordOf(given, 'workload')}`;
  const done = simulated.world.client(ADMIN).patch('Deployment', name, 'merge', { spec });
  if (!done.ok) throw new RangeError(done.failure.message);
}

/** As `kubectl rollout restart` does. */
function restart(simulated: SimulatedCluster, given: Given): void {
  const restartedAt = new Date(simulated.kernel.nowMs()).toISOString();
  const annotations = { 'kubectl.kubernetes.io/restartedAt': restartedAt };
  changeWorkload(simulated, given, { template: { metadata: { annotations } } });
}

function setCloudController({ platform }: SimulatedCluster, given: Given): void {
  const version = wordOf(given, 'version');
  const known = (['none', '1.29', '1.34', '1.37'] as const).find((one) => one === version);
  if (known === undefined) throw new RangeError(`with: version: ${version} is not modelled`);
  platform.setCloudController(known);
}

function deleteNode(simulated: SimulatedCluster, given: Given): void {
  const instanceId = instanceIn(simulated, given);
  const client = simulated.world.client(ADMIN);
  const node = client
    .list('Node')
    .find((one) => (textAt(one, 'spec.providerID') ?? '').endsWith(instanceId));
  if (node !== undefined) client.delete('Node', textAt(node, 'metadata.name') ?? '');
}

/** What can be done to a simulated cluster, by the names that scenario files use. */
const MOVES: Readonly<Record<string, Move>> = {
  'hide-instance': (simulated, given) =>
    simulated.cloud.controls.hideInstance(instanceIn(simulated, given), timeOf(given, 'for')),
  'hide-tags': (simulated, given) =>
    simulated.cloud.controls.hideTags(instanceIn(simulated, given), timeOf(given, 'for')),
  'exhaust-subnet': (simulated, given) =>
    simulated.cloud.controls.exhaustSubnet(
      groupIn(simulated, given).subnetId,
      numberOf(given, 'free'),
    ),
  'leak-interfaces': (simulated, given) => {
    simulated.cloud.controls.leakInterfaces(
      groupIn(simulated, given).subnetId,
      numberOf(given, 'count'),
    );
  },
  'interrupt-spot': (simulated, given) => {
    for (const id of instancesOfGroup(simulated, groupIn(simulated, given).setting.name))
      simulated.cloud.controls.interruptSpot(id);
  },
  terminate: (simulated, given) => simulated.cloud.controls.terminate(instanceIn(simulated, given)),
  deny: ({ cloud }, given) => cloud.controls.deny(wordOf(given, 'action')),
  allow: ({ cloud }, given) => cloud.controls.allow(wordOf(given, 'action')),
  throttle: ({ cloud }, given) =>
    cloud.controls.throttle(wordOf(given, 'action'), numberOf(given, 'times')),
  launch: (simulated, given) => {
    simulated.launch(groupIn(simulated, given));
  },
  'cloud-controller': setCloudController,
  'map-node-role': (simulated) => writeAwsAuth(simulated, [simulated.infrastructure.nodeRoleArn]),
  'overwrite-aws-auth': (simulated) =>
    writeAwsAuth(simulated, [
      simulated.infrastructure.nodeRoleArn.replace(/[^/]+$/, 'ci-deployer'),
    ]),
  'fix-auth': (simulated) => runFixAuth(simulated),
  scale: (simulated, given) =>
    changeWorkload(simulated, given, { replicas: numberOf(given, 'replicas') }),
  restart,
  'delete-node': deleteNode,
  run: (simulated, given) => {
    const instanceId = instanceIn(simulated, given);
    const command = filled(simulated, instanceId, wordOf(given, 'command'));
    simulated.hypervisor.machine(instanceId)?.run(command);
  },
};

export const MOVE_NAMES: readonly string[] = Object.keys(MOVES);

/**
 * Does something to a simulated cluster.
 *
 * @throws RangeError for a move that there is not, and for what it cannot do
 */
export function doMove(simulated: SimulatedCluster, does: string, given: Given): void {
  const move = Object.hasOwn(MOVES, does) ? MOVES[does] : undefined;
  if (move === undefined)
    throw new RangeError(`${does} is no move; there are ${MOVE_NAMES.join(', ')}`);
  move(simulated, given);
}

/** How a machine stands as the cluster sees it. */
export function stateOfMachine(
  simulated: SimulatedCluster,
  name: string,
  hadNode: (instanceId: string) => boolean,
): 'never' | 'not-ready' | 'ready' | 'gone' {
  const instanceId = simulated.instanceOf(name);
  if (instanceId === null) return 'never';
  const nodeName = simulated.hypervisor.machine(instanceId)?.nodeName() ?? null;
  const client = simulated.world.client(ADMIN);
  const node =
    (nodeName === null ? null : client.get('Node', nodeName)) ??
    client.list('Node').find((one) => (textAt(one, 'spec.providerID') ?? '').endsWith(instanceId));
  if (node === undefined) return hadNode(instanceId) ? 'gone' : 'never';
  const ready = listAt(node, 'status.conditions').find((one) => textAt(one, 'type') === 'Ready');
  return textAt(ready, 'status') === 'True' ? 'ready' : 'not-ready';
}
