import type { RollCallDocument } from '../../diagnosis/roll-call/document.ts';
import type { Standing } from '../../collection/resident/resident.ts';
import type { FeedHealth } from '../../collection/resident/feeds.ts';
import { actionsOf } from '../../controllers/lifecycle/actions.ts';
import {
  CLOUD_REASONS,
  CONFIDENCES as SURENESS,
  DELETERS,
  type Happening,
  HANDS,
  HAPPENING_KINDS,
} from '../../controllers/lifecycle/happening.ts';
import { STAGES } from '../../evidence/stage.ts';
import { VERDICTS } from '../../evidence/verdict.ts';
import { isoMs } from '../../evidence/time.ts';
import type { SubjectReport } from '../../diagnosis/document.ts';
import type { Action, ActionOutcome } from '../../ports/action.ts';
import type { MetricsRegistry } from '../../runtime/metrics/registry.ts';

/** How writes end. */
export const OUTCOMES: readonly ActionOutcome[] = [
  'done',
  'refused',
  'conflict',
  'forbidden-by-budget',
  'unclear',
];
const VERBS: readonly Action['write']['verb'][] = ['create', 'update', 'patch', 'delete', 'evict'];
const CONFIDENCES = ['definite', 'likely', 'possible'];
const CAUSES_MAX = 400;
const KINDS_MAX = 60;
/** From a launch to a rung: seconds to an hour. */
const CLIMB_BUCKETS_S = [15, 30, 60, 90, 120, 180, 300, 600, 1200, 3600];
const DELAY_BUCKETS_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Machines whose climb is known, so that each is counted once; then those that are gone are forgotten. */
const CLIMBED_MAX = 20_000;

/** The metrics of the resident roll call. */
export interface ControllerMetrics {
  readonly observe: (standing: Standing, rollCall: RollCallDocument) => void;
  readonly performed: (action: Action, outcome: ActionOutcome) => void;
  readonly lead: (isLeading: boolean) => void;
  /** What happened to a machine. */
  readonly happened: (happening: Happening) => void;
}

function forgetOthers(
  counted: Map<string, ReadonlySet<string>>,
  subjects: readonly SubjectReport[],
): void {
  const present = new Set(subjects.map(({ instanceId }) => instanceId));
  for (const id of counted.keys()) if (!present.has(id)) counted.delete(id);
}

/** Lets each rung of each machine be counted once. */
function createClimbs(
  observe: (stage: string, seconds: number) => void,
): (subjects: readonly SubjectReport[]) => void {
  const counted = new Map<string, Set<string>>();
  const known = new WeakSet<SubjectReport>();
  return (subjects) => {
    if (counted.size >= CLIMBED_MAX) forgetOthers(counted, subjects);
    for (const subject of subjects) {
      const { kind, instanceId, ladder } = subject;
      if (kind !== 'Machine' || instanceId === null || known.has(subject)) continue;
      known.add(subject);
      const launchedMs = isoMs(ladder.find(({ stage }) => stage === 'launched')?.since);
      if (launchedMs === null) continue;
      const stages = counted.get(instanceId) ?? new Set<string>();
      counted.set(instanceId, stages);
      for (const { stage, state, since } of ladder) {
        const sinceMs = isoMs(since);
        if (state !== 'passed' || sinceMs === null || sinceMs < launchedMs) continue;
        if (stages.has(stage)) continue;
        stages.add(stage);
        observe(stage, (sinceMs - launchedMs) / 1000);
      }
    }
  };
}

function tallied<T>(
  values: readonly T[],
  keyOf: (value: T) => string,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(keyOf(value), (counts.get(keyOf(value)) ?? 0) + 1);
  return counts;
}

/** Machines by where they stand, and findings by cause; what is over is set to nothing. */
function declareStanding(
  registry: MetricsRegistry,
): (standing: Standing, rollCall: RollCallDocument) => void {
  const machines = registry.gauge({
    name: 'rollcall_machines',
    help: 'Machines by the stage at which they stand and their verdict.',
    labels: { stage: [...STAGES, 'none'], verdict: [...VERDICTS] },
  });
  const findings = registry.gauge({
    name: 'rollcall_findings',
    help: 'Root findings of all subjects by cause.',
    labels: { cause: { valuesMax: CAUSES_MAX }, confidence: CONFIDENCES },
    seriesMax: CAUSES_MAX,
  });
  return ({ document }, { rows }) => {
    machines.clear();
    for (const [key, count] of tallied(rows, (row) => `${row.stage ?? 'none'} ${row.verdict}`)) {
      const [stage = '', verdict = ''] = key.split(' ');
      machines.set(count, { stage, verdict });
    }
    findings.clear();
    const roots = document.subjects.flatMap((subject) =>
      subject.findings.filter(
        ({ role, confidence }) => role === 'root' && confidence !== 'possible',
      ),
    );
    for (const [key, count] of tallied(roots, (one) => `${one.cause} ${one.confidence}`)) {
      const [cause = '', confidence = ''] = key.split(' ');
      findings.set(count, { cause, confidence });
    }
  };
}

