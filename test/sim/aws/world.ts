/** A small account on a kernel: one VPC, two subnets, a role for nodes, and a user who may all. */
import { createAwsCloud, type SimulatedAws } from '../../../src/sim/aws/cloud.ts';
import type { AwsAnswer, AwsIdentity } from '../../../src/sim/aws/contract.ts';
import type { AwsCloudOptions } from '../../../src/sim/aws/options.ts';
import { createKernel, type Kernel } from '../../../src/sim/kernel/kernel.ts';
import type { JsonObject } from '../../../src/evidence/json.ts';
import type { AwsService } from '../../../src/ports/aws-api.ts';

export const START_MS = Date.parse('2026-03-02T09:00:00.000Z');

export interface SmallAws {
  readonly kernel: Kernel;
  readonly aws: SimulatedAws;
  readonly admin: AwsIdentity;
  readonly vpcId: string;
  readonly subnetIds: readonly [string, string];
  readonly imageId: string;
  readonly roleArn: string;
  readonly profileArn: string;
  /** Everything that happened in EC2, `instance-running i-…`. */
  readonly events: readonly string[];
  readonly launch: (options?: {
    readonly isSpot?: boolean;
    readonly instanceType?: string;
  }) => string;
  readonly ask: (service: AwsService, operation: string, input?: JsonObject) => AwsAnswer;
  /** The answer's output; a refusal is an error. */
  readonly output: (service: AwsService, operation: string, input?: JsonObject) => JsonObject;
  /** The code of a refusal, `none` for an answer. */
  readonly refusal: (service: AwsService, operation: string, input?: JsonObject) => string;
  /** Lets so many ms pass. */
  readonly pass: (durationMs: number) => void;
}

export function smallAws(
  options: Partial<AwsCloudOptions> & { readonly seed?: number } = {},
): SmallAws {
  const { seed = 1, ...others } = options;
  const kernel = createKernel({ seed, startMs: START_MS });
  const aws = createAwsCloud({ kernel, region: 'us-west-2', accountId: '123456789012', ...others });
  const { controls } = aws;
  const vpcId = controls.createVpc({ cidr: '10.0.0.0/16' });
  const subnetIds = [
    controls.createSubnet({ vpcId, zone: 'us-west-2a', cidr: '10.0.0.0/24' }),
    controls.createSubnet({ vpcId, zone: 'us-west-2b', cidr: '10.0.1.0/24' }),
  ] as const;
  const imageId = controls.createImage({ name: 'ubuntu' });
  const policies = ['AmazonEKSWorkerNodePolicy', 'AmazonEKS_CNI_Policy'];
  const { roleArn, profileArn } = controls.createNodeRole({ name: 'lab-node', policies });
  const admin = controls.createUser('lab');
  const events: string[] = [];
  aws.onEvent(({ kind, instanceId }) => events.push(`${kind} ${instanceId}`));
  const ask: SmallAws['ask'] = (service, operation, input = {}) =>
    aws.answer(admin, { service, operation, input });
  return {
    kernel,
    aws,
    admin,
    vpcId,
    subnetIds,
    imageId,
    roleArn,
    profileArn,
    events,
    launch: ({ isSpot = false, instanceType = 'm5.large' } = {}) =>
      controls.launch({ instanceType, imageId, subnetId: subnetIds[0], profileArn, isSpot }),
    ask,
    output: (service, operation, input) => {
      const answer = ask(service, operation, input);
      if (answer.ok) return answer.output;
      throw new Error(`${operation}: ${answer.refusal.code} ${answer.refusal.message}`);
    },
    refusal: (service, operation, input) => {
      const answer = ask(service, operation, input);
      return answer.ok ? 'none' : answer.refusal.code;
    },
    pass: (durationMs) => {
      pass(kernel, kernel.nowMs() + durationMs);
    },
  };
}

function pass(kernel: Kernel, untilMs: number): void {
  for (;;) {
    const nextMs = kernel.nextAtMs();
    if (nextMs === null || nextMs > untilMs) break;
    kernel.step();
  }
  kernel.passTo(untilMs);
}
