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
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { KubeNode } from '../../../evidence/kinds.ts';
import { podName } from '../../../domain/pods/pods.ts';
import { waitingPods, waitingWords } from '../../../domain/pods/pods-seen.ts';
import {
  type ClaimedVolume,
  claimNames,
  claimWords,
  driverOf,
  driversOn,
  volumesOf,
} from '../../../domain/pods/volumes.ts';
import type { CsiNode } from '../../../evidence/kube/storage.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';

/** The driver registers within a minute of the node’s first pods. */
const YOUNG_MS = 180_000;
const OF_AWS = /^(?:ebs|efs|fsx|s3)\.csi\.aws\.com$/;
const TAINT = /^(?:ebs|efs|fsx|s3)\.csi\.aws\.com\/agent-not-ready$/;

/** The node part of an AWS CSI driver is not registered on this node. */
const cause = defineCause({
  id: 'csi-driver-not-ready',
  stage: 'gated',
  title: 'the CSI node driver is not ready on the node',
  scope: 'machine',
  signs: {
    // The kubelet doubles its pauses; eight tries are minutes, a fresh node has one or two.
    notRegistered: likely(
      ['kubelet'],
      /driver name (?<driver>[a-z0-9]+\.csi\.aws\.com) not found in the list of registered CSI drivers/,
      { atLeast: 8, enoughOnce: 'alone' },
    ),
    notRegisteredLong: likely(
      ['event', 'csi-driver'],
      /\(x(?:(?:[89]|[1-9]\d{1,4}) over \w{2,9}|\d{1,5} over (?:\d{1,3}[hd]\w{0,6}|(?:[3-9]|[1-9]\d)m\d{0,2}s?))\).*(?:driver name (?<driver>[a-z0-9]+\.csi\.aws\.com) not found in the list|does not contain driver (?<driver2>[a-z0-9]+\.csi\.aws\.com))/,
      { anchors: ['not found in the list of registered CSI drivers', 'does not contain driver'] },
    ),
    forbidden: definite(
      ['csi-driver'],
      /(?:remove node taint|agent-not-ready taint).*is forbidden: User "(?<user>[^"]+)" cannot (?<verb>\w+) resource "nodes"/,
      { anchors: ['remove node taint', 'agent-not-ready taint'] },
    ),
    timedOut: likely(
      ['csi-driver'],
      /Timed out trying to remove agent-not-ready taint(?: from node (?<node>[a-z0-9][a-z0-9.-]*[a-z0-9]))?/,
    ),
    panicked: likely(
      ['csi-driver'],
      /\b(?<reason>node providerID empty|did not find aws instance ID in node providerID)\b/,
    ),
    listening: withdraws(['csi-driver'], /Listening for connections/i, {
      anchors: ['istening for connections'],
    }),
    removed: withdraws(['csi-driver'], /Removed taint\(s\) from local node/),
    attached: withdraws(['event'], /\bSuccessfulAttachVolume\b/),
    // Why it reaches none decides: hop limit, closed metadata, or a policy.
    noMetadata: context(
      ['csi-driver'],
      /could not get (?:metadata from AWS: |EC2 instance identity metadata)/,
    ),
    // The kubelet writes the annotation when the driver has registered.
    notAnnotated: likely(
      ['csi-driver', 'event', 'client-output', 'unknown'],
      /node "?(?<node>[a-z0-9][\w.-]{0,252}?)"? has no NodeID annotation/,
      { atLeast: 8, enoughOnce: 'alone' },
    ),
    // The kubelet calls the driver through its socket, where nobody listens.
    socketRefused: likely(
      ['kubelet', 'event', 'csi-driver', 'pod-status'],
      /(?:MountVolume|MountDevice|UnmountVolume|UnmountDevice|NodeStage|NodePublish|NodeGetInfo|mounter\.|attacher\.).{0,400}\bdial unix \/\S{0,100}\/(?<driver>[a-z0-9][a-z0-9.-]{1,80})\/csi\.sock: connect: (?:connection refused|no such file or directory)/,
    ),
    registrationFailed: context(
      ['kubelet'],
      /RegisterPlugin error -- .{0,400}(?:dial failed|GetInfo|NodeGetInfo).{0,200}csi/,
      { anchors: ['RegisterPlugin error'] },
    ),
    missingOnNode: likely(
      ['event', 'controller-manager', 'pod-status'],
      /CSINode [a-z0-9][\w.-]{0,252} does not contain driver (?<driver>[a-z0-9]+\.csi\.aws\.com)/,
      { atLeast: 8, enoughOnce: 'alone' },
    ),
    // A driver that does not run on the chosen node has no keys in its CSINode.
    noTopologyKey: likely(
      ['event', 'csi-driver', 'pod-app', 'client-output', 'unknown'],
      /no topology key found on CSINode (?<node>[a-z0-9][\w.-]{0,252})/,
      { atLeast: 8, enoughOnce: 'alone' },
    ),
  },
  needs: [
    'kube/Node',
    'kube/CSINode',
    'kube/Pod',
    'kube/PersistentVolumeClaim',
    'kube/PersistentVolume',
  ],
  symptoms: ['pod-not-scheduled', 'sandbox-not-created'],
  explains: ['startup-taint-not-removed'],
  // Pods without volumes run.
  blocksAbove: false,
  summary: ({ node, machine, driver, verb, reason, pod }) =>
    pod !== undefined
      ? `The CSI driver ${driver ?? ''} is not registered on ${node ?? machine ?? 'the node'}, so the pod ${pod}, whose volume it serves, does not start there.`
      : verb === undefined
        ? sentence`The CSI driver ${driver} is not registered on ${node ?? machine ?? 'the node'}${phrase` (it ends with: ${reason})`}, so pods with its volumes do not start there.`
        : `The CSI node driver may not ${verb} Nodes, so it cannot take its own agent-not-ready taint off ${machine ?? 'the node'}.`,
  remedy: ({ driver, verb }) => {
    const name = driver?.split('.')[0] ?? 'ebs';
    return [
      step(
        'Read why the driver’s pod on this node is not ready.',
        `kubectl -n kube-system logs -l app=${name}-csi-node -c ${name}-plugin --tail=200 --prefix`,
      ),
      verb === undefined
        ? step(
            'Install or repair the add-on.',
            `aws eks create-addon --cluster-name <cluster> --addon-name aws-${name}-csi-driver --resolve-conflicts OVERWRITE`,
          )
        : step(
            'Give its ClusterRole the verb.',
            `kubectl get clusterrole ${name}-csi-node-role -o yaml`,
          ),
    ];
  },
  decide: step(
    'See which drivers the node has, and the state of their pods.',
    'kubectl get node/<node> csinode/<node> -o json',
  ),
  page: {
    why: 'A CSI driver exists on a node once its DaemonSet pod has registered with the kubelet, which then writes the driver into CSINode. Until then volumes cannot be attached or mounted, and a start-up taint may hold pods back.',
    prevent:
      'Run the node DaemonSet with priority system-node-critical and toleration of everything; give it instance metadata (hop limit 2) or let it read the Node.',
    notThis:
      'A driver that is registered and healthy while its taint stays is startup-taint-removal-lost or startup-taint-added-after-removal. `isAllocatableSet: driver not found` in its log is an ordinary retry.',
    alsoKnownAs: [
      'driver name ebs.csi.aws.com not found in the list of registered CSI drivers',
      'ebs.csi.aws.com/agent-not-ready',
    ],
    refs: [
      'https://github.com/kubernetes-sigs/aws-ebs-csi-driver/blob/HEAD/docs/install.md',
      'https://github.com/kubernetes-sigs/aws-ebs-csi-driver/blob/HEAD/pkg/driver/node.go',
    ],
  },
});

