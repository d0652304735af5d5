import type { AwsApi } from '../../ports/aws-api.ts';
import type { CollectedEvidence } from './document.ts';

/** Evidence that also tells which calls were refused, so that "none" is told from "not seen". */
export interface HeardEvidence {
  readonly evidence: CollectedEvidence;
  /** Such as `ec2:DescribeInstances`. */
  readonly refused: ReadonlySet<string>;
}

export function hearRefusals(evidence: CollectedEvidence): HeardEvidence {
  const refused = new Set<string>();
  return {
    refused,
    evidence: {
      ...evidence,
      refuse: (refusal) => {
        refused.add(refusal.call);
        evidence.refuse(refusal);
      },
    },
  };
}

/** Answers of these together show that nothing of a cluster is in a region. */
const DECIDING = [
  'ec2:DescribeInstances',
  'eks:DescribeCluster',
  'autoscaling:DescribeAutoScalingGroups',
] as const;

/**
 * Says that a cluster which was named is not where it was looked for: EC2 and EKS of another
 * region answer by empty lists, which look like a cluster that has no machines yet.
 */
export function tellNowhere(
  { region }: AwsApi,
  cluster: string,
  { evidence, refused }: HeardEvidence,
): void {
  if (region === null || DECIDING.some((call) => refused.has(call))) return;
  evidence.refuse({
    call: 'aws',
    failure: 'not-configured',
    message:
      `In ${region} there is no EKS cluster ${cluster}, and nothing carries the tag ` +
      `kubernetes.io/cluster/${cluster}; ask where it is: --region REGION`,
    permission: null,
  });
}
