import { isTerminated } from '../../domain/nodes/fleet.ts';
import type { Observations } from '../../evidence/observations.ts';
import { excerptOf, redactValue } from '../../evidence/redact.ts';
import { isSameList } from '../../evidence/equal.ts';
import type { DiagnosisDocument, Headline, NotObservable, SubjectReport } from '../document.ts';
import { attributesOf, currentNode, labelsOf, traitsOf } from './attributes.ts';
import type {
  ClusterFinding,
  GroupGap,
  MachineGroup,
  RollCallDocument,
  RollCallRow,
} from './document.ts';
import { gapsOf, keyOf } from './gaps.ts';
import { type Findings, headlineOf, indexFindings } from './headline.ts';
import { assembleRoll, type ExpectedMachine, type CalledMachine, type Roll } from './machines.ts';
import { isAskedToGo, noteOf, type Renewed, renewedLeases } from './notes.ts';
import { inRowOrder } from './order.ts';
import { type Compared, sharedAttributes } from './shared.ts';

type Labels = Readonly<Record<string, string>>;

export interface RollCallInput {
  readonly document: DiagnosisDocument;
  readonly observations: Observations;
  /**
   * The time of a live look, ms since the epoch: its lists are complete. null for files, whose
   * lists may be parts and whose present nobody knows.
   */
  readonly nowMs: number | null;
  /** Machines that somebody expects by name, beside those that AWS and Kubernetes expect. */
  readonly expected: readonly ExpectedMachine[];
  /** What a source refused or was down for, in the words of who asked it. */
  readonly notObservable?: readonly NotObservable[];
  /** Chooses machines by labels of Node and claim and tags of the instance; all when not given. */
  readonly selects?: (labels: Labels) => boolean;
}

const NAME_MAX = 253;
const NOT_OBSERVABLE_MAX = 20;

interface Entry {
  readonly machine: CalledMachine;
  readonly row: RollCallRow;
  readonly attributes: Compared['attributes'];
}

function nameOf(machine: CalledMachine): string {
  const node = currentNode(machine)?.name;
  const claim = machine.instanceId === null ? machine.claims[0]?.name : undefined;
  return (
    node ??
    claim ??
    machine.expected[0]?.name ??
    machine.subject?.name ??
    (((machine.instance ?? undefined)?.PrivateDnsName ?? null) || null) ??
    machine.instanceId ??
    'machine'
  );
}

const PLAIN = /^[\u0021-\u007e]{0,253}$/;

function plainText(text: string): string {
  const clean = redactValue(text);
  return PLAIN.test(clean) ? clean : excerptOf(clean, NAME_MAX);
}

type Plain = <T extends string | null>(text: T) => T | string;

/** Texts as rows show them: on one line, printable, without secrets; each is looked at once. */
function createPlain(): Plain {
  const known = new Map<string, string>();
  return (text) => {
    if (text === null) return text;
    const clean = known.get(text) ?? plainText(text);
    known.set(text, clean);
    return clean;
  };
}

interface Described {
  readonly labels: Labels;
  readonly traits: ReturnType<typeof traitsOf>;
}

/** What was made of a machine; a roll call that is kept asks for it again and again. */
interface Remembered {
  readonly machine: CalledMachine;
  readonly described: Described;
  made: {
    readonly entry: Entry;
    readonly roll: Pick<Roll, 'hasAllInstances' | 'hasAllNodes'>;
  } | null;
}

const REMEMBERED = new WeakMap<SubjectReport, Remembered>();

function isSameMachine(one: CalledMachine, other: CalledMachine): boolean {
  return (
    one.instanceId === other.instanceId &&
    one.instance === other.instance &&
    isSameList(one.nodes, other.nodes) &&
    isSameList(one.claims, other.claims) &&
    isSameList(one.expected, other.expected)
  );
}

