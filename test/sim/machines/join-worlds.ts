/** Worlds in which three machines join that differ in nothing but what runs the join. */
import assert from 'node:assert/strict';
import { listAt, textAt } from '../../../src/evidence/json.ts';
import type { JsonObject } from '../../../src/evidence/json.ts';
import { randomStream, type RandomStream } from '../../../src/sim/kernel/random.ts';
import { JOINED_BY, type JoinedBy } from '../../../src/sim/stories/scenario.ts';
import { conditionOf, type Lab, openLab } from './lab.ts';

export interface JoinWorld {
  readonly seed: number;
  readonly cloudController: '1.34' | '1.37' | '1.29' | 'none';
  readonly podNetworkMs: number;
  readonly bootMs: number;
  /** For how long EC2 does not list the instance after its start; 0 for a world without that. */
  readonly hiddenMs: number;
  /** Somebody deletes the Nodes at this second; null where nobody does. */
  readonly deletedAtS: number | null;
  /** The machines start again at this second, as at a power cut; null where none does. */
  readonly rebootAtS: number | null;
  /** DescribeInstances is throttled so many times. */
  readonly throttled: number;
}

export interface Joined {
  readonly by: JoinedBy;
  /** There, Ready and initialized when the world ends. */
  readonly isNode: boolean;
  /** Second at which it said that it has joined; null when it did not. */
  readonly saidAtS: number | null;
  /** Second at which it said that its time is over; null when it did not. */
  readonly gaveUpAtS: number | null;
  /** What was not so at that moment. */
  readonly untrue: readonly string[];
  /** True while the cloud controller, which was throttled, still pauses before it initializes the Node. */
  readonly isUninitialized: boolean;
  /** Runs of `kubeadm join`. */
  readonly joins: number;
}

type Said = Pick<Joined, 'saidAtS' | 'gaveUpAtS' | 'untrue'>;

const NOTHING_SAID: Said = { saidAtS: null, gaveUpAtS: null, untrue: [] };
const END_S = 600;
/** Boot, a power cut and boot again, and the time limit of a join. */
const LIMIT_S = 1100;
const NOT_INITIALIZED = 'it is not initialized';
const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';
const GAVE_UP = /The time for the join, \d+ s, is over\./;
const SAID = /Node (\S+) \(UID (\S+)\) is Ready, initialized, and has stayed for/;

export function drawWorld(seed: number): JoinWorld {
  const random: RandomStream = randomStream(seed, 'join-world');
  return {
    seed,
    cloudController: random.pick(['1.34', '1.34', '1.37', '1.29', 'none'] as const),
    podNetworkMs: Math.round(random.between(2e3, 60e3)),
    bootMs: Math.round(random.between(3e3, 30e3)),
    hiddenMs: random.chance(0.7) ? Math.round(Math.min(240e3, random.lognormal(40e3, 0.8))) : 0,
    deletedAtS: random.chance(0.2) ? Math.round(random.between(20, 150)) : null,
    rebootAtS: random.chance(0.2) ? Math.round(random.between(25, 120)) : null,
    throttled: random.chance(0.2) ? random.below(40) : 0,
  };
}

/** Plays a world to its end. */
export async function playWorld(world: JoinWorld): Promise<readonly Joined[]> {
  const lab = await openLab(worldOf(world), world.seed);
  await lab.until(0);
  for (const by of JOINED_BY) hide(lab, by, world.hiddenMs);
  if (world.throttled > 0)
    lab.simulated.cloud.controls.throttle('ec2:DescribeInstances', world.throttled);
  let said = NOTHING_SAID;
  for (let second = STARTED_S; second <= END_S || isOpen(said, second); second++) {
    if (second === world.deletedAtS) deleteNodes(lab);
    if (second === world.rebootAtS) reboot(lab);
    if (second - UNIT_S === world.rebootAtS) startJoin(lab.simulated, 'rollcall-0');
    await lab.until(second);
    if (said === NOTHING_SAID) said = saidAt(lab, second);
  }
  return JOINED_BY.map((by) => ({
    by,
    isNode: wrongAt(lab, by).length === 0,
    isUninitialized: wrongAt(lab, by).join() === NOT_INITIALIZED,
    joins: joinsOf(lab, by),
    ...(by === 'rollcall' ? said : NOTHING_SAID),
  }));
}

/** A join whose own time is not over is played to its end. */
function isOpen(said: Said, second: number): boolean {
  return said === NOTHING_SAID && second <= LIMIT_S;
}

/** By then the machines are there. */
const STARTED_S = 20;

function reboot({ simulated }: Lab): void {
  for (const by of JOINED_BY) simulated.machineOf(`${by}-0`)?.reboot();
}

