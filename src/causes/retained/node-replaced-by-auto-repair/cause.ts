import {
  cannotSay,
  defineCause,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { context, likely } from '../../../diagnosis/sign.ts';

/** A health check replaced the instance, and what was wrong with it went with it. */
const cause = defineCause({
  id: 'node-replaced-by-auto-repair',
  stage: 'retained',
  title: 'a health check replaced the instance before anybody looked at it',
  scope: 'machine',
  signs: {
    loadBalancerCheck: likely(
      ['aws-message'],
      /Terminating EC2 instance: (?<instance>i-[0-9a-f]{8,17}).*in response to an? (?<check>ELB system health check failure|user health-check)/,
    ),
    pasted: likely(
      ['aws-message', 'client-output'],
      /taken out of service in response to an? (?<check>ELB system health check failure|user health-check)/,
    ),
    repairEvent: context(['event', 'karpenter'], /\b(?:NodeRepair|node repair)\b/),
    nodesTold: context(
      ['unknown', 'client-output'],
      /\b(?:[Nn]ode groups?|[Nn]odegroups?|[Ww]orker nodes?|EKS (?:managed )?(?:nodes?|clusters?|workers?)|[Kk]ubernetes (?:nodes?|clusters?|workers?)|(?:the|our|my|new) nodes)\b/,
      {
        isTold: true,
        isBackground: true,
        anchors: [
          'ode group',
          'odegroup',
          'orker node',
          'EKS managed ',
          'EKS node',
          'EKS cluster',
          'EKS worker',
          'ubernetes ',
          'the nodes',
          'our nodes',
          'my nodes',
          'new nodes',
        ],
      },
    ),
  },
  needs: ['aws/node-group', 'aws/cluster'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['instance-stopped-or-terminated', 'node-deleted-as-not-in-cloud'],
  summary: ({ instance, machine, check }) =>
    sentence`The instance ${instance ?? machine} was terminated and replaced because of ${check === 'user health-check' ? 'a health status that a tool set (node auto repair, a script)' : 'a failed load balancer health check'}; why it was unhealthy must be read from what is left of it.`,
  remedy: ({ instance, check }) => [
    step(
      'Read the console of the old instance while EC2 keeps it.',
      `aws ec2 get-console-output --output text --instance-id ${instance ?? '<instance>'}`,
    ),
    check === 'user health-check'
      ? step(
          'Hold the replacement while you look at the next one.',
          'aws eks update-nodegroup-config --cluster-name <cluster> --nodegroup-name <node-group> --node-repair-config enabled=false',
        )
      : step(
          'Do not let a load balancer decide over nodes: use the EC2 check for the group.',
          'aws autoscaling update-auto-scaling-group --auto-scaling-group-name <group> --health-check-type EC2',
        ),
  ],
  decide: step(
    'Read the cause of the group’s last terminations.',
    'aws autoscaling describe-scaling-activities --auto-scaling-group-name <group> --max-items 20',
  ),
  page: {
    why: 'A group with ELB health checks terminates nodes whose target is unhealthy, often because an ingress pod is not there; EKS node auto repair replaces nodes with a failed condition after 10 to 30 minutes.',
    prevent:
      'EC2 health checks for node groups; collect logs by NodeDiagnostic before the repair comes.',
    notThis:
      'The failed condition (IPAMDNotReady, InterfaceNotRunning, …) is the cause to look for. `EC2 health check indicating it has been terminated or stopped` is only the echo of somebody else’s termination. A group of other servers is replaced with the same words: the evidence must show that its machines are nodes.',
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/node-health.html',
      'https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-health-checks.html',
    ],
  },
});

export default matched(cause, matchReplaced);

type Own = ViewOf<typeof cause>;

/** Words in an activity, mostly of the name of its group, by which it is a group of nodes. */
const OF_NODES = /\beks[-_]|k8s|kube|node(?!js)|workers?\b|karpenter|cluster|[-_]ng\b/i;

/** True where the evidence knows of Nodes; groups of web servers are replaced with the same words. */
function knowsNodes(view: Own): boolean {
  const isSaid = (['nodesTold', 'repairEvent'] as const).some(
    (name) => (view.sign(name) ?? view.clusterSign(name)) !== null,
  );
  return (
    isSaid ||
    view.knowsNode() ||
    view.machinesWithLogs().all > 0 ||
    view.everywhere('aws/node-group').length > 0 ||
    view.everywhere('aws/cluster').length > 0
  );
}

function matchReplaced(view: Own): Match | null {
  const seen = [view.sign('loadBalancerCheck'), view.sign('pasted')].filter((one) => one !== null);
  const isOfNodes = seen.some(({ last }) => OF_NODES.test(last.excerpt));
  if (seen.length === 0 || isOfNodes || knowsNodes(view)) return null;
  return cannotSay({
    reason: 'not-in-source',
    detail: 'nothing shows that the group is of nodes',
    collect: 'kubectl get nodes -o wide',
  });
}
