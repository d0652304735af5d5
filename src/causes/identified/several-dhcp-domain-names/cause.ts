import { domainWords, leaseAt, leasedDomains } from '../../../domain/naming/leased-names.ts';
import { dhcpDomainOf, refusedName, wordsOfRefused } from '../../../domain/naming/seen-names.ts';
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
import { context, definite, likely } from '../../../diagnosis/sign.ts';
import { ipInName } from '../../../evidence/names.ts';
import type { Sighting } from '../../../evidence/sighting.ts';
import { foreseenDomain } from '../../../diagnosis/foreseen-domain.ts';

/** The DHCP option set holds several domains, and the machine’s name holds all of them. */
const cause = defineCause({
  id: 'several-dhcp-domain-names',
  stage: 'identified',
  title: 'the DHCP option domain-name holds several names',
  scope: 'machine',
  signs: {
    nameWithBlank: definite(
      ['kubelet', 'node-status', 'event'],
      /[Nn]odes?[= ]"(?<node>ip-[\d-]+\.[a-z0-9.-]+) (?<second>[a-z0-9-]+(?:\.[a-z0-9-]+)+)"|Attempting to register node (?<node2>ip-[\d-]+\.[a-z0-9.-]+) (?<second2>[a-z0-9-]+(?:\.[a-z0-9-]+)+)$/,
      {
        anchors: [
          'Attempting to register node',
          'Error getting node',
          'Error getting the current node',
          'Unable to register node',
          '] node ',
        ],
      },
    ),
    namesRunTogether: definite(
      ['kubelet', 'node-status', 'event'],
      /(?:register node|Error getting (?:the current )?node|^Node ).*?\bip-\d+-\d+-\d+-\d+\.(?:ec2|[a-z]{2}(?:-[a-z]+)+-\d\.compute)\.internal(?<second>[a-z0-9][a-z0-9-]*\.[a-z0-9.-]+)/,
      {
        anchors: [
          'Attempting to register node',
          'Error getting node',
          'Error getting the current node',
          'Unable to register node',
          ' condition Ready=',
        ],
      },
    ),
    toldLost: context(
      ['client-output', 'unknown', 'kubelet'],
      /\b(?:nodes?|workers?|machines?|instances?|kubelets?)\b.{0,60}\b(?:(?:do(?:es)?|did|can|could|will) ?(?:not|n't|n’t)|never|cannot|fails? to|failed to|unable to) (?:join|register|come up|appear|show up)\b/,
      {
        isTold: true,
        isBackground: true,
        anchors: [' join', ' register', ' come up', ' appear', ' show up'],
      },
    ),
    refusedName: context(
      ['kubelet', 'kubeadm'],
      /node "?(?<credential>[^"\s]+)"? (?:is not allowed to|cannot) modify node "?(?<node>[^"\s]+)/,
    ),
    namesRunTogetherTold: likely(
      ['client-output', 'unknown'],
      /\bip-\d+-\d+-\d+-\d+\.(?:ec2|[a-z]{2}(?:-[a-z]+)+-\d\.compute)\.internal(?<second>[a-z0-9][a-z0-9-]*\.[a-z0-9.-]+)/,
      { isTold: true, anchors: ['.compute.internal', '.ec2.internal'] },
    ),
  },
  needs: [
    'aws/dhcp-options',
    'aws/vpc',
    'aws/instance',
    'kube/Node',
    'kube/DaemonSet',
    'kube/Deployment',
    'kube/Pod',
    'host/dhcp-lease',
  ],
  symptoms: [],
  explains: [
    'foreign-dhcp-domain-name',
    'ccm-cannot-initialize-node',
    'instance-not-found-by-kubelet',
    'kubelet-serving-certificate-missing',
    'lease-or-csinode-publishing-failed',
  ],
  summary: ({ machine, second, domains }) =>
    sentence`The DHCP option domain-name holds several names${phrase` (${domains})`}, so ${machine ?? 'the machine'} gets a name${phrase` that ends with ${second}`} which EC2 does not have.`,
  remedy: ({ vpc }) => [
    step(
      'Put one domain into the DHCP option set, and further search domains into the machines.',
      "aws ec2 create-dhcp-options --dhcp-configurations 'Key=domain-name,Values=<region>.compute.internal' 'Key=domain-name-servers,Values=AmazonProvidedDNS'",
    ),
    step(
      'Give it to the VPC, then replace the machines.',
      `aws ec2 associate-dhcp-options --dhcp-options-id <options> --vpc-id ${vpc ?? '<vpc>'}`,
    ),
  ],
  decide: step(
    'Read the domain that DHCP gives and the name that metadata makes of it.',
    'aws ec2 describe-dhcp-options --query "DhcpOptions[].DhcpConfigurations[?Key==\'domain-name\'].Values"; TOKEN=$(curl -sX PUT http://169.254.169.254/latest/api/token -H "X-aws-ec2-metadata-token-ttl-seconds: 60"); curl -s -H "X-aws-ec2-metadata-token: $TOKEN" http://169.254.169.254/latest/meta-data/local-hostname',
  ),
  page: {
    why: 'EC2 hands the text out as it is. Some systems take the first word, others join the words or keep the blank, and no two components end up with the same name.',
    prevent: 'One domain-name per option set.',
    notThis: 'One domain that is not EC2’s is foreign-dhcp-domain-name.',
    refs: [
      'https://github.com/terraform-aws-modules/terraform-aws-eks/issues/389',
      'https://github.com/kubernetes/kubernetes/pull/79446',
      'https://github.com/aws/containers-roadmap/issues/1887',
    ],
  },
});

const judged = matched(cause, (view) => matchRefusal(view) ?? matchFacts(view) ?? matchTold(view));

type Own = ViewOf<typeof cause>;

function matchRefusal(view: Own): Match | null {
  const refused = view.sign('refusedName');
  const domain = (refused?.first.captures['node'] ?? '').split('.').slice(1).join('.');
  if (refused === null || domain === '') return null;
  for (const options of view.list('aws/dhcp-options')) {
    const configuration = (options.value.DhcpConfigurations ?? []).find(
      (entry) => entry.Key === 'domain-name',
    );
    const value = (configuration?.Values ?? []).join(' ');
    const names = value.split(/\s+/);
    if (names.length < 2 || !names.includes(domain)) continue;
    return found({ ...refused.first.captures, domains: value }, [
      refused.first,
      view.quote(options, `domain-name: ${value}`),
    ]);
  }
  return matchLease(view, refused, domain);
}

/** Nodes do not join, and one value of the option set holds EC2's domain and another. */
function matchTold(view: Own): Match | null {
  const told = view.sign('toldLost') ?? view.clusterSign('toldLost');
  if (told === null) return null;
  for (const options of view.list('aws/dhcp-options')) {
    const own = (options.value.DhcpConfigurations ?? []).find(({ Key }) => Key === 'domain-name');
    const domains = (own?.Values ?? []).join(' ');
    if (!/\s/.test(domains.trim())) continue;
    const quote = view.quote(options, `domain-name: ${domains}`);
    return found({ domains }, [quote, told.first], 'likely');
  }
  return null;
}

/** The machine's own lease shows the domains of which it took one. */
function matchLease(view: Own, refused: Sighting, domain: string): Match | null {
  const { captures } = refused.first;
  const lease = leaseAt(view.list('host/dhcp-lease'), ipInName(captures['node'] ?? ''));
  const names = lease === null ? [] : leasedDomains(lease);
  if (lease === null) return null;
  if (names.length < 2) return clear;
  if (!names.includes(domain)) return null;
  const quote = view.quote(lease, domainWords(lease));
  return found({ ...captures, domains: names.join(' ') }, [refused.first, quote]);
}

/** A waiting Node with one of several domains of its VPC's option set, which EC2 does not have. */
function matchFacts(view: Own): Match | null {
  const refused = refusedName({
    nodes: view.list('kube/Node'),
    instances: view.list('aws/instance'),
    workloads: [...view.list('kube/DaemonSet'), ...view.list('kube/Deployment')],
    pods: view.everywhere('kube/Pod'),
    time: view,
  });
  if (refused?.difference !== 'other-domain') return null;
  const { node, instance, ec2Name } = refused;
  const dhcp = dhcpDomainOf(instance.value, view.list('aws/vpc'), view.list('aws/dhcp-options'));
  const domains = dhcp?.domain.split(/\s+/) ?? [];
  const second = node.value.name.split('.').slice(1).join('.');
  if (dhcp === null || domains.length < 2 || !domains.includes(second)) return null;
  const [ofNode, ofInstance] = wordsOfRefused(refused);
  return found({ node: node.value.name, second, domains: dhcp.domain, ec2Name, vpc: dhcp.vpc }, [
    view.quote(node, ofNode),
    view.quote(instance, ofInstance),
    view.quote(dhcp.options, `${dhcp.optionsId} of ${dhcp.vpc}: domain-name ${dhcp.domain}`),
  ]);
}

export default foreseenDomain(
  judged,
  (domain) => /\s/.test(domain),
  ({ domain, ofRegion, planned }) =>
    `The DHCP option domain_name holds several names (${domain ?? ''}), so the machines of ${planned ?? 'the group'} will get names which EC2, with ${ofRegion ?? ''}, does not have.`,
);
