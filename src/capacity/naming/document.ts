import type { KubeNode } from '../../evidence/kinds.ts';
import type { Observations } from '../../evidence/observations.ts';
import type { Verdict } from '../../evidence/verdict.ts';
import type { Unseen } from '../cluster/document.ts';
import { type Acceptance, acceptanceOf } from '../../domain/naming/acceptance.ts';
import type { NodeName } from '../../domain/naming/answer.ts';
import { breaksBy, type RenameContext, type RenameEffects } from '../../domain/naming/breaks.ts';
import { identityOf } from '../../domain/naming/identity.ts';
import { isEksCluster } from '../../domain/naming/image-family.ts';
import type { ImageOptions } from '../../domain/naming/input.ts';
import { namesSeen } from '../../domain/naming/machine-names.ts';
import {
  addressOfNode,
  isReportedTo,
  type NamingMachine,
  namingValues,
  nodesOf,
} from '../../domain/naming/machines.ts';
import {
  type NameRow,
  type NamesSeen,
  namesTable,
  namesThatMatter,
} from '../../domain/naming/names-table.ts';
import { nodeNameOf } from '../../domain/naming/node-name.ts';
import { type PinnedWorkload, pinnedWorkloads } from '../../domain/naming/pinned-workloads.ts';
import { type Twin, twinOf } from '../../domain/naming/twin.ts';

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
  readonly machine: NamingMachine;
  readonly seen: NamesSeen;
}

function formerNames(observations: Observations, { node }: NamingMachine): readonly string[] {
  const address = node === null ? null : addressOfNode(node);
  return nodesOf(observations)
    .filter((one) => one.name !== node?.name && address !== null && addressOfNode(one) === address)
    .map(({ name }) => name);
}

/**
 * Puts together what the APIs and the command line say.
 *
 * @param endpoints names of control planes in `ClusterStatus` of kubeadm-config, if it was seen
 */
export function namedMachine(
  observations: Observations,
  machine: NamingMachine,
  given: GivenNames,
  endpoints: readonly string[] | undefined,
): NamedMachine {
  const former = formerNames(observations, machine);
  const identity = identityOf(observations, machine, former, endpoints);
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
    instanceId: seen.instanceId ?? (machine.instance ?? {}).InstanceId ?? null,
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

/** `not-usable` when somebody disagrees where it matters, `cannot-tell` when that is not known. */
export function verdictOfNaming(document: NamingDocument): Verdict {
  const { acceptance, names, twin, name, node } = document;
  const isRefused = acceptance?.state === 'refused' || acceptance?.state === 'another-instance';
  const isSplit = twin?.confidence === 'definite' || disagreeing(document).length > 0;
  if (isRefused || isSplit || name.state === 'none') return 'not-usable';
  const isOpen = namesThatMatter(names).length > 0 || twin !== null;
  return isOpen || (name.state === 'unknown' && node === null) ? 'cannot-tell' : 'usable';
}
