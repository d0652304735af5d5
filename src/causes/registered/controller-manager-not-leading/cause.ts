import { isoMs } from '../../../evidence/time.ts';
import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { KubeNode } from '../../../evidence/kinds.ts';
import { type LostLease, lostLeases } from '../../../domain/nodes/leases.ts';
import { isOfAnyDaemonSet, podCondition, podName } from '../../../domain/pods/pods.ts';
import { placeOf, podWords, stateWords } from '../../../domain/pods/pods-seen.ts';
import type { Lease } from '../../../evidence/kube/machines.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';

/** Controllers answer new objects within seconds. */
const ANSWER_NORMAL_MS = 120_000;
const NOT_READY = 'node.kubernetes.io/not-ready';

/** Nobody leads a controller of the control plane, and Nodes wait for what it does. */
const cause = defineCause({
  id: 'controller-manager-not-leading',
  stage: 'registered',
  title: 'no kube-controller-manager or kube-scheduler leads, so nothing serves new Nodes',
  scope: 'cluster',
  signs: {
    managerNotSeen: context(
      ['client-output', 'unknown'],
      /\b(?:master|control-plane node) "(?<node>[^"]{1,253})" is missing kube-controller-manager pod/,
    ),
    schedulerNotSeen: context(
      ['client-output', 'unknown'],
      /\b(?:master|control-plane node) "(?<node>[^"]{1,253})" is missing kube-scheduler pod/,
    ),
    // It stops with these words and is started again; what is left undone shows whether it came back.
    leadLost: context(
      ['controller-manager', 'client-output', 'unknown', 'journal'],
      /failed to renew lease kube-system\/kube-(?:controller-manager|scheduler)|error retrieving resource lock kube-system\/kube-(?:controller-manager|scheduler)|\bleader ?election lost\b/,
      { anchors: ['kube-system/kube-', 'election lost'] },
    ),
    // A kubelet that cannot show any static pod leaves the API server's out too.
    serverNotSeen: context(
      ['client-output', 'unknown'],
      /\b(?:master|control-plane node) "(?<node>[^"]{1,253})" is missing kube-apiserver pod/,
    ),
  },
  needs: ['kube/Lease', 'kube/Node', 'kube/Pod'],
  symptoms: ['pod-not-scheduled'],
  withdrawnBy: [],
  summary: ({ lease, minutes, waiting, work, node }) =>
    lease === undefined && node !== undefined
      ? `The control-plane machine ${node} runs neither kube-controller-manager nor kube-scheduler, while its API server answers, so nobody serves new Nodes and pods.`
      : `The Lease ${lease ?? 'of the controller'} has not been renewed for ${minutes ?? 'many'} minutes, so nobody ${work ?? 'serves new Nodes'}: ${waiting ?? 'they wait'}.`,
  remedy: ({ controller }) => [
    step(
      'See why it does not run or cannot renew; its static pod is on the control plane machines.',
      `kubectl -n kube-system get pods -o wide -l component=${controller ?? 'kube-controller-manager'}; kubectl -n kube-system logs -l component=${controller ?? 'kube-controller-manager'} --tail=50`,
    ),
    step(
      'Where its certificates expired, renew them and let the kubelet start it again.',
      'sudo kubeadm certs check-expiration',
    ),
  ],
  decide: step(
    'See who holds the Lease, and when it was renewed.',
    'kubectl -n kube-system get leases kube-controller-manager kube-scheduler -o custom-columns=NAME:.metadata.name,HOLDER:.spec.holderIdentity,RENEWED:.spec.renewTime',
  ),
  page: {
    why: 'kube-controller-manager signs the certificates of new kubelets, makes the pods of DaemonSets and takes start-up taints off; kube-scheduler places those pods. One instance of each leads and renews its Lease every two seconds. When none does, existing Nodes keep working, and new ones never become usable.',
    prevent:
      'Watch the age of both Leases; renew the certificates of the control plane before they expire.',
    notThis:
      'A certificate request that waits is unapproved-client-csr, whoever leads; a taint of a cloud provider is no-cloud-controller-manager, and a Node without a pod range pod-cidr-not-assigned. When the API server itself is silent it is control-plane-down.',
    refs: [
      'https://kubernetes.io/docs/concepts/architecture/leases/',
      'https://kubernetes.io/docs/reference/access-authn-authz/kubelet-tls-bootstrapping/',
    ],
  },
});

export default matched(cause, matchLeases);

type Own = ViewOf<typeof cause>;

/** An object that waits for what the controller does. */
interface Waiting {
  readonly fact: Seen<unknown>;
  readonly words: string;
  /** What nobody does, completing "nobody …". */
  readonly work: string;
  readonly nodes: readonly string[];
}

/** kOps misses both on a machine whose API server it sees. */
function matchValidation(view: Own): Match | null {
  const [manager, scheduler] = [view.sign('managerNotSeen'), view.sign('schedulerNotSeen')];
  if (manager === null || scheduler === null || view.sign('serverNotSeen') !== null) return null;
  return found(
    { node: manager.last.captures['node'] ?? '' },
    [manager.last, scheduler.last],
    'likely',
  );
}