function remembered(machine: CalledMachine): Remembered | null {
  const known = machine.subject === null ? undefined : REMEMBERED.get(machine.subject);
  return known !== undefined && isSameMachine(known.machine, machine) ? known : null;
}

function describe(machine: CalledMachine): Described {
  const known = remembered(machine);
  if (known !== null) return known.described;
  const labels = labelsOf(machine);
  const described = { labels, traits: traitsOf(machine, labels) };
  if (machine.subject !== null) REMEMBERED.set(machine.subject, { machine, described, made: null });
  return described;
}

interface Frame {
  readonly plain: Plain;
  readonly roll: Roll;
  readonly findings: Findings;
  readonly renewed: Renewed;
}

function isSameHeadline(one: Headline | null, other: Headline | null): boolean {
  if (one === null || other === null) return one === other;
  return (
    one.cause === other.cause &&
    one.stage === other.stage &&
    one.confidence === other.confidence &&
    one.subject === other.subject
  );
}

/** The entry made before where nothing changed that it shows; of a Lease nobody tells that. */
function keptEntry(machine: CalledMachine, described: Described, frame: Frame): Entry {
  const { subject, nodes } = machine;
  const headline = subject === null ? null : headlineOf(subject, frame.findings);
  const { hasAllInstances, hasAllNodes } = frame.roll;
  const known = remembered(machine);
  const made = known?.made ?? null;
  if (
    made !== null &&
    made.roll.hasAllInstances === hasAllInstances &&
    made.roll.hasAllNodes === hasAllNodes &&
    isSameHeadline(made.entry.row.headline, headline)
  )
    return made.entry;
  const entry = entryOf(machine, described, frame, headline);
  if (known !== null && nodes.length > 0)
    known.made = { entry, roll: { hasAllInstances, hasAllNodes } };
  return entry;
}

function entryOf(
  machine: CalledMachine,
  { traits }: Described,
  frame: Frame,
  headline: Headline | null,
): Entry {
  const { subject } = machine;
  const { plain } = frame;
  const node = currentNode(machine)?.name ?? null;
  const row: RollCallRow = {
    name: plain(nameOf(machine)) || 'machine',
    instanceId: plain(machine.instanceId),
    node: plain(node ?? (frame.roll.hasAllNodes ? null : (subject?.node ?? null))),
    group: { kind: traits.group.kind, name: plain(traits.group.name) },
    instanceType: plain(traits.instanceType),
    zone: plain(traits.zone),
    image: plain(traits.image),
    launchedAt: traits.launchedAt,
    stage: subject?.stage ?? null,
    verdict: subject?.verdict ?? 'cannot-tell',
    headline,
    risks: subject?.risks ?? [],
    note: redactValue(noteOf(machine, frame.roll, frame.renewed, headline)),
  };
  return { machine, row, attributes: attributesOf(machine, traits) };
}

function launchOrder(a: CalledMachine, b: CalledMachine): number {
  const [first, second] = [a, b].map(({ instance }) => (instance ?? undefined)?.LaunchTime ?? '');
  if (first === second) return 0;
  return (first ?? '') < (second ?? '') ? 1 : -1;
}

/**
 * Terminated machines that still matter: one whose Node is left, one that nobody asked to go and
 * that no group replaces, and, the newest first, as many as its group lacks.
 */
function keptTerminated(
  machines: readonly CalledMachine[],
  groups: ReadonlyMap<CalledMachine, MachineGroup>,
  gaps: readonly GroupGap[],
): ReadonlySet<CalledMachine> {
  const left = new Map(gaps.map((gap) => [keyOf(gap.group), gap.desired - gap.present]));
  const kept = new Set<CalledMachine>();
  for (const machine of machines.toSorted(launchOrder)) {
    const group = groups.get(machine) ?? { kind: 'none', name: null };
    const missing = left.get(keyOf(group)) ?? 0;
    const isMissed = group.kind === 'none' && !isAskedToGo(machine);
    if (machine.nodes.length === 0 && missing === 0 && !isMissed) continue;
    kept.add(machine);
    if (missing > 0) left.set(keyOf(group), missing - 1);
  }
  return kept;
}

