import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, likely } from '../../../diagnosis/sign.ts';
import type { Sighting } from '../../../evidence/sighting.ts';
import type { Seen } from '../../../evidence/fact.ts';
import { complaintOf, isCrashing, isOnNode, podName } from '../../../domain/pods/pods.ts';
import type { Instance } from '../../../evidence/aws/instance.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { addonIdentity, addonsOf } from '../../../domain/planned/addons.ts';

const SILENT =
  /no EC2 IMDS role found|EC2Metadata(?:Request)?Error|operation error ec2imds: \w+, .*(?:exceeded|canceled)|from (?:EC2 ?|ec2 |instance )?(?:instance )?[Mm]etadata|load credentials from IMDS|connect to service endpoint/;

/** Metadata's answer to a pod dies on its way, since it may make one hop only. */
const cause = defineCause({
  id: 'imds-hop-limit-too-low',
  stage: 'credentialed',
  title: 'the instance metadata hop limit of 1 keeps pods out',
  scope: 'machine',
  signs: {
    metadataSilent: context(
      ['pod-app', 'csi-driver', 'client-output', 'journal', 'event', 'pod-status'],
      /no EC2 IMDS role found|EC2Metadata(?:Request)?Error|operation error ec2imds: \w+, .*(?:exceeded|canceled)|http:\/\/169\.254\.169\.254\/latest\/\S{1,100}: (?:context deadline exceeded|dial tcp \S{1,40} i\/o timeout|net\/http: request canceled)|Unable to locate credentials|(?:Failed to load credentials from IMDS|Could not load credentials from any providers|Failed to connect to service endpoint)|(?:failed|unable|could not)[^"]{0,60}from (?:EC2 ?|ec2 |instance )?(?:instance )?[Mm]etadata/,
      {
        anchors: [
          'no EC2 IMDS role found',
          'EC2MetadataRequestError',
          'EC2MetadataError',
          'operation error ec2imds',
          'http://169.254.169.254/latest/',
          'ec2 metadata',
          'EC2Metadata',
          'instance metadata',
          'Unable to locate credentials',
          'load credentials from',
          'connect to service endpoint',
        ],
      },
    ),
    // The token's answer died on its way; the SDK then asked the old way, which is refused.
    oldRequestRefused: likely(
      ['pod-app', 'csi-driver', 'client-output', 'journal', 'karpenter'],
      /EC2MetadataError: failed to make EC2Metadata request.*status code: 401/,
    ),
    // As a plan shows that it becomes less.
    hopLimitSet: context(
      ['client-output', 'terraform', 'unknown'],
      /\bhttp_put_response_hop_limit\s{0,20}=\s{0,20}\d{1,2} -> (?<hops>1)(?!\d)/,
    ),
    hopLimitOne: context(
      ['client-output', 'terraform', 'unknown', 'object'],
      /\b(?:http_put_response_hop_limit|[Hh]ttpPutResponseHopLimit|hop[ -]limit)\b.{0,60}?(?:\bto|\bof|\bis|\bwas|\bat|[=:]|imit)\s{0,20}["'`]{0,3}(?<hops>1)\b(?!\.)/,
      {
        isTold: true,
        anchors: [
          'http_put_response_hop_limit',
          'ttpPutResponseHopLimit',
          'hop limit',
          'hop-limit',
        ],
      },
    ),
    toldSilent: context(
      ['client-output', 'unknown'],
      /\b(?:[Pp]ods?|[Cc]ontainers?|[Cc]ontroller|[Dd]river)\b.{0,80}\b(?:cannot|can't|could not|couldn't|stopped|unable|fail\w{0,4}|no longer|not)\b.{0,60}\b(?:(?:instance )?metadata|IMDSv2)\b|EC2 instance metadata is not available/,
      { isTold: true, anchors: ['metadata', 'IMDSv2'] },
    ),
    toldCured: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b(?:hop[ -]?limit|http_put_response_hop_limit|HttpPutResponseHopLimit)\b.{0,40}(?:\b(?:was|is|set to|of|at)|[=:])\s{1,3}["'`]?1\b(?!\.\d).{0,120}\b(?:[Rr]ais|[Ii]ncreas|[Cc]hang|[Bb]ump|[Ss]et)\w{1,4}\b.{0,60}\b2\b|\b(?:[Rr]ais|[Ii]ncreas|[Bb]ump|[Cc]hang)\w{1,4} (?:the )?.{0,40}\b(?:hop[ -]?limit|http_put_response_hop_limit|HttpPutResponseHopLimit)\b.{0,30}\bto ["'`]?2\b.{0,60}\b(?:fix|solv|help|work|resolv)\w{0,4}/,
      {
        isTold: true,
        anchors: [
          'hop limit',
          'hop-limit',
          'http_put_response_hop_limit',
          'HttpPutResponseHopLimit',
        ],
      },
    ),
  },
  needs: ['aws/instance', 'kube/Pod'],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['imds-unreachable-from-pods', 'csi-driver-not-ready'],
  summary: ({ limited, pod }) =>
    `Instance metadata of ${limited ?? 'the nodes'} answers one hop far only, so ${pod === undefined ? 'pods that are not on the host’s network get' : `the pod ${pod}, which is not on the host’s network, gets`} no region and no credentials from it.`,
  remedy: ({ limited }) => [
    step(
      'Better: give the workload its own role (Pod Identity or IRSA) and its region, so that it does not need metadata.',
      'kubectl -n <namespace> set env deployment/<deployment> AWS_REGION=<region>',
    ),
    step(
      'Or let the answer make two hops, here and in the launch template or EC2NodeClass.',
      `aws ec2 modify-instance-metadata-options --instance-id ${limited ?? '<instance>'} --http-put-response-hop-limit 2`,
    ),
  ],
  decide: step(
    'Read the metadata options of the instance.',
    'aws ec2 describe-instances --instance-ids <instance>',
  ),
  page: {
    why: 'With IMDSv2 the answer to the token request carries a time to live of the hop limit. A pod’s network namespace is one hop more than the host. Node groups on AL2023 and Karpenter set 1 on purpose, to keep pods from the node’s role.',
    prevent: 'Leave the limit at 1 and give every workload its own role and AWS_REGION.',
    notThis:
      'Pods on the host’s network are not affected. The same time-out with a limit of 2 is imds-unreachable-from-pods.',
    alsoKnownAs: [
      'no EC2 IMDS role found',
      'EC2MetadataRequestError: failed to get EC2 instance identity document',
    ],
    refs: [
      'https://github.com/kubernetes-sigs/aws-load-balancer-controller/issues/3937',
      'https://github.com/kubernetes-sigs/aws-load-balancer-controller/issues/2231',
      'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-options.html',
    ],
  },
});

const judged = matched(cause, matchLimit);

type Own = ViewOf<typeof cause>;

/** A pod says that metadata is silent, and its instance's answers make one hop only. */
function matchLimit(view: Own): Match | null {
  const silent = view.sign('metadataSilent') ?? view.sign('toldSilent') ?? silentAnywhere(view);
  const pod = view.list('kube/Pod').find(({ value }) => isCutOff(value, view.node ?? ''));
  if (silent === null && pod === undefined) return null;
  const told =
    view.sign('hopLimitOne') ?? view.sign('hopLimitSet') ?? view.clusterSign('hopLimitSet');
  if (silent !== null && told !== null && view.list('aws/instance').length === 0)
    return found({}, [silent.first, told.first], 'likely');
  const limited = view.list('aws/instance').find(isLimited);
  if (limited === undefined) return null;
  const instance = limited.value.InstanceId ?? '<instance>';
  const words = 'MetadataOptions HttpTokens required, HttpPutResponseHopLimit 1';
  const quote = view.quote(limited, `${instance} ${words}`);
  const said = silent === null ? [] : [silent.first];
  if (pod === undefined) return found({ limited: instance }, [...said, quote], 'likely');
  const name = podName(pod.value);
  return found({ limited: instance, pod: name }, [
    quote,
    view.quote(pod, `Pod ${name} is not on the host's network and ends: ${complaintOf(pod.value)}`),
    ...said,
  ]);
}

/** Where the limit is the same on all machines, a pod that is told of runs on one of these. */
function silentAnywhere(view: Own): Sighting | null {
  const instances = view.everywhere('aws/instance');
  if (instances.length === 0 || !instances.every(isLimited)) return null;
  return view.clusterSign('metadataSilent');
}

function isLimited({ value }: Seen<Instance>): boolean {
  const hops = value.MetadataOptions?.HttpPutResponseHopLimit ?? null;
  return value.MetadataOptions?.HttpTokens === 'required' && hops === 1;
}

function isCutOff(pod: Pod, node: string): boolean {
  const isOnHost = pod.spec?.hostNetwork === true;
  return !isOnHost && isOnNode(pod, node) && isCrashing(pod) && SILENT.test(complaintOf(pod));
}

/** Add-ons with pods outside of the host's network that ask for the node's own rights. */
const ASKING = ['aws-ebs-csi-driver', 'aws-efs-csi-driver', 'amazon-cloudwatch-observability'];

export default foreseen(
  judged,
  (plan, group) => {
    const { template } = group;
    const options = template?.value.LaunchTemplateData?.MetadataOptions;
    const hops = options?.HttpPutResponseHopLimit ?? null;
    if (template === null || hops === null) return NOT_SHOWN;
    if (hops > 1 || options?.HttpTokens !== 'required') return clear;
    const addon = addonsOf(plan, group).find(
      (one) => ASKING.includes(one.value.addonName ?? '') && addonIdentity(plan, one) === 'none',
    );
    if (addon === undefined) return clear;
    const name = addon.value.addonName ?? '';
    return found(
      { limited: group.name, addon: name },
      [
        plan.quote(
          template,
          'metadata_options http_tokens required, http_put_response_hop_limit 1',
        ),
        plan.quote(addon, `the add-on ${name} has no role of its own`),
      ],
      'likely',
    );
  },
  {
    summary: ({ limited, addon }) =>
      `Instance metadata of ${limited ?? 'the machines'} will answer one hop far only, and the add-on ${addon ?? ''}, whose pods are not on the host’s network, has no role of its own; it will get no credentials.`,
    remedy: ({ addon }) => [
      step(
        `Give the aws_eks_addon ${addon ?? ''} a role (pod_identity_association or service_account_role_arn).`,
      ),
      step(
        'Or set http_put_response_hop_limit = 2 in metadata_options of the aws_launch_template.',
      ),
    ],
  },
);
