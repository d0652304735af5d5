import { type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import { durationOf } from '../stories/fields.ts';
import type { GroupLand } from './land.ts';
import { awsAuth } from './cluster-objects.ts';
import { ADMIN, type Town } from './town.ts';
import { joinCommand } from './user-data.ts';
import { PRODUCTION } from './workload-roles.ts';

type Given = Readonly<Record<string, string>>;
type Move = (town: Town, given: Given) => void;

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

function instanceIn(town: Town, given: Given): string {
  const name = wordOf(given, 'machine');
  const found = town.instanceOf(name);
  if (found === null) throw new RangeError(`with: machine: there is no ${name}`);
  return found;
}

function groupIn({ land }: Town, given: Given): GroupLand {
  const name = wordOf(given, 'group');
  const found = land.groups.find(({ setting }) => setting.name === name);
  if (found === undefined) throw new RangeError(`with: group: there is no ${name}`);
  return found;
}

function instancesOfGroup(town: Town, name: string): readonly string[] {
  return town.names().flatMap((machine) => {
    const isOfGroup = machine.slice(0, machine.lastIndexOf('-')) === name;
    return isOfGroup ? (town.instanceOf(machine) ?? []) : [];
  });
}

/** Shell words in braces are what only the world knows: of the machine, and how it joins. */
function filled(town: Town, instanceId: string, command: string): string {
  const instance = town.cloud.instance(instanceId);
  return command
    .replaceAll('{private-dns-name}', instance?.privateDnsName ?? '')
    .replaceAll('{instance-id}', instanceId)
    .replaceAll('{join}', joinCommand(town.join));
}

function writeAwsAuth(town: Town, roleArns: readonly string[]): void {
  const client = town.world.client(ADMIN);
  const next = awsAuth(roleArns);
  const isThere = client.get('ConfigMap', 'kube-system/aws-auth') !== null;
  if (!isThere) client.create(next);
  else client.patch('ConfigMap', 'kube-system/aws-auth', 'merge', { data: next['data'] ?? null });
}

function changeWorkload(town: Town, given: Given, spec: JsonObject): void {
  const name = `${given['namespace'] ?? PRODUCTION}/${wordOf(given, 'workload')}`;
  const done = town.world.client(ADMIN).patch('Deployment', name, 'merge', { spec });
  if (!done.ok) throw new RangeError(done.failure.message);
}

/** As `kubectl rollout restart` does. */
function restart(town: Town, given: Given): void {
  const restartedAt = new Date(town.kernel.nowMs()).toISOString();
  const annotations = { 'kubectl.kubernetes.io/restartedAt': restartedAt };
  changeWorkload(town, given, { template: { metadata: { annotations } } });
}

function setCloudController({ platform }: Town, given: Given): void {
  const version = wordOf(given, 'version');
  const known = (['none', '1.29', '1.34', '1.37'] as const).find((one) => one === version);
  if (known === undefined) throw new RangeError(`with: version: ${version} is not modelled`);
  platform.setCloudController(known);
}

function deleteNode(town: Town, given: Given): void {
  const instanceId = instanceIn(town, given);
  const client = town.world.client(ADMIN);
  const node = client
    .list('Node')
    .find((one) => (textAt(one, 'spec.providerID') ?? '').endsWith(instanceId));
  if (node !== undefined) client.delete('Node', textAt(node, 'metadata.name') ?? '');
}

/** What can be done to a town, by the names that scenario files use. */
const MOVES: Readonly<Record<string, Move>> = {
  'hide-instance': (town, given) =>
    town.cloud.levers.hideInstance(instanceIn(town, given), timeOf(given, 'for')),
  'hide-tags': (town, given) =>
    town.cloud.levers.hideTags(instanceIn(town, given), timeOf(given, 'for')),
  'exhaust-subnet': (town, given) =>
    town.cloud.levers.exhaustSubnet(groupIn(town, given).subnetId, numberOf(given, 'free')),
  'leak-interfaces': (town, given) => {
    town.cloud.levers.leakInterfaces(groupIn(town, given).subnetId, numberOf(given, 'count'));
  },
  'interrupt-spot': (town, given) => {
    for (const id of instancesOfGroup(town, groupIn(town, given).setting.name))
      town.cloud.levers.interruptSpot(id);
  },
  terminate: (town, given) => town.cloud.levers.terminate(instanceIn(town, given)),
  deny: ({ cloud }, given) => cloud.levers.deny(wordOf(given, 'action')),
  allow: ({ cloud }, given) => cloud.levers.allow(wordOf(given, 'action')),
  throttle: ({ cloud }, given) =>
    cloud.levers.throttle(wordOf(given, 'action'), numberOf(given, 'times')),
  launch: (town, given) => {
    town.launch(groupIn(town, given));
  },
  'cloud-controller': setCloudController,
  'map-node-role': (town) => writeAwsAuth(town, [town.land.nodeRoleArn]),
  'overwrite-aws-auth': (town) =>
    writeAwsAuth(town, [town.land.nodeRoleArn.replace(/[^/]+$/, 'ci-deployer')]),
  scale: (town, given) => changeWorkload(town, given, { replicas: numberOf(given, 'replicas') }),
  restart,
  'delete-node': deleteNode,
  run: (town, given) => {
    const instanceId = instanceIn(town, given);
    const command = filled(town, instanceId, wordOf(given, 'command'));
    town.yard.machine(instanceId)?.run(command);
  },
};

export const MOVE_NAMES: readonly string[] = Object.keys(MOVES);

/**
 * Does something to a town.
 *
 * @throws RangeError for a move that there is not, and for what it cannot do
 */
export function doMove(town: Town, does: string, given: Given): void {
  const move = Object.hasOwn(MOVES, does) ? MOVES[does] : undefined;
  if (move === undefined)
    throw new RangeError(`${does} is no move; there are ${MOVE_NAMES.join(', ')}`);
  move(town, given);
}

/** How a machine stands as the cluster sees it. */
export function stateOfMachine(
  town: Town,
  name: string,
  hadNode: (instanceId: string) => boolean,
): 'never' | 'not-ready' | 'ready' | 'gone' {
  const instanceId = town.instanceOf(name);
  if (instanceId === null) return 'never';
  const nodeName = town.yard.machine(instanceId)?.nodeName() ?? null;
  const client = town.world.client(ADMIN);
  const node =
    (nodeName === null ? null : client.get('Node', nodeName)) ??
    client.list('Node').find((one) => (textAt(one, 'spec.providerID') ?? '').endsWith(instanceId));
  if (node === undefined) return hadNode(instanceId) ? 'gone' : 'never';
  const ready = listAt(node, 'status.conditions').find((one) => textAt(one, 'type') === 'Ready');
  return textAt(ready, 'status') === 'True' ? 'ready' : 'not-ready';
}