/** The same thing unseen on many machines is said once, with the command for the first of them. */
function unseenOf(
  entries: readonly Entry[],
  given: readonly NotObservable[],
): readonly NotObservable[] {
  const told = new Map(given.map((entry) => [`${entry.stage} ${entry.why}`, entry]));
  for (const { machine, row } of entries) {
    if (row.verdict !== 'cannot-tell' || machine.subject === null) continue;
    const unseen = machine.subject.notObservable.find(({ stage }) => stage === row.stage);
    if (unseen === undefined) continue;
    const key = `${unseen.stage} ${unseen.why}`;
    if (!told.has(key)) told.set(key, unseen);
  }
  return [...told.values()].slice(0, Math.max(NOT_OBSERVABLE_MAX, given.length));
}

function shownGap(gap: GroupGap, plain: Plain): GroupGap {
  return { ...gap, group: { kind: gap.group.kind, name: plain(gap.group.name) } };
}

function clusterFindings(
  { subjects }: DiagnosisDocument,
  entries: readonly Entry[],
): readonly ClusterFinding[] {
  const told = new Set(entries.map(({ row }) => row.headline?.cause));
  return subjects
    .filter(({ kind }) => kind === 'Cluster')
    .flatMap(({ name, findings }) =>
      findings
        .filter(({ role, confidence }) => role === 'root' && confidence !== 'possible')
        .filter(({ cause }) => !told.has(cause))
        .map(({ cause, stage, confidence, summary }) => ({
          name,
          cause,
          stage,
          confidence,
          summary,
        })),
    );
}

function compared({ row, attributes }: Entry): Compared {
  return { verdict: row.verdict, cause: row.headline?.cause ?? null, attributes };
}

/**
 * The roll call: every expected machine against every Node. Expected are the EC2 instances seen,
 * claims (NodeClaim, Machine) without one, machines expected by name, and machines whose own
 * evidence was read; rows are only these and Nodes without any, and what a group lacks is in
 * `gaps`. With `selects` no gaps are told, because what is missing has no labels.
 */
export function rollCallOf(input: RollCallInput): RollCallDocument {
  const { document, observations, nowMs, expected, selects } = input;
  const roll = assembleRoll(document, observations, expected, nowMs !== null);
  const findings = indexFindings(document);
  const described = new Map(roll.machines.map((machine) => [machine, describe(machine)]));
  const groups = new Map([...described].map(([machine, { traits }]) => [machine, traits.group]));
  const gaps = gapsOf(observations, document, findings, groups);
  const isGone = ({ instance }: CalledMachine): boolean =>
    instance !== null && isTerminated(instance);
  const kept = keptTerminated(roll.machines.filter(isGone), groups, gaps);
  const chosen = [...described].filter(
    ([machine, { labels }]) =>
      (!isGone(machine) || kept.has(machine)) && (selects?.(labels) ?? true),
  );
  const plain = createPlain();
  let leases: ReadonlySet<string> | null = null;
  const renewed = (): ReadonlySet<string> => (leases ??= renewedLeases(observations, nowMs));
  const frame = { plain, roll, findings, renewed };
  const entries = inRowOrder(chosen.map(([machine, words]) => keptEntry(machine, words, frame)));
  return {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'RollCall',
    catalogueVersion: document.catalogueVersion,
    rows: entries.map(({ row }) => row),
    shared: sharedAttributes(entries.map(compared)).map((entry) => ({
      ...entry,
      value: plain(entry.value),
    })),
    gaps: selects === undefined ? gaps.map((gap) => shownGap(gap, plain)) : [],
    cluster: selects === undefined ? clusterFindings(document, entries) : [],
    notObservable: unseenOf(entries, input.notObservable ?? []),
    losses: document.losses,
  };
}
