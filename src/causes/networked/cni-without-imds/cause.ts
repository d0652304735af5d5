import { defineCause, step } from '../../../diagnosis/cause.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** aws-node starts and instance metadata does not answer it. */
export default defineCause({
  id: 'cni-without-imds',
  stage: 'networked',
  title: 'the VPC CNI gets no answer from instance metadata',
  scope: 'machine',
  signs: {
    regionUnread: definite(
      ['ipamd', 'aws-node'],
      /instance metadata: [Ff]ailed to (?:retrieve (?:region|instance|availability|local-ipv4|local-hostname|mac\b)|find primary ENI)|Failed to retrieve region data from instance metadata/,
    ),
    primaryMacUnread: definite(['aws-node'], /Failed to get primary MAC (?:from IMDS|address)/),
    eniUnread: likely(
      ['ipamd'],
      /failed to retrieve ENI metadata.*(?:context deadline exceeded|StatusCode: 401|status code: 401|no route to host|connection refused)/,
      { strict: true },
    ),
    // What a load balancer controller or another workload asks is imds-unreachable-from-pods.
    interfacesUnread: likely(
      ['ipamd', 'aws-node'],
      /^(?!.{0,400}(?:VPC ID|vpcID|unable to initialize AWS|load-?balancer|"logger":"setup"|ebs\.csi|external-dns|\.go:\d{1,4}\] "Retrieving)).*(?:from instance metadata|attached ENIs?|ENI(?:s| metadata)?|IMDS|imds|metadata service)\b.{0,400}169\.254\.169\.254.{0,200}(?:Client\.Timeout exceeded|context deadline exceeded|i\/o timeout|connection refused|no route to host|StatusCode: 40[13])/,
      { anchors: ['169.254.169.254'] },
    ),
    readAfterAll: withdraws(
      ['ipamd'],
      /Discovered the instance primary|node init completed successfully/,
    ),
    addressUnread: likely(
      ['ipamd', 'aws-node'],
      /failed to retrieve local-ipv[46] address in imds|Failed to get Node IP, error: .{0,80}metadata/i,
      { anchors: ['retrieve local-ipv', 'Failed to get Node IP'] },
    ),
    enisUnread: context(
      ['ipamd', 'aws-node'],
      /failed to get local ENI metadata|Could not get local IPv[46] addresses from IMDS|Failed to get primary IF\b|Network Card data not found from/,
    ),
  },
  needs: [],
  symptoms: ['cni-daemon-silent', 'cni-uninitialized', 'no-answer-from-metadata'],
  withdrawnBy: ['networking-initialized', 'node-ready'],
  explains: [
    'cni-configuration-missing',
    'cni-killed-by-own-probes',
    'cni-without-aws-credentials',
    'instance-type-lookup-denied',
  ],
  summary: ({ machine }) =>
    `The VPC CNI of ${machine ?? 'the machine'} gets no answer from instance metadata, so it does not learn its interfaces and the node stays without pod network.`,
  remedy: () => [
    step(
      'Turn the metadata endpoint on.',
      'aws ec2 modify-instance-metadata-options --instance-id <instance> --http-endpoint enabled',
    ),
    step(
      'With HttpTokens=required, update a CNI of the 1.10 line, which still asked without a token.',
      'aws eks update-addon --cluster-name <cluster> --addon-name vpc-cni --resolve-conflicts PRESERVE',
    ),
  ],
  decide: step(
    'See the metadata options of the instance.',
    'aws ec2 describe-instances --instance-ids <instance> --query Reservations[].Instances[].MetadataOptions',
  ),
  page: {
    why: 'ipamd reads region, type and interfaces from 169.254.169.254. The endpoint may be off, tokens may be required of a release that sends none, or the host’s own rules may drop the address.',
    prevent:
      'Test launch templates with HttpTokens=required against the CNI release in use; do not block 169.254.169.254 for the host network.',
    notThis:
      'aws-node uses the host network, so the hop limit does not matter to it. When nothing on the host reaches metadata it is imds-unreachable-on-host; metadata that answers without a role is cni-without-aws-credentials.',
    alsoKnownAs: [
      'get instance metadata: failed to retrieve',
      'Failed to get primary MAC from IMDS',
    ],
    refs: [
      'https://github.com/aws/amazon-vpc-cni-k8s/blob/HEAD/docs/troubleshooting.md',
      'https://github.com/aws/amazon-vpc-cni-k8s/blob/HEAD/cmd/aws-vpc-cni-init/main.go',
    ],
  },
});
