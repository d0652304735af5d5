import type { GateWrite } from '../../controllers/gate/keeper.ts';
import type { Look, LookedPolicy } from '../../controllers/gate/look.ts';
import type { NodeFacts } from '../../controllers/gate/node-facts.ts';
import type { GateHappening, Happened } from '../../controllers/gate/notes.ts';
import type { GatePolicy } from '../../controllers/gate/policy.ts';
import { notEnforcedMs } from '../../controllers/gate/record.ts';
import type { ActionOutcome } from '../../ports/action.ts';
import type { WatchedCache } from '../../runtime/health/health.ts';
import type { MetricsRegistry } from '../../runtime/metrics/registry.ts';

const OUTCOMES: readonly ActionOutcome[] = ['done', 'refused', 'conflict', 'unclear'];
const HAPPENINGS: readonly GateHappening[] = [
  'GateOpened',
  'GateNotEnforced',
  'GateRestored',
  'GateRebooted',
  'GateKubeletRestarted',
  'GateShutAgain',
  'GateAdoptedTaint',
];
const STATES = [
  'open',
  'dwelling',
  'held',
  'unknown',
  'refused',
  'shut-again',
  'would-hold',
] as const;
type State = (typeof STATES)[number];

const GATES_MAX = 500;
const SERIES_MAX = 4_000;
const CACHES_MAX = 200;
const OPENING_BUCKETS_S = [1, 5, 10, 30, 60, 120, 180, 300, 600, 1200, 3600];
const WRITE_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

function stateOf({ view, decision, policy }: LookedPolicy): State {
  const isHeld = view.isShut || view.isShutAgain;
  if (view.verdict === 'refused') return 'refused';
  if (view.isShutAgain) return 'shut-again';
  if (policy.isDryRun && decision.act !== 'open') return 'would-hold';
  if (!isHeld || view.isDone) return 'open';
  if (view.verdict === 'proven') return 'dwelling';
  return view.verdict === 'unknown' ? 'unknown' : 'held';
}

/** A gate, the state of a node, and whether the node came without the taint. */
type Stand = readonly [gate: string, state: State, isUnenforced: boolean];

function standOf(one: LookedPolicy, node: NodeFacts): Stand {
  return [one.policy.source.name, stateOf(one), notEnforcedMs(one.policy, node) !== null];
}

/** How many nodes of each gate are in which state; of a node nothing but this is kept. */
class Standings {
  readonly #nodes = new Map<string, readonly Stand[]>();

  take({ node, decided }: Look): void {
    const known = this.#nodes.get(node.name);
    const isSame = (one: LookedPolicy, index: number): boolean => {
      const stand = known?.[index];
      if (stand === undefined) return false;
      const [gate, state, isUnenforced] = stand;
      if (gate !== one.policy.source.name || state !== stateOf(one)) return false;
      return isUnenforced === (notEnforcedMs(one.policy, node) !== null);
    };
    if (known?.length !== decided.length || !decided.every(isSame))
      this.#nodes.set(
        node.name,
        decided.map((one) => standOf(one, node)),
      );
  }

  forget(name: string): void {
    this.#nodes.delete(name);
  }

  counts(): ReadonlyMap<string, ReadonlyMap<State, number>> {
    const counts = new Map<string, Map<State, number>>();
    for (const states of this.#nodes.values())
      for (const [gate, state] of states) {
        const of = counts.get(gate) ?? new Map<State, number>();
        counts.set(gate, of.set(state, (of.get(state) ?? 0) + 1));
      }
    return counts;
  }

  /** By gate, how many nodes came without its taint. */
  unenforced(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const states of this.#nodes.values())
      for (const [gate, , isUnenforced] of states)
        counts.set(gate, (counts.get(gate) ?? 0) + (isUnenforced ? 1 : 0));
    return counts;
  }
}

/** The metrics of the gate controller. */
export interface GateMetrics {
  readonly look: (look: Look) => void;
  readonly gone: (node: string) => void;
  readonly wrote: (write: GateWrite, outcome: ActionOutcome, tookMs: number) => void;
  /** @param nodeAgeMs null where the Node does not say when it was created */
  readonly happened: (happened: Happened, nodeAgeMs: number | null) => void;
  readonly lead: (isLeading: boolean) => void;
}

