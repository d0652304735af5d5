import type { ActRule } from '../../capacity/spot/act-rules.ts';
import { readSpotNode, type SpotNode } from '../../domain/nodes/spot-node.ts';
import type { Action, ActionOutcome } from '../../ports/action.ts';
import type { AwsAction } from '../../ports/aws-action.ts';
import { PortError } from '../../ports/port-error.ts';
import type { Performed } from '../../runtime/perform.ts';
import type { PerformedAws } from '../../runtime/perform-aws.ts';
import { NODES } from '../gate/plan.ts';
import { actionOf, terminationOf } from './actions.ts';
import { decide, isEmptied, nodesInQuestion } from './decide.ts';
import type { BegunAct, GroupMember, KeptNode, SpotSight, SpotStep } from './facts.ts';
import { claimsByNode, membersOf, podsOn, type SurroundingsTools } from './surroundings.ts';

/** What became of a step. */
export interface StepEnd {
  readonly outcome: ActionOutcome | 'would-do';
  /** One sentence. */
  readonly why: string;
}

export interface SpotKeeperOptions extends SurroundingsTools {
  readonly rules: readonly ActRule[];
  readonly isDryRun: boolean;
  /** By the wall clock, ms. */
  readonly nowMs: () => number;
  readonly perform: (action: Action) => Promise<Performed>;
  readonly performAws: (
    action: AwsAction,
    tookEffect: () => Promise<boolean>,
  ) => Promise<PerformedAws>;
  /** Where it is kept on which Nodes rules began, so that budgets hold over restarts. */
  readonly notes: {
    /** @throws PortError */
    readonly read: () => Promise<readonly BegunAct[]>;
    /** @throws PortError */
    readonly write: (begun: readonly BegunAct[]) => Promise<void>;
  };
  readonly onStep: (step: SpotStep, end: StepEnd) => void;
  /** All that is left as it is now, and why. */
  readonly onKept: (kept: readonly KeptNode[]) => void;
  /** What could not be read or noted, and why. */
  readonly onBlind: (why: string) => void;
}

/** What the watch knows at the time of a pass. */
export type SpotWatched = Pick<SpotSight, 'nodes' | 'marked' | 'prices'>;

/** A cordon is followed by evictions at once, and these by what waits for the Node to be empty. */
const ROUNDS_MAX = 3;

/** Does what rules say about Nodes of Spot Instances. */
export class SpotKeeper {
  readonly #options: SpotKeeperOptions;
  /** null until the notes could be read. */
  #begun: readonly BegunAct[] | null = null;
  /** Nodes as this program wrote them, by UID, for as long as the watch shows the version before. */
  readonly #written = new Map<string, { readonly before: string; readonly now: SpotNode }>();

  constructor(options: SpotKeeperOptions) {
    this.#options = options;
  }

  /**
   * Looks around, decides and writes; true where more is to be done soon.
   *
   * @param watched asked again before each further round, as a step changes what is there
   */
  async pass(watched: () => SpotWatched, stop: AbortSignal): Promise<boolean> {
    try {
      let isBusy = false;
      for (let round = 0; round < ROUNDS_MAX && !stop.aborted; round += 1) {
        const ends = await this.#round(watched(), stop);
        isBusy = ends.some((outcome) => outcome !== 'refused' && outcome !== 'would-do');
        if (!ends.includes('done')) break;
      }
      return isBusy;
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      this.#options.onBlind(error.message);
      return false;
    }
  }

  async #round(watched: SpotWatched, stop: AbortSignal): Promise<readonly StepEnd['outcome'][]> {
    const { rules, nowMs, notes, isDryRun, onKept, onStep } = this.#options;
    this.#begun ??= await notes.read();
    const nodes = watched.nodes?.map((node) => this.#newest(node)) ?? null;
    const sight = await this.#sightOf({ ...watched, nodes }, this.#begun);
    const { begun, steps, kept } = decide(sight, rules, this.#begun, nowMs());
    // What was begun counts from before the first write, also for a program that is killed there.
    if (!isDryRun && JSON.stringify(begun) !== JSON.stringify(this.#begun))
      await notes.write(begun);
    this.#begun = begun;
    onKept(kept);
    const ends: StepEnd['outcome'][] = [];
    for (const step of steps) {
      if (stop.aborted) break;
      const end = await this.#take(step);
      onStep(step, end);
      ends.push(end.outcome);
    }
    return ends;
  }

  async #sightOf(watched: SpotWatched, begun: readonly BegunAct[]): Promise<SpotSight> {
    const { rules } = this.#options;
    const bare: SpotSight = { ...watched, pods: new Map(), claims: null, members: null };
    const asked = nodesInQuestion(bare, rules, begun);
    const replaces = asked.length > 0 && rules.some((rule) => rule.do === 'replace');
    const ids = asked.flatMap(({ instanceId }) => instanceId ?? []);
    const [pods, claims, members] = await Promise.all([
      podsOn(asked, this.#options),
      replaces ? claimsByNode(this.#options) : null,
      replaces ? membersOf(ids, this.#options) : null,
    ]);
    return { ...watched, pods, claims, members };
  }

  async #take(step: SpotStep): Promise<StepEnd> {
    const { isDryRun, perform, performAws } = this.#options;
    if (isDryRun) return { outcome: 'would-do', why: 'Nothing was changed; --yes does it.' };
    const action = actionOf(step);
    if (action !== null) {
      const end = await perform(action);
      if (step.kind === 'cordon') this.#keep(step.node, end);
      return end;
    }
    if (step.kind !== 'terminate') throw new TypeError(`no write for ${step.kind}`);
    if (!(await this.#isStillEmpty(step)))
      return { outcome: 'conflict', why: 'The Node is not as it was judged any more.' };
    return await performAws(terminationOf(step), async () => {
      const members = await membersOf([step.node.instanceId ?? ''], this.#options);
      return isLeaving(members?.get(step.node.instanceId ?? ''), members !== null);
    });
  }

  #keep({ uid, resourceVersion }: SpotNode, { outcome, object }: Performed): void {
    const now = outcome === 'done' && object !== null ? readSpotNode(object) : null;
    if (now !== null) this.#written.set(uid, { before: resourceVersion, now });
  }

  #newest(node: SpotNode): SpotNode {
    const written = this.#written.get(node.uid);
    if (written?.before === node.resourceVersion) return written.now;
    this.#written.delete(node.uid);
    return node;
  }

  /** AWS knows no condition for this call, so that everything is read once more right before. */
  async #isStillEmpty({ node }: SpotStep): Promise<boolean> {
    const { kube } = this.#options;
    const object = await kube.get(NODES, { namespace: null, name: node.name });
    const now = readSpotNode(object);
    if (now?.uid !== node.uid || now.instanceId !== node.instanceId || !now.isCordoned)
      return false;
    const pods = (await podsOn([node], this.#options)).get(node.uid);
    return pods !== undefined && isEmptied(pods);
  }
}

function isLeaving(member: GroupMember | undefined, isKnown: boolean): boolean {
  return isKnown && (member === undefined || member.state !== 'InService');
}
