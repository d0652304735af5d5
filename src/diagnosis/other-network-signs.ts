import { context } from './sign.ts';

/**
 * A person tells of another pod network than the VPC CNI, whose pods a control plane of EKS does
 * not reach: what it calls in vain are addresses that it has no route to.
 */
export const OTHER_NETWORK = {
  otherNetworkTold: context(
    ['client-output', 'unknown'],
    /\b(?:[Cc]alico|[Cc]ilium|[Ww]eave|[Ff]lannel)\b.{0,60}\b(?:in place of|instead of|rather than|replac(?:es|ed|ing)|without) (?:the )?(?:aws[- ]?vpc[- ]?cni|AWS (?:VPC )?CNI|VPC CNI|aws-node|amazon-vpc-cni)/,
    { isTold: true, isBackground: true, anchors: ['alico', 'ilium', 'eave ', 'lannel'] },
  ),
} as const;
