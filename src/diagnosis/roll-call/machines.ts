import type { Machine, NodeClaim } from '../../evidence/kube/machines.ts';
import { isTerminated } from '../../domain/nodes/fleet.ts';
import { factsOfKind } from '../../evidence/fact-values.ts';
import type { FactKind, KubeNode } from '../../evidence/kinds.ts';
import { classifyName, instanceIdIn, type MachineName } from '../../evidence/names.ts';
import type { FactRecord, Observations } from '../../evidence/observations.ts';
import type { Verdict } from '../../evidence/verdict.ts';
import type { DiagnosisDocument, SubjectReport } from '../document.ts';
import { keysAmong, type KeysOf } from '../namesakes.ts';
import type { Instance } from '../../evidence/aws/instance.ts';

/** A machine that somebody expects by name, such as a line of `--expect FILE`. */
export interface ExpectedMachine {
  readonly name: string;
  readonly instanceId?: string;
}

/** Everything that the sources show of one machine. */
export interface CalledMachine {
  instanceId: string | null;
  /** An item of `aws ec2 describe-instances`. */
  instance: Instance | null;
  readonly nodes: KubeNode[];
  /** Karpenter NodeClaims and OpenShift Machines. */
  readonly claims: (NodeClaim | Machine)[];
  readonly expected: ExpectedMachine[];
  subject: SubjectReport | null;
}

export interface Roll {
  readonly machines: readonly CalledMachine[];
  /** True when the source listed all there are, so that what it lacks is not there. */
  readonly hasAllInstances: boolean;
  readonly hasAllNodes: boolean;
}

interface Assembly {
  readonly machines: CalledMachine[];
  /** Machines by instance id and by every name that one machine has at a time. */
  readonly byKey: Map<string, CalledMachine>;
  readonly keysOf: KeysOf;
}

/** Karpenter's claims and OpenShift's, in the order in which they were read. */
function claimsIn(facts: readonly FactRecord[]): readonly FactRecord[] {
  const claims = factsOfKind(facts, 'kube/NodeClaim');
  const machines = factsOfKind(facts, 'kube/Machine');
  if (machines.length === 0) return claims;
  const all: ReadonlySet<FactRecord> = new Set([...claims, ...machines]);
  return claims.length === 0 ? machines : facts.filter((fact) => all.has(fact));
}

function create(assembly: Assembly, keys: readonly string[]): CalledMachine {
  const machine: CalledMachine = {
    instanceId: null,
    instance: null,
    nodes: [],
    claims: [],
    expected: [],
    subject: null,
  };
  assembly.machines.push(machine);
  know(assembly, machine, keys);
  return machine;
}

function know(assembly: Assembly, machine: CalledMachine, keys: readonly string[]): void {
  for (const key of keys) if (!assembly.byKey.has(key)) assembly.byKey.set(key, machine);
}

function find(assembly: Assembly, keys: readonly string[]): CalledMachine | null {
  for (const key of keys) {
    const machine = assembly.byKey.get(key);
    if (machine !== undefined) return machine;
  }
  return null;
}

function addInstances(assembly: Assembly, facts: readonly FactRecord[]): void {
  const latest = new Map<string, FactRecord>();
  for (const fact of facts) {
    const id = (fact.value as Instance).InstanceId;
    if (id !== undefined) latest.set(id, fact);
  }
  for (const [id, fact] of latest) {
    const instance = fact.value as Instance;
    // The address of a terminated instance may be another's by now.
    const keys = isTerminated(instance) ? [id] : [id, ...fact.about.flatMap(assembly.keysOf)];
    const machine = create(assembly, keys);
    machine.instanceId = id;
    machine.instance = instance;
  }
}

/** Of two dumps of one Node the later, unless it is a table that shows less. */
function fuller(known: FactRecord | undefined, fact: FactRecord): FactRecord {
  if (known === undefined) return fact;
  const [before, after] = [known.value as KubeNode, fact.value as KubeNode];
  return before.uid !== null && after.uid === null ? known : fact;
}

function addNodes(assembly: Assembly, facts: readonly FactRecord[]): void {
  const latest = new Map<string, FactRecord>();
  for (const fact of facts) {
    const { name } = fact.value as KubeNode;
    latest.set(name, fuller(latest.get(name), fact));
  }
  for (const { value, about } of latest.values()) {
    const node = value as KubeNode;
    const instanceId = instanceIdIn(node.providerId ?? '');
    const names = about.flatMap(assembly.keysOf);
    // A providerID decides alone: names and addresses are used again.
    const machine = find(assembly, instanceId === null ? names : [instanceId]);
    const home = machine ?? create(assembly, []);
    settle(assembly, home, instanceId, names);
    home.nodes.push(node);
  }
}

/** What a claim says of its machine; only some kinds of claims have each of these fields. */
function machineOf({ spec, status }: NodeClaim | Machine): Readonly<Record<string, string>> {
  const told = {
    statusProvider: status && 'providerID' in status ? status.providerID : null,
    specProvider: spec && 'providerID' in spec ? spec.providerID : null,
    instance: status && 'providerStatus' in status ? status.providerStatus?.instanceId : null,
    node: status?.nodeName,
    nodeRef: status && 'nodeRef' in status ? status.nodeRef?.name : null,
  };
  return Object.fromEntries(Object.entries(told).filter(([, one]) => one)) as Record<
    string,
    string
  >;
}

function claimKeys(assembly: Assembly, claim: NodeClaim | Machine): readonly string[] {
  const { statusProvider, specProvider, instance, node, nodeRef } = machineOf(claim);
  const instanceId = instanceIdIn(statusProvider ?? specProvider ?? '') ?? instance;
  if (instanceId !== undefined) return [instanceId];
  return keysOfText(assembly, node ?? nodeRef ?? '', 'node');
}

