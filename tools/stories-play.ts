import { listAt, type Json, textAt } from '../src/evidence/json.ts';
import { runFast } from '../src/apps/lab/drive.ts';
import { loadScenario } from '../src/apps/lab/load.ts';
import { openPlay } from '../src/apps/lab/play.ts';
import type { Scenario } from '../src/sim/stories/scenario.ts';
import type { Named, StoryLine, Unmet } from '../src/sim/stories/story.ts';
import { stateOfMachine } from '../src/sim/cluster/moves.ts';
import { ADMIN, type SimulatedCluster } from '../src/sim/cluster/simulated-cluster.ts';

/** How many of something are well, of how many. */
export interface Share {
  readonly well: number;
  readonly of: number;
}

/** With which role the pods acted that were to have one of their own. */
export interface IdentityFigures {
  readonly pods: number;
  /** Seconds of all pods together with a role that is not theirs. */
  readonly nodeRoleSeconds: number;
  /** Seconds of all pods together without any. */
  readonly noRoleSeconds: number;
  readonly requests: number;
  readonly requestsLost: number;
  /** Pods that act with the wrong one at the end. */
  readonly wrongStill: number;
}

/** A story that was played to its end. */
export interface Played {
  readonly name: string;
  readonly scenario: Scenario;
  readonly lines: readonly StoryLine[];
  readonly named: readonly Named[];
  readonly unmet: readonly Unmet[];
  readonly machines: Share;
  readonly pods: Share;
  /** null where no pod was to have a role. */
  readonly identity: IdentityFigures | null;
}

function isTrue(object: Json, type: string): boolean {
  const found = listAt(object, 'status.conditions').find((one) => textAt(one, 'type') === type);
  return textAt(found, 'status') === 'True';
}

function machinesOf(simulated: SimulatedCluster): Share {
  const groups = new Set(simulated.setting.groups.filter((one) => !one.isControlPlane).map(nameOf));
  const names = simulated
    .names()
    .filter((name) => groups.has(name.slice(0, name.lastIndexOf('-'))));
  const well = names.filter((name) => stateOfMachine(simulated, name, () => false) === 'ready');
  return { well: well.length, of: names.length };
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}

function podsOf({ world }: SimulatedCluster): Share {
  const client = world.client(ADMIN);
  const isOfUser = (one: Json): boolean => textAt(one, 'metadata.namespace') === 'production';
  const wanted = client.list('Deployment').filter(isOfUser).map(replicasOf);
  const well = client.list('Pod').filter((pod) => isOfUser(pod) && isTrue(pod, 'Ready'));
  return { well: well.length, of: wanted.reduce((sum, one) => sum + one, 0) };
}

function replicasOf({ spec }: { readonly spec?: Json }): number {
  const replicas = (spec as { readonly replicas?: Json } | undefined)?.replicas;
  return typeof replicas === 'number' ? replicas : 1;
}

function identityOf(simulated: SimulatedCluster): IdentityFigures | null {
  const accounts = simulated.hypervisor.identities();
  if (accounts.length === 0) return null;
  const sum = (of: (one: (typeof accounts)[number]) => number): number =>
    accounts.reduce((total, one) => total + of(one), 0);
  return {
    pods: accounts.length,
    nodeRoleSeconds: Math.round(sum(({ seconds }) => seconds['node-role'] + seconds['other-role'])),
    noRoleSeconds: Math.round(sum(({ seconds }) => seconds.none)),
    requests: sum(({ requests }) => requests),
    requestsLost: sum(({ requestsLost }) => requestsLost),
    wrongStill: accounts.filter(({ now }) => now === 'node-role' || now === 'other-role').length,
  };
}

/** Plays a shipped story with the seed of its scenario. */
export async function playStory(name: string): Promise<Played> {
  const scenario = loadScenario(name);
  const lines: StoryLine[] = [];
  const { simulated, story } = openPlay({
    scenario,
    seed: scenario.seed,
    nodes: null,
    onLine: (line) => lines.push(line),
  });
  await runFast(simulated.kernel, story.endMs, story);
  return {
    name,
    scenario,
    lines,
    named: story.named(),
    unmet: story.unmet(),
    machines: machinesOf(simulated),
    pods: podsOf(simulated),
    identity: identityOf(simulated),
  };
}
