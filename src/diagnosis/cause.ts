import type { Fact, Seen, WhyUnknown } from '../evidence/fact.ts';
import type { FactKind, FactTypes } from '../evidence/kinds.ts';
import type { Captures, Quote, Sighting } from '../evidence/sighting.ts';
import type { LineSource } from '../evidence/source.ts';
import type { Stage } from '../evidence/stage.ts';
import type { PlannedGroup } from '../domain/planned/groups.ts';
import type { PlanView } from './plan-view.ts';
import type { MilestoneId } from './milestones.ts';
import { pasteable } from './pasteable.ts';
import type { Repair } from './repair.ts';
import type { SymptomId } from './symptoms.ts';

/**
 * What a line that matches says about the cause:
 * `definite` names it alone; `likely` names it where nothing speaks against it; `context` only
 * supports; `withdraws`, seen later, takes an earlier failure back; `clears`, seen at all, rules it out.
 */
export type SignWeight = 'definite' | 'likely' | 'context' | 'withdraws' | 'clears';

/** One expression over one line (or one event, or one condition printed as a line). */
export interface Sign {
  /** Sources whose lines count; lines of unknown origin count too unless `strict`. */
  readonly in: readonly LineSource[];
  /** Literals of which every match contains at least one: 6 bytes or more, no quote or backslash. */
  readonly anchors: readonly string[];
  /** Linear-time expression on the cleaned line: escapes undone, smart quotes straight. */
  readonly pattern: RegExp;
  readonly weight: SignWeight;
  readonly strict?: boolean;
  /** True for what people tell in sentences: what they deny or ask about does not count. */
  readonly isTold?: boolean;
  /** True for what healthy evidence says too: it completes other signs and supports nothing alone. */
  readonly isBackground?: boolean;
  /** Times it must be seen before it counts, for lines that healthy nodes print once or twice. */
  readonly atLeast?: number;
  /**
   * Where one sighting counts, as likely, although `atLeast` asks for more: at the end of the few
   * lines that a person pasted, or only where hardly more than the line itself is shown.
   */
  readonly enoughOnce?: 'end' | 'alone';
}

export type Confidence = 'definite' | 'likely' | 'possible';

/** Named values for sentences and commands; always from the evidence. */
export type Details = Captures;

export interface Found {
  readonly verdict: 'found';
  readonly confidence: Exclude<Confidence, 'possible'>;
  readonly details: Details;
  readonly proof: readonly Quote[];
  /** Instance ids or Node names which a cause of the cluster or a group concerns; all when absent. */
  readonly machines?: readonly string[];
  /** Those of them that run on as yet, although they depend on what is wrong. */
  readonly dependents?: readonly string[];
  /** True where all that it rests on is shown, so that nothing which a source left out can speak against it. */
  readonly isInShown?: boolean;
  /** What may be done about objects that it names; acted on only where it is definite. */
  readonly repairs?: readonly Repair[];
}

export interface Clear {
  readonly verdict: 'clear';
}

export interface CannotSay {
  readonly verdict: 'unknown';
  readonly missing: readonly WhyUnknown[];
}

export type Match = Found | Clear | CannotSay;

export interface Step {
  readonly text: string;
  /** One runnable command; placeholders such as `<cluster>` only for what the evidence lacks. */
  readonly command: string | null;
}

/** One thing to do, with the command that does it where there is one. */
export function step(text: string, command: string | null = null): Step {
  return { text, command: command === null ? null : pasteable(command) };
}

/**
 * What a conclusion about one subject may rest on that is not the subject's own: the moment, all
 * machines together, the whole pile, all facts of a kind, or a cause's signs as the cluster's lines
 * show them.
 */
export type Elsewhere = 'clock' | 'fleet' | 'everything' | `all ${FactKind}` | `cluster ${string}`;

/** What a cause may look at: only the kinds and signs that it declared compile. */
export interface View<K extends FactKind, S extends string> {
  /** The names of the subject, instance id and Node name first. */
  readonly names: readonly string[];
  readonly instanceId: string | null;
  readonly node: string | null;
  /** The one fact of this kind that belongs to the subject. */
  read<N extends K>(kind: N): Fact<FactTypes[N]>;
  /** All facts of this kind which belong to the subject or to the whole cluster. */
  list<N extends K>(kind: N): readonly Seen<FactTypes[N]>[];
  /** All facts of this kind, whichever machine they are of. */
  everywhere<N extends K>(kind: N): readonly Seen<FactTypes[N]>[];
  /** True when a complete list of this kind was read, so that what it lacks does not exist. */
  isComplete(kind: K): boolean;
  /**
   * True when Rollcall asked for all of this kind and its list was refused or broke off: what is
   * not seen may be behind the break. Nobody knows that of evidence of others.
   */
  isCut(kind: K): boolean;
  /**
   * Machines whose own logs show them in trouble and which no complete list of Nodes knows; where
   * there is no such list, those whose Node was deleted and not seen since.
   */
  machinesWithoutNode(): readonly string[];
  /** How many machines logs of their own are here of, and how many of those were never seen to join. */
  machinesWithLogs(): { readonly all: number; readonly unjoined: number };
  /** True when the evidence names a Node, whichever machine's it is. */
  knowsNode(): boolean;
  /** True when Rollcall asked this, `ec2:DescribeInstances` or `list nodes`, and was not answered. */
  wasRefused(call: string): boolean;
  /** A sign as seen for the subject and not withdrawn since, null when it was not seen. */
  sign(name: S): Sighting | null;
  /** True when one of these signs was seen for the subject and not withdrawn since. */
  anySign(...names: readonly S[]): boolean;
  /**
   * A sign as it stands on the whole cluster: lines about no machine, such as events of pods that
   * no Node took.
   */
  clusterSign(name: S): Sighting | null;
  /** True when the subject shows this symptom, which does not decide by itself. */
  shows(symptom: SymptomId): boolean;
  /** True for evidence that Rollcall collected, which shows the present; false for evidence of others. */
  readonly isLive: boolean;
  /**
   * When Rollcall collected the evidence, ms since the epoch; null for evidence of others. What
   * asks for it is asked again as time passes, so it is asked for last.
   */
  readonly nowMs: number | null;
  /** A line of evidence made from a fact, for `proof`. */
  quote(fact: Seen<unknown>, excerpt: string): Quote;
}