function matchLeases(view: Own): Match | null {
  const { nowMs } = view;
  if (nowMs === null) return matchValidation(view);
  const leases = view.list('kube/Lease').filter(({ value }) => value.namespace === 'kube-system');
  const [manager] = lostLeases(leases, /^kube-controller-manager$/, nowMs);
  const [scheduler] = lostLeases(leases, /^kube-scheduler$/, nowMs);
  const forControllers = manager === undefined ? null : waitsForControllers(view, manager);
  if (manager !== undefined && forControllers !== null)
    return foundFor(view, 'kube-controller-manager', manager, forControllers);
  const forScheduler = scheduler === undefined ? null : waitsForScheduler(view, scheduler);
  if (scheduler === undefined || forScheduler === null)
    return leases.some(isManagers) && manager === undefined && scheduler === undefined
      ? clear
      : null;
  return foundFor(view, 'kube-scheduler', scheduler, forScheduler);
}

function isManagers({ value }: Seen<Lease>): boolean {
  return value.name === 'kube-controller-manager';
}

function foundFor(view: Own, controller: string, lost: LostLease, waiting: Waiting): Match {
  const minutes = String(Math.round(((view.nowMs ?? 0) - lost.renewedMs) / 60_000));
  const pod = view
    .list('kube/Pod')
    .find(({ value }) => value.namespace === 'kube-system' && value.name.startsWith(controller));
  const { work, words, nodes } = waiting;
  const state = pod === undefined ? [] : [view.quote(pod, `${podWords(pod)} ${stateOf(pod)}`)];
  return found(
    { lease: lost.name, controller, minutes, work, waiting: words },
    [view.quote(lost.fact, lost.words), view.quote(waiting.fact, words), ...state],
    'definite',
    nodes,
  );
}

function stateOf(pod: Seen<Pod>): string {
  return podCondition(pod.value, 'Ready', 'status') === 'True' ? 'Ready' : stateWords(pod);
}

/** True for what was made after the last renewal, longer ago than an answer takes. */
function isLeft(madeMs: number | null, lost: LostLease, nowMs: number): boolean {
  return madeMs !== null && madeMs > lost.renewedMs && nowMs - madeMs > ANSWER_NORMAL_MS;
}

function waitsForControllers(view: Own, lost: LostLease): Waiting | null {
  return taintLeft(view, lost) ?? podsLeft(view, lost);
}

/** A Node that is Ready and keeps the taint with which every kubelet registers. */
function taintLeft(view: Own, lost: LostLease): Waiting | null {
  const fact = view.list('kube/Node').find(({ value }) => {
    const ready = value.conditions.find(
      ({ type, status }) => type === 'Ready' && status === 'True',
    );
    const isTainted = (value.taints ?? []).some(({ key }) => key === NOT_READY);
    return isTainted && isLeft(ready?.changedMs ?? null, lost, view.nowMs ?? 0);
  });
  if (fact === undefined) return null;
  const words = `the Node ${fact.value.name} is Ready and keeps the taint ${NOT_READY}`;
  return { fact, words, work: 'takes start-up taints off', nodes: [fact.value.name] };
}

/** A Node that waits for its pod network, for which no pod was made. */
function podsLeft(view: Own, lost: LostLease): Waiting | null {
  const pods = view.list('kube/Pod');
  // Where no DaemonSet has a pod anywhere, none would be made by a leader either.
  if (!view.isComplete('kube/Pod') || !pods.some(({ value }) => isOfAnyDaemonSet(value)))
    return null;
  const placed = new Set(pods.map(placeOf));
  const fact = view.list('kube/Node').find(({ value }) => {
    const isEmpty = isWaitingForNetwork(value) && !placed.has(value.name);
    return isEmpty && isLeft(value.createdMs, lost, view.nowMs ?? 0);
  });
  if (fact === undefined) return null;
  const words = `the Node ${fact.value.name} is not Ready, and no pod was made for it`;
  return { fact, words, work: 'makes the pods of DaemonSets', nodes: [fact.value.name] };
}

function isWaitingForNetwork({ conditions }: KubeNode): boolean {
  const ready = conditions.find(({ type }) => type === 'Ready');
  return ready?.status === 'False' && /NetworkPluginNotReady|cni/i.test(ready.message);
}

/** A pod that no scheduler has looked at: it would have said why it does not place it. */
function waitsForScheduler(view: Own, lost: LostLease): Waiting | null {
  const fact = view.list('kube/Pod').find((pod) => {
    const isNew = pod.value.status?.phase === 'Pending' && placeOf(pod) === null;
    const isSeen = podCondition(pod.value, 'PodScheduled', 'status') !== null;
    return (
      isNew &&
      !isSeen &&
      isLeft(isoMs(pod.value.metadata?.creationTimestamp), lost, view.nowMs ?? 0)
    );
  });
  if (fact === undefined) return null;
  const words = `the pod ${podName(fact.value)} is Pending, and no scheduler has looked at it`;
  return { fact, words, work: 'places pods', nodes: [] };
}
