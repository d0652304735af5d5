import type { PolicyKind } from '../../controllers/gate/caches.ts';
import type { GateWrite, GateWritten, LeadOptions } from '../../controllers/gate/keeper.ts';
import type { Look } from '../../controllers/gate/look.ts';
import {
  NODE_READINESS_RULES,
  readNodeReadinessRule,
} from '../../controllers/gate/policies/node-readiness-rule.ts';
import type { GatePolicy } from '../../controllers/gate/policy.ts';
import type { NodeEvaluation } from '../../controllers/gate/readiness-rules/evaluations.ts';
import { RuleKeeper } from '../../controllers/gate/readiness-rules/keeper.ts';
import { excerptOf } from '../../evidence/redact.ts';
import { pause } from '../../runtime/abort.ts';
import { LeaderElection } from '../../runtime/election/election.ts';
import type { ElectionState, Leading } from '../../runtime/election/election-options.ts';
import type { EventNote } from '../../runtime/events/event-correlator.ts';
import type { GateTools } from './tools.ts';

export interface RulePartOptions extends GateTools {
  /** Of the Lease. */
  readonly namespace: string;
  readonly identity: string;
  readonly isDryRun: boolean;
  readonly isReady: () => boolean;
  /** Those that the gate follows now. */
  readonly policies: () => readonly GatePolicy[];
  /** Told when rules begin or cease to be followed. */
  readonly onTurn: () => void;
  readonly publish: (note: EventNote) => void;
}

/** The Lease of the Node Readiness Controller, so that the two never act at once. */
const LEASE = 'ba65f13e.readiness.node.x-k8s.io';
const AGAIN_MS = 5_000;

/** NodeReadinessRules: followed while their controller's Lease is ours, and by nobody else. */
export class RulePart {
  readonly kind: PolicyKind = {
    resource: NODE_READINESS_RULES,
    read: readNodeReadinessRule,
    isOn: () => this.#isOn(),
  };
  readonly #options: RulePartOptions;
  readonly #keeper: RuleKeeper;
  /** Asked, as a Lease that is over is not always noticed at once. */
  #isOn = (): boolean => false;

  constructor(options: RulePartOptions) {
    const { isReady, isDryRun, publish, say } = options;
    this.#options = options;
    this.#keeper = new RuleKeeper({
      ...options,
      cluster: '',
      isDryRun,
      isReady,
      onNote: (note) => {
        if (!isDryRun) publish(note);
      },
      onPerformed: ({ object }, { outcome, why }) => {
        if (outcome !== 'done' && outcome !== 'conflict') say(`rule ${object.name}: ${why}`);
      },
    });
  }

  look(look: Look): void {
    this.#keeper.look(look);
  }

  gone(node: string): void {
    this.#keeper.gone(node);
  }

  performed(write: GateWrite, written: GateWritten): void {
    this.#keeper.performed(write, written);
  }

  evaluationsOf(uid: string): ReadonlyMap<string, NodeEvaluation> {
    return this.#keeper.evaluationsOf(uid);
  }

  /** Follows rules while this replica leads and holds their Lease. @throws what is a bug */
  async lead({ stop, lost, isLeading }: LeadOptions): Promise<void> {
    const either = AbortSignal.any([stop, lost]);
    const { clock, say } = this.#options;
    while (!either.aborted) {
      const end = await this.#candidate(isLeading).run(either);
      if (end === 'stopped') return;
      say('lost the Lease of NodeReadinessRules; they are not followed until it is held again');
      await pause(clock, AGAIN_MS, either);
    }
  }

  async #follow(leading: Leading, isLeading: LeadOptions['isLeading']): Promise<void> {
    const isBoth = (): boolean => isLeading() && leading.isLeading();
    this.#turn(isBoth);
    try {
      await this.#keeper.lead({ ...leading, isLeading: isBoth });
    } finally {
      this.#turn(() => false);
    }
  }

  #turn(isOn: () => boolean): void {
    this.#isOn = isOn;
    this.#options.onTurn();
  }

  #candidate(isLeading: LeadOptions['isLeading']): LeaderElection {
    const { leaseApi, leaseWrites, clock, random, namespace, identity } = this.#options;
    return new LeaderElection({
      api: leaseApi,
      writes: leaseWrites,
      clock,
      random,
      lease: { namespace, name: LEASE },
      identity,
      lead: async (leading) => await this.#follow(leading, isLeading),
      onChange: (state) => this.#tell(state),
    });
  }

  #tell({ phase, holder, lastError }: ElectionState): void {
    const { say, namespace, identity } = this.#options;
    const aside = 'NodeReadinessRules are not followed';
    if (lastError !== null) say(`${aside}: Lease ${namespace}/${LEASE}: ${lastError.message}`);
    else if (phase === 'leading') say('follows NodeReadinessRules');
    else if (holder !== null && holder !== identity)
      say(`${aside}: ${excerptOf(holder)} holds their Lease; scale it to 0 to hand them over`);
  }
}
