import type { Refusal } from '../evidence/observations.ts';
import type { Stage } from '../evidence/stage.ts';
import type { NotObservable, Rung } from './document.ts';
import { fillNames } from './fill-names.ts';
import type { Subject } from './subject.ts';

/** What shows a stage, for those that nothing in the evidence shows. */
const COLLECT: Readonly<Record<Stage, readonly [why: string, collect: string]>> = {
  launched: [
    'no EC2 instance state',
    'aws ec2 describe-instance-status --include-all-instances --instance-ids <instance>',
  ],
  bootstrapped: [
    'no boot log',
    'sudo cat /var/log/cloud-init-output.log; journalctl -u nodeadm-config -u nodeadm-run --no-pager',
  ],
  reachable: [
    'no kubelet log that shows an answer of the API server',
    'journalctl -u kubelet --no-pager -o short-iso | tail -n 2000',
  ],
  authenticated: [
    'no kubelet log after start',
    'journalctl -u kubelet --no-pager -o short-iso | tail -n 2000',
  ],
  identified: [
    "the Node's and EC2's names are not both here",
    'aws ec2 describe-instances --instance-ids <instance> --query Reservations[].Instances[].[InstanceId,PrivateDnsName]',
  ],
  registered: ['no list of Nodes', 'kubectl get nodes -o wide'],
  retained: [
    'no Node with its uid and events',
    'kubectl get node <node> -o yaml; kubectl get events -A --field-selector involvedObject.kind=Node',
  ],
  networked: ['no Node conditions or pod states', 'kubectl describe node <node>'],
  credentialed: [
    'no pod was seen to use its AWS identity',
    'kubectl get pods -A -o json --field-selector spec.nodeName=<node>',
  ],
  gated: [
    'no taints or readiness gates of the Node',
    'kubectl get node <node> -o jsonpath={.spec.taints}',
  ],
  usable: [
    'no workload pod was seen on it',
    'kubectl get pods -A -o wide --field-selector spec.nodeName=<node>',
  ],
};

/** The calls whose answers show a stage of a live cluster. */
const ASKED: Readonly<Record<Stage, readonly string[]>> = {
  launched: ['ec2:DescribeInstanceStatus', 'ec2:DescribeInstances', 'list nodes'],
  bootstrapped: ['ec2:GetConsoleOutput', 'list nodes'],
  reachable: ['list nodes'],
  authenticated: ['list configmaps', 'eks:ListAccessEntries', 'eks:DescribeCluster'],
  identified: ['ec2:DescribeInstances', 'list nodes'],
  registered: ['list nodes'],
  retained: ['list events', 'list nodes'],
  networked: ['list pods', 'list nodes'],
  credentialed: ['list pods', 'list serviceaccounts'],
  gated: ['list nodes'],
  usable: ['list pods', 'list nodes'],
};

/** Which call was refused, and the permission it lacked or what else was in the way. */
function whyRefused({ call, permission, message }: Refusal): string {
  return permission === null ? message : `${call} was refused: ${permission} is missing`;
}

/** For each stage that could not be seen: why, and the read-only command that would show it. */
export function notObservableOf(
  ladder: readonly Rung[],
  subject: Subject,
  refusals: readonly Refusal[],
): readonly NotObservable[] {
  return ladder
    .filter((entry) => entry.state === 'unknown')
    .map(({ stage }) => {
      const [why, collect] = COLLECT[stage];
      const refused = refusals.find(({ call }) => ASKED[stage].includes(call));
      if (refused?.failure === 'denied')
        return { stage, why: whyRefused(refused), collect: 'rollcall permissions --check' };
      const reason = refused === undefined ? why : whyRefused(refused);
      return { stage, why: reason, collect: fillNames(collect, subject) };
    });
}
