import packageJson from '../../../package.json' with { type: 'json' };
import { type TaintChange, taintChanges } from '../../controllers/gate/foreign-notes.ts';
import type { GateWrite } from '../../controllers/gate/keeper.ts';
import type { Look } from '../../controllers/gate/look.ts';
import type { GatePolicy } from '../../controllers/gate/policy.ts';
import type { NodeEvaluation } from '../../controllers/gate/readiness-rules/evaluations.ts';
import type { ActionOutcome } from '../../ports/action.ts';
import type { MetricsRegistry } from '../../runtime/metrics/registry.ts';

const RULES_MAX = 500;
const SERIES_MAX = 4_000;
const RULE = { rule: { valuesMax: RULES_MAX } };
const BOOTSTRAP_BUCKETS_S = [1, 5, 10, 30, 60, 120, 300, 600, 1200];
const LATENCY_BUCKETS_S = [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
const EVALUATION_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What metrics of other programs are counted from. */
export interface ForeignMetrics {
  readonly wrote: (write: GateWrite, outcome: ActionOutcome, nowMs: number) => void;
  /** @param tookMs of the whole look */
  readonly looked: (look: Look, tookMs: number) => void;
}

export interface ForeignMetricSources {
  readonly policies: () => readonly GatePolicy[];
  /** By node, of the rule with this UID. */
  readonly evaluations: (uid: string) => ReadonlyMap<string, NodeEvaluation>;
}

/** `taint_operations` and `taint_operation_errors`, as nidhogg names them. */
export function declareNidhoggMetrics(registry: MetricsRegistry): ForeignMetrics {
  const operations = registry.counter({
    name: 'taint_operations',
    help: 'Taints of the nidhogg configuration that were added and removed.',
    labels: { operation: ['added', 'removed'], taint: { valuesMax: RULES_MAX } },
    seriesMax: SERIES_MAX,
    isForeign: true,
  });
  const errors = registry.counter({
    name: 'taint_operation_errors',
    help: 'Writes of taints of the nidhogg configuration that failed.',
    labels: { operation: ['calculateTaints', 'nodeUpdate'] },
    isForeign: true,
  });
  return {
    looked: () => undefined,
    wrote({ look, isOfTaints }, outcome) {
      const changes = isOfTaints ? taintChanges(look, 'nidhogg') : [];
      if (changes.length > 0 && outcome !== 'done') errors.add({ operation: 'nodeUpdate' });
      if (outcome !== 'done') return;
      for (const { operation, looked } of changes)
        operations.add({ operation, taint: looked.policy.taint.key });
    },
  };
}

function isRule({ source }: GatePolicy): boolean {
  return source.kind === 'NodeReadinessRule';
}

/** Releases up to 0.5 count all rules in one gauge, later ones in a gauge by mode. */
function declareRuleCounts(registry: MetricsRegistry): (rules: readonly GatePolicy[]) => void {
  const total = registry.gauge({
    name: 'node_readiness_rules_total',
    help: 'NodeReadinessRules that are followed.',
    isForeign: true,
  });
  const byMode = registry.gauge({
    name: 'node_readiness_rules',
    help: 'NodeReadinessRules that are followed, by mode and whether they only say what they would do.',
    labels: { enforcement_mode: ['bootstrap-only', 'continuous'], dry_run: ['true', 'false'] },
  });
  return (rules) => {
    total.set(rules.length);
    for (const mode of ['bootstrap-only', 'continuous'] as const)
      for (const isDry of [true, false]) {
        const own = rules.filter((one) => one.mode === mode && one.isDryRun === isDry);
        byMode.set(own.length, { enforcement_mode: mode, dry_run: `${isDry}` });
      }
  };
}

function declareVersion(registry: MetricsRegistry): void {
  const build = registry.gauge({
    name: 'node_readiness_build_info',
    help: 'The version of the program that follows NodeReadinessRules.',
    labels: { version: { valuesMax: 1 } },
  });
  build.set(1, { version: packageJson.version });
}

function declareRuleGauges(registry: MetricsRegistry, sources: ForeignMetricSources): void {
  const count = declareRuleCounts(registry);
  const matched = registry.gauge({
    name: 'node_readiness_rule_matched_nodes',
    help: 'Nodes that each rule selects.',
    labels: RULE,
    seriesMax: SERIES_MAX,
  });
  const byState = registry.gauge({
    name: 'node_readiness_nodes_by_state',
    help: 'Nodes of each rule by state.',
    labels: { ...RULE, state: ['ready', 'not_ready', 'bootstrapping'] },
    seriesMax: SERIES_MAX,
  });
  const held = registry.gauge({
    name: 'node_readiness_rule_nodes',
    help: 'Nodes of each rule that carry its taint, and that do not.',
    labels: { ...RULE, state: ['held', 'released'] },
    seriesMax: SERIES_MAX,
  });
  registry.beforeReading(() => {
    byState.clear();
    held.clear();
    matched.clear();
    const rules = sources.policies().filter(isRule);
    count(rules);
    for (const { source, mode } of rules) {
      const all = [...sources.evaluations(source.uid ?? '').values()];
      const satisfied = all.filter(({ isSatisfied }) => isSatisfied).length;
      const shut = all.filter(({ isHeld }) => isHeld).length;
      const rule = source.name;
      matched.set(all.length, { rule });
      const waiting = mode === 'bootstrap-only' ? 'bootstrapping' : 'not_ready';
      byState.set(satisfied, { rule, state: 'ready' });
      byState.set(all.length - satisfied, { rule, state: waiting });
      held.set(shut, { rule, state: 'held' });
      held.set(all.length - shut, { rule, state: 'released' });
    }
  });
}

/** When the newest of the conditions of a rule changed on the node of a look; null when none says. */
function newestTransitionMs({ looked }: TaintChange, { look }: GateWrite): number | null {
  const all = looked.judgement.sayings.flatMap(({ proof }) =>
    proof.kind === 'condition' ? [look.node.conditions.get(proof.type)?.transitionMs ?? null] : [],
  );
  const known = all.filter((ms) => ms !== null);
  return known.length === 0 ? null : Math.max(...known);
}

function secondsBetween(fromMs: number, toMs: number): number {
  return Math.max(0, toMs - fromMs) / 1000;
}

function declareRuleTimes(
  registry: MetricsRegistry,
): (change: TaintChange, write: GateWrite, nowMs: number) => void {
  const bootstrap = registry.histogram({
    name: 'node_readiness_bootstrap_duration_seconds',
    help: 'From the creation of a Node until its bootstrap-only rule was met.',
    labels: RULE,
    buckets: BOOTSTRAP_BUCKETS_S,
  });
  const latency = registry.histogram({
    name: 'node_readiness_reconciliation_latency_seconds',
    help: 'From the newest change of a condition until the taint followed it.',
    labels: { ...RULE, operation: ['add_taint', 'remove_taint'] },
    buckets: LATENCY_BUCKETS_S,
    seriesMax: SERIES_MAX,
  });
  return (change, write, nowMs) => {
    const { source, mode } = change.looked.policy;
    const rule = source.name;
    const changedMs = newestTransitionMs(change, write);
    if (changedMs === null) return;
    const operation = change.operation === 'added' ? 'add_taint' : 'remove_taint';
    latency.observe(secondsBetween(changedMs, nowMs), { rule, operation });
    const { createdMs } = write.look.node;
    if (mode === 'bootstrap-only' && change.operation === 'removed' && createdMs !== null)
      bootstrap.observe(secondsBetween(createdMs, changedMs), { rule });
  };
}

/** A look judges every policy of a node in one go, so each rule is given its share of the time. */
function declareEvaluations(registry: MetricsRegistry): ForeignMetrics['looked'] {
  const duration = registry.histogram({
    name: 'node_readiness_evaluation_duration_seconds',
    help: 'How long each rule was evaluated against one node.',
    labels: RULE,
    buckets: EVALUATION_BUCKETS_S,
    seriesMax: SERIES_MAX,
  });
  return ({ decided }, tookMs) => {
    for (const { policy } of decided)
      if (isRule(policy))
        duration.observe(tookMs / 1000 / decided.length, { rule: policy.source.name });
  };
}

/** The metrics of the Node Readiness Controller; no label is a node. */
export function declareRuleMetrics(
  registry: MetricsRegistry,
  sources: ForeignMetricSources,
): ForeignMetrics {
  declareVersion(registry);
  declareRuleGauges(registry, sources);
  const onLook = declareEvaluations(registry);
  const observe = declareRuleTimes(registry);
  const counter = (name: string, help: string, labels = {}): ReturnType<typeof registry.counter> =>
    registry.counter({ name, help, labels: { ...RULE, ...labels }, seriesMax: SERIES_MAX });
  const operations = counter(
    'node_readiness_taint_operations_total',
    'Taints that rules added and removed.',
    { operation: ['add', 'remove'] },
  );
  const failures = counter('node_readiness_failures_total', 'Writes for rules that failed.', {
    reason: ['EvaluationError', 'AddTaintError', 'RemoveTaintError'],
  });
  const completed = counter(
    'node_readiness_bootstrap_completed_total',
    'Nodes that bootstrap-only rules are done with.',
  );
  const unmet = counter(
    'node_readiness_condition_failures_total',
    'Conditions that were not met when a taint was added.',
    { condition: { valuesMax: RULES_MAX } },
  );
  const last = registry.gauge({
    name: 'node_readiness_rule_last_reconciliation_timestamp_seconds',
    help: 'When a rule last changed a node.',
    labels: RULE,
    seriesMax: SERIES_MAX,
  });
  const count = (change: TaintChange): void => {
    const { operation, looked } = change;
    const { source, mode } = looked.policy;
    const rule = source.name;
    operations.add({ rule, operation: operation === 'added' ? 'add' : 'remove' });
    if (operation === 'removed' && mode === 'bootstrap-only') completed.add({ rule });
    if (operation === 'removed') return;
    for (const { proof, saying } of looked.judgement.sayings)
      if (proof.kind === 'condition' && saying.state !== 'proven')
        unmet.add({ rule, condition: proof.type });
  };
  return {
    looked: onLook,
    wrote(write, outcome, nowMs) {
      if (!write.isOfTaints || outcome === 'conflict') return;
      for (const change of taintChanges(write.look, 'NodeReadinessRule')) {
        const rule = change.looked.policy.source.name;
        const reason = change.operation === 'added' ? 'AddTaintError' : 'RemoveTaintError';
        if (outcome !== 'done') {
          failures.add({ rule, reason });
          continue;
        }
        last.set(nowMs / 1000, { rule });
        count(change);
        observe(change, write, nowMs);
      }
    },
  };
}
