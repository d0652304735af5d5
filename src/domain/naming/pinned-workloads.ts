import type { Told } from '../../evidence/shape.ts';
import type { Observations } from '../../evidence/observations.ts';
import { shellWord } from '../words.ts';
import { pinValue } from './breaks.ts';
import { namingValues } from './machines.ts';
import type { DaemonSet, Deployment } from '../../evidence/kube/workloads.ts';
import type { Pod, PodSpec } from '../../evidence/kube/pod.ts';

/** A workload that asks for a machine by name, and what moves it to the label. */
export interface PinnedWorkload {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** The field by which it is pinned. */
  readonly by: 'nodeName' | 'kubernetes.io/hostname';
  readonly value: string;
  readonly command: string;
}

const HOSTNAME = 'kubernetes.io/hostname';
const PIN_KEY = 'rollcall.dev/machine';

interface Pinned {
  readonly by: PinnedWorkload['by'];
  readonly value: string;
}

function affinityValues(spec: PodSpec): readonly string[] {
  const wanted = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return (wanted?.nodeSelectorTerms ?? [])
    .flatMap((term) => term.matchExpressions ?? [])
    .filter(({ key, operator }) => key === HOSTNAME && operator === 'In')
    .flatMap(({ values }) => values ?? []);
}

/** How a pod template is pinned; the Node of a pod that runs already is no pin. */
function pinOf(spec: Told<PodSpec>, isTemplate: boolean): readonly Pinned[] {
  if (!spec) return [];
  const nodeName = isTemplate ? spec.nodeName : null;
  const byName = nodeName ? [{ by: 'nodeName', value: nodeName } as const] : [];
  const selected = spec.nodeSelector?.[HOSTNAME];
  const values = [...(selected === undefined ? [] : [selected]), ...affinityValues(spec)];
  return [...byName, ...values.map((value) => ({ by: HOSTNAME, value }) as const)];
}

function patchOf(oldName: string): string {
  const nodeSelector = { [HOSTNAME]: null, [PIN_KEY]: pinValue(oldName) };
  return JSON.stringify({ spec: { template: { spec: { nodeName: null, nodeSelector } } } });
}

function moveCommand(kind: string, namespace: string, name: string, oldName: string): string {
  const target = `${kind.toLowerCase()}/${name}`;
  return `kubectl -n ${shellWord(namespace)} patch ${shellWord(target)} --type=merge -p '${patchOf(oldName)}'`;
}

function isOf(names: readonly string[], { value }: Pinned): boolean {
  return names.some((name) => value === name || value === name.split('.')[0]);
}

function ofTemplates(
  objects: readonly (DaemonSet | Deployment)[],
  names: readonly string[],
  oldName: string,
): readonly PinnedWorkload[] {
  return objects.flatMap(({ kind, namespace, name, spec }) => {
    const pin = pinOf(spec?.template?.spec, true).find((one) => isOf(names, one));
    if (pin === undefined || namespace === null) return [];
    return [
      { kind, namespace, name, ...pin, command: moveCommand(kind, namespace, name, oldName) },
    ];
  });
}

/** StatefulSets are not listed; their pods tell of them. */
function ofPods(
  pods: readonly Pod[],
  names: readonly string[],
  oldName: string,
): readonly PinnedWorkload[] {
  return pods.flatMap(({ namespace, metadata, spec }) => {
    const owner = metadata?.ownerReferences?.find(({ kind }) => kind === 'StatefulSet');
    const name = owner?.name ?? null;
    const pin = pinOf(spec, false).find((one) => isOf(names, one));
    if (pin === undefined || name === null || namespace === null) return [];
    const command = moveCommand('StatefulSet', namespace, name, oldName);
    return [{ kind: 'StatefulSet', namespace, name, ...pin, command }];
  });
}

/** Workloads that ask for the machine by one of its names, each once. */
export function pinnedWorkloads(
  observations: Observations,
  names: readonly string[],
  oldName: string,
): readonly PinnedWorkload[] {
  const templates = [
    ...namingValues(observations, 'kube/Deployment'),
    ...namingValues(observations, 'kube/DaemonSet'),
  ];
  const all = [
    ...ofTemplates(templates, names, oldName),
    ...ofPods(namingValues(observations, 'kube/Pod'), names, oldName),
  ];
  const byKey = new Map(all.map((one) => [`${one.kind} ${one.namespace} ${one.name}`, one]));
  return [...byKey.values()];
}