/** What people read on the cause's page and in `rollcall explain`; Markdown, one sentence a line. */
export interface CausePage {
  readonly why: string;
  readonly prevent: string;
  /** Look-alikes and how to tell them apart, other causes named by id. */
  readonly notThis: string;
  /** Texts that people search for. */
  readonly alsoKnownAs?: readonly string[];
  readonly refs: readonly string[];
}

export interface CauseSpec<K extends FactKind, S extends string> {
  readonly id: string;
  readonly stage: Stage;
  readonly title: string;
  /** Whose failing it is; `cluster` and `group` causes are repeated on the machines they explain. */
  readonly scope: 'machine' | 'group' | 'cluster';
  readonly signs: Readonly<Record<S, Sign>>;
  readonly needs: readonly K[];
  /** Undeciding symptoms behind which this cause may stand. */
  readonly symptoms: readonly SymptomId[];
  /** Successes which, seen later on the same machine, take the failure back; by default the stage's. */
  readonly withdrawnBy?: readonly MilestoneId[];
  /** Captures that tell objects apart, so that success of one pod or image clears only that one. */
  readonly per?: readonly string[];
  /** Causes of the same or a lower stage which this one explains; all higher stages are implied. */
  readonly explains?: readonly string[];
  /** False when it leaves the rest of the machine working, so that it explains nothing above. */
  readonly blocksAbove?: boolean;
  /** By default: found when a definite or likely sign stands, else clear or unknown by sources read. */
  match?(view: View<K, S>): Match | null;
  /** Looks for it in a plan, before one group of machines is launched; null where it cannot occur. */
  foresee?(plan: PlanView, group: PlannedGroup): Match | null;
  /** One sentence naming the object, what is wrong and its consequence. */
  summary(details: Details): string;
  remedy(details: Details): readonly Step[];
  /** The one read-only command that tells whether it is this cause. */
  readonly decide: Step;
  /** What would tell why, of a cause that other causes bring about. */
  readonly reason?: Step;
  readonly page: CausePage;
  /** Ids under which it was known before. */
  readonly formerly?: readonly string[];
}

/** A cause with its parameters forgotten, as the engine holds it. */
export type Cause = CauseSpec<FactKind, string>;

/** Declares a cause; its own kinds and signs are the only ones its `match` may read. */
export function defineCause<const K extends FactKind, const S extends string>(
  spec: CauseSpec<K, S>,
): CauseSpec<K, S> {
  return spec;
}

/** What the `match` of a declared cause may look at: its own kinds and signs. */
export type ViewOf<C> = C extends CauseSpec<infer K, infer S> ? View<K, S> : never;

/** The names of the signs of a declared cause. */
export type SignNameOf<C> = C extends CauseSpec<infer _K, infer S> ? S : never;

/** A declared cause with the function that judges what its signs alone do not decide. */
export function matched<K extends FactKind, S extends string>(
  cause: CauseSpec<K, S>,
  match: (view: View<NoInfer<K>, NoInfer<S>>) => Match | null,
): CauseSpec<K, S> {
  return { ...cause, match };
}

export function found(
  details: Details,
  proof: readonly Quote[],
  confidence: Found['confidence'] = 'definite',
  machines?: readonly string[],
): Found {
  const of = machines === undefined ? {} : { machines };
  return { verdict: 'found', confidence, details, proof, ...of };
}

/** The same of a cause whose machines, by instance id or Node name, run on as yet. */
export function foundBefore(match: Found, dependents: readonly string[]): Found {
  return { ...match, machines: [], dependents };
}

/** The same where it rests only on what is shown of objects, whatever else their sources left out. */
export function foundInShown(match: Found): Found {
  return { ...match, isInShown: true };
}

/** The same with what may be done about objects that it names. */
export function withRepairs(match: Found, repairs: readonly Repair[]): Found {
  return repairs.length === 0 ? match : { ...match, repairs };
}

export const clear: Clear = { verdict: 'clear' };

export function cannotSay(...missing: readonly WhyUnknown[]): CannotSay {
  return {
    verdict: 'unknown',
    missing: missing.map((why) =>
      why.collect === null ? why : { ...why, collect: pasteable(why.collect) },
    ),
  };
}
