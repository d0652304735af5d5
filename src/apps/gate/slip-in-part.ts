import type { LeadOptions } from '../../controllers/gate/keeper.ts';
import type { Look } from '../../controllers/gate/look.ts';
import { SlipInKeeper } from '../../controllers/slip-ins/keeper.ts';
import {
  endNote,
  endText,
  foundNote,
  foundText,
  nextText,
  replacedNote,
  replacedText,
} from '../../controllers/slip-ins/notes.ts';
import { nameOf } from '../../controllers/slip-ins/pod.ts';
import type { SlipIn } from '../../controllers/slip-ins/slip-in.ts';
import type { EventNote } from '../../runtime/events/event-correlator.ts';
import type { MetricsRegistry } from '../../runtime/metrics/registry.ts';
import { declareSlipInMetrics, type SlipInMetrics } from './slip-in-metrics.ts';
import type { GateTools } from './tools.ts';

export interface SlipInPartOptions extends GateTools {
  readonly registry: MetricsRegistry;
  readonly isDryRun: boolean;
  readonly peek: (name: string) => Look | null;
  readonly isCurrent: () => boolean;
  readonly publish: (note: EventNote) => void;
}

function podOf({ pod }: SlipIn): string {
  return `Pod ${nameOf(pod)}`;
}

/** Pods that came too early: finds them, has them replaced where asked, and tells of it. */
export class SlipInPart {
  readonly #options: SlipInPartOptions;
  readonly #metrics: SlipInMetrics;
  readonly #keeper: SlipInKeeper;

  constructor(options: SlipInPartOptions) {
    this.#options = options;
    this.#metrics = declareSlipInMetrics(options.registry, () => this.#keeper.slipIns());
    this.#keeper = this.#newKeeper();
  }

  look(look: Look): void {
    this.#keeper.look(look);
  }

  gone(name: string): void {
    this.#keeper.gone(name);
  }

  /** @throws what is a bug */
  async lead(leading: LeadOptions): Promise<void> {
    await this.#keeper.lead(leading);
  }

  #newKeeper(): SlipInKeeper {
    const { say, publish, isDryRun } = this.#options;
    const publishes = (note: EventNote | null): void => {
      if (note !== null && !isDryRun) publish(note);
    };
    return new SlipInKeeper({
      ...this.#options,
      cluster: '',
      onFound: (slipIn) => {
        this.#metrics.found(slipIn);
        say(`${podOf(slipIn)} ${foundText(slipIn)}. ${nextText(slipIn)}`);
        publishes(foundNote(slipIn));
      },
      onEvicts: (slipIn) => say(`${podOf(slipIn)}: ${isDryRun ? 'would be evicted' : 'evicts it'}`),
      onEnd: (end) => {
        this.#metrics.ended(end);
        say(`${podOf(end.slipIn)}: ${isDryRun ? end.performed.why : endText(end)}`);
        publishes(endNote(end));
      },
      onReplaced: (replacement) => {
        this.#metrics.replaced(replacement);
        say(replacedText(replacement));
        publishes(replacedNote(replacement));
      },
    });
  }
}
