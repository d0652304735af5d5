import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { REFUSED_NAMES } from '../../../diagnosis/name-signs.ts';
import { context } from '../../../diagnosis/sign.ts';
import { hasEc2Domain, instanceIdIn, ipInName } from '../../../evidence/names.ts';
import type { Quote } from '../../../evidence/sighting.ts';

/** The kubelet asks for one Node name and its certificate carries another host name. */
const cause = defineCause({
  id: 'node-name-differs-from-certificate',
  stage: 'identified',
  title: 'the Node name differs from the name in the kubelet’s certificate',
  scope: 'machine',
  signs: {
    ...REFUSED_NAMES,
    otherNode: context(
      ['kubelet'],
      /can only create a node CSR with CN=|can only create pods with spec\.nodeName set to itself|can only access (?:node lease|CSINode) with the same name as the requesting node/,
      {
        anchors: [
          'can only create a node CSR with CN=',
          'can only create pods with spec.nodeName',
          'with the same name as the requesting node',
        ],
      },
    ),
  },
  needs: [],
  symptoms: ['node-forbidden', 'instance-not-found'],
  explains: [
    'instance-not-found-by-kubelet',
    'kubelet-serving-certificate-missing',
    'lease-or-csinode-publishing-failed',
  ],
  summary: ({ node, credential }) =>
    `The kubelet registers as ${node ?? 'one name'} but its credential is for ${credential ?? 'another'}; the API server lets no node touch the Node of another name.`,
  remedy: ({ node }) => [
    step(
      'Give the machine the name that EC2 has for it, before kubeadm runs.',
      `sudo hostnamectl set-hostname ${node !== undefined && hasEc2Domain(node) ? node : EC2_NAME}`,
    ),
    step(
      'Join again under that name, so that the certificate carries it.',
      `sudo kubeadm reset -f && sudo kubeadm join --node-name ${node ?? '<private-dns-name>'} <join-arguments>`,
    ),
  ],
  decide: step(
    'Compare the name in the certificate with the Node name that the kubelet asks for.',
    'sudo openssl x509 -in /var/lib/kubelet/pki/kubelet-client-current.pem -noout -subject; aws ec2 describe-instances --instance-ids <instance> --query Reservations[].Instances[].PrivateDnsName --output text; hostname -f',
  ),
  page: {
    why: 'With the in-tree AWS provider the kubelet registers under the EC2 private DNS name and ignores --hostname-override, while kubeadm writes the operating system’s host name into the certificate. A host renamed after the join ends the same way.',
    prevent:
      'Set the host name from instance metadata before kubeadm, and nodeRegistration.name to it; or use the external cloud provider with a providerID.',
    notThis:
      'When the credential has the EC2 name and the kubelet asks for the same address under another domain, it is foreign-dhcp-domain-name; without any domain, hostname-without-domain; with an i-… name on one side, resource-based-name-mismatch.',
    alsoKnownAs: [
      'is not allowed to modify node',
      'can only access node lease with the same name as the requesting node',
    ],
    refs: [
      'https://github.com/kubernetes/kubernetes/issues/47695',
      'https://github.com/kubernetes/kubeadm/issues/584',
      'https://github.com/kubernetes/kops/issues/13934',
    ],
  },
});

export default matched(cause, matchNames);

type Own = ViewOf<typeof cause>;

/** What EC2 calls the instance; metadata would need a session token to say it. */
const EC2_NAME =
  '$(aws ec2 describe-instances --instance-ids <instance> --query Reservations[].Instances[].PrivateDnsName --output text)';

function matchNames(view: Own): Match | null {
  const refused = (['refusedName', 'refusedObject', 'refusedInLog'] as const).flatMap(
    (name) => view.sign(name)?.quotes ?? [],
  );
  const quotes = refused.filter(differs);
  const [first] = quotes;
  if (first === undefined) return refused.length === 0 ? null : clear;
  const { credential = '', node = '' } = first.captures;
  const isRenamed = hasEc2Domain(node) && !hasEc2Domain(credential);
  return found(first.captures, quotes, isRenamed ? 'definite' : 'likely');
}

/** Two names of which the credential’s is not the EC2 name of the address that is asked for. */
function differs(quote: Quote): boolean {
  const { credential = '', node = '' } = quote.captures;
  const [left, right] = [instanceIdIn(credential), instanceIdIn(node)];
  if (left !== null || right !== null) return left !== null && right !== null && left !== right;
  if (credential === node) return false;
  const sameAddress = ipInName(credential) !== null && ipInName(credential) === ipInName(node);
  const sameHost = credential.split('.')[0] === node.split('.')[0];
  return !((sameAddress || sameHost) && hasEc2Domain(credential));
}
