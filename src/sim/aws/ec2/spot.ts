/** Spot requests, notices and the end that follows two minutes later. */
import { type Account, emit } from '../account.ts';
import type { Instance, SpotRequest } from '../state.ts';

/** The notice comes two minutes ahead (EC2 user guide, "Spot Instance interruption notices"). */
export const NOTICE_MS = 120_000;

interface Bid {
  readonly instanceType: string;
  readonly imageId: string;
  readonly subnetId: string;
}

/** @returns the id of a request that is fulfilled at once */
export function openSpotRequest(account: Account, bid: Bid, instanceId: string): string {
  const nowMs = account.kernel.nowMs();
  const { instanceType, imageId, subnetId } = bid;
  const spotRequestId = `sir-${account.kernel.random('aws/ids').word(8)}`;
  const request: SpotRequest = {
    spotRequestId,
    instanceId,
    instanceType,
    imageId,
    subnetId,
    createdMs: nowMs,
    state: 'active',
    statusCode: 'fulfilled',
    statusMessage: 'Your spot request is fulfilled.',
    changedMs: nowMs,
  };
  account.spotRequests.set(spotRequestId, request, nowMs);
  return spotRequestId;
}

function changeRequest(account: Account, instance: Instance, changed: Partial<SpotRequest>): void {
  if (instance.spotRequestId === null) return;
  const changedMs = account.kernel.nowMs();
  account.spotRequests.change(instance.spotRequestId, changedMs, (before) => ({
    ...before,
    ...changed,
    changedMs,
  }));
}

export function closeSpotRequest(account: Account, instance: Instance): void {
  const isInterrupted = instance.stateReason?.Code === 'Server.SpotInstanceTermination';
  changeRequest(account, instance, {
    state: 'closed',
    statusCode: isInterrupted ? 'instance-terminated-no-capacity' : 'instance-terminated-by-user',
    statusMessage: isInterrupted
      ? 'Your Spot Instance was terminated because there is no longer enough Spot capacity.'
      : 'Your Spot Instance was terminated by you.',
  });
}

/**
 * Tells a running Spot Instance that it goes, and ends it when the time is over.
 *
 * @param end what takes the instance away
 */
export function interrupt(account: Account, instance: Instance, end: () => void): void {
  const { instanceId, state, spotRequestId } = instance;
  if (spotRequestId === null || state !== 'running' || account.notices.has(instanceId)) return;
  account.notices.set(instanceId, account.kernel.nowMs() + NOTICE_MS);
  changeRequest(account, instance, {
    statusCode: 'marked-for-termination',
    statusMessage: 'Your Spot Instance is marked for termination.',
  });
  emit(account, { kind: 'spot-interruption-notice', instanceId });
  account.kernel.after(NOTICE_MS, end);
}
