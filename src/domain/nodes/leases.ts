import { isoMs } from '../../evidence/time.ts';
import type { Seen } from '../../evidence/fact.ts';
import type { Lease } from '../../evidence/kube/machines.ts';

/** Default of `leaseDurationSeconds` of controllers (k8s.io/component-base/config/v1alpha1). */
const LEASE_DEFAULT_MS = 15_000;
/** A controller that restarts takes its Lease back within a few durations. */
const DURATIONS_MAX = 3;
/** Restarts and moves of a controller take a minute or two and are no failure. */
const SILENCE_MIN_MS = 120_000;

/** A controller's Lease that nobody renews. */
export interface LostLease {
  readonly fact: Seen<Lease>;
  /** `NAMESPACE/NAME`. */
  readonly name: string;
  /** Who held it last, null when it was given up in order. */
  readonly holder: string | null;
  readonly renewedMs: number;
  /** `Lease NAMESPACE/NAME of HOLDER was last renewed 2026-…, 50 minutes ago`. */
  readonly words: string;
}

/** A Lease that has been silent for more than three durations and two minutes; null for others. */
export function lostLease(fact: Seen<Lease>, nowMs: number | null): LostLease | null {
  const { namespace, name } = fact.value;
  const renewedMs = isoMs(fact.value.spec?.renewTime);
  if (nowMs === null || renewedMs === null) return null;
  const seconds = Number(fact.value.spec?.leaseDurationSeconds ?? Number.NaN);
  const durationMs = seconds > 0 ? seconds * 1000 : LEASE_DEFAULT_MS;
  const silentMs = nowMs - renewedMs;
  if (silentMs <= Math.max(DURATIONS_MAX * durationMs, SILENCE_MIN_MS)) return null;
  const holder = fact.value.spec?.holderIdentity ?? null;
  const full = `${namespace ?? ''}/${name}`;
  const of = holder === null || holder === '' ? 'of nobody' : `of ${holder}`;
  const minutes = Math.round(silentMs / 60_000);
  const renewed = fact.value.spec?.renewTime ?? '';
  return {
    fact,
    name: full,
    holder: holder === '' ? null : holder,
    renewedMs,
    words: `Lease ${full} ${of} was last renewed ${renewed}, ${minutes} minutes ago`,
  };
}

/** The Leases of controllers with this name which nobody renews. */
export function lostLeases(
  leases: readonly Seen<Lease>[],
  name: RegExp,
  nowMs: number | null,
): readonly LostLease[] {
  return leases
    .filter(({ value }) => value.namespace !== 'kube-node-lease' && name.test(value.name))
    .map((lease) => lostLease(lease, nowMs))
    .filter((lost) => lost !== null);
}

/** A kubelet renews its Lease every 10 s; clocks of machines differ by some seconds. */
const RENEWED_MAX_MS = 60_000;

/** True for the Lease of a Node; components of the control plane renew others in kube-system. */
export function isNodeLease({ namespace }: Lease): boolean {
  return namespace === 'kube-node-lease';
}

/** When a Lease was renewed, where a kubelet that runs has just done so; null otherwise. */
export function renewedNowMs(lease: Lease, nowMs: number): number | null {
  const renewedMs = isoMs(lease.spec?.renewTime);
  return renewedMs === null || Math.abs(nowMs - renewedMs) > RENEWED_MAX_MS ? null : renewedMs;
}
