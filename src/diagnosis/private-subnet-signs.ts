import { context } from './sign.ts';

/** What people tell of machines that have no way out, of what there is instead, and what comes of it. */
export const TOLD_OF_PRIVATE_SUBNETS = {
  toldPrivate: context(
    ['client-output', 'unknown', 'terraform'],
    /\b(?:[Pp]rivate )?(?:[Ss]ubnets?|VPC)\b.{0,20}\b(?:[Ww]ithout(?: an?| any)?|(?:has|have|with) no) NAT\b/,
    {
      isTold: true,
      anchors: [
        'ithout NAT',
        'ithout a NAT',
        'ithout any NAT',
        'ithout an NAT',
        'as no NAT',
        'ave no NAT',
        'ith no NAT',
      ],
    },
  ),
  // A denial of it would be a way out; that it is so by design is none.
  isolatedNetwork: context(
    ['client-output', 'unknown', 'terraform'],
    /\b(?:VPC|[Ss]ubnets?|[Nn]etwork)\b.{0,40}(?<!\bnot )\b(?:isolated from|cut off from|without (?:access|a route|any route) to|(?:has|have|with) no (?:access|route|connection|way) to) (?:the )?(?:public )?[Ii]nternet\b/,
    { anchors: ['isolated from', 'cut off from', 'nternet'] },
  ),
  toldPublicCall: context(
    ['client-output', 'unknown', 'cloud-init'],
    /\b(?:public|internet|AWS) (?:URL|[Ee]ndpoint|address|API)s?\b.{0,20}https:\/\/(?:eks|ec2|sts|api\.ecr|ssm)\.[a-z0-9-]{1,30}\.amazonaws\.com/,
    { isTold: true, anchors: ['amazonaws.com'] },
  ),
  toldNotJoined: context(
    ['client-output', 'unknown', 'terraform', 'aws-message'],
    /\b(?:[Nn]odes?|[Ii]nstances?|[Ww]orkers?|[Mm]achines?|they)\b.{0,60}\b(?:not|never|n't|fails? to|failed to|unable to|cannot|can't) (?:\w+ )?(?:join|regist)\w*\b|\b(?:registration|joining)\b.{0,20}\b(?:fails?|failed|never|times? out|timed out)\b|\bNodeCreationFailure\b/,
    {
      isTold: true,
      isBackground: true,
      anchors: [' join', ' regist', 'egistration', 'joining', 'NodeCreationFailure'],
    },
  ),
  // Other ways out, and the answer of an API server that was reached.
  toldOtherwise: context(
    ['client-output', 'unknown', 'terraform'],
    /\b(?:VPC|[Ii]nterface|[Gg]ateway) [Ee]ndpoints?\b|\bPrivateLink\b|\baws_vpc_endpoint\b|\btransit gateway\b|\b(?:prints?|says?|say|logs?|shows?|with|is|are|gets?|returns?) [Uu]nauthorized\b|\baws-auth\b/,
    {
      isTold: true,
      isBackground: true,
      anchors: ['ndpoint', 'PrivateLink', 'ransit gateway', 'nauthorized', 'aws-auth'],
    },
  ),
} as const;
