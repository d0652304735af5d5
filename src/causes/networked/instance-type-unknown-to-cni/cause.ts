import { defineCause, step } from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';

/** The CNI’s built-in table of instance types is older than the type it runs on. */
export default defineCause({
  id: 'instance-type-unknown-to-cni',
  stage: 'networked',
  title: 'this release of the VPC CNI does not know the instance type',
  scope: 'machine',
  signs: {
    limitUnknown: definite(
      ['ipamd', 'aws-node'],
      /Failed to get (?:eni (?:IP )?limit|ENI IP limit|ENI limit|hypervisor info) due to unknown instance type (?<type>[\w.-]+)/,
    ),
    tableLacksIt: definite(
      ['ipamd', 'aws-node'],
      /vpc ip resource\(eni (?:ip )?limit\): unknown instance type/,
    ),
    neitherFileNorEc2: context(
      ['ipamd', 'aws-node'],
      /Failed to get ENI limits from file:\s?vpc_ip_limits or EC2 for (?<type>[\w.-]+)/,
    ),
    limitsOfNewType: definite(
      ['cni-plugin', 'event'],
      /(?:aws-cni|AddNetwork).{0,300}unknown instance type/,
    ),
    unknownToCilium: likely(
      ['cilium'],
      /Unable to find limits for instance type, consider setting --update-ec2-adapter-limit-via-api/,
    ),
    // Releases before 1.20.2 take the first network card of a type from a table without any.
    noCardOfNewType: likely(
      ['ipamd', 'aws-node'],
      /\(\*IPAMContext\)\.markUnmanagedNetworkCards\(/,
    ),
    // ipamd then asks EC2, which may know the type.
    notInTable: context(
      ['ipamd', 'aws-node', 'cilium'],
      /instance type does not exist|no info on instance type|Failed to get ENI limit|unable to get instance limits|unknown instance type|[Uu]nable to (?:find limits for instance type|determine limits)|not found in ENI max pods file/,
      {
        anchors: [
          'instance type does not exist',
          'no info on instance type',
          'Failed to get ENI limit',
          'instance limits',
          'unknown instance type',
          'limits for instance type',
          'not found in ENI max pods file',
        ],
      },
    ),
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
    step(
      'See the newest release of the VPC CNI.',
      'aws eks describe-addon-versions --addon-name vpc-cni --query addons[0].addonVersions[0].addonVersion --output text',
    ),
    step(
      'Update the VPC CNI to it, or to an earlier one that knows the type.',
      'aws eks update-addon --cluster-name <cluster> --addon-name vpc-cni --resolve-conflicts PRESERVE --addon-version <version>',
    ),
    step('Until then use an older instance family.'),
  ],
  decide: step(
    'Read which type ipamd stumbles over.',
    "sudo grep -E 'unknown instance type|ENI limits from file|DescribeInstanceTypes' /var/log/aws-routed-eni/ipamd.log | tail -n 5",
  ),
  page: {
    why: 'How many interfaces and addresses a type may have is compiled into the CNI. Releases before 1.6 have nothing else to go by; later ones ask DescribeInstanceTypes when the table lacks the type.',
    prevent:
      'Keep the vpc-cni add-on current, and check it before rolling out a new instance family.',
    notThis:
      'When the fallback call is refused or times out it is instance-type-lookup-denied, which the log names with the call. “failed to assign an IP address” in the sandbox event alone does not name the type.',
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
