import { defineCause } from '../../../diagnosis/cause.ts';

/** The CNI’s built-in table of instance types is older than the type it runs on. */
export default defineCause({
  id: 'instance-type-unknown-to-cni',
  stage: 'networked',
  title: 'this release of the VPC CNI does not know the instance type',
  scope: 'machine',
  signs: {
    limitUnknown: {
      in: ['ipamd', 'aws-node'],
      anchors: ['due to unknown instance type'],
      pattern:
        /Failed to get (?:eni (?:IP )?limit|ENI IP limit|ENI limit|hypervisor info) due to unknown instance type (?<type>[\w.-]+)/,
      weight: 'definite',
    },
    tableLacksIt: {
      in: ['ipamd', 'aws-node'],
      anchors: ['unknown instance type'],
      pattern: /vpc ip resource\(eni (?:ip )?limit\): unknown instance type/,
      weight: 'definite',
    },
    neitherFileNorEc2: {
      in: ['ipamd', 'aws-node'],
      anchors: ['Failed to get ENI limits from file'],
      pattern: /Failed to get ENI limits from file:\s?vpc_ip_limits or EC2 for (?<type>[\w.-]+)/,
      weight: 'context',
    },
    limitsOfNewType: {
      in: ['cni-plugin', 'event'],
      anchors: ['unknown instance type'],
      pattern: /(?:aws-cni|AddNetwork).{0,300}unknown instance type/,
      weight: 'definite',
    },
  },
  needs: [],
  symptoms: ['cni-daemon-silent', 'cni-uninitialized', 'sandbox-not-created'],
  withdrawnBy: [],
  explains: [
    'cni-configuration-missing',
    'cni-killed-by-own-probes',
    'max-pods-above-address-capacity',
    'eni-limit-reached',
  ],
  summary: ({ type, machine }) =>
    `The VPC CNI of ${machine ?? 'the machine'} does not know the instance type ${type ?? 'it runs on'}, so it allocates no addresses and pods stay in ContainerCreating.`,
  remedy: () => [
    {
      text: 'See the newest release of the VPC CNI.',
      command:
        'aws eks describe-addon-versions --addon-name vpc-cni --query addons[0].addonVersions[0].addonVersion --output text',
    },
    {
      text: 'Update the VPC CNI to it, or to an earlier one that knows the type.',
      command:
        'aws eks update-addon --cluster-name <cluster> --addon-name vpc-cni --resolve-conflicts PRESERVE --addon-version <version>',
    },
    { text: 'Until then use an older instance family.', command: null },
  ],
  decide: {
    text: 'Read which type ipamd stumbles over.',
    command:
      "sudo grep -E 'unknown instance type|ENI limits from file|DescribeInstanceTypes' /var/log/aws-routed-eni/ipamd.log | tail -n 5",
  },
  page: {
    why: 'How many interfaces and addresses a type may have is compiled into the CNI. Releases before 1.6 have nothing else to go by; later ones ask DescribeInstanceTypes when the table lacks the type.',
    prevent:
      'Keep the vpc-cni add-on current, and check it before rolling out a new instance family.',
    notThis:
      'When the fallback call is refused or times out it is instance-type-lookup-denied, which the log names with the call. “failed to assign an IP address” in the sandbox event alone says nothing of the type.',
    alsoKnownAs: [
      'Failed to get eni limit due to unknown instance type',
      'vpc ip resource(eni ip limit): unknown instance type',
    ],
    refs: [
      'https://github.com/aws/amazon-vpc-cni-k8s/issues/533',
      'https://github.com/aws/amazon-vpc-cni-k8s/pull/98',
    ],
  },
});
