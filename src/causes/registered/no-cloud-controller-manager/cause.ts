import {
  isCloudController,
  isEksNode,
  UNINITIALIZED,
  waitsForController,
} from '../../../domain/naming/seen-names.ts';
import { clearUnlessSeen } from '../../../diagnosis/clear-unless-seen.ts';
import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import { lostLeases } from '../../../domain/nodes/leases.ts';
import { podsThat } from '../../../domain/pods/pods-seen.ts';
import { runningSinceMs } from '../../../domain/pods/pods.ts';
import type { Quote } from '../../../evidence/sighting.ts';
import {
  refusalWords,
  refusedPod,
  taintThatKeepsOut,
} from '../../../domain/pods/taint-refusals.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';

/** A listing with fewer pods says nothing about what does not run. */
const PODS_MIN = 3;

/** Nodes wait for a cloud controller manager, and none runs. */
const cause = defineCause({
  id: 'no-cloud-controller-manager',
  stage: 'registered',
  title: 'no cloud controller manager runs, so Nodes stay uninitialized',
  scope: 'cluster',
  signs: {
    controllerNotScheduled: definite(
      ['event'],
      /(?<pod>(?<![a-z0-9-])[a-z0-9-]{0,80}cloud-controller-manager-[a-z0-9-]{1,80})\s.*(?:untolerated taint|had taints?) \{node\.cloudprovider\.kubernetes\.io\/uninitialized/,
      { anchors: ['cloud-controller-manager-'] },
    ),
    controllerRefused: context(
      ['event'],
      /(?<pod>(?<![a-z0-9-])[a-z0-9-]{0,80}cloud-controller-manager-[a-z0-9-]{1,80})\s.*had untolerated taint\(s\)/,
    ),
    controllerNotRunning: context(
      ['client-output', 'pod-status'],
      /(?<pod>(?<![a-z0-9-])[a-z0-9-]{0,80}cloud-controller-manager-[a-z0-9-]{1,80})\s+0\/\d+\s+(?<state>CrashLoopBackOff|Error|ErrImagePull|ImagePullBackOff|Pending|CreateContainerConfigError)\b/,
    ),
    controllerEnds: definite(
      ['cloud-controller', 'controller-manager'],
      /(?:Cloud provider could not be initialized: .*)?(?<state>unable to read AWS cloud provider config file|Cloud provider is nil|unknown cloud provider \S{1,40}, only 'aws')/,
      {
        anchors: [
          'unable to read AWS cloud provider config file',
          'Cloud provider is nil',
          "only 'aws'",
        ],
      },
    ),
    nodeControllerNotStarted: likely(
      ['cloud-controller'],
      /failed to start cloud node controller: failed to get instances/,
    ),
    // What installs the controller waits for the controller.
    toldDeadlock: likely(
      ['client-output', 'unknown'],
      /\b(?:install|deploy|add|apply|run|bring up)(?:s|ed|ing)?(?: \S{1,20}){0,3} (?:CCM|[Cc]loud[ -][Cc]ontroller(?:[ -][Mm]anager)?|[Cc]loud provider)\b[^.!?]{0,160}?(?:\b(?:not|cannot|never)|n't)(?: \w{1,12})? (?:start|starts|started|schedule|scheduled|run|runs|running|come up|Pending)\b(?:[^.!?]|\.(?!\s)){0,120}?\buninitialized\b/,
      { isTold: true },
    ),
    // Read from the rows of a command that leaves none out.
    podsListed: context(
      ['client-output'],
      /^All (?<pods>\d{1,5}) pods of (?:the cluster|the namespace kube-system) are listed$/,
    ),
    toldWhole: context(
      ['client-output', 'unknown', 'event', 'pod-status'],
      /\b(?:[Ww]hole|[Ff]ull|[Cc]omplete|[Ee]ntire) (?:list of |content of )?kube-system\b|\b[Aa]ll (?:the )?pods (?:in|of) kube-system\b/,
      { isTold: true, isBackground: true },
    ),
    // On EKS neither it nor the controller has a pod.
    ownControlPlane: context(
      ['client-output', 'pod-status', 'unknown'],
      /(?:^|\s|\/)kube-apiserver-[a-z0-9][a-z0-9.-]{0,253}\s/,
    ),
    controllerNamed: context(
      ['client-output', 'pod-status', 'unknown', 'event'],
      /(?:^|[\s/])[a-z0-9-]{0,80}(?:cloud-controller|-ccm)-[a-z0-9-]{1,80}\s/,
      { anchors: ['cloud-controller', '-ccm-'] },
    ),
    controllerStarts: context(
      ['cloud-controller'],
      /error building controller context: failed to wait for apiserver|failed to start cloud node controller: instances interface|could not find VPC ID in instance metadata/,
    ),
  },
  needs: ['kube/Node', 'kube/Pod', 'kube/DaemonSet', 'kube/Deployment', 'kube/Lease'],
  symptoms: ['node-uninitialized'],
  withdrawnBy: [],
  explains: ['controller-manager-not-leading'],
  summary: ({ waiting, pod, state }) =>
    `No cloud controller manager runs${pod === undefined ? '' : ` (${pod} is ${state ?? 'not scheduled'})`}, so ${waiting ?? 'new Nodes'} keep the taint ${UNINITIALIZED} and take no pods.`,
  remedy: ({ pod, state }) => [
    ...(state?.startsWith('running') === true
      ? [
          step(
            'Let the pod that hangs be started again.',
            `kubectl -n kube-system delete pod ${pod ?? '<pod>'}`,
          ),
        ]
      : []),
    step(
      'Install the AWS cloud controller manager; it needs hostNetwork and a toleration for the very taint it removes.',
      'helm upgrade --install aws-cloud-controller-manager --repo https://kubernetes.github.io/cloud-provider-aws aws-cloud-controller-manager -n kube-system --set hostNetworking=true',
    ),
    step(
      'If it is installed and waits itself, give it the toleration.',
      `kubectl -n kube-system patch daemonset aws-cloud-controller-manager --type=json -p '[{"op":"add","path":"/spec/template/spec/tolerations/-","value":{"key":"${UNINITIALIZED}","operator":"Exists"}}]'`,
    ),
  ],
  decide: step(
    'See whether a cloud controller manager runs anywhere.',
    'kubectl get nodes -o json; kubectl -n kube-system get pods -o json',
  ),
  page: {
    why: 'With --cloud-provider=external a kubelet registers its Node with a taint that only the cloud controller manager removes, after it has found the instance. Since the in-tree providers left (1.27 at the latest) each cluster that is not EKS must run its own.',
    prevent:
      'Install the controller before the first worker, with tolerations for uninitialized and control-plane taints, on the host network.',
    notThis:
      'When the controller runs and complains of one Node it is ccm-cannot-initialize-node; the taint alone names neither. On EKS the controller is part of the service and shows no pod.',
    alsoKnownAs: ['untolerated taint {node.cloudprovider.kubernetes.io/uninitialized: true}'],
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/issues/1446',
      'https://github.com/kubernetes-sigs/cluster-api-provider-aws/issues/4715',
      'https://github.com/kubernetes/cloud-provider/blob/HEAD/api/well_known_taints.go',
    ],
  },
});

export default matched(cause, (view) => matchCluster(view) ?? matchListed(view));

type Own = ViewOf<typeof cause>;

function matchCluster(view: Own): Match | null {
  const waiting = view
    .list('kube/Node')
    .filter(({ value }) => !isEksNode(value) && waitsForController(value, view));
  const [first] = waiting;
  const pods = view.list('kube/Pod');
  const controllers = podsThat(pods, isController);
  const isServed = controllers.some(({ value }) => isReady(value));
  if (first === undefined && isServed)
    return clearUnlessSeen(view, ['controllerNotScheduled', 'controllerNotRunning']);
  if (first === undefined || view.sign('controllerNotScheduled') !== null) return null;
  const names = waiting.length === 1 ? `the Node ${first.value.name}` : `${waiting.length} Nodes`;
  const proof = view.quote(first, `Node ${first.value.name} taint ${UNINITIALIZED}`);
  const kept = isServed ? null : matchKeptOut(view, controllers, names, proof);
  if (kept !== null) return kept;
  const down = view.sign('controllerNotRunning');
  if (down !== null)
    return found({ ...down.last.captures, waiting: names }, [down.last, proof], 'likely');
  const system = pods.filter(({ value }) => value.namespace === 'kube-system');
  if (system.length < PODS_MIN) return null;
  if (isServed) return matchHung(view, controllers, names, proof) ?? clear;
  if (view.isCut('kube/Pod')) return null;
  const [pod] = controllers;
  if (pod === undefined) return found({ waiting: names }, [proof, ...emptySet(view)], 'likely');
  const state = stateOf(pod.value);
  const details = { waiting: names, pod: pod.value.name, state };
  const words = `Pod ${pod.value.namespace ?? ''}/${pod.value.name} ${state}`;
  return found(details, [proof, view.quote(pod, words)], 'likely');
}

/** Pods are refused for the taint, and a list of all pods shows an API server and no cloud controller. */
function matchListed(view: Own): Match | null {
  const listed = (view.sign('podsListed') ?? view.sign('toldWhole'))?.last;
  const server = view.sign('ownControlPlane')?.last;
  if (view.isLive || listed === undefined || server === undefined) return null;
  if (view.sign('controllerNamed') !== null || !view.shows('node-uninitialized')) return null;
  return found({}, [listed, server], 'likely');
}

function isController({ name }: Pod): boolean {
  return isCloudController(name);
}

/** The controller waits for a Node, and the taint that it would remove is on all of them. */
function matchKeptOut(
  view: Own,
  controllers: readonly Seen<Pod>[],
  waiting: string,
  proof: Quote,
): Match | null {
  const kept = refusedPod(controllers, view.sign('controllerRefused')?.last ?? null);
  const nodes = view.list('kube/Node').map(({ value }) => value);
  if (kept === null || taintThatKeepsOut(kept, nodes, (key) => key === UNINITIALIZED) === null)
    return null;
  const { pod, event } = kept;
  return found({ waiting, pod: kept.name, state: 'kept out by that very taint' }, [
    proof,
    ...(pod === null ? [] : [view.quote(pod, refusalWords(pod, kept))]),
    ...(event === null ? [] : [event]),
  ]);
}

/** A controller that runs, led once, and renews its Lease no more does nothing. */
function matchHung(
  view: Own,
  controllers: readonly Seen<Pod>[],
  waiting: string,
  proof: Quote,
): Match | null {
  const [lost] = lostLeases(view.list('kube/Lease'), /^cloud-controller-manager$/, view.nowMs);
  const ready = controllers.filter(({ value }) => isReady(value));
  const [pod] = ready;
  if (lost === undefined || pod === undefined) return null;
  // A Lease that is older than the pod may be left from a time when leaders were elected.
  const led = ready.every(({ value }) => (runningSinceMs(value) ?? Infinity) < lost.renewedMs);
  if (!led) return null;
  const state = `running, and its Lease ${lost.name} is not renewed`;
  const words = `Pod ${pod.value.namespace ?? ''}/${pod.value.name} Ready`;
  return found({ waiting, pod: pod.value.name, state }, [
    proof,
    view.quote(lost.fact, lost.words),
    view.quote(pod, words),
  ]);
}

/** A controller that is installed and has no pod, as its node selector fits no Node. */
function emptySet(view: Own): readonly ReturnType<Own['quote']>[] {
  return [...view.list('kube/DaemonSet'), ...view.list('kube/Deployment')]
    .filter(({ value }) => isCloudController(value.name))
    .map((fact) => {
      const { kind, namespace, name } = fact.value;
      return view.quote(fact, `${kind} ${namespace ?? ''}/${name} has no pod`);
    });
}

/** Why its container does not run: what it waits for, and how its last run ended. */
function stateOf({ status }: Pod): string {
  const [container] = status?.containerStatuses ?? [];
  const waiting = container?.state?.waiting?.reason;
  const { reason: ended, exitCode: code } = container?.lastState?.terminated ?? {};
  const last = ended ? `, last run ended with ${ended} (exit code ${code ?? '?'})` : '';
  const phase = status?.phase ?? 'not ready';
  return `${waiting ?? (phase === 'Running' ? 'not ready' : phase)}${last}`;
}

function isReady(pod: Pod): boolean {
  return (pod.status?.conditions ?? []).some(
    (entry) => entry.type === 'Ready' && entry.status === 'True',
  );
}
