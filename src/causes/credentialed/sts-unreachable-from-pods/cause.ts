import type { Instance } from '../../../evidence/aws/instance.ts';
import type { VpcEndpoint } from '../../../evidence/aws/network.ts';
import { endpointOf, tableOfSubnet, wayOut } from '../../../domain/network/routes.ts';
import {
  cannotSay,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { clears, likely } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import {
  complaintOf,
  environmentOf,
  isCrashing,
  isOnNode,
  podName,
} from '../../../domain/pods/pods.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';

/** The pod has its token, but the connection to STS is never made. */
const cause = defineCause({
  id: 'sts-unreachable-from-pods',
  stage: 'credentialed',
  title: 'pods do not reach STS',
  scope: 'machine',
  signs: {
    callSilent: likely(
      ['pod-app', 'client-output', 'csi-driver', 'event', 'journal'],
      /https:\/\/(?<host>sts\.(?:[a-z0-9-]+\.)?amazonaws\.com(?:\.cn)?)\/?"?\W{1,3}(?:dial tcp (?:\[[0-9a-f:]+\]|[\dxX*.]+|<[\w -]{1,40}>):443: (?:i\/o timeout|connect: (?:connection timed out|no route to host|network is unreachable))|context deadline exceeded|net\/http: request canceled while waiting for connection)/,
      { anchors: ['://sts.'] },
    ),
    clientTimedOut: likely(
      ['pod-app', 'client-output', 'journal'],
      /(?:Connect timeout on|Could not connect to the) endpoint URL: "https:\/\/(?<host>sts\.(?:[a-z0-9-]+\.)?amazonaws\.com(?:\.cn)?)\/"|Connect to (?<host2>sts\.(?:[a-z0-9-]+\.)?amazonaws\.com(?:\.cn)?):443 (?:\[[^\]]{0,200}\] )?failed: (?:[Cc]onnect(?:ion)? timed out|No route to host|Network is unreachable)/,
      {
        anchors: [
          'Connect timeout on endpoint URL',
          'Could not connect to the endpoint URL',
          'Connect to sts.',
        ],
      },
    ),
    answered: clears(
      ['pod-app', 'client-output', 'csi-driver', 'journal'],
      /AssumeRoleWithWebIdentity.*(?:AccessDenied|InvalidIdentityToken|Not authorized)/,
    ),
  },
  needs: ['kube/Pod', 'aws/instance', 'aws/route-table', 'aws/nat-gateway', 'aws/vpc-endpoint'],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ host, pod, subnet, why, lacking }) =>
    pod !== undefined
      ? `The pod ${pod} cannot exchange its token for AWS credentials: ${lacking ?? 'STS has no endpoint'}, and its subnet ${subnet ?? ''} has no way out (${why ?? 'no route'}).`
      : `Pods do not reach ${host ?? 'STS'} on port 443, so they cannot exchange their token for AWS credentials.`,
  remedy: ({ host, region: home, vpc, subnet, endpoint }) => {
    const region = home ?? host?.split('.')[1];
    const known = region === undefined || region === 'amazonaws' ? '<region>' : region;
    if (endpoint !== undefined)
      return [
        step(
          'Let the usual name of STS resolve to the endpoint.',
          `aws ec2 modify-vpc-endpoint --vpc-endpoint-id ${endpoint} --private-dns-enabled`,
        ),
      ];
    return [
      step(
        'In a private VPC, create the STS endpoint with private DNS in the subnets of the nodes.',
        `aws ec2 create-vpc-endpoint --vpc-id ${vpc ?? '<vpc>'} --vpc-endpoint-type Interface --private-dns-enabled --service-name com.amazonaws.${known}.sts --subnet-ids ${subnet ?? '<subnet>'} --security-group-ids <security-group>`,
      ),
      step(
        'Let the SDK call the regional endpoint: the global name does not resolve to the VPC endpoint.',
        'kubectl -n <namespace> annotate serviceaccount <service-account> eks.amazonaws.com/sts-regional-endpoints=true',
      ),
    ];
  },
  decide: step(
    'See whether the VPC has an STS endpoint with private DNS.',
    'aws ec2 describe-vpc-endpoints --filters Name=vpc-id,Values=<vpc>',
  ),
  page: {
    why: 'A pod with a service-account role calls STS itself. A private VPC without an STS endpoint, an endpoint whose security group does not let the pod’s address in, or an SDK that calls the global sts.amazonaws.com leaves that call without an answer.',
    prevent:
      'Create the endpoints sts, ecr.api, ecr.dkr, s3, ec2 and logs together with a private cluster.',
    notThis:
      'A name that cannot be looked up because the DNS server is silent is cluster-dns-unreachable. Any answer of STS, also AccessDenied, rules this out.',
    alsoKnownAs: ['Post "https://sts.amazonaws.com/": dial tcp i/o timeout'],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/configure-sts-endpoint.html',
      'https://docs.aws.amazon.com/eks/latest/userguide/private-clusters.html',
    ],
  },
});

