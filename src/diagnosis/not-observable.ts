import type { Pod } from '../evidence/kube/pod.ts';
import type { FactKind, KubeNode } from '../evidence/kinds.ts';
import type { FactRecord, Observations, Refusal } from '../evidence/observations.ts';
import type { LineSource } from '../evidence/source.ts';
import type { Stage } from '../evidence/stage.ts';
import type { NotObservable, Rung } from './document.ts';
import { firstCutIn } from './fact-index.ts';
import { fillNames } from './fill-names.ts';
import { beganUnredirected, ROLE_ANNOTATION } from './late-redirect.ts';
import type { Subject } from './subject.ts';

/** Why a stage could not be seen, and what shows it. */
type Lack = readonly [why: string, collect: string];

const KUBELET_LOG = 'journalctl -u kubelet --no-pager -o short-iso | tail -n 2000';
const NODE = 'kubectl get node <node> -o yaml';
const PODS = 'kubectl get pods -A -o json --field-selector spec.nodeName=<node>';

/** What shows a stage, for those of which nothing is in the evidence. */
const COLLECT: Readonly<Record<Stage, Lack>> = {
  launched: [
    'no EC2 instance state',
    'aws ec2 describe-instance-status --include-all-instances --instance-ids <instance>',
  ],
  bootstrapped: [
    'no boot log',
    'sudo cat /var/log/cloud-init-output.log; journalctl -u nodeadm-config -u nodeadm-run --no-pager',
  ],
  reachable: ['no kubelet log with an answer of the API server', KUBELET_LOG],
  authenticated: ['no kubelet log after start', KUBELET_LOG],
  identified: [
    'the Node name and the EC2 name are not both in this evidence',
    "aws ec2 describe-instances --instance-ids <instance> --query 'Reservations[].Instances[].[InstanceId,PrivateDnsName]'",
  ],
  registered: ['no list of Nodes', 'kubectl get nodes -o wide'],
  retained: [
    'no Node with its uid and events',
    'kubectl get node <node> -o yaml; kubectl get events -A --field-selector involvedObject.kind=Node',
  ],
  networked: ['no Node conditions or pod states', 'kubectl describe node <node>'],
  credentialed: ['no pod was seen to use its AWS identity', PODS],
  gated: [
    'no taints or readiness gates of the Node',
    'kubectl get node <node> -o jsonpath={.spec.taints}',
  ],
  usable: [
    'no workload pod was seen on it',
    'kubectl get pods -A -o wide --field-selector spec.nodeName=<node>',
  ],
};

const BOOT_LOGS: readonly LineSource[] = [
  'cloud-init',
  'nodeadm',
  'nodeup',
  'kubeadm',
  'bottlerocket',
  'ignition',
  'console',
];

type Surroundings = Pick<Observations, 'facts' | 'listings' | 'collection'>;

/** What the evidence has of a subject: its Node as far as it is told, its pods, its instance. */
interface Had {
  readonly node: KubeNode | null;
  readonly hasPods: boolean;
  /** An object that its source shows in part. */
  readonly cut: FactRecord | null;
  /** A pod that may have got the role of the Node instead of its own. */
  readonly unredirected: Pod | null;
  readonly hasInstance: boolean;
  readonly hasBootLog: boolean;
  readonly hasKubeletLog: boolean;
  readonly hasNodeList: boolean;
}

function hadOf({ facts, sources, node }: Subject, { facts: all, listings }: Surroundings): Had {
  const listed = new Set<FactKind>(listings.map(({ kind }) => kind));
  const nodes = facts.of('kube/Node').map(({ value }) => value);
  const own = nodes.find(({ conditions }) => conditions.length > 0) ?? nodes[0] ?? null;
  const pods = facts
    .of('kube/Pod')
    .map(({ value }) => value)
    .filter(({ spec }) => spec?.nodeName === node);
  return {
    node: own,
    hasPods: pods.length > 0,
    cut: firstCutIn(all),
    unredirected: own === null ? null : beganUnredirected(own, pods),
    hasInstance: facts.has('aws/instance'),
    hasBootLog: BOOT_LOGS.some((source) => sources.has(source)),
    hasKubeletLog: sources.has('kubelet'),
    hasNodeList: listed.has('kube/Node'),
  };
}

