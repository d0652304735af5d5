import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, likely, withdraws } from '../../../diagnosis/sign.ts';

/** A driver in a pod gives up on instance metadata, which the host itself needed to boot. */
const cause = defineCause({
  id: 'imds-unreachable-from-pods',
  stage: 'credentialed',
  title: 'pods do not reach instance metadata (network policy, firewall or hop limit)',
  scope: 'cluster',
  signs: {
    driverSilent: context(
      ['csi-driver', 'pod-app'],
      /(?:could not get (?:EC2 instance identity|IMDS) metadata|failed to retrieve instance data from ec2 metadata).*(?:canceled|context deadline exceeded)|(?:ec2|EC2 instance) metadata is not available|Retrieving IMDS metadata failed/,
      {
        anchors: [
          'from ec2 metadata',
          'GetInstanceIdentityDocument',
          'ec2 metadata is not available',
          'EC2 instance metadata is not available',
          'Retrieving IMDS metadata failed',
        ],
      },
    ),
    gaveUp: context(
      ['csi-driver', 'pod-app'],
      /Could not determine region from any metadata service/,
    ),
    // The Node is asked only after metadata, and does not know yet what metadata would have told.
    fallbackFailed: context(
      ['csi-driver', 'pod-app'],
      /node providerID empty, {1,3}cannot parse|could not retrieve (?:region|AZ|instance type|num \w+) from (?:topology|node) label|all specified --metadata-sources '.{1,60}' are unavailable/,
    ),
    listening: withdraws(['csi-driver'], /Listening for connections/i, {
      anchors: ['istening for connections'],
    }),
    dropped: context(
      ['host-file'],
      /-A (?:[A-Z]+-)?FORWARD .*169\.254\.169\.254(?:\/32)? .*-j (?<reason>DROP|REJECT)/,
    ),
    // The agent of the VPC CNI, in the words of its releases with text and with JSON logs.
    policyDenies: likely(
      ['aws-node', 'pod-app', 'client-output', 'journal'],
      /\b(?:DIP|Dest IP)\W{1,5}169\.254\.169\.254\b.*Verdict\W{1,5}(?<policy>DENY)\b/,
      { anchors: ['169.254.169.254'] },
    ),
    // Controllers that ask for their VPC or a token at their start, in the words of both SDKs.
    setupSilent: context(
      ['pod-app', 'client-output'],
      /unable to initialize AWS cloud.{0,300}(?:[Ii]nstance [Mm]etadata|ec2 metadata|EC2Metadata).{0,400}(?:deadline exceeded|canceled|i\/o timeout)|Send Request ec2metadata\/\w{1,60} failed, attempt \d{1,2}\/\d{1,2}, error RequestError/,
    ),
    unanswered: context(
      ['csi-driver', 'pod-app', 'client-output', 'event', 'pod-status'],
      /http:\/\/169\.254\.169\.254\/latest\/\S{1,100}: (?:context deadline exceeded|dial tcp \S{1,40} i\/o timeout|net\/http: request canceled)/,
      { anchors: ['http://169.254.169.254/latest/'] },
    ),
  },
  needs: ['aws/instance'],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['csi-driver-not-ready'],
  summary: ({ reason, policy, hops }) =>
    sentence`Pods get no answer from instance metadata${phrase`, which a firewall rule of the host answers with ${reason}`}${phrase`, which a network policy answers with ${policy}`}${phrase` although the hop limit is ${hops}`}, so they learn neither region nor credentials from it.`,
  remedy: () => [
    step(
      'Look for a network policy, a CNI policy or a FORWARD rule against 169.254.169.254.',
      'kubectl get networkpolicies,globalnetworkpolicies.crd.projectcalico.org -A',
    ),
    step(
      'Or make metadata needless: tell the region and use IRSA or Pod Identity.',
      'kubectl -n kube-system set env deployment/<deployment> AWS_REGION=<region>',
    ),
  ],
  decide: step(
    'Read the metadata options of the instance: with a hop limit of 2 something on the way drops the packets.',
    'aws ec2 describe-instances --instance-ids <instance>',
  ),
  page: {
    why: 'Ordinary pods reach 169.254.169.254 through the host’s forwarding. Network policies, CNI policies of OpenShift or Cilium and hardening rules often drop it, as a protection of the node’s role.',
    prevent:
      'Give drivers and controllers their region and their own role, so that they do not need metadata.',
    notThis:
      'With a hop limit of 1 the same time-out is imds-hop-limit-too-low. 404 or 403 from metadata is an answer.',
    alsoKnownAs: ['Could not determine region from any metadata service'],
    refs: [
      'https://github.com/kubernetes-sigs/aws-ebs-csi-driver/issues/2727',
      'https://github.com/kubernetes-sigs/aws-ebs-csi-driver/issues/2031',
    ],
  },
});

export default matched(cause, (view) => {
  const gaveUp = view.sign('gaveUp');
  const silent = gaveUp ?? view.sign('driverSilent');
  if (silent === null) return matchSetup(view);
  const dropped = view.sign('dropped');
  if (dropped !== null) return found(dropped.last.captures, [silent.first, dropped.first]);
  const limits = view.list('aws/instance').map((fact) => ({
    fact,
    hops: fact.value.MetadataOptions?.HttpPutResponseHopLimit ?? 0,
  }));
  const open = limits.find(({ hops }) => hops >= 2);
  const fallback = view.sign('fallbackFailed');
  if (limits.length === 0 && fallback !== null)
    return found({}, [silent.first, fallback.first], 'likely');
  if (open === undefined && gaveUp !== null && view.sign('driverSilent') !== null)
    return found({}, [gaveUp.first], 'likely');
  if (open === undefined || limits.some(({ hops }) => hops < 2)) return null;
  const quote = view.quote(open.fact, `HttpPutResponseHopLimit ${open.hops}`);
  return found({ hops: String(open.hops) }, [silent.first, quote], 'likely');
});

type Own = ViewOf<typeof cause>;

/** A controller got no answer at its start, and nobody read how far answers may go. */
function matchSetup(view: Own): Match | null {
  const setup = view.sign('setupSilent');
  const isRead = view.everywhere('aws/instance').length > 0;
  return setup === null || isRead ? null : found({}, [setup.first], 'likely');
}
