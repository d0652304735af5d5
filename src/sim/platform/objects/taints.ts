import { type Json, type JsonObject, listAt, textAt } from '../../../evidence/json.ts';

export type TaintEffect = 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';

export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
  readonly timeAdded: string | null;
}

export interface Toleration {
  /** Empty for every key. */
  readonly key: string;
  readonly operator: string;
  readonly value: string;
  /** Empty for every effect. */
  readonly effect: string;
  /** null for ever. */
  readonly seconds: number | null;
}

export function taintOf(value: Json): Taint {
  return {
    key: textAt(value, 'key') ?? '',
    value: textAt(value, 'value') ?? '',
    effect: textAt(value, 'effect') ?? '',
    timeAdded: textAt(value, 'timeAdded'),
  };
}

export function taintsOf(node: JsonObject): readonly Taint[] {
  return listAt(node, 'spec.taints').map(taintOf);
}

/** As the API has it: no empty fields. */
export function taintObject({ key, value, effect, timeAdded }: Taint): JsonObject {
  return {
    key,
    ...(value === '' ? {} : { value }),
    effect,
    ...(timeAdded === null ? {} : { timeAdded }),
  };
}

export function tolerationsOf(podSpec: Json | undefined): readonly Toleration[] {
  return listAt(podSpec, 'tolerations').map((value) => {
    const seconds = textAt(value, 'tolerationSeconds');
    return {
      key: textAt(value, 'key') ?? '',
      operator: textAt(value, 'operator') ?? 'Equal',
      value: textAt(value, 'value') ?? '',
      effect: textAt(value, 'effect') ?? '',
      seconds: seconds === null ? null : Number(seconds),
    };
  });
}

/** core/v1 Toleration.ToleratesTaint. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect !== '' && toleration.effect !== taint.effect) return false;
  if (toleration.key !== '' && toleration.key !== taint.key) return false;
  if (toleration.operator === 'Exists') return true;
  return toleration.operator === 'Equal' && toleration.value === taint.value;
}

export function isTolerated(taint: Taint, tolerations: readonly Toleration[]): boolean {
  for (const toleration of tolerations) if (tolerates(toleration, taint)) return true;
  return false;
}

/** The first taint with one of these effects that nothing tolerates. */
export function untolerated(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  effects: readonly string[],
): Taint | null {
  for (const taint of taints)
    if (effects.includes(taint.effect) && !isTolerated(taint, tolerations)) return taint;
  return null;
}

export function isSameTaint(one: Taint, other: { key: string; effect: string }): boolean {
  return one.key === other.key && one.effect === other.effect;
}

/** Keys of the taints which the platform itself sets (k8s.io/api core/v1 well_known_taints). */
export const TAINT_NOT_READY = 'node.kubernetes.io/not-ready';
export const TAINT_UNREACHABLE = 'node.kubernetes.io/unreachable';
export const TAINT_UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';
export const TAINT_MEMORY_PRESSURE = 'node.kubernetes.io/memory-pressure';
export const TAINT_DISK_PRESSURE = 'node.kubernetes.io/disk-pressure';
export const TAINT_PID_PRESSURE = 'node.kubernetes.io/pid-pressure';
export const TAINT_NETWORK_UNAVAILABLE = 'node.kubernetes.io/network-unavailable';
export const TAINT_UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';
export const TAINT_SHUTDOWN = 'node.cloudprovider.kubernetes.io/shutdown';
