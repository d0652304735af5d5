import { defineCause } from '../../../diagnosis/cause.ts';

/** The control plane hears nothing from a kubelet that used to report. */
export default defineCause({
  id: 'node-heartbeat-lost',
  stage: 'retained',
  title: 'the kubelet stopped reporting: dead, starved or cut off',
  scope: 'machine',
  signs: {
    unknownCondition: {
      in: ['node-status'],
      anchors: ['condition Ready=Unknown'],
      pattern: /^Node (?<node>\S+) condition Ready=Unknown NodeStatusUnknown/,
      weight: 'likely',
      strict: true,
    },
    pastedCondition: {
      in: ['node-status', 'object', 'client-output', 'kubelet', 'event', 'controller-manager'],
      anchors: ['Kubelet stopped posting node status'],
      pattern: /Kubelet stopped posting node status/,
      weight: 'likely',
    },
    plegStuck: {
      in: ['kubelet'],
      anchors: ['PLEG is not healthy'],
      pattern: /PLEG is not healthy: pleg was last seen active/,
      weight: 'context',
    },
  },
  needs: [],
  symptoms: ['node-not-ready'],
  summary: ({ node, machine }) =>
    `The kubelet of ${node ?? machine ?? 'the Node'} stopped reporting (Ready=Unknown): it is dead, starved of CPU or memory, or cut off from the API server; its pods are moved away after five minutes.`,
  remedy: ({ instance }) => [
    {
      text: 'See whether EC2 finds the instance sound.',
      command: `aws ec2 describe-instance-status --include-all-instances --instance-ids ${instance ?? '<instance>'} --query InstanceStatuses[].[InstanceState.Name,SystemStatus.Status,InstanceStatus.Status]`,
    },
    {
      text: 'On the machine, look at kubelet, runtime and memory.',
      command:
        'systemctl status kubelet containerd --no-pager; dmesg -T | grep -iE "out of memory|hung_task" | tail -n 20',
    },
    {
      text: 'Restart the kubelet, and reserve resources for it (systemReserved, kubeReserved) if it was starved.',
      command: 'sudo systemctl restart kubelet',
    },
  ],
  decide: {
    text: 'Read when the last heartbeat came and what the control plane says.',
    command: 'kubectl describe node <node>',
  },
  page: {
    why: 'A kubelet renews its lease every 10 seconds. After 40 seconds without, the control plane sets every condition to Unknown and taints the Node unreachable.',
    prevent:
      'systemReserved and kubeReserved on every node, memory limits on pods, alarms on EC2 status checks.',
    notThis:
      'Unknown means silence; False is the kubelet’s own report and names its reason (cni-configuration-missing, container-runtime-down). A terminated instance is instance-stopped-or-terminated or node-object-without-instance; many nodes at once behind one NAT gateway are idle-connection-dropped. `Kubelet never posted node status` is a Node no kubelet ever owned.',
    alsoKnownAs: [
      'Kubelet stopped posting node status',
      'NodeStatusUnknown',
      'node.kubernetes.io/unreachable',
    ],
    refs: [
      'https://kubernetes.io/docs/concepts/architecture/nodes/#node-heartbeats',
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
    ],
  },
});
