/** The packages of the SDK, each loaded by the first call to its service. */
import { createRequire } from 'node:module';
import type { AwsService } from '../../ports/aws-api.ts';

/** Those that are asked, and SQS, which brings what AWS reports. */
export type SdkService = AwsService | 'sqs';

/** What a package exports, by name. */
export type SdkModule = Readonly<Record<string, unknown>>;

// An import would first parse each file to find out whether it is a module: 60 ms for EC2 and EKS.
// The single executable, whose files are one already, has imports instead: tools/executables.
const load = createRequire(import.meta.url);

interface SdkPackage {
  readonly load: () => SdkModule | Promise<SdkModule>;
  /** The name of its client. */
  readonly client: string;
}

export const SDK_PACKAGES: Readonly<Record<SdkService, SdkPackage>> = {
  ec2: { load: () => load('@aws-sdk/client-ec2'), client: 'EC2Client' },
  autoscaling: { load: () => load('@aws-sdk/client-auto-scaling'), client: 'AutoScalingClient' },
  eks: { load: () => load('@aws-sdk/client-eks'), client: 'EKSClient' },
  iam: { load: () => load('@aws-sdk/client-iam'), client: 'IAMClient' },
  sts: { load: () => load('@aws-sdk/client-sts'), client: 'STSClient' },
  cloudformation: {
    load: () => load('@aws-sdk/client-cloudformation'),
    client: 'CloudFormationClient',
  },
  kms: { load: () => load('@aws-sdk/client-kms'), client: 'KMSClient' },
  route53: { load: () => load('@aws-sdk/client-route-53'), client: 'Route53Client' },
  ecr: { load: () => load('@aws-sdk/client-ecr'), client: 'ECRClient' },
  cloudtrail: { load: () => load('@aws-sdk/client-cloudtrail'), client: 'CloudTrailClient' },
  logs: { load: () => load('@aws-sdk/client-cloudwatch-logs'), client: 'CloudWatchLogsClient' },
  ssm: { load: () => load('@aws-sdk/client-ssm'), client: 'SSMClient' },
  sqs: { load: () => load('@aws-sdk/client-sqs'), client: 'SQSClient' },
};
