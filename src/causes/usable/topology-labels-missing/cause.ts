import type { PersistentVolume } from '../../../evidence/kube/storage.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';
import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { KubeNode } from '../../../evidence/kinds.ts';
import { podCondition, podName } from '../../../domain/pods/pods.ts';
import type { Sighting } from '../../../evidence/sighting.ts';
import { volumesOf, zonesOf } from '../../../domain/pods/volumes.ts';
import { foreseenByKubeadm } from '../../../diagnosis/foreseen-kubeadm.ts';
import { NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { cloudControllerOf } from '../../../domain/planned/kubeadm.ts';

const ZONE_LABELS = ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'];

/** A node without zone labels, for which pods with zonal volumes or spread rules cannot be placed. */
const cause = defineCause({
  id: 'topology-labels-missing',
  stage: 'usable',
  title: 'the node lacks its zone label',
  scope: 'machine',
  signs: {
    notPlaced: context(
      ['event', 'pod-status', 'scheduler'],
      /0\/(?<total>\d+) nodes are available:.*(?<reason>volume node affinity conflict|didn't match pod topology spread constraints \(missing required label\))/,
    ),
    zoneUnread: context(
      ['cloud-controller', 'controller-manager'],
      /Could not get zone ID from zone name/,
    ),
  },
  needs: [
    'kube/Node',
    'kube/Pod',
    'kube/PersistentVolumeClaim',
    'kube/PersistentVolume',
    'aws/instance',
  ],
  symptoms: ['pod-not-scheduled'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ bare, reason, label, pod, volume, zones }) =>
    volume !== undefined
      ? `${bare ?? 'The node'} ${label === undefined ? 'has no label topology.kubernetes.io/zone' : `is labelled with the zone ${label}, where it is not`}, so the pod ${pod ?? ''}, whose volume ${volume} is in ${zones ?? 'one zone'}, is placed on no node.`
      : sentence`${bare ?? 'A node'} has no label topology.kubernetes.io/zone, so pods with zonal volumes or spread rules are not placed there${phrase` (${reason})`}.`,
  remedy: ({ bare, zone }) => [
    step(
      'Let the cloud controller manager initialize the node; it writes zone, region and instance type.',
      'kubectl -n kube-system logs -l k8s-app=aws-cloud-controller-manager --tail=100',
    ),
    step(
      'Or label it by hand.',
      `kubectl label node ${bare ?? '<node>'} --overwrite topology.kubernetes.io/zone=${zone ?? '<zone>'} topology.kubernetes.io/region=${zone?.replace(/[a-z]$/, '') ?? '<region>'}`,
    ),
  ],
  decide: step(
    'See which nodes lack labels.',
    'kubectl get nodes -L topology.kubernetes.io/zone,node.kubernetes.io/instance-type',
  ),
  page: {
    why: 'Zone, region and instance type come from the cloud provider: on EKS from the managed controller, elsewhere from the cloud controller manager. Without it, or with a Node made by hand, they are missing.',
    prevent: 'Run the cloud controller manager before the first worker joins.',
    notThis:
      'Where every node has its zone, the volume is simply in a zone without a fitting node. A node with the uninitialized taint is no-cloud-controller-manager or ccm-cannot-initialize-node.',
    alsoKnownAs: ['node(s) had volume node affinity conflict'],
    refs: [
      'https://github.com/kubernetes/cloud-provider/blob/HEAD/controllers/node/node_controller.go',
      'https://kubernetes.io/docs/reference/labels-annotations-taints/',
    ],
  },
});

const judged = matched(cause, (view) => matchVolume(view) ?? matchEvent(view));

type Own = ViewOf<typeof cause>;

function matchEvent(view: Own): Match | null {
  const waiting = view.sign('notPlaced') ?? view.clusterSign('notPlaced');
  if (waiting === null || isOver(view)) return null;
  const bare = view.list('kube/Node').find((fact) => lacksZone(fact.value));
  if (bare === undefined) return areAllLabelled(view, waiting) ? clear : null;
  const quote = view.quote(bare, `Node ${bare.value.name} has no label ${ZONE_LABELS[0] ?? ''}`);
  return found(
    { bare: bare.value.name, ...waiting.last.captures },
    [quote, waiting.first],
    'likely',
  );
}

/** As many Nodes as the scheduler counted are shown, each with the zone it is in. */
function areAllLabelled(view: Own, waiting: Sighting): boolean {
  const nodes = view.list('kube/Node');
  const total = Number(waiting.last.captures['total'] ?? Number.NaN);
  return nodes.length >= total && nodes.every(({ value }) => labelOf(value) !== null);
}

interface ZonalPod {
  readonly pod: Seen<Pod>;
  readonly volume: Seen<PersistentVolume>;
  readonly zones: readonly string[];
}

/** Pods that no node took and whose volume is bound to zones. */
function zonalPods(view: Own): readonly ZonalPod[] {
  const claims = view.list('kube/PersistentVolumeClaim');
  const volumes = view.list('kube/PersistentVolume');
  if (volumes.length === 0) return [];
  return view
    .list('kube/Pod')
    .filter(({ value }) => podCondition(value, 'PodScheduled', 'status') === 'False')
    .flatMap((pod) =>
      volumesOf(pod.value, claims, volumes).flatMap(({ volume }) => {
        const zones = volume === null ? [] : zonesOf(volume);
        return volume === null || zones.length === 0 ? [] : [{ pod, volume, zones }];
      }),
    );
}

function labelOf({ labels }: KubeNode): string | null {
  return ZONE_LABELS.map((key) => labels[key]).find((zone) => zone !== undefined) ?? null;
}

/** The machine is in the zone of a waiting pod's volume, and its Node does not say so. */
function matchVolume(view: Own): Match | null {
  const node = view.read('kube/Node');
  if (node.state !== 'seen') return null;
  const zone = zoneOfInstance(view);
  const label = labelOf(node.value);
  const isWrong = zone !== null && label !== null && label !== zone;
  if (!isWrong && !lacksZone(node.value)) return label === null ? null : clear;
  const waiting = zonalPods(view);
  const stranded = waiting.filter(({ zones }) => !isServed(view, zones));
  const own = stranded.find(({ zones }) => zone === null || zones.includes(zone));
  if (own !== undefined) return foundVolume(view, node, own, { zone, label });
  return waiting.length > 0 ? clear : null;
}

function zoneOfInstance(view: Own): string | null {
  const own = view
    .list('aws/instance')
    .find(({ value }) => (value.InstanceId ?? null) === view.instanceId);
  return own === undefined ? null : (own.value.Placement?.AvailabilityZone ?? null);
}

/** True where another node can take the pod, so that it waits for something else. */
function isServed(view: Own, zones: readonly string[]): boolean {
  return view.everywhere('kube/Node').some(({ value }) => {
    const zone = labelOf(value);
    return value.ready === true && value.unschedulable !== true && zones.includes(zone ?? '');
  });
}

function foundVolume(
  view: Own,
  node: Seen<KubeNode>,
  { pod, volume, zones }: ZonalPod,
  { zone, label }: { readonly zone: string | null; readonly label: string | null },
): Match {
  const { name } = node.value;
  const details = {
    bare: name,
    pod: podName(pod.value),
    volume: volume.value.name,
    zones: zones.join(', '),
    ...(zone === null ? {} : { zone }),
    ...(label === null ? {} : { label }),
  };
  const where = zone === null ? '' : `, its instance is in ${zone}`;
  const proof = [
    view.quote(node, `Node ${name} zone label ${label ?? 'absent'}${where}`),
    view.quote(volume, `PersistentVolume ${volume.value.name} needs zone ${zones.join(', ')}`),
    view.quote(pod, `Pod ${podName(pod.value)} is Pending and mounts it`),
  ];
  return found(details, proof, zone === null ? 'likely' : 'definite');
}

/** Only a source that shows labels at all can show that one is missing. */
function lacksZone(node: KubeNode): boolean {
  const labels = Object.keys(node.labels);
  const isSeenAbsent = node.absentLabels?.includes('topology.kubernetes.io/zone') === true;
  return (
    (labels.includes('kubernetes.io/hostname') || isSeenAbsent) &&
    !labels.includes('topology.kubernetes.io/zone') &&
    !labels.includes('failure-domain.beta.kubernetes.io/zone')
  );
}

/** Live, pods that waited when the event was written have been placed since, or are gone. */
function isOver(view: Own): boolean {
  const waits = view
    .list('kube/Pod')
    .some(({ value }) => podCondition(value, 'PodScheduled', 'status') === 'False');
  return view.isLive && !waits;
}

export default foreseenByKubeadm(
  judged,
  (plan, { fact, own }) => {
    const controller = cloudControllerOf(plan);
    const joining = own.kinds.filter(
      (kind) => kind === 'JoinConfiguration' || kind === 'InitConfiguration',
    );
    if (controller === null || joining.length === 0) return NOT_SHOWN;
    const flagOf = (kind: string): string | null | undefined => {
      const registration = own.registrations.find(({ of }) => of === kind);
      return registration !== undefined && Object.hasOwn(registration.flags, 'cloud-provider')
        ? registration.flags['cloud-provider']
        : null;
    };
    const bare = joining.find((kind) => flagOf(kind) === null);
    if (bare === undefined)
      return joining.every((kind) => flagOf(kind) === 'external') ? clear : NOT_SHOWN;
    return found(
      {},
      [
        plan.quote(fact, `${bare} nodeRegistration.kubeletExtraArgs has no cloud-provider`),
        plan.quote(
          controller,
          `${controller.value.name} initializes only Nodes with the taint of cloud-provider external`,
        ),
      ],
      'likely',
    );
  },
  {
    summary: ({ planned }) =>
      `The cloud controller will not initialize the Node of ${planned ?? 'the machine'}, because its kubelet runs without cloud-provider: external, so it gets no providerID and no zone label.`,
    remedy: () => [step('Set cloud-provider: external in nodeRegistration.kubeletExtraArgs.')],
  },
);
