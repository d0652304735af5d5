import type { Stage } from '../../evidence/stage.ts';
import type { Verdict } from '../../evidence/verdict.ts';
import type { Confidence } from '../cause.ts';
import type { DiagnosisDocument, Headline, NotObservable } from '../document.ts';

/** The document that `rollcall status -o json` prints; other programs rely on its shape. */
export interface RollCallDocument {
  readonly apiVersion: 'rollcall.dev/v1alpha1';
  readonly kind: 'RollCall';
  readonly catalogueVersion: string;
  /** One per expected machine and per Node without one: the worst first, then by name. */
  readonly rows: readonly RollCallRow[];
  /** What failing machines have in common and usable ones have not, the surest first. */
  readonly shared: readonly SharedAttribute[];
  /** Groups that want more machines than they have: what is missing there has no name yet. */
  readonly gaps: readonly GroupGap[];
  /** What is wrong with the cluster itself and is no row's headline: it may concern all machines soon. */
  readonly cluster: readonly ClusterFinding[];
  readonly notObservable: readonly NotObservable[];
  /** What was given but could not be read, in sentences. */
  readonly losses: DiagnosisDocument['losses'];
}

export interface ClusterFinding {
  /** Name of the cluster. */
  readonly name: string;
  readonly cause: string;
  readonly stage: Stage;
  readonly confidence: Confidence;
  readonly summary: string;
}

export interface MachineGroup {
  readonly kind: 'NodeGroup' | 'AutoScalingGroup' | 'NodePool' | 'none';
  /** null when the kind is `none`. */
  readonly name: string | null;
}

export interface RollCallRow {
  readonly name: string;
  readonly instanceId: string | null;
  /** The Node object that stands for the machine now, null without one. */
  readonly node: string | null;
  readonly group: MachineGroup;
  readonly instanceType: string | null;
  readonly zone: string | null;
  readonly image: string | null;
  /** When EC2 launched it, ISO 8601 in UTC. */
  readonly launchedAt: string | null;
  readonly stage: Stage | null;
  readonly verdict: Verdict;
  readonly headline: Headline | null;
  /** Causes of the cluster that the machine depends on and does not suffer from yet. */
  readonly risks: readonly string[];
  /** What the other columns cannot say, in sentences: two Nodes, no instance, what to look at. */
  readonly note: string | null;
}

/** Attributes of machines that are tried as a common cause. */
export const ATTRIBUTES = [
  'subnet',
  'image',
  'launchTemplate',
  'zone',
  'instanceType',
  'role',
  'kubeletVersion',
  'group',
] as const;

export type Attribute = (typeof ATTRIBUTES)[number];

export interface SharedAttribute {
  readonly attribute: Attribute;
  readonly value: string;
  /** Machines that are not usable and have the value. */
  readonly failing: number;
  /** All machines that are not usable. */
  readonly failingOfAll: number;
  /** Usable machines that have the value. */
  readonly usable: number;
  /** The one cause that all failing machines with the value are named, null when they differ. */
  readonly cause: string | null;
}

export interface GroupGap {
  readonly group: MachineGroup;
  readonly desired: number;
  readonly present: number;
  /** What the diagnosis of the group itself says; `cannot-tell` when it says nothing. */
  readonly verdict: Verdict;
  readonly headline: Headline | null;
}
