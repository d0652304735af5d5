import type { DescribedType } from '../evidence/aws/instance.ts';
import { typeFromAws } from './aws-type.ts';
import { type InstanceType, isUnknownType } from './instance-type.ts';
import { INSTANCE_TYPES } from './instance-types.generated.ts';
import { instanceTypes } from './instance-types.ts';

const SHIPPED = instanceTypes(INSTANCE_TYPES);

/** A type by what EC2 answered, else as shipped; null when neither knows it. */
export function knownType(name: string, described: readonly DescribedType[]): InstanceType | null {
  const item = described.find((one) => one.InstanceType === name);
  const answered = item === undefined ? null : typeFromAws(item, SHIPPED);
  if (answered !== null) return answered;
  const shipped = SHIPPED.named(name);
  return isUnknownType(shipped) ? null : shipped;
}
