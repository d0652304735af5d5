import { listAt, textAt } from '../../../evidence/json.ts';
import type { Host } from '../host.ts';
import type { MachineNetwork } from '../network/network.ts';

export type NameAnswer =
  | { readonly kind: 'name'; readonly name: string }
  /** The instance is there and has no name yet, or is not there yet. */
  | { readonly kind: 'later' }
  /** No answer came. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'no-credentials' }
  | {
      readonly kind: 'refused';
      readonly code: string;
      readonly message: string;
      readonly status: number;
    };

/** Asks EC2, with the instance's own role, under which private DNS name it knows the instance. */
export function askPrivateDnsName(host: Host, network: MachineNetwork): NameAnswer {
  if (network.isLost('aws-api')) return { kind: 'lost' };
  const key = host.accessKeyId();
  const identity = key === null ? null : host.world.aws.identityOf(key);
  if (identity === null) return { kind: 'no-credentials' };
  const answer = host.world.aws.answer(identity, {
    service: 'ec2',
    operation: 'DescribeInstances',
    input: { InstanceIds: [host.instanceId] },
  });
  if (!answer.ok) {
    if (answer.refusal.code === 'InvalidInstanceID.NotFound') return { kind: 'later' };
    return { kind: 'refused', ...answer.refusal };
  }
  const [reservation] = listAt(answer.output, 'Reservations');
  const [instance] = reservation === undefined ? [] : listAt(reservation, 'Instances');
  const name = textAt(instance, 'PrivateDnsName') ?? '';
  return name === '' ? { kind: 'later' } : { kind: 'name', name };
}
