import { always, amount, type Fields, type FieldsOf, flag, text } from '../shape.ts';
import { INSTANCE_TYPE } from './instance.ts';

/** An item of `aws ec2 describe-spot-price-history`: from `Timestamp` on a pool has this price. */
export const SPOT_PRICE = {
  AvailabilityZone: text,
  AvailabilityZoneId: text,
  InstanceType: text,
  ProductDescription: text,
  SpotPrice: text,
  Timestamp: text,
} as const satisfies Fields;

export interface SpotPrice extends FieldsOf<typeof SPOT_PRICE> {}

/** An item of `aws ec2 get-spot-placement-scores`. */
export const PLACEMENT_SCORE = {
  AvailabilityZoneId: text,
  Region: text,
  Score: amount,
} as const satisfies Fields;

/** An item of `aws ec2 describe-instance-types`, with what choosing among types asks besides. */
export const OFFERED_TYPE = {
  ...INSTANCE_TYPE,
  CurrentGeneration: flag,
  GpuInfo: { Gpus: [{ Count: amount }] },
  InstanceType: always(text),
  SupportedUsageClasses: [text],
} as const satisfies Fields;

export interface OfferedType extends FieldsOf<typeof OFFERED_TYPE> {}

/** An item of `aws ec2 describe-spot-instance-requests`, as far as it tells how an instance fared. */
export const SPOT_RUN = {
  CreateTime: text,
  InstanceId: text,
  LaunchSpecification: { InstanceType: text },
  LaunchedAvailabilityZone: text,
  State: text,
  Status: { Code: text, UpdateTime: text },
} as const satisfies Fields;

export interface SpotRun extends FieldsOf<typeof SPOT_RUN> {}
