import {
  cannotSay,
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { definite, likely, withdraws } from '../../../diagnosis/sign.ts';
import type { KubeNode } from '../../../evidence/kinds.ts';
import { isOfDaemonSet } from '../../../domain/pods/pods.ts';
import { placeOf } from '../../../domain/pods/pods-seen.ts';
import type { Seen } from '../../../evidence/fact.ts';
import { endpointWords } from '../../../domain/pods/services.ts';
import {
  type Admitted,
  mayBeAsked,
  openingSteps,
  openingCommand,
  type SilentWebhook,
  silentWebhooks,
  WEBHOOK_KINDS,
  webhookWords,
} from '../../../domain/pods/webhooks.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';
import type { DaemonSet } from '../../../evidence/kube/workloads.ts';

/** The DaemonSet controller makes a new node's pods within seconds. */
const YOUNG_MS = 180_000;
const NETWORK = /^(?:aws-node|calico-node|cilium|kube-flannel-ds|kube-router|weave-net)$/;

const OPEN = 'Break the deadlock: let pods pass while nobody answers.';

/** A fail-closed webhook without running pods refuses the pods that a new node needs first. */
const cause = defineCause({
  id: 'webhook-blocks-system-pods',
  stage: 'networked',
  title: 'a fail-closed admission webhook without endpoints refuses system pods',
  scope: 'cluster',
  signs: {
    daemonSetRefused: definite(
      ['event', 'object', 'pod-identity-webhook'],
      /FailedCreate\s[^"]{0,80}\bdaemonset\S*\s.*failed calling webhook "+(?<webhook>[\w.-]+)"+.*(?:no endpoints available for service "+(?<service>[\w.-]+)"*|connect: connection refused)/,
      { anchors: ['failed calling webhook'] },
    ),
    noEndpoints: likely(
      ['kube-apiserver', 'controller-manager', 'event', 'client-output'],
      /^(?!.{0,200}\b(?:replicaset|statefulset|job|cronjob)[/-]).*?(?:failing closed|Error creating:|Internal error occurred:).{0,300}failed calling webhook "+(?<webhook>[\w.-]+)"+.*no endpoints available for service "+(?<service>[\w.-]+)/,
      { atLeast: 2, enoughOnce: 'alone' },
    ),
    podsCreated: withdraws(
      ['event'],
      /SuccessfulCreate\s+(?:daemonset|daemonset-controller)\S*\s.*Created pod: (?:aws-node|calico-node|cilium|kube-proxy)/,
    ),
    toldTimeouts: likely(
      ['client-output', 'unknown'],
      /\bAPI server\b.{0,60}\b(?:due to|because of|by)\b.{0,20}\bwebhook(?:s|'s)?\b|\bwebhook\b.{0,40}\b(?:blocks?|blocked|prevents?|prevented)\b.{0,40}\b(?:kube-system|DaemonSets?|system pods|CNI|aws-node|coredns|calico)\b/,
      { isTold: true },
    ),
    // Nothing but the webhook was in the way of pods that start as soon as it is gone.
    toldCured: likely(
      ['client-output', 'unknown'],
      /\b(?:[Aa]s soon as|[Oo]nce|[Aa]fter|[Ww]hen(?:ever)?|[Ii]f) (?:I|we) (?:delete|remove|uninstall|disable)d?\b[^.]{0,60}[Ww]ebhooks?(?:[Cc]onfigurations?)?\b(?:(?!\b(?:nothing|not|no|still|never)\b)[^.]){0,80}\b(?:aws-node|calico-node|cilium|kube-proxy|CNI|system pods|coredns)\b[^.]{0,40}\b(?:starts?|started|runs?|came up|comes? up|(?:is|are|was|were|get|gets|got) (?:created|scheduled|started))\b|\b(?:[Dd]eleting|[Rr]emoving|[Dd]isabling)\b[^.]{0,60}[Ww]ebhooks?(?:[Cc]onfigurations?)?\b[^.]{0,60}\b(?:lets?|made|makes|allows?|brings?|brought|fixes|fixed)\b[^.]{0,40}\b(?:aws-node|calico-node|cilium|kube-proxy|CNI|system pods|coredns|nodes?)\b/,
      { isTold: true, anchors: ['ebhook'] },
    ),
    toldWithoutEndpoints: likely(
      ['client-output', 'unknown'],
      /\b(?:aws-node|calico-node|cilium|kube-proxy|coredns|CNI|kube-system|[Ss]ystem)\b(?:'s)? (?:pods?|DaemonSets?)\b[^.]{0,20}\b(?:cannot|can't|could not|couldn't|not|n't|never) (?:be )?(?:get )?(?:created|scheduled|started|start|admitted)\b[^.]{0,60}\b(?:because|since|as|due to)\b[^.]{0,40}\b[Ww]ebhook(?:'s)?\b[^.]{0,40}\b(?:no (?:ready )?endpoints|down|not running|unavailable|not (?:up|ready|reachable))\b/,
      { isTold: true, anchors: ['ebhook'] },
    ),
  },
  needs: [...WEBHOOK_KINDS, 'kube/DaemonSet', 'kube/Node', 'kube/Pod', 'kube/Namespace'],
  symptoms: ['cni-uninitialized'],
  withdrawnBy: [],
  explains: [
    'cni-configuration-missing',
    'cni-pod-not-scheduled',
    'service-ip-unreachable-for-cni',
  ],
  summary: ({ webhook, service, daemonSet, nodes }) =>
    daemonSet !== undefined
      ? `The webhook ${webhook ?? ''} fails closed and its Service ${service ?? ''} has no endpoint that is ready, so the API server refuses the pods of ${daemonSet} and ${nodes ?? 'new'} nodes have none.`
      : sentence`The webhook ${webhook ?? 'of an admission controller'} fails closed and its service ${service} has no endpoints, so the API server refuses system pods and new nodes get no network.`,
  remedy: ({ webhook, kind, configuration, index }) => [
    ...(kind === undefined || configuration === undefined
      ? openingSteps(OPEN, webhook)
      : [{ text: OPEN, command: openingCommand(kind, configuration, index ?? '0') }]),
    step(
      'Then exclude kube-system with a namespaceSelector and run the webhook in several replicas.',
    ),
  ],
  decide: step(
    'See whether the daemon sets of kube-system are refused their pods.',
    'kubectl -n kube-system get events --field-selector reason=FailedCreate',
  ),
  page: {
    why: 'The webhook’s pods need a node with network, and the node needs the CNI pod that the webhook refuses while it is down. After all nodes were replaced at once nobody can start first.',
    prevent:
      'failurePolicy Ignore or a namespaceSelector that leaves kube-system out; several replicas on stable nodes with a disruption budget.',
    notThis:
      'When Node objects themselves are refused it is webhook-blocks-node-registration. Endpoints that exist and time out are node-ports-closed-to-control-plane. A refused ReplicaSet of an application during its own roll-out does not concern a node.',
    alsoKnownAs: [
      'failed calling webhook no endpoints available for service',
      'kyverno-svc',
      'Failed calling webhook, failing closed',
    ],
    refs: [
      'https://github.com/kyverno/kyverno/issues/4686',
      'https://github.com/sagikazarmark/helm-charts/issues/154',
    ],
  },
});

export default matched(cause, matchWebhook);

type Own = ViewOf<typeof cause>;

/** A DaemonSet of kube-system, with the nodes that should have its pod and do not. */
interface Lacking {
  readonly set: Seen<DaemonSet>;
  readonly nodes: readonly Seen<KubeNode>[];
}

/** Nodes without the pod of a DaemonSet whose pods a webhook without endpoints is asked about. */
function matchWebhook(view: Own): Match | null {
  const lackings = lackingSets(view);
  for (const lacking of lackings) {
    const labels = lacking.set.value.spec?.template?.metadata?.labels ?? {};
    const silent = silentWebhooks(view, { ...systemPod(view), labels });
    if (silent === 'unlisted') return unlisted;
    const [first] = silent;
    if (first !== undefined) return foundSilent(view, first, lacking);
  }
  return isRuledOut(view) ? clear : null;
}

/** Nobody speaks of a refusal, and no webhook is asked about pods of kube-system. */
function isRuledOut(view: Own): boolean {
  const isTold = view.sign('daemonSetRefused') !== null || view.sign('noEndpoints') !== null;
  return !isTold && !mayBeAsked(view, { ...systemPod(view), labels: null });
}

function systemPod(view: Own): Omit<Admitted, 'labels'> {
  return { group: '', resource: 'pods', namespaceLabels: systemLabels(view) };
}

const unlisted = cannotSay({
  reason: 'not-collected',
  detail: 'whether a Service of a webhook that fails closed has endpoints',
  collect: 'kubectl get endpointslices -A',
});

function systemLabels(view: Own): Readonly<Record<string, string>> {
  const own = view.list('kube/Namespace').find(({ value }) => value.name === 'kube-system');
  return { 'kubernetes.io/metadata.name': 'kube-system', ...own?.value.labels };
}

function lackingSets(view: Own): readonly Lacking[] {
  const { nowMs } = view;
  if (nowMs === null) return [];
  const old = view
    .list('kube/Node')
    .filter(({ value }) => value.createdMs !== null && nowMs - value.createdMs > YOUNG_MS);
  const candidates = view.list('kube/DaemonSet').flatMap((set) => {
    if (set.value.namespace !== 'kube-system') return [];
    const isNetwork = NETWORK.test(set.value.name);
    const isShort = isShortOf(set);
    const nodes = old.filter(({ value }) => isShort || (isNetwork && value.ready === false));
    return nodes.length === 0 ? [] : [{ set, nodes }];
  });
  const pods = candidates.length === 0 ? [] : view.list('kube/Pod');
  return pods.length === 0 ? [] : candidates.flatMap((one) => withoutPods(one, pods));
}

/** The nodes of a DaemonSet on which it has no pod. */
function withoutPods({ set, nodes }: Lacking, pods: readonly Seen<Pod>[]): readonly Lacking[] {
  const own = pods.filter(({ value }) => isOfDaemonSet(value, set.value.name));
  const places = new Set(own.map(placeOf));
  const lacking = nodes.filter(({ value }) => !places.has(value.name));
  return lacking.length === 0 ? [] : [{ set, nodes: lacking }];
}

/** True where the DaemonSet controller itself says that it has made too few pods. */
function isShortOf({ value }: Seen<DaemonSet>): boolean {
  const { desiredNumberScheduled: wanted, currentNumberScheduled: made } = value.status ?? {};
  return typeof wanted === 'number' && typeof made === 'number' && made < wanted;
}

function foundSilent(view: Own, silent: SilentWebhook, { set, nodes }: Lacking): Match {
  const { configuration, service, endpoints } = silent;
  const names = nodes.map(({ value }) => value.name);
  const event = view.sign('daemonSetRefused') ?? view.sign('noEndpoints');
  const details = {
    webhook: silent.name,
    service: `${service.namespace}/${service.name}`,
    kind: configuration.value.kind,
    configuration: configuration.value.name,
    index: String(silent.index),
    daemonSet: `kube-system/${set.value.name}`,
    nodes: String(nodes.length),
  };
  const [slice] = endpoints.slices;
  const lacks = `DaemonSet kube-system/${set.value.name} has no pod on ${names.slice(0, 3).join(', ')}`;
  return found(
    details,
    [
      view.quote(configuration, webhookWords(silent)),
      view.quote(slice ?? configuration, endpointWords(service, endpoints)),
      view.quote(set, lacks),
      ...(event === null ? [] : [event.last]),
    ],
    'definite',
    names,
  );
}
