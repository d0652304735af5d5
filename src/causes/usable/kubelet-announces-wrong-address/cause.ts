import type { Instance } from '../../../evidence/aws/instance.ts';
import {
  clear,
  defineCause,
  found,
  foundInShown,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite } from '../../../diagnosis/sign.ts';
import type { Sighting } from '../../../evidence/sighting.ts';
import { WRONG_ADDRESS } from '../../../diagnosis/address-signs.ts';
import { ipInName } from '../../../evidence/names.ts';
import {
  apartFromOthers,
  isOfSecondInterface,
  misannounced,
} from '../../../domain/nodes/announced-address.ts';

/** The address in the Node is one by which nobody reaches the kubelet. */
const cause = defineCause({
  id: 'kubelet-announces-wrong-address',
  stage: 'usable',
  title: 'the kubelet announces an address that the others cannot reach',
  scope: 'machine',
  signs: {
    ...WRONG_ADDRESS,
    notOnHost: definite(
      ['kubelet'],
      /(?:validate nodeIP: )?[Nn]ode IP: "?(?<address>[\da-f.:]+)"? not found in the host's network interfaces/,
    ),
    notOfInstance: definite(
      ['kubelet', 'cloud-controller', 'controller-manager'],
      /failed to get node address from cloud provider that matches ip: (?<address>[\da-f.:]+)|[Ss]pecified Node IP not found in cloudprovider for node "?(?<node>[a-z0-9][\w.-]*)?/,
    ),
    notReached: context(
      ['client-output', 'event', 'kube-apiserver', 'pod-app', 'journal'],
      /dial tcp (?<address>\d+\.\d+\.\d+\.\d+):10250: (?:i\/o timeout|(?:connect|getsockopt): )/,
    ),
    // A bridge for guests of the machine, or for its containers, which no other machine reaches.
    innerAddress: context(
      ['client-output', 'unknown', 'host-file'],
      /^\s{0,4}(?:virbr|docker|lxdbr|podman)\d{1,3}(?:@\S{1,20})?\s{1,20}(?:UP|DOWN|UNKNOWN)\s{1,20}(?<inner>\d{1,3}(?:\.\d{1,3}){3})\/|\binet (?<inner2>\d{1,3}(?:\.\d{1,3}){3})\/\d{1,2}\s.{0,80}\b(?:virbr|docker|lxdbr|podman)\d{1,3}\s{0,4}$/,
      { anchors: ['virbr', 'docker', 'lxdbr', 'podman'] },
    ),
    announced: context(
      ['client-output', 'node-status', 'unknown'],
      /\bInternalIP:\s{1,12}(?<announced>\d+\.\d+\.\d+\.\d+)\b/,
    ),
    namedAfter: context(
      ['client-output', 'node-status', 'unknown'],
      /\b(?:InternalDNS|Hostname):\s{1,12}(?<node>ip-\d+-\d+-\d+-\d+)\b/,
      { anchors: ['InternalDNS:', 'Hostname:'] },
    ),
  },
  needs: ['kube/Node', 'aws/instance'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['node-ports-closed-to-control-plane'],
  summary: ({ node, machine, address, primary }) =>
    primary === undefined
      ? `The kubelet of ${node ?? machine ?? 'the node'} announces ${address === undefined ? 'an address' : `the address ${address}`} that its machine does not have for others, so logs, exec and node-to-node traffic fail.`
      : `The Node ${node ?? ''} has the address ${address ?? ''}, which does not answer, and not ${primary}, by which its machine is reached, so logs and exec of its pods fail.`,
  remedy: ({ primary }) => [
    step(
      'Name the address to the kubelet: --node-ip in its extra arguments, then restart it.',
      `echo 'KUBELET_EXTRA_ARGS=--node-ip=${primary ?? '<address>'}' | sudo tee /etc/default/kubelet && sudo systemctl restart kubelet`,
    ),
    step(
      'In user data, take it from metadata rather than from an interface’s name or order.',
      'TOKEN=$(curl -sX PUT -H "X-aws-ec2-metadata-token-ttl-seconds: 60" http://169.254.169.254/latest/api/token); curl -s -H "X-aws-ec2-metadata-token: $TOKEN" http://169.254.169.254/latest/meta-data/local-ipv4',
    ),
  ],
  decide: step(
    'Compare the Node’s InternalIP with the primary address of the instance.',
    'kubectl get nodes -o wide; aws ec2 describe-instances --instance-ids <instance> --query "Reservations[].Instances[].[PrivateIpAddress,NetworkInterfaces[].PrivateIpAddresses[].PrivateIpAddress]"',
  ),
  page: {
    why: 'The kubelet takes the address of the default route’s interface, or what the cloud provider lists first. With several interfaces, a network of the hypervisor beside that of the cluster, a floating address, an address that the CNI gives to pods, or a --node-ip that was copied from another machine, that is not where others find it.',
    prevent:
      'Set --node-ip from metadata on machines with several interfaces; keep the CNI’s interfaces out of the cloud provider’s addresses.',
    notThis:
      'The right address that does not answer is node-ports-closed-to-control-plane: a security group or route. A certificate that lacks the address is serving-certificate-without-address. Calico with the wrong one is calico-address-on-wrong-interface.',
    alsoKnownAs: [
      "failed to validate nodeIP: node IP not found in the host's network interfaces",
      'failed to get node address from cloud provider that matches ip',
    ],
    refs: [
      'https://github.com/kubernetes/kubernetes/issues/61921',
      'https://github.com/kubernetes/cloud-provider-aws/issues/890',
      'https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/troubleshooting-kubeadm/',
    ],
  },
});

export default matched(cause, matchAddress);

type Own = ViewOf<typeof cause>;

/** Calls to the Node's address fail, and it is not the one by which EC2 knows the machine. */
function matchAddress(view: Own): Match | null {
  if (view.sign('notOnHost') !== null || view.sign('notOfInstance') !== null) return null;
  const call = view.sign('notReached') ?? view.clusterSign('notReached');
  const address = call?.last.captures['address'];
  if (call === null || address === undefined) return null;
  const nodes = view.everywhere('kube/Node');
  const instances = view.everywhere('aws/instance');
  const other = misannounced(address, nodes, instances);
  const told = view.sign('wrongAddressTold');
  if (told !== null && instances.length === 0)
    return found({ address }, [call.last, told.last], 'likely');
  const shown =
    matchInner(view, call, address) ??
    matchShown(view, address) ??
    matchApart(view, call, address) ??
    (instances.length === 0 ? matchSecond(view, call, address) : null);
  if (shown !== null) return shown;
  if (other === null)
    return instances.some(({ value }) => value.PrivateIpAddress === address) ? clear : null;
  const { node, instance, primary } = other;
  const id = instance.value.InstanceId ?? '';
  return found({ node: node.value.name, address, primary }, [
    call.last,
    view.quote(node, `Node ${node.value.name} InternalIP ${address}`),
    view.quote(instance, `${id} ${addressesOf(instance.value)}`),
  ]);
}

/** The address that is called belongs to a bridge within the machine. */
function matchInner(view: Own, call: Sighting, address: string): Match | null {
  const seen = view.sign('innerAddress') ?? view.clusterSign('innerAddress');
  const own = (seen?.quotes ?? []).find(
    ({ captures }) => (captures['inner'] ?? captures['inner2']) === address,
  );
  return own === undefined || view.isLive
    ? null
    : foundInShown(found({ address }, [call.last, own], 'likely'));
}

/** EC2 names a machine after its primary address, so a name of another address tells it. */
function matchShown(view: Own, address: string): Match | null {
  const announced = view.sign('announced') ?? view.clusterSign('announced');
  const named = view.sign('namedAfter') ?? view.clusterSign('namedAfter');
  if (announced === null || named === null) return null;
  if (announced.last.captures['announced'] !== address) return null;
  const node = named.last.captures['node'] ?? '';
  const primary = ipInName(node);
  if (primary === null || primary === address) return null;
  return found({ node, address, primary }, [announced.last, named.last], 'likely');
}

/** The machine has an address in the network of all other Nodes, and announces another. */
function matchApart(view: Own, call: Sighting, address: string): Match | null {
  const shown = view.sign('machineAddresses') ?? view.clusterSign('machineAddresses');
  const nodes = view.everywhere('kube/Node');
  for (const quote of shown?.quotes ?? []) {
    const apart = apartFromOthers(address, nodes, quote.captures['addresses'] ?? '');
    if (apart === null) continue;
    const { name } = apart.node.value;
    const proof = [call.last, view.quote(apart.node, `Node ${name} InternalIP ${address}`), quote];
    return found({ node: name, address, primary: apart.primary }, proof, 'likely', [name]);
  }
  return null;
}

/** People tell of a second interface, and the address that does not answer is in its network. */
function matchSecond(view: Own, call: Sighting, address: string): Match | null {
  const nodes = view.everywhere('kube/Node');
  const seen = view.sign('secondInterfaceTold') ?? view.clusterSign('secondInterfaceTold');
  const told = (seen?.quotes ?? []).find(({ captures }) =>
    isOfSecondInterface(address, nodes, { network: captures['network'] }),
  );
  if (told === undefined || view.isLive) return null;
  const node = nodes.find(({ value }) => value.internalIp === address);
  if (node === undefined) return found({ address }, [call.last, told], 'likely');
  const { name } = node.value;
  const announced = view.quote(node, `Node ${name} InternalIP ${address}`);
  return found({ node: name, address }, [call.last, announced, told], 'likely', [name]);
}

function addressesOf(instance: Instance): string {
  const others = (instance.NetworkInterfaces ?? [])
    .flatMap((one) => one.PrivateIpAddresses ?? [])
    .map((one) => one.PrivateIpAddress ?? '')
    .filter((address) => address !== '' && address !== instance.PrivateIpAddress);
  const more = others.length === 0 ? '' : `, further addresses ${others.slice(0, 6).join(', ')}`;
  return `primary address ${instance.PrivateIpAddress ?? ''}${more}`;
}
