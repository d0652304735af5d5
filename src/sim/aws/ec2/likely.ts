/** Instances that filters do not rule out at a glance, as showing one costs more than a glance. */
import { textAt } from '../../../evidence/json.ts';
import { isLike } from '../iam/policies.ts';
import { objectsIn, type Request, textsIn } from '../operation.ts';
import type { Instance } from '../state.ts';
import { interfacesAt } from './interfaces.ts';
import { instanceDnsName } from './show.ts';

type Glance = (request: Request, instance: Instance) => string;

const GLANCES: Readonly<Record<string, Glance>> = {
  'instance-id': (_request, { instanceId }) => instanceId,
  'instance-state-name': (_request, { state }) => state,
  'instance-type': (_request, { instanceType }) => instanceType,
  'private-dns-name': dnsName,
  'subnet-id': (_request, { subnetId }) => subnetId,
};

/** The first address of an instance never changes, and so its name. */
const NAMES = new WeakMap<Instance, string>();

function dnsName({ account, atMs }: Request, instance: Instance): string {
  const known = NAMES.get(instance);
  if (known !== undefined) return known;
  const address = interfacesAt(account, instance.instanceId, atMs)[0]?.addresses[0];
  if (address === undefined) return '';
  const name = instanceDnsName(account, instance, address);
  NAMES.set(instance, name);
  return name;
}

/** All that the filters of the request may choose, and perhaps some more. */
export function likely(request: Request, instances: readonly Instance[]): readonly Instance[] {
  let left = instances;
  for (const filter of objectsIn(request.input, 'Filters')) {
    const glance = GLANCES[textAt(filter, 'Name') ?? ''];
    if (glance === undefined) continue;
    const values = textsIn(filter, 'Values');
    left = left.filter((one) => {
      const text = glance(request, one);
      return values.some((value) => isLike(value, text));
    });
  }
  return left;
}