export default matched(cause, matchNode);

type Own = ViewOf<typeof cause>;

/** A pod waits for a volume, or a taint for the driver, and the node's CSINode lacks that driver. */
function matchNode(view: Own): Match | null {
  const node = view.read('kube/Node');
  if (node.state !== 'seen') return null;
  const match = matchDriver(view, node);
  return match === null || isYoung(node.value, view.nowMs) ? null : match;
}

function matchDriver(view: Own, node: Seen<KubeNode>): Match | null {
  const csi = view.list('kube/CSINode').find(({ value }) => value.name === node.value.name);
  return csi === undefined
    ? matchUnread(view, node)
    : (matchPod(view, node, csi) ?? matchTaint(view, node, csi) ?? matchPresent(view, node, csi));
}

/** The drivers of all waiting volumes are registered, and no taint and no line says otherwise. */
function matchPresent(view: Own, node: Seen<KubeNode>, csi: Seen<CsiNode>): Match | null {
  const isTold = view.anySign('forbidden', 'timedOut', 'panicked');
  const isTainted = (node.value.taints ?? []).some((taint) => TAINT.test(taint.key));
  const waiting = waitingForVolumes(view);
  if (isTold || isTainted || waiting.length === 0) return null;
  const present = driversOn(csi.value);
  const arePresent = waiting.every(({ value }) => {
    const claims = claimsOf(view, value);
    return (
      claims.length > 0 && claims.every((claimed) => present.includes(driverOf(claimed) ?? ''))
    );
  });
  return arePresent ? clear : null;
}

