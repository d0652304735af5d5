import { listAt, textAt } from '../../evidence/json.ts';
import type { Scenario } from '../../sim/stories/scenario.ts';
import { watchEvents, watchNodes } from '../../sim/stories/seen.ts';
import { startStory, type Story, type StoryLine } from '../../sim/stories/story.ts';
import { doMove, stateOfMachine } from '../../sim/cluster/moves.ts';
import { ADMIN, buildCluster, type SimulatedCluster } from '../../sim/cluster/simulated-cluster.ts';
import { diagnoseSimulated } from './look.ts';

/** Reasons of events that tell a story; all others are noise to somebody who watches. */
const TELLING_REASONS: ReadonlySet<string> = new Set([
  'DeletingNode',
  'FailedCreatePodSandBox',
  'TaintManagerEviction',
  'BackOff',
]);

export interface PlayOptions {
  readonly scenario: Scenario;
  readonly seed: number;
  /** Machines of the first group; null as the scenario says. */
  readonly nodes: number | null;
  readonly onLine: (line: StoryLine) => void;
}

/** A simulated cluster in which a scenario is being played. */
export interface Play {
  readonly simulated: SimulatedCluster;
  readonly story: Story;
}

function withNodes(scenario: Scenario, nodes: number | null): Scenario {
  if (nodes === null) return scenario;
  const [first, ...others] = scenario.world.groups;
  if (first === undefined) return scenario;
  const groups = [{ ...first, count: nodes }, ...others];
  return { ...scenario, world: { ...scenario.world, groups } };
}

/** Instances that have had a Node, by what its providerID or its name said. */
function rememberNodes(simulated: SimulatedCluster): (instanceId: string) => boolean {
  const seen = new Set<string>();
  simulated.world.client(ADMIN).follow('Node', (_type, node) => {
    const providerId = textAt(node, 'spec.providerID');
    if (providerId !== null) seen.add(providerId.split('/').at(-1) ?? '');
    const addresses = listAt(node, 'status.addresses').map((one) => textAt(one, 'address') ?? '');
    for (const { instanceId, privateIp } of simulated.cloud.instances())
      if (addresses.includes(privateIp)) seen.add(instanceId);
  });
  return (instanceId) => seen.has(instanceId);
}

/** Builds the simulated cluster of a scenario and plans its moves and looks; nothing has happened yet. */
export function openPlay({ scenario: whole, seed, nodes, onLine }: PlayOptions): Play {
  const scenario = withNodes(whole, nodes);
  const simulated = buildCluster({ setting: scenario.world, seed });
  const hadNode = rememberNodes(simulated);
  const story = startStory(scenario, {
    kernel: simulated.kernel,
    diagnose: async () => diagnoseSimulated(simulated),
    stateOf: (machine) => stateOfMachine(simulated, machine, hadNode),
    move: (does, given) => doMove(simulated, does, given),
    onLine,
  });
  watchNodes(simulated.world, story.tell);
  watchEvents(simulated.world, story.tell, TELLING_REASONS);
  return { simulated, story };
}
