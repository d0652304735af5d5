import { type Json, listAt, textAt } from '../../evidence/json.ts';
import type { Observations } from '../../evidence/observations.ts';
import { shellWord } from '../words.ts';
import { pinValue } from './breaks.ts';
import { namingValues } from './machines.ts';
import type { DaemonSet, Deployment } from '../../evidence/kube/workloads.ts';
import type { Pod } from '../../evidence/kube/pod.ts';

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

function affinityValues(spec: Json | undefined): readonly string[] {
  const terms = listAt(
    spec,
    'affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms',
  );
  return terms
    .flatMap((term) => listAt(term, 'matchExpressions'))
    .filter((one) => textAt(one, 'key') === HOSTNAME && textAt(one, 'operator') === 'In')
    .flatMap((one) => listAt(one, 'values').map(String));
}

function selectorOf(spec: Json | undefined): string | null {
  const selector = (spec as { readonly nodeSelector?: Json } | undefined)?.nodeSelector;
  const value = (selector as Readonly<Record<string, Json>> | undefined)?.[HOSTNAME];
  return typeof value === 'string' ? value : null;
}

/** How a pod template is pinned; the Node of a pod that runs already is no pin. */
function pinOf(spec: Json | undefined, isTemplate: boolean): readonly Pinned[] {
  const nodeName = isTemplate ? textAt(spec, 'nodeName') : null;
  const byName = nodeName === null ? [] : [{ by: 'nodeName', value: nodeName } as const];
  const values = [selectorOf(spec), ...affinityValues(spec)].filter((one) => one !== null);
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
  objects: (DaemonSet | Deployment)[],
  names: readonly string[],
  oldName: string,
): readonly PinnedWorkload[] {
  return objects.flatMap(({ kind, namespace, name, body }) => {
    const spec = (body as { readonly spec?: { readonly template?: { readonly spec?: Json } } })
      .spec;
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
  return pods.flatMap(({ namespace, body }) => {
    const owner = listAt(body, 'metadata.ownerReferences').find(
      (one) => textAt(one, 'kind') === 'StatefulSet',
    );
    const name = textAt(owner, 'name');
    const pin = pinOf((body as { readonly spec?: Json }).spec, false).find((one) =>
      isOf(names, one),
    );
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
