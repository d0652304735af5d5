import { textAt } from '../src/evidence/json.ts';
import { isReady, nodeView } from '../src/sim/platform/objects/node.ts';
import { readScenario, type WorldSetting } from '../src/sim/stories/scenario.ts';
import { drawFirstSeen } from '../src/sim/cluster/first-seen.ts';
import {
  ADMIN,
  buildCluster,
  type SimulatedCluster,
} from '../src/sim/cluster/simulated-cluster.ts';

/** By what the cloud controller asks EC2 for the machine of a Node. */
export type AskedBy = 'name' | 'id';

/** One kind of world in which machines join and may be lost. */
export interface Field {
  /** Median time from running to the first line of user data, s. */
  readonly bootS: number;
  /** Machines that are launched at once and join the cluster. */
  readonly size: number;
  readonly controller: '1.29' | '1.34' | '1.37';
  /** `id` where the kubelet is told its providerID, `name` where it is not. */
  readonly askedBy: AskedBy;
}

/** What became of the machines of one or more worlds. */
export interface Tally {
  readonly machines: number;
  /** EC2 did not show them yet when their Node was there. */
  readonly early: number;
  /** Their Node was deleted as not in the cloud. */
  readonly lost: number;
}

const GROUP = 'workers';
/** No machine boots in half of the median time: that is more than four deviations away. */
const QUICKEST = 0.5;
/** Nor is one running sooner after its launch, by as many deviations. */
const RUNNING_MS = 1500;
/** A round of questions about a hundred Nodes ends within this time, so a Ready Node is safe then. */
const ROUND_MS = 30_000;
/** An answer that was on its way has come, and was acted on, by then. */
const ANSWERED_MS = 1000;
/** Twice the boot, and this on top: by then every machine has joined. */
const LATEST_MS = 120_000;

/** The setting of such a world. */
export function settingOf({ bootS, size, controller, askedBy }: Field): WorldSetting {
  const read = readScenario({
    story: 'race',
    title: 'The race between EC2 and the join',
    until: '1m',
    world: {
      launchLate: true,
      cluster: { kind: 'kubeadm', cloudController: controller, podNetwork: 'calico' },
      groups: [
        {
          name: GROUP,
          count: size,
          boot: `${bootS}s`,
          hostname: '{private-dns-name}',
          providerId: askedBy === 'id',
        },
      ],
    },
  });
  if (!read.ok) throw new RangeError(read.mistakes.map(({ reason }) => reason).join('; '));
  return read.scenario.world;
}

/** When EC2 answers the question for each machine, ms after the launch. */
function answerableMs({ size, askedBy }: Field, seed: number): ReadonlyMap<string, number> {
  const names = Array.from({ length: size }, (_, index) => `${GROUP}-${index}`);
  return new Map(
    names.map((name) => {
      const { recordMs, nameMs } = drawFirstSeen(seed, name);
      return [name, askedBy === 'id' ? recordMs : nameMs];
    }),
  );
}

interface Watched {
  joinedMs: number | null;
  readyMs: number | null;
  isLost: boolean;
}

/** Follows the Nodes of the machines that EC2 shows late. */
function watch(simulated: SimulatedCluster, machines: readonly string[]): readonly Watched[] {
  const { kernel, world, cloud } = simulated;
  const startMs = kernel.nowMs();
  const byNode = new Map<string, Watched>();
  for (const machine of machines) {
    const instance = cloud.instance(simulated.instanceOf(machine) ?? '');
    const watched = { joinedMs: null, readyMs: null, isLost: false };
    byNode.set(instance?.privateDnsName ?? machine, watched);
  }
  world.client(ADMIN).follow('Node', (type, object) => {
    const watched = byNode.get(textAt(object, 'metadata.name') ?? '');
    if (watched === undefined) return;
    const atMs = kernel.nowMs() - startMs;
    if (type === 'DELETED') watched.isLost = true;
    else watched.joinedMs ??= atMs;
    if (isReady(nodeView(object))) watched.readyMs ??= atMs;
  });
  return [...byNode.values()];
}

/**
 * Plays one world until it is settled for every machine that EC2 shows late. A world in which each
 * is shown before the quickest could join has nothing to lose, and is not played.
 */
export function raceIn(field: Field, seed: number): Tally {
  const answerable = answerableMs(field, seed);
  const leastMs = QUICKEST * field.bootS * 1000 + RUNNING_MS;
  const late = [...answerable].filter(([, atMs]) => atMs > leastMs);
  if (late.length === 0) return { machines: field.size, early: 0, lost: 0 };
  const simulated = buildCluster({ setting: settingOf(field), seed });
  const { kernel } = simulated;
  const startMs = kernel.nowMs();
  const watched = watch(
    simulated,
    late.map(([machine]) => machine),
  );
  const isSettled = (nowMs: number): boolean =>
    watched.every(
      ({ isLost, readyMs }, index) =>
        isLost ||
        nowMs > (late[index]?.[1] ?? 0) + ANSWERED_MS ||
        (readyMs ?? nowMs) + ROUND_MS < nowMs,
    );
  const endMs = 2000 * field.bootS + LATEST_MS;
  let nowMs = 0;
  while (nowMs < endMs && !isSettled(nowMs)) {
    kernel.step();
    nowMs = kernel.nowMs() - startMs;
  }
  const early = watched.filter(
    ({ joinedMs }, index) => (late[index]?.[1] ?? 0) > (joinedMs ?? nowMs),
  );
  return {
    machines: field.size,
    early: early.length,
    lost: watched.filter(({ isLost }) => isLost).length,
  };
}

const SMALLEST = 3;

/** As many machines as that many worlds of three have, over worlds of the field's size. */
export function rateOf(field: Field, seeds: number): Tally {
  const worlds = Math.max(1, Math.round((seeds * SMALLEST) / field.size));
  let [machines, early, lost] = [0, 0, 0];
  for (let seed = 1; seed <= worlds; seed++) {
    const tally = raceIn(field, seed);
    machines += tally.machines;
    early += tally.early;
    lost += tally.lost;
  }
  return { machines, early, lost };
}
