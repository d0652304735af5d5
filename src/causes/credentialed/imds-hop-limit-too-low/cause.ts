import { defineCause, found } from '../../../diagnosis/cause.ts';
import { textAt } from '../../../evidence/json.ts';

/** Metadata's answer to a pod dies on its way, since it may make one hop only. */
export default defineCause({
  id: 'imds-hop-limit-too-low',
  stage: 'credentialed',
  title: 'the instance metadata hop limit of 1 keeps pods out',
  scope: 'group',
  signs: {
    metadataSilent: {
      in: ['pod-app', 'csi-driver', 'client-output', 'journal', 'event', 'pod-status'],
      anchors: [
        'no EC2 IMDS role found',
        'EC2MetadataRequestError',
        'EC2MetadataError',
        'operation error ec2imds',
        'ec2 metadata',
        'EC2Metadata',
        'instance metadata',
        'Unable to locate credentials',
      ],
      pattern:
        /no EC2 IMDS role found|EC2Metadata(?:Request)?Error|operation error ec2imds: \w+, .*(?:exceeded|canceled)|Unable to locate credentials|(?:failed|unable|could not)[^"]{0,60}from (?:EC2 ?|ec2 |instance )?(?:instance )?[Mm]etadata/,
      weight: 'context',
    },
    oldRequestRefused: {
      in: ['pod-app', 'csi-driver', 'client-output', 'journal', 'karpenter'],
      anchors: ['failed to make EC2Metadata request'],
      // The token's answer died on its way; the SDK then asked the old way, which is refused.
      pattern: /EC2MetadataError: failed to make EC2Metadata request.*status code: 401/,
      weight: 'likely',
    },
  },
  needs: ['aws/instance'],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['imds-unreachable-from-pods'],
  match(view) {
    const silent = view.sign('metadataSilent');
    if (silent === null) return null;
    const limited = view.list('aws/instance').find((fact) => {
      const hops = textAt(fact.value, 'MetadataOptions.HttpPutResponseHopLimit');
      return textAt(fact.value, 'MetadataOptions.HttpTokens') === 'required' && hops === '1';
    });
    if (limited === undefined) return null;
    const instance = textAt(limited.value, 'InstanceId') ?? '<instance>';
    const quote = view.quote(
      limited,
      `${instance} MetadataOptions HttpTokens required, HttpPutResponseHopLimit 1`,
    );
    return found({ limited: instance }, [silent.first, quote], 'likely');
  },
  summary: ({ limited }) =>
    `Instance metadata of ${limited ?? 'the nodes'} answers one hop far only, so pods that are not on the host’s network get no region and no credentials from it.`,
  remedy: ({ limited }) => [
    {
      text: 'Better: give the workload its own role (Pod Identity or IRSA) and its region, so that it does not need metadata.',
      command: 'kubectl -n <namespace> set env deployment/<deployment> AWS_REGION=<region>',
    },
    {
      text: 'Or let the answer make two hops, here and in the launch template or EC2NodeClass.',
      command: `aws ec2 modify-instance-metadata-options --instance-id ${limited ?? '<instance>'} --http-put-response-hop-limit 2`,
    },
  ],
  decide: {
    text: 'Read the metadata options of the instance.',
    command: 'aws ec2 describe-instances --instance-ids <instance>',
  },
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
