import {
  clear,
  defineCause,
  type Details,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, definite } from '../../../diagnosis/sign.ts';
import { domainWords, leaseAt } from '../../../domain/naming/leased-names.ts';
import { dhcpDomainOf, refusedName, wordsOfRefused } from '../../../domain/naming/seen-names.ts';
import { INITIALISED, REFUSED_NAMES } from '../../../diagnosis/name-signs.ts';
import { hasEc2Domain, ipInName } from '../../../evidence/names.ts';
import type { Quote } from '../../../evidence/sighting.ts';

/** The machine calls itself ip-a-b-c-d where EC2 knows it with its domain. */
const cause = defineCause({
  id: 'hostname-without-domain',
  stage: 'identified',
  title: 'the host name is the bare ip-a-b-c-d, without the EC2 domain',
  scope: 'machine',
  signs: {
    ...REFUSED_NAMES,
    notFoundByBareName: definite(
      ['cloud-controller', 'controller-manager'],
      /failed to get (?:provider ID|instance metadata) for node (?<node>ip-\d+-\d+-\d+-\d+)(?![\w.-]).*instance not found/,
    ),
    bareCertificateName: definite(
      ['machine-approver', 'controller-manager'],
      /dns name '(?<bare>[^'.]+)' cannot be associated with node '(?<node>[^'.]+\.[^']+)'/,
    ),
    lookedUpByBareName: context(
      ['cloud-controller', 'controller-manager'],
      /Unable to convert node name "(?<node>ip-\d+-\d+-\d+-\d+)" to aws instanceID/,
    ),
    ...INITIALISED,
    bareNameTold: context(
      ['client-output', 'unknown'],
      /\b(?<node>ip-\d+-\d+-\d+-\d+)(?![\w.-])\W{0,3}(?:instead of|rather than)\b.{0,60}?(?<full>ip-\d+-\d+-\d+-\d+\.[a-z][a-z0-9.-]+)/,
      { isTold: true, anchors: ['instead of', 'rather than'] },
    ),
    nameNotResolved: context(
      ['kubelet'],
      /can't get ip address of node [\w-]+\. error: lookup [\w-]+ on /,
      { anchors: ['get ip address of node'] },
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
    'instance-not-found-by-kubelet',
    'kubelet-serving-certificate-missing',
    'lease-or-csinode-publishing-failed',
    'ccm-cannot-initialize-node',
    'node-deleted-as-not-in-cloud',
  ],
  summary: ({ node, credential, bare, ec2Name, instance }) =>
    ec2Name !== undefined
      ? `The Node ${node ?? ''} is called by its host part alone, but EC2 calls ${instance ?? 'the instance'} ${ec2Name}; the cloud controller finds no instance of that name and leaves the Node uninitialized.`
      : bare === undefined
        ? sentence`The machine calls itself ${node ?? 'ip-a-b-c-d'}, without the domain with which EC2 knows it${phrase` (${credential})`}; its Node is not tied to the instance.`
        : `The machine calls itself ${bare} in its certificate request while its Node is ${node ?? 'the full name'}; the request is refused.`,
  remedy: ({ credential, ec2Name, leased }) => [
    ...(leased === NO_DOMAIN
      ? []
      : [
          step(
            'Set the full name from instance metadata before the kubelet starts (images that set the short name: RHEL, Ubuntu, CoreOS).',
            `sudo hostnamectl set-hostname ${credential ?? ec2Name ?? EC2_NAME} && sudo systemctl restart kubelet`,
          ),
        ]),
    ...(leased === undefined || leased === NO_DOMAIN
      ? [
          {
            text:
              leased === NO_DOMAIN
                ? 'The VPC’s DHCP options have no domain: give it options with the region’s (ec2.internal in us-east-1), then replace the machine.'
                : 'When metadata itself gives the bare name, the VPC’s DHCP options have no domain: give it options with the region’s (ec2.internal in us-east-1).',
            command:
              "aws ec2 create-dhcp-options --dhcp-configurations 'Key=domain-name,Values=<region>.compute.internal' 'Key=domain-name-servers,Values=AmazonProvidedDNS'",
          },
        ]
      : []),
  ],
  decide: step(
    'Compare the host name with what metadata and EC2 have.',
    'hostname -f; TOKEN=$(curl -sX PUT http://169.254.169.254/latest/api/token -H "X-aws-ec2-metadata-token-ttl-seconds: 60"); curl -s -H "X-aws-ec2-metadata-token: $TOKEN" http://169.254.169.254/latest/meta-data/local-hostname; aws ec2 describe-instances --instance-ids <instance> --query Reservations[].Instances[].PrivateDnsName',
  ),
  page: {
    why: 'The cloud controller finds an instance by the Node name, which must be the private DNS name. A DHCP option set without domain-name, or an image that keeps the short host name, gives the kubelet a name that EC2 does not have.',
    prevent:
      'Keep domain-name in the DHCP option set, and pass --hostname-override or a providerID in custom AMIs.',
    notThis:
      'A wrong domain is foreign-dhcp-domain-name; an i-… name is resource-based-name-mismatch; a bare name in the certificate while the kubelet asks for the EC2 name is node-name-differs-from-certificate.',
    refs: [
      'https://github.com/kubernetes/cloud-provider-aws/issues/384',
      'https://github.com/kubermatic/machine-controller/issues/967',
    ],
  },
});

