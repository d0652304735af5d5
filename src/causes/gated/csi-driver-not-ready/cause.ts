import { defineCause, found, type Match, type View } from '../../../diagnosis/cause.ts';
import { listAt, textAt } from '../../../evidence/json.ts';
import type { KubeNode, KubeObject } from '../../../evidence/kinds.ts';

/** The driver registers within a minute of the node’s first pods. */
const YOUNG_MS = 180_000;
const TAINT = /^(?:ebs|efs|fsx|s3)\.csi\.aws\.com\/agent-not-ready$/;

/** The node part of an AWS CSI driver is not registered on this node. */
export default defineCause({
  id: 'csi-driver-not-ready',
  stage: 'gated',
  title: 'the CSI node driver is not ready on the node',
  scope: 'machine',
  signs: {
    notRegistered: {
      in: ['kubelet'],
      anchors: ['not found in the list of registered CSI drivers'],
      pattern:
        /driver name (?<driver>[a-z0-9]+\.csi\.aws\.com) not found in the list of registered CSI drivers/,
      weight: 'likely',
      // The kubelet doubles its pauses; eight tries are minutes, a fresh node has one or two.
      atLeast: 8,
    },
    notRegisteredLong: {
      in: ['event', 'csi-driver'],
      anchors: ['not found in the list of registered CSI drivers', 'does not contain driver'],
      pattern:
        /\(x\d{1,5} over (?:\d{1,3}[hd]\w{0,6}|(?:[3-9]|[1-9]\d)m\d{0,2}s?)\).*(?:driver name (?<driver>[a-z0-9]+\.csi\.aws\.com) not found in the list|does not contain driver (?<driver2>[a-z0-9]+\.csi\.aws\.com))/,
      weight: 'likely',
    },
    forbidden: {
      in: ['csi-driver'],
      anchors: ['remove node taint', 'agent-not-ready taint'],
      pattern:
        /(?:remove node taint|agent-not-ready taint).*is forbidden: User "(?<user>[^"]+)" cannot (?<verb>\w+) resource "nodes"/,
      weight: 'definite',
    },
    timedOut: {
      in: ['csi-driver'],
      anchors: ['Timed out trying to remove agent-not-ready taint'],
      pattern:
        /Timed out trying to remove agent-not-ready taint(?: from node (?<node>[a-z0-9][a-z0-9.-]*[a-z0-9]))?/,
      weight: 'likely',
    },
    panicked: {
      in: ['csi-driver'],
      anchors: ['node providerID empty', 'did not find aws instance ID in node providerID'],
      pattern:
        /\b(?<reason>node providerID empty|did not find aws instance ID in node providerID)\b/,
      weight: 'likely',
    },
    listening: {
      in: ['csi-driver'],
      anchors: ['istening for connections'],
      pattern: /Listening for connections/i,
      weight: 'withdraws',
    },
    removed: {
      in: ['csi-driver'],
      anchors: ['Removed taint(s) from local node'],
      pattern: /Removed taint\(s\) from local node/,
      weight: 'withdraws',
    },
    attached: {
      in: ['event'],
      anchors: ['SuccessfulAttachVolume'],
      pattern: /\bSuccessfulAttachVolume\b/,
      weight: 'withdraws',
    },
  },
  needs: ['kube/Node', 'kube/CSINode'],
  symptoms: ['pod-not-scheduled'],
  explains: ['startup-taint-not-removed'],
  // Pods without volumes run.
  blocksAbove: false,
  match: (view) => matchNode(view),
  summary: ({ node, machine, driver, verb, reason }) =>
    verb === undefined
      ? `The CSI driver ${driver ?? ''} is not registered on ${node ?? machine ?? 'the node'}${reason === undefined ? '' : ` (it ends with: ${reason})`}, so pods with its volumes do not start there.`.replace(
          'driver  is',
          'driver is',
        )
      : `The CSI node driver may not ${verb} Nodes, so it cannot take its own agent-not-ready taint off ${machine ?? 'the node'}.`,
  remedy: ({ driver, verb }) => {
    const name = driver?.split('.')[0] ?? 'ebs';
    return [
      {
        text: 'Read why the driver’s pod on this node is not ready.',
        command: `kubectl -n kube-system logs -l app=${name}-csi-node -c ${name}-plugin --tail=200 --prefix`,
      },
      verb === undefined
        ? {
            text: 'Install or repair the add-on.',
            command: `aws eks create-addon --cluster-name <cluster> --addon-name aws-${name}-csi-driver --resolve-conflicts OVERWRITE`,
          }
        : {
            text: 'Give its ClusterRole the verb.',
            command: `kubectl get clusterrole ${name}-csi-node-role -o yaml`,
          },
    ];
  },
  decide: {
    text: 'See which drivers the node has, and the state of their pods.',
    command: 'kubectl get node/<node> csinode/<node> -o json',
  },
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

/** The taint is there and the driver is not in the node's CSINode. */
function matchNode(view: View<'kube/Node' | 'kube/CSINode', string>): Match | null {
  const node = view.read('kube/Node');
  if (node.state !== 'seen') return null;
  const key = (node.value.taints ?? []).find((taint) => TAINT.test(taint.key))?.key;
  const csi = view.list('kube/CSINode').find(({ value }) => value.name === node.value.name);
  if (key === undefined || csi === undefined) return null;
  if (isYoung(node.value, view.nowMs)) return null;
  const driver = key.slice(0, key.indexOf('/'));
  if (driversOf(csi.value).includes(driver)) return null;
  return found(
    { node: node.value.name, driver },
    [
      view.quote(node, `Node ${node.value.name} taint ${key}`),
      view.quote(csi, `CSINode ${csi.value.name} has no driver ${driver}`),
    ],
    'likely',
  );
}

function driversOf(csi: KubeObject): readonly string[] {
  return listAt(csi.body, 'spec.drivers').map((entry) => textAt(entry, 'name') ?? '');
}

function isYoung(node: KubeNode, nowMs: number | null): boolean {
  return nowMs !== null && node.createdMs !== null && nowMs - node.createdMs < YOUNG_MS;
}
