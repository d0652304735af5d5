import type { DiagnosisDocument } from '../../../diagnosis/document.ts';
import { allAsSeen } from '../../../diagnosis/fact-index.ts';
import { type FleetFacts, nodeRolesOf, shutOutRoles } from '../../../domain/nodes/fleet.ts';
import { factsOfKind } from '../../../evidence/fact-values.ts';
import type { Fact, Seen } from '../../../evidence/fact.ts';
import type { FactKind, FactTypes } from '../../../evidence/kinds.ts';
import type { Observations } from '../../../evidence/observations.ts';
import type { NodeType } from './node-mapping.ts';

/** Causes that another mapping of the role mends. */
const CAUSES: ReadonlySet<string> = new Set([
  'aws-auth-missing',
  'node-role-not-in-aws-auth',
  'role-path-in-aws-auth',
  'instance-profile-arn-in-aws-auth',
  'wrong-account-in-aws-auth',
  'wrong-username-or-groups-mapped',
  'access-entry-missing',
]);

/** A role whose machines are shut out. */
export interface ShutOutRole {
  /** ARN, with its path. */
  readonly arn: string;
  readonly type: NodeType;
  /** Ids of its machines that are not let in. */
  readonly machines: readonly string[];
}

/** A finding that a fix may act on. */
export interface NamedCause {
  readonly cause: string;
  readonly summary: string;
}

/** The cause of this family that the diagnosis is sure of; null where it names none. */
export function authCauseOf({ subjects }: DiagnosisDocument): NamedCause | null {
  const all = subjects.flatMap(({ findings }) => findings);
  const sure = all.find(
    ({ cause, confidence, role }) =>
      CAUSES.has(cause) && confidence === 'definite' && role !== 'contributing',
  );
  return sure === undefined ? null : { cause: sure.cause, summary: sure.summary };
}

/** Roles of which machines have no Node, by what one look saw. */
export function shutOutIn(observations: Observations): readonly ShutOutRole[] {
  const roles = nodeRolesOf(fleetOf(observations)) ?? [];
  return shutOutRoles(roles).map(({ arn, lost }) => ({
    arn,
    type: lost.some(({ value }) => /windows/i.test(value.PlatformDetails ?? ''))
      ? 'windows'
      : 'linux',
    machines: lost.map(({ value }) => value.InstanceId ?? ''),
  }));
}

/** The facts of one look as the questions about a whole fleet read them. */
function fleetOf({ facts, listings, collection }: Observations): FleetFacts {
  const list = <K extends FactKind>(kind: K): readonly Seen<FactTypes[K]>[] =>
    allAsSeen(factsOfKind(facts, kind));
  const read = <K extends FactKind>(kind: K): Fact<FactTypes[K]> => {
    const [first] = list(kind);
    if (first !== undefined) return first;
    if (listings.some((one) => one.kind === kind)) return { state: 'absent', by: 'list' };
    const detail = `${kind} was not listed`;
    return { state: 'unknown', why: { reason: 'not-collected', detail, collect: null } };
  };
  return { nowMs: collection?.atMs ?? null, list, read };
}
