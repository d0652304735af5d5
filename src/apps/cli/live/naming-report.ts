import { type Acceptance, acceptanceOf } from '../../../capacity/naming/acceptance.ts';
import type { NodeName } from '../../../capacity/naming/answer.ts';
import {
  breaksBy,
  type RenameContext,
  type RenameEffects,
} from '../../../capacity/naming/breaks.ts';
import type { ImageOptions } from '../../../capacity/naming/input.ts';
import {
  type NameRow,
  type NamesSeen,
  namesTable,
  namesThatMatter,
} from '../../../capacity/naming/names-table.ts';
import { nodeNameOf } from '../../../capacity/naming/node-name.ts';
import { type Twin, twinOf } from '../../../capacity/naming/twin.ts';
import { textAt } from '../../../evidence/json.ts';
import type { KubeNode } from '../../../evidence/kinds.ts';
import type { Observations } from '../../../evidence/observations.ts';
import { EXIT } from '../exit-code.ts';
import type { Unseen } from './capacity-document.ts';
import {
  addressOfNode,
  isEksCluster,
  isReportedTo,
  type Machine,
  namesSeen,
  namingValues,
  nodesOf,
} from './naming-facts.ts';
import { identityOf } from './naming-identity.ts';
import { type PinnedWorkload, pinnedWorkloads } from './naming-pins.ts';

/** What `rollcall name -o json` prints of one machine. */
export interface NamingDocument {
  readonly apiVersion: 'rollcall.dev/v1alpha1';
  readonly kind: 'Naming';
  readonly instanceId: string | null;
  /** The Node under which it is registered today. */
  readonly node: string | null;
  readonly ready: boolean | null;
  readonly name: NodeName;
  readonly acceptance: Acceptance | null;
  readonly names: readonly NameRow[];
  readonly twin: {
    readonly node: string;
    readonly by: Twin['by'];
    readonly confidence: Twin['confidence'];
    readonly sentence: string;
  } | null;
  readonly effects: RenameEffects | null;
  readonly pinned: readonly PinnedWorkload[];
  readonly notObservable: readonly Unseen[];
}

/** What a person knows or supposes of a machine; it goes before what the APIs say. */
export interface GivenNames {
  readonly seen: Partial<NamesSeen>;
  readonly options: ImageOptions;
}

/** A machine and everything that it is called. */
export interface NamedMachine {
  readonly observations: Observations;
  readonly machine: Machine;
  readonly seen: NamesSeen;
}

function formerNames(observations: Observations, { node }: Machine): readonly string[] {
  const address = node === null ? null : addressOfNode(node);
  return nodesOf(observations)
    .filter((one) => one.name !== node?.name && address !== null && addressOfNode(one) === address)
    .map(({ name }) => name);
}

/** Puts together what the APIs and the command line say. */
export function namedMachine(
  observations: Observations,
  machine: Machine,
  given: GivenNames,
): NamedMachine {
  const identity = identityOf(observations, machine, formerNames(observations, machine));
  const seen = namesSeen(observations, machine, identity, given.options);
  return { observations, machine, seen: { ...seen, ...given.seen } };
}

/** The name by the rules, else that of the Node which the kubelet reports to: it proves its name. */
export function expectedName(name: NodeName, node: KubeNode | null): string | null {
  if (name.state === 'known') return name.name;
  return name.state === 'unknown' && node !== null && isReportedTo(node) ? node.name : null;
}

function credentialOf(observations: Observations): RenameContext['credential'] {
  if (isEksCluster(observations) || namingValues(observations, 'kube/aws-auth').length > 0)
    return 'iam';
  return nodesOf(observations).length > 0 ? 'certificate' : null;
}

function twinIn({ observations, machine, seen }: NamedMachine, today: string | null): Twin | null {
  if (today === null) return null;
  const { node, instance } = machine;
  return twinOf(nodesOf(observations), {
    instanceId: seen.instanceId ?? null,
    privateIp: seen.privateIp ?? (node === null ? null : addressOfNode(node)),
    nodeName: node?.name ?? today,
    formerNames: [],
    machineId: instance === null && node === null ? null : (node?.machineId ?? null),
  });
}

interface Rename {
  readonly oldName: string;
  readonly newName: string;
}

/** The change of name that happened, or that will. */
function renameOf(
  { machine }: NamedMachine,
  expected: string | null,
  twin: Twin | null,
): Rename | null {
  const today = machine.node?.name ?? null;
  if (twin !== null && today !== null) return { oldName: twin.node.name, newName: today };
  if (today === null || expected === null || today === expected) return null;
  return { oldName: today, newName: expected };
}

function effectsOf(named: NamedMachine, rename: Rename | null): RenameEffects | null {
  if (rename === null) return null;
  return breaksBy(rename.oldName, rename.newName, {
    credential: credentialOf(named.observations),
    inTreeVolumes: named.seen.cloudProvider?.kind === 'in-tree',
    isRegistered: rename.newName === named.machine.node?.name,
  });
}

/** What the machine will be called, who disagrees, and what that breaks. */
export function namingDocument(
  named: NamedMachine,
  notObservable: readonly Unseen[],
): NamingDocument {
  const { observations, machine, seen } = named;
  const name = nodeNameOf(seen);
  const expected = expectedName(name, machine.node);
  const twin = twinIn(named, expected);
  const rename = renameOf(named, expected, twin);
  const pinned =
    rename === null
      ? []
      : pinnedWorkloads(observations, [rename.oldName, rename.newName], rename.oldName);
  return {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'Naming',
    instanceId: seen.instanceId ?? textAt(machine.instance ?? {}, 'InstanceId'),
    node: machine.node?.name ?? null,
    ready: machine.node?.ready ?? null,
    name,
    acceptance: expected === null ? null : acceptanceOf(expected, seen),
    names: namesTable(seen, expected),
    twin:
      twin === null
        ? null
        : {
            node: twin.node.name,
            by: twin.by,
            confidence: twin.confidence,
            sentence: twin.sentence,
          },
    effects: effectsOf(named, rename),
    pinned,
    notObservable,
  };
}

function isDisputed({ acceptance }: NamingDocument, { name }: NameRow): boolean {
  return name === 'private-dns-name' && acceptance?.state === 'unknown';
}

/**
 * Names that keep the machine from being a usable node. EC2's own is none of them while it is not
 * known whether anybody looks the machine up by it.
 */
export function disagreeing(document: NamingDocument): readonly NameRow[] {
  return namesThatMatter(document.names).filter((row) => !isDisputed(document, row));
}

/** 1 when somebody disagrees where it matters, else 2 when that is not known, else 0. */
export function exitCodeOfNaming(document: NamingDocument): number {
  const { acceptance, names, twin, name, node } = document;
  const isRefused = acceptance?.state === 'refused' || acceptance?.state === 'another-instance';
  const isSplit = twin?.confidence === 'definite' || disagreeing(document).length > 0;
  if (isRefused || isSplit || name.state === 'none') return EXIT.notUsable;
  const isOpen = namesThatMatter(names).length > 0 || twin !== null;
  return isOpen || (name.state === 'unknown' && node === null) ? EXIT.cannotTell : EXIT.usable;
}
