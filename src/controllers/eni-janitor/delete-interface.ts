import type { ActionReason } from '../../ports/action.ts';
import type { AwsAction } from '../../ports/aws-action.ts';
import type { AwsApi } from '../../ports/aws-api.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PerformedAws } from '../../runtime/perform-aws.ts';
import { isUnchanged, type LooseInterface } from './loose-interface.ts';
import { readInterface } from './scan.ts';

export interface DeleteTools {
  readonly aws: AwsApi;
  readonly clock: Clock;
  readonly performAws: (
    action: AwsAction,
    tookEffect: () => Promise<boolean>,
    isAllowed: () => boolean,
  ) => Promise<PerformedAws>;
  /** Asked right before the call. */
  readonly mayWrite: () => boolean;
}

/** Who deletes, and why. */
export interface DeleteOrder {
  readonly id: string;
  readonly askedBy: string;
  readonly why: ActionReason;
  readonly isDryRun: boolean;
}

/** `gone` and `changed`: nothing was sent, as reading it once more showed. */
export interface DeleteEnd extends Pick<PerformedAws, 'why' | 'failure'> {
  readonly outcome: PerformedAws['outcome'] | 'gone' | 'changed';
}

/** What was read so long ago may be otherwise by now, ms. */
const FRESH_MS = 10_000;

function unsent(outcome: 'gone' | 'changed', why: string): DeleteEnd {
  return { outcome, why, failure: null };
}

/**
 * Deletes an interface that was judged, unless reading it once more shows anything else than was
 * judged. AWS itself refuses one that was attached since then.
 *
 * @throws PortError where it cannot be read, and then nothing was sent
 */
export async function deleteInterface(
  network: LooseInterface,
  order: DeleteOrder,
  tools: DeleteTools,
): Promise<DeleteEnd> {
  const { aws, performAws, mayWrite, clock } = tools;
  const { id } = network;
  const readMs = clock.monotonicMs();
  const now = await readInterface(aws, id);
  if (now === null) return unsent('gone', 'It is gone; somebody else deleted it.');
  if (!isUnchanged(network, now))
    return unsent('changed', 'It changed since it was looked at, so it stays.');
  const isGone = async (): Promise<boolean> => (await readInterface(aws, id)) === null;
  const isAllowed = (): boolean => mayWrite() && clock.monotonicMs() - readMs <= FRESH_MS;
  const end = await performAws(actionOf(network, order), isGone, isAllowed);
  if (end.failure === 'not-found') return { ...end, outcome: 'gone' };
  if (end.outcome !== 'done' || order.isDryRun) return end;
  return (await isShownGone(isGone, clock))
    ? { ...end, why: 'It is gone, as reading shows.' }
    : { ...end, outcome: 'unclear', why: 'EC2 accepted the call, and reading still shows it.' };
}

/** What was deleted is shown for a moment. */
const GONE_AFTER_MS = [0, 1000, 2000, 4000, 8000];

async function isShownGone(isGone: () => Promise<boolean>, clock: Clock): Promise<boolean> {
  for (const delayMs of GONE_AFTER_MS) {
    if (delayMs > 0) await clock.sleep(delayMs);
    if (await isGone()) return true;
  }
  return false;
}

function actionOf(network: LooseInterface, { id, askedBy, why }: DeleteOrder): AwsAction {
  const { subnetId, addresses, instanceId, createdMs } = network;
  const input = { NetworkInterfaceId: network.id };
  return {
    id: `${id}/${network.id}`,
    object: {
      kind: 'NetworkInterface',
      name: network.id,
      seen: { subnetId, addresses, instanceId, createdMs },
    },
    call: { service: 'ec2', operation: 'DeleteNetworkInterface', input },
    why,
    askedBy,
    undo: null,
  };
}
