import { defineCause, step } from '../../../diagnosis/cause.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { context, likely } from '../../../diagnosis/sign.ts';

/** A health check replaced the instance, and what was wrong with it went with it. */
export default defineCause({
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
  },
  needs: [],
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
      'The failed condition (IPAMDNotReady, InterfaceNotRunning, …) is the cause to look for. `EC2 health check indicating it has been terminated or stopped` is only the echo of somebody else’s termination.',
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/node-health.html',
      'https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-health-checks.html',
    ],
  },
});
