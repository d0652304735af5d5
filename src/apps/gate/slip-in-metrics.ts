import type { EvictionEnd, Replacement } from '../../controllers/slip-ins/keeper.ts';
import type { SlipInKind } from '../../controllers/slip-ins/evidence.ts';
import type { JudgedSlipIn } from '../../controllers/slip-ins/slip-in.ts';
import type { ActionOutcome } from '../../ports/action.ts';
import type { MetricsRegistry } from '../../runtime/metrics/registry.ts';

const GATES_MAX = 500;
const SERIES_MAX = 4_000;
const KINDS: readonly SlipInKind[] = [
  'bound-while-shut',
  'bound-after-loss',
  'started-early',
  'wrong-identity',
];
const OUTCOMES: readonly ActionOutcome[] = [
  'done',
  'refused',
  'conflict',
  'forbidden-by-budget',
  'unclear',
];

export interface SlipInMetrics {
  readonly found: (slipIn: JudgedSlipIn) => void;
  readonly ended: (end: EvictionEnd) => void;
  readonly replaced: (replacement: Replacement) => void;
}

/** Declares what `/metrics` shows of Pods that slipped in; no series is for a Pod or a node. */
export function declareSlipInMetrics(
  registry: MetricsRegistry,
  known: () => readonly JudgedSlipIn[],
): SlipInMetrics {
  const gate = { valuesMax: GATES_MAX };
  const now = registry.gauge({
    name: 'rollcall_slip_ins',
    help: 'Pods that are known to have come to a node before its gate opened it.',
    labels: { gate },
  });
  registry.beforeReading(() => {
    now.clear();
    for (const [name, { length }] of Map.groupBy(known(), ({ policy }) => policy.source.name))
      now.set(length, { gate: name });
  });
  const found = registry.counter({
    name: 'rollcall_slip_ins_found_total',
    help: 'Such Pods by what shows it.',
    labels: { gate, proof: KINDS },
    seriesMax: SERIES_MAX,
  });
  const evictions = registry.counter({
    name: 'rollcall_slip_in_evictions_total',
    help: 'Attempts to have such a Pod replaced, by how they ended.',
    labels: { gate, outcome: OUTCOMES },
    seriesMax: SERIES_MAX,
  });
  const replaced = registry.counter({
    name: 'rollcall_slip_ins_replaced_total',
    help: 'Evicted Pods by whether another took their place.',
    labels: { gate, ready: ['true', 'false', 'none'] },
    seriesMax: SERIES_MAX,
  });
  return {
    found: ({ policy, proof }) => found.add({ gate: policy.source.name, proof: proof.kind }),
    ended: ({ slipIn, performed }) =>
      evictions.add({ gate: slipIn.policy.source.name, outcome: performed.outcome }),
    replaced: ({ slipIn, by }) =>
      replaced.add({
        gate: slipIn.policy.source.name,
        ready: by === null ? 'none' : by.isReady ? 'true' : 'false',
      }),
  };
}