export default matched(cause, matchRoutes);

type Own = ViewOf<typeof cause>;

const OF_STS = /sts|credential|WebIdentity|AssumeRole/i;
const ANSWERED = /AccessDenied|InvalidIdentityToken|[Nn]ot authorized|ExpiredToken/;

/** A pod with a service-account role ends for want of credentials where STS cannot be reached. */
function matchRoutes(view: Own): Match | null {
  const pod = view.list('kube/Pod').find(({ value }) => asksSts(value, view.node ?? ''));
  const instance = view
    .list('aws/instance')
    .find(({ value }) => value.InstanceId === view.instanceId);
  const subnet = instance?.value.SubnetId ?? null;
  if (pod === undefined || instance === undefined || subnet === null) return null;
  if (view.sign('callSilent') !== null || view.sign('clientTimedOut') !== null) return null;
  const vpc = instance.value.VpcId ?? '';
  const routing = {
    tables: view.list('aws/route-table'),
    natGateways: view.list('aws/nat-gateway'),
    areNatGatewaysKnown: view.read('aws/nat-gateway').state !== 'unknown',
  };
  const way = wayOut(routing, subnet, vpc);
  if (way.kind !== 'closed') return null;
  if (view.read('aws/vpc-endpoint').state === 'unknown') return endpointsUnknown(vpc);
  const lack = lackOf(view, pod.value, vpc);
  if (lack === null) return null;
  const region = regionOf(instance.value);
  const details = { pod: podName(pod.value), subnet, vpc, why: way.why, lacking: lack.words };
  const id = lack.endpoint?.value.VpcEndpointId;
  const table = tableOfSubnet(routing.tables, subnet, vpc)?.value.RouteTableId ?? '';
  const role = environmentOf(pod.value, 'AWS_ROLE_ARN') ?? '';
  return found(
    {
      ...details,
      ...(region === undefined ? {} : { region }),
      ...(id === undefined ? {} : { endpoint: id }),
    },
    [
      view.quote(
        pod,
        `Pod ${details.pod} (AWS_ROLE_ARN ${role}) keeps ending: ${complaintOf(pod.value)}`,
      ),
      view.quote(way.table, `RouteTable ${table} of ${subnet}: ${way.why}`),
      ...endpointQuotes(view, vpc, lack.words),
    ],
  );
}

function regionOf({ Placement: placement }: Instance): string | undefined {
  return /^[a-z]{2}(?:-[a-z]+)+-\d/.exec(placement?.AvailabilityZone ?? '')?.[0];
}

function asksSts(pod: Pod, node: string): boolean {
  const complaint = complaintOf(pod);
  return (
    isOnNode(pod, node) &&
    environmentOf(pod, 'AWS_WEB_IDENTITY_TOKEN_FILE') !== null &&
    isCrashing(pod) &&
    OF_STS.test(complaint) &&
    !ANSWERED.test(complaint)
  );
}

interface Lack {
  readonly words: string;
  /** An endpoint that is there and does not answer under the usual name. */
  readonly endpoint: Seen<VpcEndpoint> | null;
}

/** Why no endpoint serves the name that the pod's SDK calls; null when one may. */
function lackOf(view: Own, pod: Pod, vpc: string): Lack | null {
  const all = view.list('aws/vpc-endpoint');
  if (endpointOf(all, vpc, 'sts') !== null) {
    const isGlobal = environmentOf(pod, 'AWS_STS_REGIONAL_ENDPOINTS') === 'legacy';
    const words = 'it calls the global sts.amazonaws.com, which the VPC endpoint does not answer';
    return isGlobal ? { words, endpoint: null } : null;
  }
  const idle = all.find(
    ({ value }) => value.VpcId === vpc && value.ServiceName?.endsWith('.sts') === true,
  );
  if (idle === undefined)
    return { words: `the VPC ${vpc} has no endpoint for sts`, endpoint: null };
  const id = idle.value.VpcEndpointId ?? '';
  const state = idle.value.State ?? '';
  return state.toLowerCase() === 'available'
    ? { words: `the endpoint ${id} for sts has private DNS off`, endpoint: idle }
    : { words: `the endpoint ${id} for sts is ${state}`, endpoint: null };
}

function endpointQuotes(view: Own, vpc: string, words: string) {
  const own = view.list('aws/vpc-endpoint').filter(({ value }) => value.VpcId === vpc);
  const names = own.map(({ value }) => value.ServiceName ?? '').join(', ');
  const by = 'aws ec2 describe-vpc-endpoints';
  const listed = own[0] ?? { state: 'seen' as const, value: null, by, locator: by };
  return [view.quote(listed, `VPC ${vpc} endpoints: ${names || 'none'}; ${words}`)];
}

function endpointsUnknown(vpc: string): Match {
  return cannotSay({
    reason: 'not-collected',
    detail: 'which VPC endpoints there are',
    collect: `aws ec2 describe-vpc-endpoints --filters Name=vpc-id,Values=${vpc}`,
  });
}
