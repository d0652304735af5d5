import { clear, defineCause, found } from '../../../diagnosis/cause.ts';
import { listAt, textAt } from '../../../evidence/json.ts';

/** The Auto Scaling group may not launch, or a lifecycle hook that nobody answers ends the launch. */
export default defineCause({
  id: 'asg-suspended-or-hook-pending',
  stage: 'launched',
  title: 'launching is suspended in the Auto Scaling group, or a lifecycle hook is not answered',
  scope: 'group',
  signs: {
    hookAbandoned: {
      in: ['aws-message', 'terraform', 'client-output'],
      anchors: ['Lifecycle Action'],
      pattern: /failed to complete user's Lifecycle Action\b.*(?:abandoned|Timeout|timed out)/i,
      weight: 'definite',
    },
    hookNotCompleted: {
      in: ['nodeup', 'cloud-init'],
      anchors: ['failed to complete lifecycle hook'],
      pattern: /failed to complete lifecycle hook/,
      weight: 'likely',
      atLeast: 2,
    },
  },
  needs: ['aws/auto-scaling-group'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['early-instance-termination', 'node-creation-failure-verdict'],
  match(view) {
    const groups = view.list('aws/auto-scaling-group');
    const suspended = groups.find((entry) =>
      listAt(entry.value, 'SuspendedProcesses').some(
        (suspension) => textAt(suspension, 'ProcessName') === 'Launch',
      ),
    );
    if (suspended !== undefined) {
      const group = textAt(suspended.value, 'AutoScalingGroupName') ?? '';
      return found({ group, suspended: 'yes' }, [
        view.quote(suspended, `AutoScalingGroup ${group} SuspendedProcesses Launch`),
      ]);
    }
    const signs = view.sign('hookAbandoned') ?? view.sign('hookNotCompleted');
    return groups.length > 0 && signs === null ? clear : null;
  },
  summary: ({ group, suspended }) =>
    suspended === undefined
      ? 'A lifecycle hook of the Auto Scaling group is not completed, so the instance is abandoned and terminated before it is in service.'
      : `The process Launch of the Auto Scaling group ${group ?? ''} is suspended, so it starts no instance whatever its size says.`,
  remedy: ({ group, suspended }) =>
    suspended === undefined
      ? [
          {
            text: 'See which hooks wait for an answer, and how long.',
            command: `aws autoscaling describe-lifecycle-hooks --auto-scaling-group-name ${group ?? '<group>'}`,
          },
          {
            text: 'Answer for the instance that waits, and allow its role autoscaling:CompleteLifecycleAction.',
            command: `aws autoscaling complete-lifecycle-action --lifecycle-action-result CONTINUE --instance-id <instance> --lifecycle-hook-name <hook> --auto-scaling-group-name ${group ?? '<group>'}`,
          },
        ]
      : [
          {
            text: 'Let the group launch again.',
            command: `aws autoscaling resume-processes --auto-scaling-group-name ${group ?? '<group>'} --scaling-processes Launch`,
          },
        ],
  decide: {
    text: 'See which processes are suspended and in which state the group’s instances are.',
    command:
      'aws autoscaling describe-auto-scaling-groups --auto-scaling-group-names <group> --query AutoScalingGroups[].[SuspendedProcesses,Instances[].[InstanceId,LifecycleState]]',
  },
  page: {
    why: 'Somebody suspended Launch during maintenance, or AWS did after days of failing launches. A launch hook holds an instance in Pending:Wait until a program answers; if none does, the instance is abandoned and replaced, for ever.',
    prevent:
      'Resume processes in the same script that suspends them, and alarm on instances in Pending:Wait.',
    notThis:
      'Pending:Wait for some minutes is normal, and warm pool instances are stopped on purpose. Launches that are tried and refused say why: insufficient-instance-capacity, account-quota-reached and others. Health checks that end instances are early-instance-termination.',
    refs: [
      'https://docs.aws.amazon.com/autoscaling/ec2/userguide/as-suspend-resume-processes.html',
      'https://github.com/kubernetes/kops/blob/HEAD/upup/pkg/fi/nodeup/command.go',
    ],
  },
});
