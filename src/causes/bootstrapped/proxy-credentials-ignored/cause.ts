import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, definite } from '../../../diagnosis/sign.ts';

/** Bottlerocket's boot-time AWS call does not send the user and password of the proxy URL. */
const cause = defineCause({
  id: 'proxy-credentials-ignored',
  stage: 'bootstrapped',
  title: 'Bottlerocket calls AWS through the proxy without the proxy’s user and password',
  scope: 'machine',
  signs: {
    proxyWithPassword: context(
      ['user-data', 'bottlerocket', 'object'],
      /https[-_]?[pP]roxy["']?\s*[=:]\s*["']?(?:https?:\/\/)?[^:@/\s"']+(?::[^@\s"']+)?@(?<proxy>[\w.-]+(?::\d+)?)/,
      { anchors: ['https-proxy', 'https_proxy', 'httpsProxy'] },
    ),
    timedOut: context(
      ['bottlerocket', 'console'],
      /Timed out retrieving private DNS name from EC2/,
    ),
    tunnelRefused: context(
      ['bottlerocket', 'console'],
      /\b(?:pluto|sundog|shibaken)\b.{0,400}\bunsuccessful tunnel\b/,
    ),
    // The access log of the proxy, in the words of squid.
    proxyLog: context(
      ['client-output', 'unknown'],
      /\bTCP_DENIED\/407\b.{0,80}\bCONNECT\b.{0,80}\.amazonaws\.com/,
    ),
    proxyRefused: definite(
      ['bottlerocket', 'console'],
      /(?:pluto|sundog).*(?:\b407\b.*)?Proxy Authentication Required/,
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  explains: ['private-dns-name-lookup-failed', 'bottlerocket-setting-generator-failed'],
  summary: ({ machine, proxy }) =>
    sentence`${machine ?? 'The machine'} reaches AWS only through the proxy${phrase` ${proxy}`}, whose URL carries user and password; Bottlerocket’s first EC2 call leaves them out and gets no answer.`,
  remedy: () => [
    step(
      'Let EC2 be reached without the proxy: an interface endpoint and its name in settings.network.no-proxy.',
      'aws ec2 create-vpc-endpoint --vpc-id <vpc> --vpc-endpoint-type Interface --service-name com.amazonaws.<region>.ec2 --subnet-ids <subnet>',
    ),
    step(
      'Or use a proxy that admits nodes by address, or a newer Bottlerocket release.',
      'aws ssm get-parameter --name /aws/service/bottlerocket/aws-k8s-<version>/x86_64/latest/image_version --query Parameter.Value',
    ),
  ],
  decide: step(
    'See whether the proxy URL in the settings carries user and password.',
    'apiclient get settings.network',
  ),
  page: {
    why: 'The settings generator that looks up the node’s name builds its own HTTP client. In older releases it takes host and port from the proxy URL and drops the credentials, so an authenticating proxy refuses it.',
    prevent: 'Give nodes AWS endpoints inside the VPC rather than a proxy with passwords.',
    notThis:
      'The time-out alone is private-dns-name-lookup-failed. Without a proxy in settings.network look for the route, the endpoint and the role.',
    refs: ['https://github.com/bottlerocket-os/bottlerocket/issues/3525'],
  },
});

export default matched(cause, matchBoth);

type Own = ViewOf<typeof cause>;

function matchBoth(view: Own): Match | null {
  const proxy = view.sign('proxyWithPassword');
  const timedOut = view.sign('timedOut') ?? view.sign('tunnelRefused') ?? view.sign('proxyLog');
  if (proxy === null || timedOut === null) return null;
  return found(proxy.first.captures, [timedOut.first, proxy.first], 'likely');
}
