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

/** Calico took the address of another interface than the one the Node is known by. */
const cause = defineCause({
  id: 'calico-address-on-wrong-interface',
  stage: 'networked',
  title: 'Calico uses the address of the wrong network interface',
  scope: 'machine',
  signs: {
    detected: context(
      ['calico-node'],
      /Using autodetected IPv4 address on interface (?<interface>[\w.:-]+): (?<address>\d+\.\d+\.\d+\.\d+)\/\d+|IPv4 address (?<address2>\d+\.\d+\.\d+\.\d+) discovered on interface (?<interface2>[\w.:-]+)/,
    ),
    peersOnBridge: likely(
      ['event', 'kubelet', 'calico-node'],
      /BGP not established with (?:[\d.]+,)*(?<address>172\.(?:1[7-9]|2\d|3[01])\.0\.1)(?![\d.])/,
    ),
    bridge: definite(
      ['calico-node'],
      /Using autodetected IPv4 address on interface (?<interface>(?:docker|virbr|br-|cni|flannel|cbr|kube-ipvs|nodelocaldns|lxc)[\w.-]*): (?<address>\d+\.\d+\.\d+\.\d+)/,
    ),
    toldBridge: likely(
      ['client-output', 'unknown'],
      /\b(?:BIRD|bird|[Cc]alico|calico-node)\b.{0,20}\b(?:announces?|announced|advertises?|advertised|uses?|used|takes?|took|picks?|picked)\b.{0,60}\b(?:bridge|docker ?\d?|docker network|virbr\d?)\b.{0,60}\b(?:address|BGP|node)\b/,
      { isTold: true, anchors: ['bridge', 'docker', 'virbr'] },
    ),
    noneFits: likely(
      ['calico-node'],
      /(?<undetected>Unable to auto-detect an IPv[46] address\b.{0,200}no valid host interfaces found|No IPv4 or IPv6 addresses configured or detected)/i,
      { anchors: ['no valid host interfaces found', 'addresses configured or detected'] },
    ),
    noRoute: context(
      ['calico-node'],
      /Unable to auto-detect (?:an )?IPv[46] address by connecting to|Unable to confirm IPv[46] address \S+ is assigned to this host|is already using the IPv[46] address/,
    ),
  },
  needs: ['kube/Node'],
  symptoms: ['cni-uninitialized'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['calico-dataplane-not-ready', 'node-to-node-traffic-blocked'],
  summary: ({ interface: name, address, internalIp, machine, undetected }) =>
    undetected !== undefined
      ? `Calico on ${machine ?? 'the node'} finds no interface that its detection method fits, so it has no address there and does not start.`
      : sentence`Calico on ${machine ?? 'the node'} uses ${address ?? 'the address'} of ${name ?? 'another interface'}${phrase` while the Node has ${internalIp}`}; other nodes cannot reach it there.`,
  remedy: () => [
    step(
      'Let Calico take the Node’s own address.',
      'kubectl -n kube-system set env daemonset/calico-node IP_AUTODETECTION_METHOD=kubernetes-internal-ip',
    ),
    step(
      'With the operator set it in its Installation.',
      'kubectl patch installation default --type merge -p \'{"spec":{"calicoNetwork":{"nodeAddressAutodetectionV4":{"kubernetes":"NodeInternalIP"}}}}\'',
    ),
  ],
  decide: step(
    'Compare Calico’s address with the Node’s.',
    "kubectl get nodes -o custom-columns='NAME:.metadata.name,INTERNAL:.status.addresses[0].address,CALICO:.metadata.annotations.projectcalico\\.org/IPv4Address'",
  ),
  page: {
    why: 'By default Calico takes the first address it finds. With several interfaces (a second ENI, the bridge of docker, whose 172.17.0.1 no EC2 instance can have) that may be one which peers cannot reach.',
    prevent: 'Set the detection method wherever nodes have more than one interface.',
    notThis:
      'With one interface, or when both addresses agree, missing BGP sessions are node-to-node-traffic-blocked or calico-dataplane-not-ready.',
    alsoKnownAs: ['BGP not established multiple NICs', 'IP_AUTODETECTION_METHOD'],
    refs: [
      'https://github.com/projectcalico/calico/issues/3541',
      'https://github.com/projectcalico/calico/issues/2483',
    ],
  },
});

export default matched(cause, matchAddress);

type Own = ViewOf<typeof cause>;

/** As kernels name the first interface of an instance: Xen, Nitro, and Amazon Linux 2023 on Xen. */
const FIRST_INTERFACE = /^(?:eth0|ens[35]|enX0)$/;

function matchAddress(view: Own): Match | null {
  const quote = view.sign('detected')?.last;
  const node = view.read('kube/Node');
  if (
    quote === undefined ||
    view.sign('bridge') !== null ||
    view.sign('peersOnBridge') !== null ||
    node.state !== 'seen'
  )
    return null;
  const { address = quote.captures['address2'], interface: name = quote.captures['interface2'] } =
    quote.captures;
  const internalIp = node.value.internalIp ?? '';
  if (address === undefined || !internalIp.includes('.')) return null;
  if (address === internalIp) return clear;
  // A Node goes by its first interface: a log of nobody knows whom with another address is of another.
  if (view.node === null && view.instanceId === null && FIRST_INTERFACE.test(name ?? ''))
    return null;
  return found(
    { address, interface: name ?? '', internalIp },
    [quote, view.quote(node, `Node InternalIP ${internalIp}`)],
    'likely',
  );
}
