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

const TAINT = /^(?<driver>ebs|efs|fsx|s3)\.csi\.aws\.com\/agent-not-ready$/;

/** Two components changed the Node's taints at once; the driver's patch lost and was not made again. */
const cause = defineCause({
  id: 'startup-taint-removal-lost',
  stage: 'gated',
  title: 'the driver’s removal of its start-up taint was rejected and not repeated',
  scope: 'machine',
  signs: {
    rejected: context(
      ['csi-driver'],
      /attempting to remove node taint\(s\)"? err="the server rejected our request due to an error in our request/,
      { anchors: ['attempting to remove node taint'] },
    ),
    // One rejection and a new try is the ordinary course.
    rejectedForEver: context(
      ['csi-driver'],
      /Failed to remove agent-not-ready taint.*the server rejected our request due to an error in our request(?:.*node="(?<node>[^"]+)")?/,
      { anchors: ['Failed to remove agent-not-ready taint'], atLeast: 5 },
    ),
    removed: context(['csi-driver'], /Removed taint\(s\) from local node/),
  },
  needs: ['kube/Node'],
  symptoms: ['pod-not-scheduled'],
  explains: ['startup-taint-not-removed', 'csi-driver-not-ready'],
  summary: ({ machine, taint }) =>
    `The driver is well, but its one request to take ${taint ?? 'its agent-not-ready taint'} off ${machine ?? 'the node'} was rejected because another component changed the taints at that moment; the taint stays.`,
  remedy: ({ node, taint, driver }) => [
    step(
      'Let the driver’s pod on this node start again; it removes the taint when it starts.',
      `kubectl -n kube-system delete pod -l app=${driver ?? 'efs'}-csi-node --field-selector spec.nodeName=${node ?? '<node>'}`,
    ),
    step(
      'Or take the taint off by hand.',
      `kubectl taint node ${node ?? '<node>'} ${taint ?? '<taint-key>'}-`,
    ),
    step(
      'Then use a driver release that looks at the result and tries again (EFS 2.3, current EBS).',
      `aws eks describe-addon-versions --addon-name aws-${driver ?? 'efs'}-csi-driver --query addons[].addonVersions[].addonVersion`,
    ),
  ],
  decide: step(
    'See whether the taint is still there, and what the driver said when it tried to remove it.',
    "kubectl get node <node> -o json; kubectl -n kube-system logs -l 'app in (ebs-csi-node,efs-csi-node)' --all-containers --prefix --tail=-1 | grep -i taint",
  ),
  page: {
    why: 'The driver removes its taint with a patch that names the whole list of taints as it was read. While a node starts, the node controller, Karpenter and other drivers change the same list; the API server then answers 422, and older drivers do not try again or repeat the stale list.',
    prevent: 'Current drivers, and as few start-up taints on one node as possible.',
    notThis:
      'Forbidden instead of rejected is csi-driver-not-ready (RBAC). A taint that came after the driver’s start is startup-taint-added-after-removal. `isAllocatableSet: driver not found` is an ordinary retry.',
    alsoKnownAs: [
      'the server rejected our request due to an error in our request',
      'Unexpected failure when attempting to remove node taint(s)',
    ],
    refs: [
      'https://github.com/kubernetes-sigs/aws-efs-csi-driver/issues/1320',
      'https://github.com/kubernetes-sigs/aws-ebs-csi-driver/issues/2575',
      'https://github.com/kubernetes-sigs/aws-ebs-csi-driver/issues/2199',
    ],
  },
});

export default matched(cause, matchRejection);

type Own = ViewOf<typeof cause>;

function matchRejection(view: Own): Match | null {
  const rejected = view.sign('rejected') ?? view.sign('rejectedForEver');
  if (rejected === null) return view.sign('removed') === null ? null : clear;
  const node = view.read('kube/Node');
  const taints = node.state === 'seen' ? node.value.taints : null;
  const taint = taints?.map(({ key }) => key).find((key) => TAINT.test(key));
  if (node.state === 'seen' && taint !== undefined) {
    const driver = taint.slice(0, taint.indexOf('.'));
    return found({ node: node.value.name, taint, driver }, [
      rejected.last,
      view.quote(node, `Node ${node.value.name} taint ${taint}`),
    ]);
  }
  if (taints !== null || view.sign('removed') !== null) return clear;
  return found(rejected.last.captures, [rejected.last], 'likely');
}
