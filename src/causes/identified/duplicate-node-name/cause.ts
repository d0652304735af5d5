import { defineCause } from '../../../diagnosis/cause.ts';

/** A machine joins under a name that a living Node already has. */
export default defineCause({
  id: 'duplicate-node-name',
  stage: 'identified',
  title: 'two machines claim the same Node name',
  scope: 'machine',
  signs: {
    nameTaken: {
      in: ['kubeadm', 'cloud-init'],
      anchors: ['already exists in the cluster'],
      pattern:
        /a Node with name "(?<name>[^"]+)" and status "Ready" already exists in the cluster/i,
      weight: 'definite',
    },
  },
  needs: [],
  symptoms: [],
  withdrawnBy: ['joined'],
  explains: ['failed-user-script'],
  summary: ({ name }) =>
    `The machine joins as ${name ?? 'a name'} that a Ready Node of the cluster already has, so kubeadm stops.`,
  remedy: ({ name }) => [
    {
      text: 'See whether that Node is another machine (address, machine id).',
      command: `kubectl get node ${name ?? '<node>'} -o jsonpath='{.status.nodeInfo.machineID} {.status.addresses}'`,
    },
    {
      text: 'Another machine: give this one a name of its own.',
      command: 'sudo kubeadm join --node-name <new-name> <join arguments>',
    },
    {
      text: 'The same machine, joined before: delete the old Node, then join again.',
      command: `kubectl delete node ${name ?? '<node>'}`,
    },
  ],
  decide: {
    text: 'Compare the machine id of the Node with the machine’s own.',
    command:
      "kubectl get node <node> -o jsonpath='{.status.nodeInfo.machineID}'; cat /etc/machine-id",
  },
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
