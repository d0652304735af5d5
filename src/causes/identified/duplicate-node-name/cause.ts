import { foreignProvider } from '../../../domain/naming/seen-names.ts';
import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite } from '../../../diagnosis/sign.ts';
import { isoMs } from '../../../evidence/time.ts';
import { foreseenByKubeadm } from '../../../diagnosis/foreseen-kubeadm.ts';
import { NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { kubeletFlag } from '../../../domain/planned/kubeadm.ts';

/** A machine joins under a name that a living Node already has. */
const cause = defineCause({
  id: 'duplicate-node-name',
  stage: 'identified',
  title: 'two machines claim the same Node name',
  scope: 'machine',
  signs: {
    nameTaken: definite(
      ['kubeadm', 'cloud-init'],
      /a Node with name "(?<name>[^"]+)" and status "Ready" already exists in the cluster/i,
      { anchors: ['already exists in the cluster'] },
    ),
    secondOwner: context(
      ['kubelet', 'controller-manager', 'calico-node'],
      /CSINode \S+ was owned by different node|detected topology value collision: driver reported|Node already has a CIDR allocated\. Releasing|multiple nodes with the same name|IPv4 address conflict/,
      {
        anchors: [
          'was owned by different node',
          'detected topology value collision',
          'Node already has a CIDR allocated',
          'multiple nodes with the same name',
          'IPv4 address conflict',
        ],
      },
    ),
  },
  needs: ['kube/Node', 'aws/instance'],
  symptoms: [],
  withdrawnBy: ['joined'],
  explains: ['failed-user-script', 'node-object-without-instance', 'node-heartbeat-lost'],
  summary: ({ name, old, instance }) =>
    old !== undefined
      ? `${instance ?? 'The machine'} reports as the Node ${name ?? ''} of ${old}, which is gone and had the same name: it has that one’s providerID, labels and taints, and the cloud controller takes it for gone.`
      : `The machine joins as ${name ?? 'a name'} that a Ready Node of the cluster already has, so kubeadm stops.`,
  remedy: ({ name, old }) =>
    old !== undefined
      ? [
          step(
            'Delete the Node, whose providerID cannot be changed, then let the kubelet register again.',
            `kubectl delete node ${name ?? '<node>'}`,
          ),
          step('A kubelet registers when it starts.', 'sudo systemctl restart kubelet'),
        ]
      : [
          step(
            'See whether that Node is another machine (address, machine id).',
            `kubectl get node ${name ?? '<node>'} -o jsonpath='{.status.nodeInfo.machineID} {.status.addresses}'`,
          ),
          step(
            'Another machine: give this one a name of its own.',
            'sudo kubeadm join --node-name <new-name> <join-arguments>',
          ),
          step(
            'The same machine, joined before: delete the old Node, then join again.',
            `kubectl delete node ${name ?? '<node>'}`,
          ),
        ],
  decide: step(
    'Compare the machine id of the Node with the machine’s own.',
    "kubectl get node <node> -o jsonpath='{.status.nodeInfo.machineID}'; cat /etc/machine-id",
  ),
  page: {
    why: 'Cloned images keep their host name, and a replaced machine may get the address, and with it the name, of the one before while its Node is still Ready.',
    prevent:
      'Host names from instance metadata, and the old Node deleted before its address is used again.',
    notThis:
      'A line “was previously registered” is usual after each restart of a kubelet. kops-controller refuses for the same reason in its own words: existing-node-blocks-rebootstrap.',
    refs: [
      'https://github.com/kubernetes/kubernetes/blob/HEAD/cmd/kubeadm/app/cmd/phases/join/kubelet.go',
      'https://github.com/kubernetes/kubernetes/issues/71398',
    ],
  },
});

const judged = matched(cause, matchSuccessor);

type Own = ViewOf<typeof cause>;

/** A Node of a gone instance, which a younger machine with its address keeps up to date. */
function matchSuccessor(view: Own): Match | null {
  const foreign = foreignProvider(view.list('kube/Node'), view.list('aws/instance'));
  if (foreign === null) return null;
  const { node, named, namedInstance, actual, actualId } = foreign;
  const state = namedInstance?.value.State?.Name ?? 'unknown to EC2';
  const isGone =
    namedInstance === null
      ? view.isComplete('aws/instance')
      : state === 'terminated' || state === 'shutting-down';
  const launched = actual.value.LaunchTime ?? '';
  const heard = node.value.conditions.find(({ type }) => type === 'Ready')?.heartbeatMs ?? null;
  const launchedMs = isoMs(launched);
  if (!isGone || heard === null || launchedMs === null || heard < launchedMs) return null;
  // A Node that came with this machine is its own, whatever its providerID says by now.
  if ((node.value.createdMs ?? launchedMs) > launchedMs) return null;
  const { name, providerId, internalIp } = node.value;
  const words = `Node ${name} providerID ${providerId ?? ''} InternalIP ${internalIp ?? ''}`;
  return found({ name, old: named, instance: actualId }, [
    view.quote(node, `${words}; ${named} is ${state}`),
    view.quote(actual, `${actualId} running ${internalIp ?? ''} since ${launched}`),
  ]);
}

export default foreseenByKubeadm(
  judged,
  (plan, { fact, own }, group) => {
    const named = own.registrations.find(({ name }) => name !== null);
    const override = kubeletFlag(own, 'hostname-override');
    const name = override ?? named?.name;
    if (own.template === null) return NOT_SHOWN;
    if (named === undefined && override === null) return clear;
    if (typeof name !== 'string') return NOT_SHOWN;
    if (group.desired === null) return NOT_SHOWN;
    if (group.desired < 2) return clear;
    const field =
      override === null
        ? `${named?.of ?? ''} nodeRegistration.name`
        : 'kubeletExtraArgs hostname-override';
    return found({ name }, [
      plan.quote(fact, `${field} ${name}`),
      plan.quote(group.fact, `${group.name} starts with ${group.desired} machines`),
    ]);
  },
  {
    summary: ({ planned, name }) =>
      `All machines of ${planned ?? 'the group'} will claim the Node name ${name ?? 'of one'}, so one of them joins and the others do not.`,
    remedy: () => [
      step('Take nodeRegistration.name out, or let the script fill it in from instance metadata.'),
    ],
  },
);
