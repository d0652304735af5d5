import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';
import type { KubeNode } from '../../../evidence/kinds.ts';
import { lostLeases } from '../../../domain/nodes/leases.ts';
import { complaintOf, isPodReady } from '../../../domain/pods/pods.ts';
import { placeOf, podWords, stateWords, unreadyPods } from '../../../domain/pods/pods-seen.ts';
import type { Quote } from '../../../evidence/sighting.ts';
import {
  refusalWords,
  refusedPod,
  taintThatKeepsOut,
} from '../../../domain/pods/taint-refusals.ts';
import { readyForMs } from '../../../domain/nodes/ready-node.ts';

const TAINT = 'node.cilium.io/agent-not-ready';
/** A node that is Ready for longer than this and still tainted is not merely starting. */
const READY_FOR_MS = 180_000;
/** By which operators elect their leader (operator/cmd/root.go of Cilium). */
const OPERATOR_LEASE = /^cilium-operator-resource-lock$/;

/** Cilium's own start-up taint stays, because the agent is not Ready or nobody removes it. */
const cause = defineCause({
  id: 'cilium-agent-not-ready',
  stage: 'gated',
  title: 'the taint node.cilium.io/agent-not-ready stays on the node',
  scope: 'machine',
  signs: {
    operatorKeptOut: definite(
      ['event'],
      /cilium-operator-[a-z0-9-]+\s.*(?:untolerated taint|had taints?) \{node\.cilium\.io\/agent-not-ready/,
      { anchors: ['cilium-operator-'] },
    ),
    operatorRefused: context(
      ['event'],
      /(?<pod>cilium-operator-[a-z0-9-]+)\s.*had untolerated taint\(s\)/,
      { anchors: ['cilium-operator-'] },
    ),
    agentSilent: context(
      ['event', 'kubelet', 'containerd', 'pod-status'],
      /unable to connect to Cilium (?:agent|daemon): |failed to create cilium agent client after|putEndpointIdTooManyRequests/,
      {
        anchors: [
          'unable to connect to Cilium',
          'create cilium agent client',
          'putEndpointIdTooManyRequests',
        ],
      },
    ),
    operatorUnfit: definite(
      ['cilium'],
      /\b(?<mode>[\w-]{1,40}) allocator is not supported by this version of (?<operator>cilium-operator[\w-]*)/,
    ),
    operatorStops: likely(['cilium'], /Unable to (?:init|start) (?<mode>[\w-]{1,40}) allocator\b/, {
      anchors: [' allocator'],
    }),
    // Every agent waits so for a few seconds after its start.
    addressesAwaited: likely(
      ['cilium'],
      /(?<awaited>Waiting for IPs to become available in CRD-backed allocation pool|Timed out waiting for ENI(?:s to be attached| VPC CIDR))/,
    ),
    addressesThere: withdraws(
      ['cilium'],
      /All required IPs are available in CRD-backed allocation pool/,
    ),
    agentWaits: context(
      ['cilium'],
      /unable to connect to get node spec from apiserver|[Tt]imed out waiting for ENI(?:s to be attached| VPC CIDR)|no matching CNI configurations found/,
      {
        anchors: [
          'get node spec from apiserver',
          'imed out waiting for ENI',
          'no matching CNI configurations',
        ],
      },
    ),
    toldRunning: context(
      ['client-output', 'unknown'],
      /\b[Cc]ilium (?:agents?|pods?)\b(?: \S+){0,3} (?:all )?(?:\d\/\d )?(?:[Rr]unning|[Rr]eady|healthy|up)\b/,
      { isTold: true, anchors: ['ilium agent', 'ilium pod'] },
    ),
    // What the command cilium status says, and the older cilium-dbg.
    statusFails: likely(
      ['client-output', 'cilium'],
      /^\s*(?<part>KVStore|Kubernetes|Cilium|ContainerRuntime|IPAM|Proxy Status|Cluster health):\s{1,40}(?:Failure|Warning)\s.{0,200}(?:Err: |quorum check failed|not (?:ready|reachable)|timeout)/,
      { anchors: ['Failure', 'Warning'] },
    ),
  },
  needs: ['kube/Node', 'kube/Pod', 'kube/Deployment', 'kube/Lease'],
  symptoms: ['pod-not-scheduled', 'sandbox-not-created'],
  explains: ['startup-taint-not-removed'],
  summary: ({ node, machine, why, mode, operator, awaited }) => {
    if (mode !== undefined)
      return `${operator ?? 'The operator of Cilium'} stops because it cannot hand out addresses in the mode ${mode}, so agents get none and nodes keep the taint ${TAINT}.`;
    if (awaited !== undefined && why === undefined)
      return `The agent of Cilium on ${node ?? machine ?? 'the node'} waits for addresses that the operator has not given it, so the node keeps the taint ${TAINT}.`;
    return `The node ${node ?? machine ?? ''} keeps the taint ${TAINT}${why === undefined ? '; the operator that removes it is kept out by the taint itself' : `: ${why}`}, so only Cilium’s own pods run there.`;
  },
  remedy: ({ node }) => [
    step(
      'See agent and operator.',
      `kubectl -n kube-system get pods -l 'k8s-app in (cilium)' -o wide --field-selector spec.nodeName=${node ?? '<node>'}; kubectl -n kube-system get deployment cilium-operator`,
    ),
    step(
      'Read why the agent is not Ready.',
      `kubectl -n kube-system logs -l k8s-app=cilium -c cilium-agent --tail=200 --prefix`,
    ),
    step(
      'If the operator cannot be scheduled, let it tolerate everything, as the chart does.',
      'kubectl -n kube-system patch deployment cilium-operator --type=merge -p \'{"spec":{"template":{"spec":{"tolerations":[{"operator":"Exists"}]}}}}\'',
    ),
  ],
  decide: step(
    'See the taint beside agent and operator.',
    'kubectl get node <node> -o json; kubectl -n kube-system get pods,deployments -o json',
  ),
  page: {
    why: 'Nodes are registered with this taint so that no pod starts before Cilium can wire it. The operator takes it off once the agent on the node is Ready.',
    prevent:
      'Two operator replicas that tolerate every taint; a priority class for agent and operator.',
    notThis:
      'An agent that is not Ready has its own reason below (cilium-kvstore, image, API). A Node seconds old carries the taint rightly. Other taints of this kind: csi-driver-not-ready, gate-daemonset-pod-not-ready.',
    alsoKnownAs: ['untolerated taint {node.cilium.io/agent-not-ready: true}'],
    refs: ['https://docs.cilium.io/en/stable/installation/taints/'],
  },
});

export default matched(cause, matchNode);

type Own = ViewOf<typeof cause>;

function matchNode(view: Own): Match | null {
  const node = view.read('kube/Node');
  if (node.state !== 'seen' || !(node.value.taints ?? []).some(({ key }) => key === TAINT))
    return null;
  const reason = reasonOf(view, node.value);
  // A node that is Ready for seconds carries the taint rightly.
  if (reason === null) return isYoung(node.value) ? clear : null;
  return found(
    { node: node.value.name, why: reason.why },
    [view.quote(node, `Node ${node.value.name} taint ${TAINT}`), ...reason.proof],
    'likely',
  );
}

interface Reason {
  readonly why: string;
  readonly proof: readonly Quote[];
}

function reasonOf(view: Own, node: KubeNode): Reason | null {
  return (
    operatorOutside(view) ??
    operatorFault(view) ??
    agentFault(view, node) ??
    lasting(node) ??
    toldToRun(view) ??
    saidToRun(view, node)
  );
}

/** The operator waits for a Node, and the taint that it would remove is on all of them. */
function operatorOutside(view: Own): Reason | null {
  const pods = view
    .list('kube/Pod')
    .filter(({ value }) => value.name.startsWith('cilium-operator-'));
  const kept = refusedPod(pods, view.clusterSign('operatorRefused')?.last ?? null);
  const nodes = view.everywhere('kube/Node').map(({ value }) => value);
  if (kept === null || taintThatKeepsOut(kept, nodes, (key) => key === TAINT) === null) return null;
  const { pod, event } = kept;
  const why = `the operator ${kept.name} that removes it is kept out by the taint itself`;
  const told = event === null ? [] : [event];
  return {
    why,
    proof: pod === null ? told : [view.quote(pod, refusalWords(pod, kept)), ...told],
  };
}

/** The operator that removes the taint is missing, has no replica, or does not lead. */
function operatorFault(view: Own): Reason | null {
  const operator = view
    .list('kube/Deployment')
    .find(({ value }) => value.name === 'cilium-operator');
  const isNone = (operator?.value.status?.availableReplicas ?? '0') === '0';
  if (operator !== undefined && isNone) {
    const words = 'Deployment cilium-operator status.availableReplicas 0';
    const why = 'no cilium-operator is available to remove it';
    return { why, proof: [view.quote(operator, words)] };
  }
  const [lost] = lostLeases(view.list('kube/Lease'), OPERATOR_LEASE, view.nowMs);
  if (lost === undefined) return null;
  const why = `no cilium-operator leads (${lost.name} is not renewed), so nobody removes it`;
  return { why, proof: [view.quote(lost.fact, lost.words)] };
}

/** The agent of this Node is not Ready, for longer than it takes to start. */
function agentFault(view: Own, node: KubeNode): Reason | null {
  const agents = view.list('kube/Pod').filter(({ value }) => value.labels['k8s-app'] === 'cilium');
  const here = agents.filter((pod) => [null, node.name].includes(placeOf(pod)));
  const [agent] = here;
  if (agent === undefined || here.some(({ value }) => isPodReady(value))) return null;
  const [lasts] = unreadyPods(here, view);
  if (lasts === undefined && readyForMs(node) < READY_FOR_MS) return null;
  const complaint = complaintOf(agent.value);
  const said = complaint === '' ? '' : `: ${complaint}`;
  const words = `${podWords(agent)} ${stateWords(agent)}${said}`;
  return { why: `the agent ${agent.value.name} is not Ready`, proof: [view.quote(agent, words)] };
}

function lasting(node: KubeNode): Reason | null {
  if (readyForMs(node) < READY_FOR_MS) return null;
  return { why: 'neither agent nor operator removed it in minutes', proof: [] };
}

/** Agents that run remove the taint within seconds, and somebody has looked at them since. */
function toldToRun(view: Own): Reason | null {
  const told = view.clusterSign('toldRunning') ?? view.sign('toldRunning');
  if (told === null) return null;
  return { why: 'its agents run and do not remove it', proof: [told.last] };
}

/** The operator removes the taint when it sets this condition, and both are there at one time. */
function saidToRun(view: Own, node: KubeNode): Reason | null {
  const up = node.conditions.some(
    ({ type, status, reason }) =>
      type === 'NetworkUnavailable' && status === 'False' && reason === 'CiliumIsUp',
  );
  const fact = view.read('kube/Node');
  if (!up || view.isLive || isYoung(node) || fact.state !== 'seen') return null;
  const words = `Node ${node.name} condition NetworkUnavailable=False CiliumIsUp`;
  return {
    why: 'the operator marked Cilium as up and did not remove it, or something set it again',
    proof: [view.quote(fact, words)],
  };
}

function isYoung(node: KubeNode): boolean {
  const ready = readyForMs(node);
  return ready > 0 && ready < READY_FOR_MS;
}