export interface GateMetricSources {
  readonly caches: () => readonly WatchedCache[];
  readonly policies: () => readonly GatePolicy[];
}

function declareCaches(registry: MetricsRegistry, { caches }: GateMetricSources): void {
  const stale = registry.gauge({
    name: 'rollcall_list_stale_seconds',
    help: 'How long ago a list was last known to be what the API server has.',
    labels: { kind: { valuesMax: CACHES_MAX } },
  });
  registry.beforeReading(() => {
    stale.clear();
    for (const { name, state } of caches())
      if (state.isSynced) stale.set(state.staleMs / 1000, { kind: name });
  });
}

function declareStandings(registry: MetricsRegistry, sources: GateMetricSources): Standings {
  const standings = new Standings();
  const gate = { valuesMax: GATES_MAX };
  const nodes = registry.gauge({
    name: 'rollcall_gate_nodes',
    help: 'Nodes of each gate by state.',
    labels: { gate, state: [...STATES] },
    seriesMax: SERIES_MAX,
  });
  const unenforced = registry.gauge({
    name: 'rollcall_gate_nodes_not_enforced',
    help: 'Nodes of each gate that came without its taint.',
    labels: { gate },
    seriesMax: SERIES_MAX,
  });
  const policies = registry.gauge({
    name: 'rollcall_gate_policies',
    help: 'Gate policies by kind, and whether they can be followed.',
    labels: { kind: ['NodeGate', 'NodeReadinessRule', 'nidhogg'], accepted: ['true', 'false'] },
  });
  registry.beforeReading(() => {
    nodes.clear();
    for (const [name, counts] of standings.counts())
      for (const [state, count] of counts) nodes.set(count, { gate: name, state });
    unenforced.clear();
    for (const [name, count] of standings.unenforced()) unenforced.set(count, { gate: name });
    policies.clear();
    const kinds = Map.groupBy(
      sources.policies(),
      ({ source, refusedWhy }) => `${source.kind} ${refusedWhy === null}`,
    );
    for (const [key, { length }] of kinds) {
      const [kind = '', accepted = ''] = key.split(' ');
      policies.set(length, { kind, accepted });
    }
  });
  return standings;
}

/** Declares what `/metrics` shows; no series is for one node. */
export function declareGateMetrics(
  registry: MetricsRegistry,
  sources: GateMetricSources,
): GateMetrics {
  declareCaches(registry, sources);
  const standings = declareStandings(registry, sources);
  const writes = registry.counter({
    name: 'rollcall_gate_writes_total',
    help: 'Patches of Nodes by what they are of and how they ended.',
    labels: { of: ['taints', 'condition'], outcome: OUTCOMES },
  });
  const writing = registry.histogram({
    name: 'rollcall_gate_write_seconds',
    help: 'How long the API server took for one patch of taints.',
    buckets: WRITE_BUCKETS_S,
  });
  const happenings = registry.counter({
    name: 'rollcall_gate_happenings_total',
    help: 'What gates did to nodes.',
    labels: { gate: { valuesMax: GATES_MAX }, happening: HAPPENINGS },
    seriesMax: SERIES_MAX,
  });
  const opening = registry.histogram({
    name: 'rollcall_gate_opened_seconds',
    help: 'From the creation of a Node until its gate opened.',
    buckets: OPENING_BUCKETS_S,
  });
  const leading = registry.gauge({
    name: 'rollcall_leading',
    help: '1 while this replica holds the Lease and writes.',
  });
  leading.set(0);
  return {
    look: (look) => standings.take(look),
    gone: (node) => standings.forget(node),
    wrote({ isOfTaints }, outcome, tookMs) {
      writes.add({ of: isOfTaints ? 'taints' : 'condition', outcome });
      if (isOfTaints) writing.observe(tookMs / 1000);
    },
    happened({ policy, what }, nodeAgeMs) {
      happenings.add({ gate: policy.source.name, happening: what });
      if (what === 'GateOpened' && nodeAgeMs !== null) opening.observe(nodeAgeMs / 1000);
    },
    lead: (isLeading) => leading.set(isLeading ? 1 : 0),
  };
}
