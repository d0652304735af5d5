import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context } from '../../../diagnosis/sign.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import type { KubeNode } from '../../../evidence/kinds.ts';
import { readyChangedMs } from '../../../domain/pods/pods.ts';
import { readyForMs, readySinceMs } from '../../../domain/nodes/ready-node.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';

/** Between these ages a node starts, and no agent needs that long for a first success. */
const READY_MIN_MS = 60_000;
const READY_MAX_MS = 15 * 60_000;

/** Kubernetes takes the node for network-ready while calico's own agent says that it is not. */
const cause = defineCause({
  id: 'premature-calico-readiness',
  stage: 'gated',
  title: 'the node is open for pods while calico is not ready on it',
  scope: 'machine',
  signs: {
    flagUnset: context(['calico-node'], /Unable to set NetworkUnavailable to False/),
  },
  needs: ['kube/Node', 'kube/Pod'],
  symptoms: [],
  summary: ({ node, pod, says }) =>
    sentence`The node ${node} is Ready and ${says ?? 'not marked as without network'}, but ${pod ?? 'its calico-node pod'} is not Ready: pods that start now may reach neither services nor other nodes.`,
  remedy: ({ pod, node }) => [
    step(
      'Read what calico waits for.',
      `kubectl -n kube-system exec ${pod ?? '<calico-node-pod>'} -c calico-node -- /bin/calico-node -felix-ready -bird-ready`,
    ),
    step(
      'Hold new nodes back by a custom taint until calico is truly ready.',
      `kubectl taint node ${node ?? '<node>'} example.com/network-starting=:NoSchedule`,
    ),
    step(
      'Use a calico release that sets the condition only after Felix and BIRD are ready (3.31).',
      'kubectl -n kube-system get daemonset calico-node -o jsonpath={.spec.template.spec.containers[0].image}',
    ),
  ],
  decide: step(
    'Compare the Node’s conditions with the calico pod on it.',
    'kubectl get node <node> -o json; kubectl get pods -A -l k8s-app=calico-node --field-selector spec.nodeName=<node> -o json',
  ),
  page: {
    why: 'The kubelet is Ready as soon as a CNI configuration file lies there. Calico sets NetworkUnavailable=False early, and on AWS nothing sets it True for a new node, so neither says that the data plane works.',
    prevent:
      'An own start-up taint with a deep probe (a ClusterIP dialled from a pod’s network), and newer calico.',
    notThis:
      'Why calico is not ready is a networked-stage cause, calico-dataplane-not-ready above all; that one explains this. A calico pod that restarts on a node that serves is flapping-gate or a rollout.',
    refs: [
      'https://github.com/projectcalico/calico/pull/10866',
      'https://github.com/projectcalico/calico/issues/7788',
      'https://github.com/projectcalico/calico/issues/8048',
    ],
  },
});

export default matched(cause, matchNode);

type Own = ViewOf<typeof cause>;

function matchNode(view: Own): Match | null {
  const node = view.read('kube/Node');
  if (node.state !== 'seen' || node.value.ready !== true || (node.value.taints ?? []).length > 0)
    return null;
  const readyMs = readyForMs(node.value);
  if (readyMs < READY_MIN_MS || readyMs > READY_MAX_MS) return null;
  const network = node.value.conditions.find(({ type }) => type === 'NetworkUnavailable');
  const calico = view
    .list('kube/Pod')
    .find(({ value }) => isCalico(value) && value.spec?.nodeName === node.value.name);
  if (
    calico === undefined ||
    conditionOf(calico.value, 'Ready') !== 'False' ||
    network?.status === 'True' ||
    hasCeased(calico.value, node.value)
  )
    return null;
  const says =
    network === undefined
      ? 'bears no condition NetworkUnavailable'
      : `says NetworkUnavailable=${network.status} (${network.reason})`;
  return found(
    { node: node.value.name, pod: calico.value.name, says },
    [
      view.quote(node, `Node ${node.value.name} Ready=True, ${says}`),
      view.quote(calico, `Pod ${calico.value.name} Ready=False`),
    ],
    'likely',
  );
}

/** True for a pod that came, or ceased to be Ready, on a node that had been Ready for a while. */
function hasCeased(calico: Pod, node: KubeNode): boolean {
  const [ceasedMs, sinceMs] = [readyChangedMs(calico), readySinceMs(node)];
  return ceasedMs !== null && sinceMs !== null && ceasedMs - sinceMs > READY_MIN_MS;
}

function isCalico(pod: Pod): boolean {
  return pod.labels['k8s-app'] === 'calico-node';
}

function conditionOf(pod: Pod, type: string): string | null {
  const entry = (pod.status?.conditions ?? []).find((condition) => condition.type === type);
  return entry === undefined ? null : (entry.status ?? null);
}
