import { domainWords, leaseAt, leasedDomains } from '../../../domain/naming/leased-names.ts';
import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { definite } from '../../../diagnosis/sign.ts';
import { ipInName } from '../../../evidence/names.ts';
import { foreseenDomain } from '../../../diagnosis/foreseen-domain.ts';

/** The DHCP domain ends with a dot, which no Node name may. */
const cause = defineCause({
  id: 'dhcp-domain-with-trailing-dot',
  stage: 'identified',
  title: 'the DHCP domain-name ends with a dot',
  scope: 'machine',
  signs: {
    invalidName: definite(
      ['kubelet', 'kubeadm'],
      /Node "(?<node>[a-z0-9][a-z0-9.-]*)\." is invalid: metadata\.name/,
    ),
    bottlerocketName: definite(
      ['bottlerocket', 'console'],
      /ValidLinuxHostname: Invalid hostname '(?<node>[a-z0-9][a-z0-9.-]*)\.'/,
      { anchors: ['ValidLinuxHostname'] },
    ),
    refusedName: definite(
      ['kubelet'],
      /is not allowed to modify node "(?<node>[a-z0-9][a-z0-9.-]*)\."/,
    ),
  },
  needs: ['host/dhcp-lease'],
  symptoms: [],
  explains: [
    'bottlerocket-setting-generator-failed',
    'foreign-dhcp-domain-name',
    'instance-not-found-by-kubelet',
    'lease-or-csinode-publishing-failed',
  ],
  summary: ({ node }) =>
    sentence`The machine’s name ${phrase`${node}. `}ends with a dot, which came with the DHCP domain; no Node may be called so.`,
  remedy: () => [
    step(
      'Make a DHCP option set whose domain has no dot at its end.',
      "aws ec2 create-dhcp-options --dhcp-configurations 'Key=domain-name,Values=<region>.compute.internal' 'Key=domain-name-servers,Values=AmazonProvidedDNS'",
    ),
    step(
      'Give it to the VPC, then restart the machines.',
      'aws ec2 associate-dhcp-options --dhcp-options-id <options> --vpc-id <vpc>',
    ),
  ],
  decide: step(
    'Read the domain that DHCP gives.',
    'aws ec2 describe-dhcp-options --query "DhcpOptions[].DhcpConfigurations[?Key==\'domain-name\'].Values"',
  ),
  page: {
    why: 'The API takes a fully qualified domain with its dot, which the console would refuse, and DHCP hands it out as it is.',
    prevent: 'Write the domain without the dot in CLI calls and templates.',
    notThis: 'Another domain without a dot at its end is foreign-dhcp-domain-name.',
    refs: [
      'https://github.com/openshift/machine-config-operator/blob/HEAD/templates/common/aws/files/usr-local-bin-aws-kubelet-nodename.yaml',
    ],
  },
});

const judged = matched(cause, matchLease);

type Own = ViewOf<typeof cause>;

/** Whether the dot came with DHCP, as the machine's own lease tells; without it the name decides. */
function matchLease(view: Own): Match | null {
  const refused = view.sign('invalidName') ?? view.sign('refusedName');
  if (refused === null) return null;
  const { captures } = refused.last;
  const lease = leaseAt(view.list('host/dhcp-lease'), ipInName(captures['node'] ?? ''));
  if (lease === null) return null;
  // A dot that DHCP does not give is the image's own.
  if (!leasedDomains(lease).some((domain) => domain.endsWith('.'))) return clear;
  return found(captures, [refused.first, view.quote(lease, domainWords(lease))]);
}

export default foreseenDomain(
  judged,
  (domain) => domain.endsWith('.'),
  ({ domain, ofRegion, planned }) =>
    `The DHCP domain ${domain ?? ''} ends with a dot, and so will the names of the machines of ${planned ?? 'the group'}; no Node may be called so. EC2 names them by ${ofRegion ?? ''}.`,
);
