/** All calls that the model answers. */
import type { AwsCall, AwsService } from '../../ports/aws-api.ts';
import { AUTO_SCALING } from './autoscaling/calls.ts';
import { REFRESHES } from './autoscaling/refreshes.ts';
import { FLEETS } from './ec2/fleets.ts';
import { READ_INSTANCES } from './ec2/read-instances.ts';
import { READ_NETWORK } from './ec2/read-network.ts';
import { READ_OFFERS } from './ec2/read-offers.ts';
import { WRITE_INSTANCES } from './ec2/write-instances.ts';
import { WRITE_NETWORK } from './ec2/write-network.ts';
import { WRITE_INTERFACES } from './ec2/write-interfaces.ts';
import { EKS } from './eks/calls.ts';
import { IAM, STS } from './iam/calls.ts';
import { CLOUD_FORMATION, CLOUD_TRAIL, ECR, KMS, ROUTE_53 } from './others.ts';
import { LOGS } from './logs.ts';
import { SSM } from './ssm.ts';
import type { Operation, Operations } from './operation.ts';

const SERVICES: Readonly<Record<AwsService, Operations>> = {
  ec2: {
    ...READ_INSTANCES,
    ...READ_NETWORK,
    ...READ_OFFERS,
    ...WRITE_INSTANCES,
    ...WRITE_INTERFACES,
    ...FLEETS,
    ...WRITE_NETWORK,
  },
  autoscaling: { ...AUTO_SCALING, ...REFRESHES },
  eks: EKS,
  iam: IAM,
  sts: STS,
  cloudformation: CLOUD_FORMATION,
  kms: KMS,
  route53: ROUTE_53,
  ecr: ECR,
  cloudtrail: CLOUD_TRAIL,
  ssm: SSM,
  logs: LOGS,
};

/** @returns null for a call that the model does not have */
export function operationOf({ service, operation }: Omit<AwsCall, 'input'>): Operation | null {
  const operations = SERVICES[service];
  return Object.hasOwn(operations, operation) ? (operations[operation] ?? null) : null;
}
