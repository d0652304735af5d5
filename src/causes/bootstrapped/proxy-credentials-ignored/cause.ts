import { defineCause, found, type Match, type View } from '../../../diagnosis/cause.ts';

/** Bottlerocket's boot-time AWS call does not send the user and password of the proxy URL. */
export default defineCause({
  id: 'proxy-credentials-ignored',
  stage: 'bootstrapped',
  title: 'Bottlerocket calls AWS through the proxy without the proxy’s user and password',
  scope: 'machine',
  signs: {
    proxyWithPassword: {
      in: ['user-data', 'bottlerocket', 'object'],
      anchors: ['https-proxy', 'https_proxy', 'httpsProxy'],
      pattern:
        /https[-_]?[pP]roxy["']?\s*[=:]\s*["']?(?:https?:\/\/)?[^:@/\s"']+(?::[^@\s"']+)?@(?<proxy>[\w.-]+(?::\d+)?)/,
      weight: 'context',
    },
    timedOut: {
      in: ['bottlerocket', 'console'],
      anchors: ['Timed out retrieving private DNS name'],
      pattern: /Timed out retrieving private DNS name from EC2/,
      weight: 'context',
    },
    proxyRefused: {
      in: ['bottlerocket', 'console'],
      anchors: ['Proxy Authentication Required'],
      pattern: /(?:pluto|sundog).*(?:\b407\b.*)?Proxy Authentication Required/,
      weight: 'definite',
    },
  },
  needs: [],
  symptoms: [],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  explains: ['private-dns-name-lookup-failed', 'bottlerocket-setting-generator-failed'],
  match: (view) => matchBoth(view),
  summary: ({ machine, proxy }) =>
    `${machine ?? 'The machine'} reaches AWS only through the proxy${proxy === undefined ? '' : ` ${proxy}`}, whose URL carries user and password; Bottlerocket’s first EC2 call leaves them out and times out.`,
  remedy: () => [
    {
      text: 'Let EC2 be reached without the proxy: an interface endpoint and its name in settings.network.no-proxy.',
      command:
        'aws ec2 create-vpc-endpoint --vpc-id <vpc> --vpc-endpoint-type Interface --service-name com.amazonaws.<region>.ec2 --subnet-ids <subnet>',
    },
    {
      text: 'Or use a proxy that admits nodes by address, or a newer Bottlerocket release.',
      command:
        'aws ssm get-parameter --name /aws/service/bottlerocket/aws-k8s-<version>/x86_64/latest/image_version --query Parameter.Value',
    },
  ],
  decide: {
    text: 'See whether the proxy URL in the settings carries user and password.',
    command: 'apiclient get settings.network',
  },
  page: {
    why: 'The settings generator that looks up the node’s name builds its own HTTP client. In older releases it takes host and port from the proxy URL and drops the credentials, so an authenticating proxy refuses it.',
    prevent: 'Give nodes AWS endpoints inside the VPC rather than a proxy with passwords.',
    notThis:
      'The time-out alone is private-dns-name-lookup-failed. Without a proxy in settings.network look for the route, the endpoint and the role.',
    refs: ['https://github.com/bottlerocket-os/bottlerocket/issues/3525'],
  },
});

type Signs = 'proxyWithPassword' | 'timedOut' | 'proxyRefused';

function matchBoth(view: View<never, Signs>): Match | null {
  const proxy = view.sign('proxyWithPassword');
  const timedOut = view.sign('timedOut');
  if (proxy === null || timedOut === null) return null;
  return found(proxy.first.captures, [timedOut.first, proxy.first], 'likely');
}