function claimsOf(view: Own, pod: Pod): readonly ClaimedVolume[] {
  return volumesOf(
    pod,
    view.list('kube/PersistentVolumeClaim'),
    view.list('kube/PersistentVolume'),
  );
}

function matchTaint(view: Own, node: Seen<KubeNode>, csi: Seen<CsiNode>): Match | null {
  const key = (node.value.taints ?? []).find((taint) => TAINT.test(taint.key))?.key;
  if (key === undefined) return null;
  const driver = key.slice(0, key.indexOf('/'));
  if (driversOn(csi.value).includes(driver)) return null;
  return found(
    { node: node.value.name, driver },
    [
      view.quote(node, `Node ${node.value.name} taint ${key}`),
      view.quote(csi, `CSINode ${csi.value.name} has no driver ${driver}`),
    ],
    'likely',
  );
}

/** Pods of the node that wait and mount a claim. */
function waitingForVolumes(view: Own): readonly Seen<Pod>[] {
  const waiting = waitingPods(view.list('kube/Pod'), view.node, view);
  return waiting.filter(({ value }) => claimNames(value).length > 0);
}

function matchPod(view: Own, node: Seen<KubeNode>, csi: Seen<CsiNode>): Match | null {
  if (node.value.ready !== true) return null;
  const present = driversOn(csi.value);
  for (const pod of waitingForVolumes(view)) {
    for (const claimed of claimsOf(view, pod.value)) {
      const driver = driverOf(claimed);
      if (driver === null || !OF_AWS.test(driver) || present.includes(driver)) continue;
      const has = present.length === 0 ? 'no driver' : `the drivers ${present.join(', ')} only`;
      return found({ node: node.value.name, driver, pod: podName(pod.value) }, [
        view.quote(csi, `CSINode ${csi.value.name} has ${has}, not ${driver}`),
        view.quote(claimed.volume ?? claimed.claim, claimWords(claimed)),
        view.quote(pod, waitingWords(pod)),
      ]);
    }
  }
  return null;
}

/** A pod waits for its volume, and nobody read which drivers the node has. */
function matchUnread(view: Own, { value }: Seen<KubeNode>): Match | null {
  if (waitingForVolumes(view).length === 0 || view.read('kube/CSINode').state !== 'unknown')
    return null;
  return cannotSay({
    reason: 'not-collected',
    detail: 'which CSI drivers the node has',
    collect: `kubectl get csinode ${value.name} -o yaml`,
  });
}

function isYoung(node: KubeNode, nowMs: number | null): boolean {
  return nowMs !== null && node.createdMs !== null && nowMs - node.createdMs < YOUNG_MS;
}
