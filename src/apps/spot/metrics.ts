import type { Happening } from '../../collection/recording/change.ts';
import type { SpotStep } from '../../controllers/spot/facts.ts';
import type { StepEnd } from '../../controllers/spot/keeper.ts';
import { textAt } from '../../evidence/json.ts';
import type { MetricsRegistry } from '../../runtime/metrics/registry.ts';
import { OUTCOMES } from '../controller/metrics.ts';

const STEPS: readonly SpotStep['kind'][] = ['cordon', 'evict', 'delete-claim', 'terminate'];
const TYPES_MAX = 250;
const ZONES_MAX = 40;
const POOLS_MAX = 1500;

export interface SpotMetrics {
  /** Counts what is new since the program started; prices are set in any case. */
  readonly happened: (happening: Happening, isNew: boolean) => void;
  readonly stepped: (step: SpotStep, end: StepEnd) => void;
  /** Calls that are not answered now. */
  readonly unknown: (calls: readonly string[]) => void;
}

/** Declares what `/metrics` of `rollcall spot watch` shows. */
export function declareSpotMetrics(registry: MetricsRegistry): SpotMetrics {
  const price = registry.gauge({
    name: 'rollcall_spot_price_dollars',
    help: 'What an hour of a Spot pool costs, by type and zone.',
    labels: { type: { valuesMax: TYPES_MAX }, zone: { valuesMax: ZONES_MAX } },
    seriesMax: POOLS_MAX,
  });
  const notices = registry.counter({
    name: 'rollcall_spot_notices_total',
    help: 'Notices of EC2 to Spot Instances: it takes them, or recommends to replace them.',
    labels: { notice: ['interruption', 'rebalance'] },
  });
  const taken = registry.counter({
    name: 'rollcall_spot_interruptions_total',
    help: 'Spot Instances that EC2 took.',
  });
  const steps = registry.counter({
    name: 'rollcall_spot_steps_total',
    help: 'Writes of rules, by step and outcome.',
    labels: { step: STEPS, outcome: [...OUTCOMES, 'would-do'] },
  });
  const unknown = registry.gauge({
    name: 'rollcall_spot_unanswered',
    help: '1 for each question that is not answered now.',
    labels: { call: { valuesMax: 10 } },
  });
  return {
    happened({ kind, more = {} }, isNew) {
      const [type, zone] = [textAt(more, 'type') ?? '', textAt(more, 'zone') ?? ''];
      const { dollars } = more;
      if (kind === 'spot-price' && typeof dollars === 'number') price.set(dollars, { type, zone });
      if (!isNew) return;
      if (kind === 'spot-notice') notices.add({ notice: textAt(more, 'notice') ?? '' });
      if (kind === 'spot-interrupted') taken.add();
    },
    stepped: (step, { outcome }) => steps.add({ step: step.kind, outcome }),
    unknown(calls) {
      unknown.clear();
      for (const call of calls) unknown.set(1, { call });
    },
  };
}
