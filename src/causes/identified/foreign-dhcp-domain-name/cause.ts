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
import { likely } from '../../../diagnosis/sign.ts';
import { INITIALISED, REFUSED_NAMES } from '../../../diagnosis/name-signs.ts';
import { domainWords, leaseAt, leasedDomains } from '../../../domain/naming/leased-names.ts';
import { dhcpDomainOf, refusedName, wordsOfRefused } from '../../../domain/naming/seen-names.ts';
import { hasEc2Domain, ipInName } from '../../../evidence/names.ts';
import type { Quote } from '../../../evidence/sighting.ts';
import { foreseenDomain } from '../../../diagnosis/foreseen-domain.ts';

/** The machine calls itself by a DHCP domain that is not the one EC2 knows it under. */
const cause = defineCause({
  id: 'foreign-dhcp-domain-name',
  stage: 'identified',
  title: 'the DHCP option set gives a domain that is not EC2’s for this region',
  scope: 'machine',
  signs: {
    ...REFUSED_NAMES,
    notFoundByForeignName: likely(
      ['cloud-controller', 'controller-manager'],
      /failed to get (?:provider ID|instance metadata) for node (?<node>ip-\d+-\d+-\d+-\d+\.(?!ec2\.internal|[a-z0-9-]+\.compute\.internal)(?<domain>[a-z0-9.-]+)(?![a-z0-9.-])).*instance not found/,
    ),
    ...INITIALISED,
    toldOptions: likely(
      ['client-output', 'unknown', 'terraform'],
      /\bDHCP[ -]?[Oo]ptions?(?: [Ss]ets?)?\b.{0,60}\b(?:custom|own|corporate|company|different|wrong|another|not|isn't|instead)\b.{0,40}\bdomain(?:[ -]name)?\b|\bDHCP[ -]?[Oo]ptions?(?: [Ss]ets?)?\b.{0,60}\bdomain[ -]name\b.{0,12}[=:]?.{0,6}(?!ec2\.internal|\S+\.compute\.internal|Amazon)\b[a-z0-9-]{1,60}\.(?!compute\.internal)[a-z0-9.-]{2,60}|\b(?:[Cc]ustom|[Cc]orporate|[Oo]wn) domain(?:[ -]name)?\b.{0,30}\bDHCP[ -]?[Oo]ptions?\b|\b(?:keeps?|kept|still|always) (?:using|uses?|used|getting|gets|got|taking|takes) (?:the )?domain(?:[ -]name)?\b.{0,40}\bDHCP[ -]?[Oo]ptions?\b|\bDHCP[ -]?[Oo]ptions?(?: [Ss]ets?)?\b.{0,30}\b(?:with|has|have|using|of) (?:our|a|my|their|its)(?: own)? (?:custom |own )?domain\b/,
      { isTold: true, anchors: ['DHCP option', 'DHCP-option', 'DHCP Option', 'DHCPOption'] },
    ),
  },
  needs: [
    'kube/Node',
    'aws/instance',
    'aws/vpc',
    'aws/dhcp-options',
    'kube/DaemonSet',
    'kube/Deployment',
    'kube/Pod',
    'host/dhcp-lease',
  ],
  symptoms: ['instance-not-found', 'node-forbidden', 'node-uninitialized'],
  explains: [
    'ccm-cannot-initialize-node',
    'instance-not-found-by-kubelet',
    'kubelet-serving-certificate-missing',
    'lease-or-csinode-publishing-failed',
  ],
  summary: ({ node, credential, domain, ec2Name, options, instance }) =>
    ec2Name !== undefined
      ? sentence`The Node ${node} is called by the domain ${domain}${phrase` of the DHCP option set ${options}`}, but EC2 calls ${instance ?? 'the instance'} ${ec2Name}; the cloud controller finds no instance of that name and leaves the Node uninitialized.`
      : credential === undefined
        ? sentence`The Node ${node} has the DHCP domain ${domain ?? 'of its own'}, under which EC2 knows no instance; the cloud controller cannot initialize it.`
        : `The kubelet registers as ${node ?? 'one name'} (DHCP domain ${domain ?? 'of its own'}) but its credential is for the EC2 name ${credential}; the API server refuses it.`,
  remedy: ({ credential, ec2Name, vpc, node }) => [
    step(
      'Start the kubelet under the EC2 private DNS name; current EKS machine images do so by themselves, custom AMIs must pass it as --hostname-override.',
      `sudo hostnamectl set-hostname ${credential ?? ec2Name ?? EC2_NAME} && sudo systemctl restart kubelet`,
    ),
    ...(ec2Name === undefined
      ? []
      : [
          step(
            'Then delete the Node of the foreign name.',
            `kubectl delete node ${node ?? '<node>'}`,
          ),
        ]),
    {
      text: 'Or give the VPC a DHCP option set with the domain of its region, then replace the machines.',
      command:
        vpc === undefined
          ? 'aws ec2 describe-dhcp-options --query "DhcpOptions[].DhcpConfigurations[?Key==\'domain-name\']"'
          : `aws ec2 create-dhcp-options --dhcp-configurations Key=domain-name,Values=${domainOf(ec2Name ?? '')} Key=domain-name-servers,Values=AmazonProvidedDNS --query DhcpOptions.DhcpOptionsId --output text | xargs -I{} aws ec2 associate-dhcp-options --vpc-id ${vpc} --dhcp-options-id {}`,
    },
  ],
  decide: step(
    'Compare the machine’s own name with the one EC2 has for it.',
    'hostname -f; aws ec2 describe-instances --instance-ids <instance> --query Reservations[].Instances[].PrivateDnsName',
  ),
  page: {
    why: 'EKS and the AWS cloud controller know a machine by its EC2 private DNS name. Since the in-tree provider left the kubelet (EKS 1.26) the kubelet takes the operating system’s host name, and that ends with whatever domain the VPC’s DHCP option set hands out.',
    prevent:
      'Keep <region>.compute.internal (ec2.internal in us-east-1) in the DHCP option set of subnets with nodes, or an image that passes --hostname-override.',
    notThis:
      'This is 403, not 401. A name without any domain is hostname-without-domain; an i-… name on one side is resource-based-name-mismatch; when the kubelet asks for the EC2 name and the credential has another, it is node-name-differs-from-certificate.',
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/issues/1263',
      'https://github.com/awslabs/amazon-eks-ami/issues/1711',
      'https://github.com/bottlerocket-os/bottlerocket/issues/3028',
    ],
  },
});