function ofBoot({ hasBootLog, hasKubeletLog }: Had): Lack | null {
  if (!hasBootLog) return null;
  const next = hasKubeletLog ? 'systemctl status kubelet --no-pager' : KUBELET_LOG;
  return ['the boot log does not show the kubelet start', next];
}

function ofNames({ node, hasInstance }: Had): Lack | null {
  if (node === null) return hasInstance ? ['the Node name is not in this evidence', NODE] : null;
  if (!hasInstance) return null;
  const isTold = node.providerId !== null;
  return [
    isTold
      ? 'the Node name differs from the EC2 name, and its addresses match no instance'
      : 'the Node does not name the instance in this evidence',
    NODE,
  ];
}

function ofRegistration({ node, hasNodeList }: Had): Lack | null {
  if (node === null)
    return hasNodeList ? ['it is not in the list of Nodes', 'kubectl get nodes -o wide'] : null;
  const why =
    node.taints === null
      ? 'the Node is in this evidence without its taints'
      : 'the Node does not show a write by its kubelet';
  return [why, NODE];
}

function ofIdentity({ hasPods, unredirected: pod }: Had): Lack | null {
  if (pod !== null)
    return [
      `pod ${pod.name} began before the agent that gives it the role ${pod.annotations[ROLE_ANNOTATION] ?? ''}, and no API shows which role it uses`,
      `kubectl -n ${pod.namespace ?? 'default'} logs ${pod.name} --all-containers`,
    ];
  return hasPods ? ['no pod that asks for an AWS identity was seen with it', PODS] : null;
}

function ofGates({ node }: Had): Lack | null {
  if (node === null || node.taints === null) return null;
  if (node.ready !== true) return ['taints show gates only once the Node is Ready', NODE];
  const keys = node.taints.map(({ key }) => key);
  return [`a taint of the Node may be a gate: ${keys.slice(0, 3).join(', ')}`, NODE];
}

/** Where something of the kind is in the evidence: what that lacks, and what goes further. */
const FURTHER: Readonly<Record<Stage, (had: Had) => Lack | null>> = {
  launched: ({ hasInstance }) =>
    hasInstance ? ['no status checks of the instance', COLLECT.launched[1]] : null,
  bootstrapped: ofBoot,
  reachable: ({ hasKubeletLog }) =>
    hasKubeletLog
      ? [
          'the kubelet log shows no answer of the API server',
          'curl -sk -m 10 -o /dev/null -w "%{http_code} %{remote_ip}\\n" https://<endpoint-name>/healthz',
        ]
      : null,
  authenticated: ({ hasKubeletLog }) =>
    hasKubeletLog ? ['the kubelet log shows no request that the API server granted', NODE] : null,
  identified: ofNames,
  registered: ofRegistration,
  retained: ({ node }) =>
    node === null
      ? null
      : [
          'nothing shows a steady heartbeat of the Node',
          'kubectl -n kube-node-lease get lease <node> -o yaml; kubectl get events -A --field-selector involvedObject.kind=Node',
        ],
  networked: ({ node, hasPods }) => {
    if (hasPods) return ['the pods do not show that the network of the Node works', PODS];
    return node === null ? null : ['no pod with its own pod IP was seen on it', PODS];
  },
  credentialed: ofIdentity,
  gated: ofGates,
  usable: ({ hasPods, cut }) => {
    if (cut !== null) return [`${cut.by} shows only a part of ${cut.locator}`, PODS];
    return hasPods ? ['the pods do not show that the Node runs workloads', PODS] : null;
  },
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
  observations: Surroundings,
): readonly NotObservable[] {
  const { collection } = observations;
  const had = hadOf(subject, observations);
  return ladder
    .filter((entry) => entry.state === 'unknown')
    .map(({ stage }) => {
      const further = subject.kind === 'Machine' ? FURTHER[stage](had) : null;
      const [why, collect] = further ?? COLLECT[stage];
      const refused = collection?.refusals.find(({ call }) => ASKED[stage].includes(call));
      if (refused?.failure === 'denied')
        return { stage, why: whyRefused(refused), collect: 'rollcall permissions --check' };
      const reason = refused === undefined ? why : whyRefused(refused);
      return { stage, why: reason, collect: fillNames(collect, subject) };
    });
}
