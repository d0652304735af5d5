import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { clears, context, definite, likely } from '../../../diagnosis/sign.ts';

const SPEAKERS = ['journal', 'console', 'cloud-init', 'kernel', 'bottlerocket'] as const;
const ADDRESS_SHOWN =
  /ci-info: \|\s{1,10}(?:eth|ens|enp)\S*\s{1,10}\|\s{1,3}True\s{1,3}\|\s{1,20}(?!127\.)\d{1,3}\.\d{1,3}\.\d/;
const ADDRESS_GIVEN =
  /\bDHCPACK\b|bound to \d{1,3}\.|DHCPv4 address \d{1,3}\.|dhcp4 \([\w.-]{1,15}\): .{0,40}new lease|leased \d{1,3}\.\d/;

/** Without an address nothing on the machine reaches anything. */
const cause = defineCause({
  id: 'no-dhcp-address',
  stage: 'reachable',
  title: 'the machine got no address by DHCP',
  scope: 'machine',
  signs: {
    noOffer: definite(SPEAKERS, /No DHCPOFFERS received|No working leases in persistent database/),
    requestTimedOut: definite(
      SPEAKERS,
      /dhcp4 \((?<interface>[\w.-]{1,15})\): (?:request timed out|state changed \S+ -> (?:timeout|fail)\b)|(?<interface2>[\w.-]{1,15}): DHCPv4 lease lost/,
    ),
    clientTimedOut: likely(
      SPEAKERS,
      /dhcpcd(?:-\S{1,10})?\[\d+\]: (?:(?<interface>[\w.-]{1,15}): )?timed out|\bNoDHCPLease(?:Interface)?Error\b|[Nn]o DHCP lease (?:was )?(?:found|obtained)|(?<interface2>[\w.-]{1,15}): Defer DHCPv4 timeout reached/,
    ),
    waitFailed: likely(
      SPEAKERS,
      /\[\s*FAILED\s*\] Failed to start .*Wait for Network to be Configured|Failed to start (?:systemd-networkd-wait-online\.service - )?Wait for Network to be Configured|wait-online\S*: (?:Timeout occurred while waiting for network connectivity|Event loop failed: Connection timed out)/,
    ),
    interfaceDown: context(
      ['cloud-init', 'console'],
      /ci-info: \|\s{1,10}(?<interface>(?:eth0|ens\d+|enp\S+))\s{1,10}\|\s{1,3}False\s{1,3}\|\s{1,20}\.\s/,
    ),
    // What an image kept of the machine that it was built on: its name, or its MAC address.
    foreignMac: likely(
      SPEAKERS,
      /Device (?<interface>(?:eth|ens|enp|eno)\w{1,12}) has different MAC address than expected, ignoring/,
    ),
    interfaceMissing: context(
      SPEAKERS,
      /Cannot find device "(?<interface>(?:eth|ens|enp|eno)\w{1,12})"|device \((?<interface2>(?:eth|ens|enp|eno)\w{1,12})\): interface not found|Device (?<interface3>(?:eth|ens|enp|eno)\w{1,12}) does not seem to be present|(?:eth|ens|enp|eno)\w{1,12}: Could not bring up interface/,
    ),
    // The kernel knows no way even to the link itself.
    metadataWithoutRoute: context(
      ['cloud-init', 'console', 'nodeadm', 'client-output', 'unknown'],
      /169\.254\.169\.254.{0,400}\b[Nn]etwork is unreachable\b/,
      { anchors: ['169.254.169.254'], isBackground: true },
    ),
    metadataGivenUp: context(
      ['cloud-init', 'console', 'nodeadm'],
      /Giving up on (?:md from|waiting for the metadata)|Command failed.{0,600}network is unreachable/,
      { anchors: ['Giving up on ', 'Command failed'], isBackground: true },
    ),
    apiWithoutRoute: context(
      ['kubelet', 'kubeadm', 'cloud-init'],
      /dial tcp \S{1,60}: connect: network is unreachable/,
      { isBackground: true },
    ),
    // A row of `ip -brief address` or `ip -brief link`.
    linkDown: context(
      ['client-output', 'unknown', 'host-file'],
      /^(?<interface>(?:eth|ens|enp|eno)\w{1,12})\s{0,20} {2}DOWN\b(?!.{0,80}\d\/\d)/,
      { anchors: ['  DOWN'] },
    ),
    // `ip -brief address` tells of another interface that has one.
    linkUp: context(
      ['client-output', 'unknown', 'host-file'],
      /^(?:eth|ens|enp|eno|bond|br)[\w.-]{1,12}\s{0,20}(?: {2}UP {2}| {2}UNKNOWN)\s{0,20}\d{1,3}\.\d/,
      { anchors: ['  UP  ', '  UNKNOWN'], isBackground: true },
    ),
    addressGiven: clears([...SPEAKERS, 'host-file'], ADDRESS_GIVEN),
    addressShown: clears(['cloud-init', 'console'], ADDRESS_SHOWN),
    hasAddress: context(
      [...SPEAKERS, 'host-file'],
      new RegExp(`${ADDRESS_GIVEN.source}|${ADDRESS_SHOWN.source}`),
      { isBackground: true },
    ),
  },
  needs: [],
  symptoms: [],
  explains: [
    'imds-unreachable-on-host',
    'late-instance-credentials',
    'install-download-failed',
    'package-manager-update-failed',
    'describe-cluster-failed',
    'private-dns-name-lookup-failed',
    'node-name-service-stuck',
    'failed-user-script',
    'kubelet-without-kubeconfig',
    'api-name-unresolvable',
    'no-nat-or-vpc-endpoints',
    'api-port-blocked',
  ],
  withdrawnBy: ['kubelet-started', 'api-answered', 'node-registered', 'node-ready'],
  summary: ({ machine, interface: name, interface2, interface3 }) =>
    `${machine ?? 'The machine'} got no address by DHCP${(name ?? interface2 ?? interface3) === undefined ? '' : ` on ${name ?? interface2 ?? interface3 ?? ''}`}, so it reaches neither AWS nor the API server.`,
  remedy: () => [
    step(
      'Read the console: it says which interface waits and which client asks.',
      'aws ec2 get-console-output --latest --output text --instance-id <instance>',
    ),
    step(
      'See what the machine knows of its interfaces and of the client’s configuration.',
      'ip -br addr; networkctl status --no-pager; ls /etc/systemd/network /etc/netplan /etc/sysconfig/network-scripts 2>/dev/null',
    ),
    step(
      'In an image of your own: remove interface names and MAC addresses that the build machine left, and run cloud-init again.',
      'sudo rm -f /etc/udev/rules.d/70-persistent-net.rules /etc/netplan/50-cloud-init.yaml && sudo cloud-init clean --logs --reboot',
    ),
    step(
      'Outside of AWS: see whether the DHCP server reaches the VLAN of the machine and has addresses left.',
      'sudo tcpdump -ni any -c 20 port 67 or port 68',
    ),
  ],
  decide: step(
    'Read what the DHCP client said.',
    "journalctl -b --no-pager | grep -iE 'dhcp|networkd|wait-online' | tail -n 40",
  ),
  page: {
    why: 'EC2 answers DHCP itself, so that there the fault is mostly in the image: a fixed interface name or MAC address, a missing ENA driver, two network managers. On bare metal the DHCP server is out of reach or out of addresses.',
    prevent:
      'Clean images of network state before they are sealed, and boot-test them on another type.',
    notThis:
      'Wait for Network to be Configured also fails on nodes that work, when a second interface stays without an address: once the kubelet started it is not this. A machine with an address that metadata does not answer is imds-unreachable-on-host; a second interface that came up first is secondary-interface-up-first. Rules that a network manager changes on a running node are host-network-manager-interference.',
    alsoKnownAs: [
      '[FAILED] Failed to start Wait for Network to be Configured.',
      'No DHCPOFFERS received',
      'dhcp4 (eth0): request timed out',
    ],
    refs: [
      'https://anywhere.eks.amazonaws.com/docs/troubleshooting/troubleshooting/',
      'https://github.com/canonical/cloud-init/blob/HEAD/cloudinit/net/dhcp.py',
      'https://github.com/NetworkManager/NetworkManager/blob/main/src/core/dhcp/nm-dhcp-client.c',
    ],
  },
});

export default matched(cause, matchNoNetwork);

type Own = ViewOf<typeof cause>;

/** No interface is up, or the kernel has no route at all, where a program waits for an answer. */
function matchNoNetwork(view: Own): Match | null {
  // The rows of a table alone name no machine.
  const around = (
    name: 'interfaceDown' | 'interfaceMissing' | 'linkDown' | 'linkUp' | 'hasAddress',
  ) => view.sign(name) ?? view.clusterSign(name);
  if (around('hasAddress') !== null || around('linkUp') !== null) return null;
  const down = (around('interfaceDown') ?? around('interfaceMissing') ?? around('linkDown'))?.last;
  const [unrouted, ended, api] = [
    view.sign('metadataWithoutRoute')?.last,
    view.sign('metadataGivenUp')?.last,
    view.sign('apiWithoutRoute')?.last,
  ];
  const silent = unrouted ?? api ?? (view.sign('interfaceDown') === null ? undefined : ended);
  if (down !== undefined && silent !== undefined)
    return found(down.captures, [down, silent], 'likely');
  if (unrouted === undefined || ended === undefined) return null;
  return found({}, [unrouted, ended], 'likely');
}