export default matched(
  cause,
  (view) => matchNames(view) ?? matchFacts(view) ?? matchLease(view) ?? matchTold(view),
);

type Own = ViewOf<typeof cause>;

/** What `leased` says of a lease that gave no domain. */
const NO_DOMAIN = 'no-domain-name';

/** What EC2 calls the instance; metadata would need a session token to say it. */
const EC2_NAME =
  '$(aws ec2 describe-instances --instance-ids <instance> --query Reservations[].Instances[].PrivateDnsName --output text)';

/** The objects alone: a waiting Node without domain, and the name which EC2 has. */
function matchFacts(view: Own): Match | null {
  const refused = refusedName({
    nodes: view.list('kube/Node'),
    instances: view.list('aws/instance'),
    workloads: [...view.list('kube/DaemonSet'), ...view.list('kube/Deployment')],
    pods: view.everywhere('kube/Pod'),
    time: view,
  });
  if (refused?.difference !== 'no-domain') return null;
  const { node, instance, instanceId, ec2Name } = refused;
  const [ofNode, ofInstance] = wordsOfRefused(refused);
  const dhcp = dhcpDomainOf(instance.value, view.list('aws/vpc'), view.list('aws/dhcp-options'));
  const domain = dhcp === null || dhcp.domain === '' ? 'not set' : dhcp.domain;
  const lease = ofLease(view, node.value.internalIp ?? ipInName(node.value.name));
  return found({ node: node.value.name, instance: instanceId, ec2Name, ...lease.details }, [
    view.quote(node, ofNode),
    view.quote(instance, ofInstance),
    ...lease.proof,
    ...(dhcp === null
      ? []
      : [view.quote(dhcp.options, `${dhcp.optionsId} of ${dhcp.vpc}: domain-name ${domain}`)]),
  ]);
}

interface LeaseSays {
  readonly details: Details;
  readonly proof: readonly Quote[];
}

/** Whether DHCP gave the machine a domain at all, which tells the option set from the image. */
function ofLease(view: Own, address: string | null): LeaseSays {
  const lease = leaseAt(view.list('host/dhcp-lease'), address);
  if (lease === null) return { details: {}, proof: [] };
  const leased = lease.value.domainName === '' ? NO_DOMAIN : (lease.value.domainName ?? '');
  return { details: { leased }, proof: [view.quote(lease, domainWords(lease))] };
}

/** The cloud controller or an approver refuses the bare name, and the lease tells why it is bare. */
function matchLease(view: Own): Match | null {
  const refused = view.sign('notFoundByBareName') ?? view.sign('bareCertificateName');
  if (refused === null) return null;
  const { captures } = refused.last;
  const lease = ofLease(view, ipInName(captures['node'] ?? ''));
  if (lease.proof.length === 0) return null;
  return found({ ...captures, ...lease.details }, [refused.first, ...lease.proof]);
}

/** Somebody puts the name that the machine took beside the one that EC2 gave it. */
function matchTold(view: Own): Match | null {
  const told = view.sign('bareNameTold');
  const { node = '', full = '' } = told?.last.captures ?? {};
  if (told === null || full.split('.')[0] !== node) return null;
  return found({ node, ec2Name: full }, [told.last], 'likely');
}

function matchNames(view: Own): Match | null {
  const refused = (['refusedName', 'refusedObject', 'refusedInLog'] as const).flatMap(
    (name) => view.sign(name)?.quotes ?? [],
  );
  const quotes = refused.filter(isBare);
  const [first] = quotes;
  if (first !== undefined) {
    const lease = ofLease(view, ipInName(first.captures['node'] ?? ''));
    return found({ ...first.captures, ...lease.details }, [...quotes, ...lease.proof]);
  }
  return refused.length === 0 ? null : clear;
}

/** The kubelet asks for the host part of its own EC2 name. */
function isBare(quote: Quote): boolean {
  const { credential = '', node = '' } = quote.captures;
  return hasEc2Domain(credential) && node === credential.split('.')[0] && node.startsWith('ip-');
}