/** Boot, and the units of the machine. */
const UNIT_S = 30;

/** Runs the line of the user data, as a unit of rollcall join does at each boot. */
export function startJoin(simulated: Lab['simulated'], name: string): void {
  const machine = simulated.machineOf(name);
  if (machine === null) return;
  const userData = simulated.cloud.instance(machine.instanceId)?.userData ?? '';
  const line = userData.split('\n').find((one) => one.startsWith('rollcall join'));
  assert.ok(line !== undefined);
  machine.run(line);
}

function worldOf({ cloudController, podNetworkMs, bootMs }: JoinWorld): JsonObject {
  return {
    cluster: {
      kind: 'kubeadm',
      version: '1.34.3',
      cloudController,
      podNetwork: 'calico',
      podNetworkWarmUp: `${podNetworkMs}ms`,
    },
    groups: JOINED_BY.map((joinedBy) => ({
      name: joinedBy,
      joinedBy,
      count: 1,
      type: 'c6i.large',
      boot: `${bootMs}ms`,
    })),
    workloads: [],
  };
}

function hide({ simulated }: Lab, by: JoinedBy, hiddenMs: number): void {
  const instanceId = simulated.instanceOf(`${by}-0`);
  assert.ok(instanceId !== null);
  if (hiddenMs > 0) simulated.cloud.controls.hideInstance(instanceId, hiddenMs);
}

function machineOf(lab: Lab, by: JoinedBy): ReturnType<Lab['machine']> {
  return lab.machine(`${by}-0`);
}

function deleteNodes(lab: Lab): void {
  for (const by of JOINED_BY) {
    const name = lab.simulated.machineOf(`${by}-0`)?.nodeName() ?? null;
    if (name !== null && lab.client.get('Node', name) !== null) lab.client.delete('Node', name);
  }
}

/** What is wrong with a Node, seen by somebody who sees everything. */
export function wrongWith(node: JsonObject | null): readonly string[] {
  if (node === null) return ['there is no Node'];
  const isTainted = listAt(node, 'spec.taints').some((one) => textAt(one, 'key') === UNINITIALIZED);
  return [
    ...(conditionOf(node, 'Ready') === 'True' ? [] : ['it is not Ready']),
    ...(isTainted ? [NOT_INITIALIZED] : []),
  ];
}

function wrongAt(lab: Lab, by: JoinedBy): readonly string[] {
  return wrongWith(lab.node(`${by}-0`));
}

function saidAt(lab: Lab, second: number): Said {
  if (lab.simulated.machineOf('rollcall-0') === null) return NOTHING_SAID;
  const journal = journalOf(lab);
  const node = lab.node('rollcall-0');
  const wrong = wrongWith(node);
  const found = SAID.exec(journal);
  if (found !== null) {
    const isSame = node === null || textAt(node, 'metadata.uid') === found[2];
    const untrue = [...wrong, ...(isSame ? [] : ['another UID'])];
    return { saidAtS: second, gaveUpAtS: null, untrue };
  }
  if (!GAVE_UP.test(journal)) return NOTHING_SAID;
  const untrue = wrong.length > 0 ? [] : ['the Node is Ready and initialized'];
  return { saidAtS: null, gaveUpAtS: second, untrue };
}

function journalOf(lab: Lab): string {
  return machineOf(lab, 'rollcall')
    .journal()
    .map(({ message }) => message)
    .join('\n');
}

function outputOf(lab: Lab, by: JoinedBy): string {
  return machineOf(lab, by).files().get('/var/log/cloud-init-output.log') ?? '';
}

function joinsOf(lab: Lab, by: JoinedBy): number {
  return outputOf(lab, by).split('[preflight] Running pre-flight checks').length - 1;
}

/** A Node that was kept once and was deleted or rebooted later is no join any more. */
export function isLost(joined: Joined, { deletedAtS }: JoinWorld): boolean {
  const { isNode: isThere, isUninitialized, saidAtS } = joined;
  const isDeletedLater = saidAtS !== null && deletedAtS !== null && deletedAtS >= saidAtS;
  return !isThere && !isUninitialized && !isDeletedLater;
}

export function tally(all: readonly Joined[]): Readonly<Record<JoinedBy, string>> {
  const rows = JOINED_BY.map((by) => {
    const own = all.filter((one) => one.by === by);
    const nodes = own.filter((one) => one.isNode).length;
    const joins = own.reduce((sum, one) => sum + one.joins, 0);
    return [by, `${nodes} nodes of ${own.length}, ${joins} runs of kubeadm join`] as const;
  });
  assert.equal(rows.length, JOINED_BY.length);
  return Object.fromEntries(rows) as Record<JoinedBy, string>;
}
