import { listAt } from '../evidence/json.ts';
import type { AwsApi } from '../ports/aws-api.ts';
import type { Ask } from './asking.ts';
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
 * region answer by empty lists, which look like a cluster that has no machines yet. Names those
 * that are there.
 */
export async function tellNowhere(
  { region }: AwsApi,
  cluster: string,
  { evidence, refused }: HeardEvidence,
  ask: Ask,
): Promise<void> {
  if (region === null || DECIDING.some((call) => refused.has(call))) return;
  const there = await clustersThere(ask);
  const known = there.length === 0 ? '' : ` (EKS has ${there.join(', ')} there)`;
  evidence.refuse({
    call: 'aws',
    failure: 'not-configured',
    message:
      `No EKS cluster ${cluster} in ${region}, and nothing has the tag ` +
      `kubernetes.io/cluster/${cluster}${known}; use its region: --region REGION`,
    permission: null,
  });
}

const CLUSTERS_SHOWN = 5;

async function clustersThere(ask: Ask): Promise<readonly string[]> {
  const answers = await ask({
    service: 'eks',
    operation: 'ListClusters',
    input: {},
    isOptional: true,
    pagesMax: 1,
  });
  return answers
    .flatMap((answer) => listAt(answer, 'clusters').map(String))
    .slice(0, CLUSTERS_SHOWN);
}