const judged = matched(cause, (view) => matchNames(view) ?? matchFacts(view) ?? matchLease(view));

type Own = ViewOf<typeof cause>;

/** What EC2 calls the instance; metadata would need a session token to say it. */
const EC2_NAME =
  '$(aws ec2 describe-instances --instance-ids <instance> --query Reservations[].Instances[].PrivateDnsName --output text)';

function domainOf(name: string): string {
  return name.includes('.') ? name.slice(name.indexOf('.') + 1) : '';
}

/** The objects alone: a waiting Node, another domain in EC2, and the option set that gave it. */
function matchFacts(view: Own): Match | null {
  const refused = refusedName({
    nodes: view.list('kube/Node'),
    instances: view.list('aws/instance'),
    workloads: [...view.list('kube/DaemonSet'), ...view.list('kube/Deployment')],
    pods: view.everywhere('kube/Pod'),
    time: view,
  });
  if (refused?.difference !== 'other-domain') return null;
  const { node, instance, instanceId, ec2Name } = refused;
  const domain = domainOf(node.value.name);
  const details = { node: node.value.name, instance: instanceId, ec2Name, domain };
  const [ofNode, ofInstance] = wordsOfRefused(refused);
  const proof = [view.quote(node, ofNode), view.quote(instance, ofInstance)];
  const dhcp = dhcpDomainOf(instance.value, view.list('aws/vpc'), view.list('aws/dhcp-options'));
  const leased = leasedProof(view, node.value.name, node.value.internalIp);
  if (dhcp === null && leased === null) return found(details, proof, 'likely');
  if (dhcp === null)
    return leased?.length === 0 ? null : found(details, [...proof, ...(leased ?? [])]);
  // A domain which DHCP does not give is the image's own; that is no matter of the VPC.
  if (!dhcp.domain.split(/\s+/).includes(domain)) return null;
  const words = `${dhcp.optionsId} of ${dhcp.vpc}: domain-name ${dhcp.domain}`;
  return found({ ...details, options: dhcp.optionsId, vpc: dhcp.vpc }, [
    ...proof,
    view.quote(dhcp.options, words),
    ...(leased ?? []),
  ]);
}

/**
 * The machine's own lease when it gave the domain of this name, nothing when it gave another; null
 * when its lease was not seen.
 */
function leasedProof(
  view: Own,
  name: string,
  address: string | null = null,
): readonly Quote[] | null {
  const lease = leaseAt(view.list('host/dhcp-lease'), address ?? ipInName(name));
  if (lease === null) return null;
  return leasedDomains(lease).includes(domainOf(name))
    ? [view.quote(lease, domainWords(lease))]
    : [];
}

/** The cloud controller finds no instance of the name; the lease tells where its domain is from. */
function matchLease(view: Own): Match | null {
  const lookedUp = view.sign('notFoundByForeignName');
  if (lookedUp === null) return null;
  const { captures } = lookedUp.last;
  const leased = leasedProof(view, captures['node'] ?? '');
  if (leased === null) return null;
  return leased.length === 0 ? clear : found(captures, [lookedUp.first, ...leased]);
}

function matchNames(view: Own): Match | null {
  const refused = (['refusedName', 'refusedObject', 'refusedInLog'] as const).flatMap(
    (name) => view.sign(name)?.quotes ?? [],
  );
  const quotes = refused.filter(isForeign);
  const [first] = quotes;
  if (first === undefined) return refused.length === 0 ? null : clear;
  const node = first.captures['node'] ?? '';
  const leased = leasedProof(view, node);
  // A domain that DHCP does not give is the image's own.
  if (leased?.length === 0) return clear;
  return found({ ...first.captures, domain: domainOf(node) }, [...quotes, ...(leased ?? [])]);
}

/** The credential has the EC2 name, the kubelet asks for the same address under another domain. */
function isForeign(quote: Quote): boolean {
  const { credential = '', node = '' } = quote.captures;
  const sameAddress = ipInName(credential) !== null && ipInName(credential) === ipInName(node);
  const isOther = node.includes('.') && !node.startsWith(credential) && !node.endsWith('.');
  return sameAddress && hasEc2Domain(credential) && isOther;
}

export default foreseenDomain(
  judged,
  (domain, ofRegion) => !/\s|\.$/.test(domain) && domain !== ofRegion,
  ({ domain, ofRegion, planned }) =>
    `DHCP will give the machines of ${planned ?? 'the group'} the domain ${domain ?? ''} and EC2 names them by ${ofRegion ?? ''}; a Node of the other name is not found by the cloud controller.`,
);
