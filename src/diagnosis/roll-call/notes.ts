import { isoMs } from '../../evidence/time.ts';
import { factValues } from '../../evidence/fact-values.ts';
import type { Observations } from '../../evidence/observations.ts';
import { excerptOf } from '../../evidence/redact.ts';
import type { Headline, SubjectReport } from '../document.ts';
import { currentNode, unmetCondition } from './attributes.ts';
import type { CalledMachine, Roll } from './machines.ts';
import type { Instance } from '../../evidence/aws/instance.ts';

const CANDIDATES_MAX = 3;
const MESSAGE_MAX = 200;
/** Twice the 40 seconds for which a kubelet takes its Lease by default. */
const LEASE_FRESH_MS = 80_000;

/** Asked only where a machine has no Node. */
export type Renewed = () => ReadonlySet<string>;

/** Names of Nodes whose kubelet renewed its Lease within the last 80 seconds. */
export function renewedLeases(observations: Observations, nowMs: number | null): Set<string> {
  const names = new Set<string>();
  if (nowMs === null) return names;
  for (const lease of factValues(observations, 'kube/Lease')) {
    const renewedMs = isoMs(lease.spec?.renewTime);
    const isFresh = renewedMs !== null && nowMs - renewedMs <= LEASE_FRESH_MS;
    if (isFresh && lease.namespace === 'kube-node-lease') names.add(lease.name.toLowerCase());
  }
  return names;
}

function ofInstance(instance: Instance): string[] {
  const state = instance.State?.Name ?? 'running';
  if (state === 'running' || state === 'pending') return [];
  const why = instance.StateReason?.Message ?? '';
  return [`EC2 reports it as ${state}${why === '' ? '' : ` (${excerptOf(why, MESSAGE_MAX)})`}.`];
}

function ofNodes(machine: CalledMachine, roll: Roll): string[] {
  const notes: string[] = [];
  const names = machine.nodes.map(({ name }) => name);
  if (names.length > 1)
    notes.push(`${names.length} Nodes belong to this machine: ${names.join(', ')}.`);
  const provider = currentNode(machine)?.providerId ?? '';
  const isOfEc2 = machine.instanceId !== null && provider.includes(machine.instanceId);
  if (isOfEc2 && machine.instance === null && roll.hasAllInstances)
    notes.push(`The Node exists, but EC2 has no instance ${machine.instanceId}.`);
  return notes;
}

/** Names under which a kubelet without a Node would still renew its Lease. */
function kubeletNames({ instance, subject, expected }: CalledMachine): readonly string[] {
  const names = [
    subject?.node ?? null,
    subject?.name ?? null,
    (instance ?? undefined)?.PrivateDnsName ?? null,
    (instance ?? undefined)?.InstanceId ?? null,
    ...expected.map(({ name }) => name),
  ];
  return names.flatMap((name) => (name === null ? [] : [name.toLowerCase()]));
}

function ofLease(machine: CalledMachine, roll: Roll, renewed: Renewed): string[] {
  if (machine.nodes.length > 0 || !roll.hasAllNodes) return [];
  const alive = kubeletNames(machine).find((name) => renewed().has(name));
  if (alive === undefined) return [];
  return [
    `Node ${alive} does not exist, but its kubelet still renews its Lease; restart the kubelet to register it again.`,
  ];
}

function ofClaims({ claims, instance, instanceId, nodes }: CalledMachine): string[] {
  const [claim] = claims;
  if (claim === undefined || instance !== null || instanceId !== null || nodes.length > 0)
    return [];
  const why = unmetCondition(claim, 'Launched');
  const cause = why === null ? '' : ` (${excerptOf(why, MESSAGE_MAX)})`;
  return [`${claim.kind} ${claim.name} has no instance${cause}.`];
}

function ofExpected({ expected, instance, nodes, claims, subject }: CalledMachine): string[] {
  const isSeen = instance !== null || nodes.length > 0 || claims.length > 0 || subject !== null;
  return expected.length === 0 || isSeen ? [] : ['Expected, but not found in any source.'];
}

function ofSubject(subject: SubjectReport, headline: Headline | null): string[] {
  if (headline !== null || subject.verdict === 'usable') return [];
  const candidates = subject.findings.filter(({ confidence }) => confidence === 'possible');
  const causes = [...new Set(candidates.map(({ cause }) => cause))];
  if (causes.length > 0) {
    const more = causes.length > CANDIDATES_MAX ? `, ${causes.length - CANDIDATES_MAX} more` : '';
    return [`Could be ${causes.slice(0, CANDIDATES_MAX).join(', ')}${more}.`];
  }
  const unseen = subject.notObservable.find(({ stage }) => stage === subject.stage);
  const rung = subject.ladder.find(({ stage }) => stage === subject.stage);
  if (rung?.state === 'pending') return ['Still within the normal time of its stage.'];
  return unseen === undefined ? [] : [`Not seen: ${unseen.why}.`];
}

function ofCluster({ risks = [] }: SubjectReport): string[] {
  return risks.length === 0 ? [] : [`At risk from the cluster: ${risks.join(', ')}.`];
}

/** What the columns of the row do not say, in sentences; null when they say all. */
export function noteOf(
  machine: CalledMachine,
  roll: Roll,
  renewed: Renewed,
  headline: Headline | null,
): string | null {
  const notes = [
    ...(machine.subject === null ? [] : ofCluster(machine.subject)),
    ...(machine.instance === null ? [] : ofInstance(machine.instance)),
    ...ofNodes(machine, roll),
    ...ofLease(machine, roll, renewed),
    ...ofClaims(machine),
    ...ofExpected(machine),
    ...(machine.subject === null ? [] : ofSubject(machine.subject, headline)),
  ];
  return notes.length === 0 ? null : notes.join(' ');
}

/** True for a Node or claim that somebody asked to go. */
export function isAskedToGo(machine: CalledMachine): boolean {
  const reason = machine.instance?.StateReason?.Code ?? '';
  const isDeleted = machine.claims.some(({ metadata }) => Boolean(metadata?.deletionTimestamp));
  return isDeleted || reason === '' || reason === 'Client.UserInitiatedShutdown';
}
