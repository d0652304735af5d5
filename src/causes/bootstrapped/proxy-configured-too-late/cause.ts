import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, withdraws } from '../../../diagnosis/sign.ts';

/** How a proxy, or a file that sets it, is written in words and commands. */
const PROXY_WORDS = [
  ' proxy',
  'http_proxy',
  'https_proxy',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  '/etc/environment',
  '/etc/profile',
];

/** The proxy is set by a user-data script, which runs after nodeadm needed it. */
const cause = defineCause({
  id: 'proxy-configured-too-late',
  stage: 'bootstrapped',
  title: 'the HTTP proxy is set by a user-data script, after nodeadm needed it',
  scope: 'machine',
  signs: {
    // Other programs call EC2 through the same SDK, which words it alike.
    callFailed: context(
      ['nodeadm', 'console'],
      /operation error (?:EC2: DescribeInstances|EKS: DescribeCluster).*(?:i\/o timeout|deadline exceeded|exceeded maximum number of attempts)|exceeded max wait time for InstanceCondition/,
      { strict: true },
    ),
    retried: context(
      ['nodeadm', 'console', 'cloud-init'],
      /retrying request EC2\/DescribeInstances, attempt \d+/,
      { atLeast: 3, strict: true },
    ),
    setByScript: context(
      ['cloud-init', 'user-data'],
      /(?:HTTPS?_PROXY|https?_proxy)=["']?(?:https?:\/\/)?(?:[^@\s"']*@)?(?:(?<proxy>[\w.-]+:\d+)|\$)/,
      { anchors: ['HTTPS_PROXY=', 'https_proxy=', 'HTTP_PROXY=', 'http_proxy='] },
    ),
    toldProxy: context(
      ['client-output', 'unknown'],
      /\b(?:behind|through|via|sets?|configures?|writes?|written|exports?|uses?|needs?)\b.{0,60}(?:\b|_)proxy\b|(?:\b|_)proxy\b.{0,60}\b(?:is|are|gets?) (?:set|written|configured|exported)\b/i,
      { isTold: true, isBackground: true, anchors: ['proxy', 'Proxy', 'PROXY'] },
    ),
    toldLater: context(
      ['client-output', 'unknown'],
      /\b(?:run(?:ning)?|restart(?:ed|ing)?|start(?:ed|ing)?|init|call(?:ed|ing)?)\b.{0,50}\b(?:by hand|manually|again|later|afterwards)\b.{0,60}\b(?:works?|joins?|succeeds?|is fine)\b|\b(?:systemctl restart|nodeadm init)\b.{0,60}\b(?:works?|joins?|succeeds?|is fine|comes up)\b|\b(?:works?|joins?|succeeds?)\b.{0,60}\b(?:by hand|manually)\b/i,
      {
        isTold: true,
        isBackground: true,
        anchors: [
          'by hand',
          'manually',
          'again',
          'later',
          'afterwards',
          'systemctl restart',
          'nodeadm init',
        ],
      },
    ),
    toldWithProxy: context(
      ['client-output', 'unknown'],
      /\b(?:after|once|when|with|if|as soon as|by)\b.{0,60}\b(?:export|sourc|load|set|pass)\w{0,5}\b.{0,60}(?: proxy|https?_proxy|HTTPS?_PROXY|\/etc\/environment|\/etc\/profile).{0,80}\b(?:works?|worked|joins?|joined|succeeds?|succeeded|goes through|Ready)\b|\b(?:works?|worked|joins?|joined|succeeds?|succeeded)\b.{0,40}\b(?:after|once|when|with|if|as soon as)\b.{0,60}\b(?:export|sourc|load|set|pass)\w{0,5}\b.{0,60}(?: proxy|https?_proxy|HTTPS?_PROXY|\/etc\/environment|\/etc\/profile)/,
      { isTold: true, isBackground: true, anchors: PROXY_WORDS },
    ),
    // The command that somebody gave on the machine, which takes the proxy along.
    ranWithProxy: context(
      ['client-output', 'unknown'],
      /(?:\bexport |\bsource |\. |\benv |^\s{0,8}|[#$>] )[^|#]{0,60}(?: proxy|https?_proxy|HTTPS?_PROXY|\/etc\/environment|\/etc\/profile).{0,120}\b(?:nodeadm (?:init|config)|(?:re)?start nodeadm)/,
      { isBackground: true, anchors: PROXY_WORDS },
    ),
    toldWorks: context(
      ['client-output', 'unknown'],
      /\b(?:works|worked) (?:at once|immediately|right away|instantly|fine|well|then|perfectly|and|(?:the )?first time)\b| (?:works|worked)\s{0,3}(?:[,.;]|$)|\b(?:succeeds|succeeded|goes through|went through)\b|\b[Nn]ode (?:then )?(?:(?:becomes|became|goes|went|is|gets|got|turns|turned|comes up|came up) Ready|joins|joined)\b/,
      {
        isTold: true,
        isBackground: true,
        anchors: [
          'works ',
          ' works',
          'worked',
          'succeed',
          'through',
          ' Ready',
          ' joins',
          ' joined',
        ],
      },
    ),
    toldBefore: context(
      ['client-output', 'unknown'],
      /\bnodeadm\b.{0,160}\b(?:runs?|ran|starts?|started|is done|finishes)\b.{0,30}\b(?:before|ahead of|earlier than)\b.{0,40}\b(?:user[ _-]?data|cloud-init|my script|the script|the proxy)\b/i,
      { isTold: true, isBackground: true, anchors: ['nodeadm'] },
    ),
    toldTimesOut: context(
      ['client-output', 'unknown'],
      /\bnodeadm(?:-config|-run)?\b[^.]{0,60}\b(?:tim(?:es|ed|ing) out|time-?outs?|(?:has|had|got|gets) no answer)\b/,
      { isTold: true, isBackground: true, anchors: ['nodeadm'] },
    ),
    toldByHand: context(
      ['client-output', 'unknown'],
      /\b(?:by hand|manually|(?:log|logged|logging) (?:on|in|into) |hours? later|minutes later)/,
      {
        isTold: true,
        isBackground: true,
        anchors: [
          'by hand',
          'manually',
          'log on ',
          'log in ',
          'log into ',
          'logged ',
          'logging ',
          ' later',
        ],
      },
    ),
    setEarly: context(['cloud-init', 'user-data', 'nodeadm'], /nodeadm(?:-config)?\.service\.d/, {
      anchors: ['nodeadm-config.service.d', 'nodeadm.service.d'],
    }),
    detailsKnown: withdraws(
      ['nodeadm', 'cloud-init', 'console'],
      /(?:Instance details|Default options) populated/,
    ),
  },
  needs: [],
  symptoms: ['boot-call-retried'],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  explains: ['private-dns-name-lookup-failed', 'no-nat-or-vpc-endpoints'],
  summary: ({ machine, proxy }) =>
    sentence`nodeadm on ${machine ?? 'the machine'} got no answer from AWS because the proxy${phrase` ${proxy}`} is only set by a user-data script, which runs after nodeadm-config.`,
  remedy: ({ proxy }) => [
    step(
      'Give nodeadm the proxy before it starts: a MIME part of type text/cloud-boothook that writes a drop-in for its units (or bake the drop-in into the image).',
      `mkdir -p /etc/systemd/system/nodeadm-config.service.d && printf '[Service]\\nEnvironment=HTTPS_PROXY=http://${proxy ?? '<proxy>:<port>'} NO_PROXY=169.254.169.254,<vpc-cidr>,<service-cidr>,.internal\\n' > /etc/systemd/system/nodeadm-config.service.d/proxy.conf`,
    ),
    step(
      'Or spare the proxy for AWS: interface endpoints for ec2, eks, ecr.api, ecr.dkr and sts, a gateway endpoint for s3.',
      'aws ec2 describe-vpc-endpoints --query VpcEndpoints[].[ServiceName,State]',
    ),
  ],
  decide: step(
    'Compare when nodeadm-config ran with when the script set the proxy.',
    'systemctl show nodeadm-config -p ExecMainStartTimestamp -p Environment; sudo grep -in proxy /var/log/cloud-init-output.log',
  ),
  page: {
    why: 'nodeadm-config runs before cloud-init’s user scripts and asks EC2 for the instance’s name. In a network that leads out only through a proxy, it needs the proxy’s address by then; a script that exports it later works by hand and never in time.',
    prevent:
      'Deliver proxy settings in a boothook or in the NodeConfig where nodeadm supports it, always with 169.254.169.254 in NO_PROXY.',
    notThis:
      'Without any proxy in the design the same lines are private-dns-name-lookup-failed. A proxy that is configured and refuses, or that also catches metadata, is wrong-proxy-configuration; Bottlerocket with user and password in the URL is proxy-credentials-ignored.',
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/issues/2128',
      'https://github.com/awslabs/amazon-eks-ami/issues/2127',
    ],
  },
});

export default matched(cause, matchLateProxy);

type Own = ViewOf<typeof cause>;

function matchLateProxy(view: Own): Match | null {
  const script = view.sign('setByScript');
  const call =
    view.sign('callFailed') ?? view.sign('retried') ?? view.sign('toldBefore') ?? toldTimeout(view);
  if (view.sign('setEarly') !== null) return null;
  if (call === null) return matchByHand(view);
  if (script !== null) return found(script.first.captures, [call.first, script.first], 'likely');
  // What fails at boot and works by hand misses what the boot has set meanwhile.
  const [proxy, later] = [
    view.sign('toldProxy'),
    view.sign('toldLater') ?? view.sign('toldBefore') ?? worksWithProxy(view),
  ];
  if (proxy === null || later === null) return null;
  return found({}, [call.first, proxy.first, later.first], 'likely');
}

/** A script sets the proxy, and what does not work at boot works by hand. */
function matchByHand(view: Own): Match | null {
  const [script, later] = [view.sign('setByScript'), view.sign('toldLater')];
  if (script === null || later === null) return null;
  return found(script.first.captures, [script.first, later.first], 'likely');
}

/** The same program does its work for somebody who gives it the proxy. */
function worksWithProxy(view: Own): ReturnType<Own['sign']> {
  const ran = view.sign('toldWorks') === null ? null : view.sign('ranWithProxy');
  return view.sign('toldWithProxy') ?? ran;
}

/** Told alone, it must be the same command that works once somebody is on the machine. */
function toldTimeout(view: Own): ReturnType<Own['sign']> {
  return view.sign('toldByHand') === null ? null : view.sign('toldTimesOut');
}