function namesIn(text: string, kind: MachineName['kind']): readonly MachineName[] {
  const name = classifyName(text, kind);
  return name === null ? [] : [name];
}

function keysOfText(
  { keysOf }: Assembly,
  text: string,
  kind: MachineName['kind'],
): readonly string[] {
  return namesIn(text, kind).flatMap(keysOf);
}

function addClaims(assembly: Assembly, facts: readonly FactRecord[]): void {
  const latest = new Map<string, NodeClaim | Machine>();
  for (const { value } of facts) {
    const claim = value as NodeClaim | Machine;
    latest.set(`${claim.kind} ${claim.name}`, claim);
  }
  for (const claim of latest.values()) {
    const keys = claimKeys(assembly, claim);
    const known = find(assembly, keys);
    const isDeleted = Boolean(claim.metadata?.deletionTimestamp);
    if (known === null && isDeleted) continue;
    const own = keysOfText(assembly, claim.name, 'node-claim');
    const machine = known ?? create(assembly, []);
    settle(assembly, machine, instanceIdIn(keys[0] ?? ''), [...keys, ...own]);
    machine.claims.push(claim);
  }
}

/**
 * The machine of an instance, else the one with a name, unless that is another instance's: names
 * and addresses are used again.
 */
function claimed(
  assembly: Assembly,
  instanceId: string | null,
  names: readonly string[],
): CalledMachine | null {
  const own = instanceId === null ? null : find(assembly, [instanceId]);
  if (own !== null) return own;
  const machine = find(assembly, names);
  const isOther = machine !== null && machine.instanceId !== null && instanceId !== null;
  return isOther ? null : machine;
}

/** Ties an instance id and names to a machine, so that who comes later finds it by them. */
function settle(
  assembly: Assembly,
  machine: CalledMachine,
  instanceId: string | null,
  names: readonly string[],
): void {
  machine.instanceId ??= instanceId;
  know(assembly, machine, instanceId === null ? names : [instanceId, ...names]);
}

function addExpected(assembly: Assembly, expected: readonly ExpectedMachine[]): void {
  for (const entry of expected) {
    const names = keysOfText(assembly, entry.name, 'host');
    const instanceId = entry.instanceId ?? instanceIdIn(entry.name);
    const machine = claimed(assembly, instanceId, names) ?? create(assembly, []);
    settle(assembly, machine, instanceId, names);
    machine.expected.push(entry);
  }
}

const NAMES = new WeakMap<SubjectReport, readonly MachineName[]>();

/** Made once of each report: most are those of the look before. */
function namesOfSubject(subject: SubjectReport): readonly MachineName[] {
  const { node, name } = subject;
  const names = NAMES.get(subject) ?? [
    ...namesIn(node ?? '', 'node'),
    ...namesIn(name, 'node'),
    ...namesIn(name, 'node-claim'),
  ];
  NAMES.set(subject, names);
  return names;
}

const WORSE: Readonly<Record<Verdict, number>> = { 'not-usable': 2, 'cannot-tell': 1, usable: 0 };

function worse(known: SubjectReport | null, other: SubjectReport): SubjectReport {
  return known === null || WORSE[other.verdict] > WORSE[known.verdict] ? other : known;
}

/** A machine that complete lists no longer have counts only while something is known against it. */
function isMissed(subject: SubjectReport, isGone: boolean): boolean {
  const isFound = subject.findings.some(({ confidence }) => confidence !== 'possible');
  return !isGone || (subject.verdict === 'not-usable' && isFound);
}

function addSubjects(assembly: Assembly, document: DiagnosisDocument, isGone: boolean): void {
  for (const subject of document.subjects) {
    if (subject.kind !== 'Machine') continue;
    const names = namesOfSubject(subject).flatMap(assembly.keysOf);
    const known = claimed(assembly, subject.instanceId, names);
    if (known === null && !isMissed(subject, isGone)) continue;
    const machine = known ?? create(assembly, []);
    settle(assembly, machine, subject.instanceId, names);
    machine.subject = worse(machine.subject, subject);
  }
}

/** True where AWS was asked in another region or account than the Nodes are in. */
function isElsewhere({ collection }: Observations): boolean {
  const refusals = collection?.refusals ?? [];
  return refusals.some(({ call, failure }) => call === 'aws' && failure === 'not-configured');
}

/** Puts instances, Nodes, claims, expected names and diagnosed subjects together by machine. */
export function assembleRoll(
  document: DiagnosisDocument,
  observations: Observations,
  expected: readonly ExpectedMachine[],
  isLive: boolean,
): Roll {
  const { facts, listings } = observations;
  const assembly: Assembly = { machines: [], byKey: new Map(), keysOf: keysAmong(facts) };
  const hasAll = (kind: FactKind): boolean => listings.some((listing) => listing.kind === kind);
  // In files a list may be of a few machines that somebody asked for by id.
  const hasAllInstances = isLive && hasAll('aws/instance') && !isElsewhere(observations);
  const hasAllNodes = hasAll('kube/Node');
  addInstances(assembly, factsOfKind(facts, 'aws/instance'));
  addNodes(assembly, factsOfKind(facts, 'kube/Node'));
  addClaims(assembly, claimsIn(facts));
  addExpected(assembly, expected);
  addSubjects(assembly, document, hasAllInstances && hasAllNodes);
  return { machines: assembly.machines, hasAllInstances, hasAllNodes };
}