function declareSources(registry: MetricsRegistry, lists: () => readonly FeedHealth[]): void {
  const stale = registry.gauge({
    name: 'rollcall_list_stale_seconds',
    help: 'How long ago a list was last known to be what the API server has.',
    labels: { kind: { valuesMax: KINDS_MAX } },
  });
  const errors = registry.gauge({
    name: 'rollcall_unread_objects',
    help: 'Objects that could not be read since the start, which is a bug of Rollcall.',
  });
  registry.beforeReading(() => {
    const known = lists().filter(({ isSynced }) => isSynced);
    stale.clear();
    for (const { kind, staleMs } of known) stale.set(staleMs / 1000, { kind });
    errors.set(lists().reduce((sum, { callbackErrors }) => sum + callbackErrors, 0));
  });
}

/** Happenings and deletions; the labels are those of `actionsOf`. */
function declareHappenings(registry: MetricsRegistry): ControllerMetrics['happened'] {
  const noticed = ['live', 'after-gap'];
  const happenings = registry.counter({
    name: 'rollcall_lifecycle_happenings_total',
    help: 'What happened to machines and Nodes, apart from deletions.',
    labels: { happening: [...HAPPENING_KINDS], noticed },
  });
  const deletions = registry.counter({
    name: 'rollcall_node_deletions_total',
    help: 'Deleted Nodes by who deleted them and why.',
    labels: {
      deleter: [...DELETERS],
      reason: { valuesMax: CLOUD_REASONS.length + 1 },
      hand: { valuesMax: HANDS.length + 1 },
      confidence: [...SURENESS],
      noticed,
    },
  });
  return (happening) => {
    const { name, labels } = actionsOf(happening).metric;
    (name === 'rollcall_node_deletions_total' ? deletions : happenings).add(labels);
  };
}

/**
 * Declares what `/metrics` shows.
 *
 * @param lists how the lists are followed, read with the metrics
 */
export function declareMetrics(
  registry: MetricsRegistry,
  lists: () => readonly FeedHealth[],
): ControllerMetrics {
  const standings = declareStanding(registry);
  declareSources(registry, lists);
  const climb = registry.histogram({
    name: 'rollcall_stage_reached_seconds',
    help: 'From the launch of a machine until it passed a stage.',
    labels: { stage: [...STAGES] },
    buckets: CLIMB_BUCKETS_S,
  });
  const delay = registry.histogram({
    name: 'rollcall_change_judged_seconds',
    help: 'From the first change in Kubernetes or AWS to the verdicts that take it in.',
    buckets: DELAY_BUCKETS_S,
  });
  const judging = registry.histogram({
    name: 'rollcall_judging_seconds',
    help: 'How long one judgement of all machines took.',
    buckets: DELAY_BUCKETS_S,
  });
  const writes = registry.counter({
    name: 'rollcall_actions_total',
    help: 'Writes to the cluster by verb and outcome.',
    labels: { verb: VERBS, outcome: OUTCOMES },
  });
  const leading = registry.gauge({
    name: 'rollcall_leading',
    help: '1 while this replica holds the Lease and writes.',
  });
  leading.set(0);
  const climbed = createClimbs((stage, seconds) => climb.observe(seconds, { stage }));
  return {
    observe(standing, rollCall) {
      standings(standing, rollCall);
      climbed(standing.document.subjects);
      judging.observe(standing.tookMs / 1000);
      if (standing.delayMs !== null) delay.observe(standing.delayMs / 1000);
    },
    performed: ({ write }, outcome) => writes.add({ verb: write.verb, outcome }),
    lead: (isLeading) => leading.set(isLeading ? 1 : 0),
    happened: declareHappenings(registry),
  };
}
