import { defineCause, found, matched, step } from '../../../diagnosis/cause.ts';
import { context, likely } from '../../../diagnosis/sign.ts';

/** The connection opens, and the server’s part of the TLS handshake never arrives. */
const cause = defineCause({
  id: 'tls-handshake-timeout',
  stage: 'reachable',
  title: 'the TLS handshake with the API server is never completed',
  scope: 'machine',
  signs: {
    registration: likely(
      ['kubelet', 'bottlerocket'],
      /[Uu]nable to register node.*net\/http: TLS handshake timeout/,
      { atLeast: 3, enoughOnce: 'alone' },
    ),
    registrationOnce: context(
      ['kubelet', 'bottlerocket'],
      /[Uu]nable to register node.{0,400}net\/http: TLS handshake timeout/,
      { isBackground: true },
    ),
    // curl -v: the connection is there, the greeting is sent, and nothing comes back.
    helloSent: context(
      ['client-output', 'unknown', 'host-file'],
      /TLS handshake, Client hello \(1\)/,
      { isBackground: true },
    ),
    nothingReceived: context(
      ['client-output', 'unknown', 'host-file'],
      /\b(?:Operation|SSL connection|Connection) timed? ?out\b.{0,60}\b0 (?:out of 0 )?bytes received|SSL connection timeout/,
      { anchors: ['bytes received', 'SSL connection timeout'], isBackground: true },
    ),
    discovery: likely(
      ['kubeadm', 'cloud-init'],
      /error execution phase \S+ couldn't validate the identity of the API Server.*net\/http: TLS handshake timeout/,
      { anchors: ['TLS handshake timeout'] },
    ),
    bootstrapRequest: likely(
      ['nodeup'],
      /failed to get node config from server.*net\/http: TLS handshake timeout/,
      { anchors: ['TLS handshake timeout'], atLeast: 3, enoughOnce: 'alone' },
    ),
    statusUpdate: likely(
      ['kubelet', 'bottlerocket'],
      /(?:Error updating node status, will retry|Failed to (?:list|watch) \*(?:v1|api)\.(?:Node|Service|Pod)\b).*net\/http: TLS handshake timeout/,
      { anchors: ['TLS handshake timeout'], atLeast: 12, enoughOnce: 'alone' },
    ),
  },
  needs: [],
  symptoms: ['api-silent'],
  withdrawnBy: ['api-answered', 'joined', 'node-registered', 'node-ready'],
  explains: ['failed-user-script'],
  summary: ({ machine }) =>
    `${machine ?? 'The machine'} connects to the API server, and the server’s certificate never arrives: packets of full size are lost on the way, something inspects TLS, or the server is overloaded.`,
  remedy: () => [
    step(
      'See which packet size passes (1472 is 1500 without headers; jumbo frames need 8973).',
      'ping -c 2 -M do -s 1472 <control-plane-address>; ip -o link show | grep -o "mtu [0-9]*"; tracepath -n <control-plane-address>',
    ),
    step(
      'Where large packets are lost, lower the interface’s MTU (VPN, transit gateway and peering carry less), or let ICMP type 3 code 4 through.',
      "sudo ip link set dev $(ip route show default | awk '{print $5; exit}') mtu 1400",
    ),
    step(
      'Take the endpoint out of TLS inspection.',
      'openssl s_client -connect <endpoint-name>:443 </dev/null 2>/dev/null | openssl x509 -noout -issuer',
    ),
  ],
  decide: step(
    'Watch the handshake; Connected followed by silence is this.',
    'curl -vk -m 15 https://<endpoint-name>/healthz 2>&1 | grep -iE "connected|TLS|timed out"',
  ),
  page: {
    why: 'The small packets of the TCP handshake pass, the large ones with the certificate do not: a smaller MTU on the way whose ICMP answers are blocked. Middleboxes that inspect TLS and an overloaded API server look alike.',
    prevent:
      'Allow ICMP fragmentation-needed in security groups and network ACLs, and keep one MTU on the whole path.',
    notThis:
      'One or two of them come with every change of the control plane. No connection at all is api-port-blocked; a certificate that arrives and is refused is untrusted-api-certificate; a busy server that answers 429 or 503 is overloaded-api-server.',
    alsoKnownAs: ['net/http: TLS handshake timeout'],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
      'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/network_mtu.html',
    ],
  },
});

/** One complaint counts where a person tried: the greeting is sent and not one byte comes back. */
export default matched(cause, (view) => {
  const said = view.sign('registrationOnce')?.last;
  const hello = (view.sign('helloSent') ?? view.clusterSign('helloSent'))?.last;
  const silence = (view.sign('nothingReceived') ?? view.clusterSign('nothingReceived'))?.last;
  if (view.isLive || said === undefined || hello === undefined || silence === undefined)
    return null;
  return found({}, [said, hello, silence], 'likely');
});
