import { defineCause, found, type Match, type View } from '../../../diagnosis/cause.ts';

/** Controllers whose work it is to delete Nodes, and kubelets, which may delete their own. */
const APPOINTED =
  /^(?:system:node:|system:serviceaccount:kube-system:(?:cloud-|node-|aws-cloud-)|system:(?:cloud-controller|kube-controller)|eks:|aws-cloud)|karpenter|autoscaler|cloud-controller|kops-controller|machine-api|capi|capa/;

/** The audit log shows who deleted the Node: no controller that is appointed to. */
export default defineCause({
  id: 'node-deleted-by-other-actor',
  stage: 'retained',
  title: 'somebody deleted the Node object by hand or by script',
  scope: 'machine',
  signs: {
    deletedBy: {
      in: ['audit'],
      anchors: ['/api/v1/nodes/'],
      pattern:
        /"requestURI":"\/api\/v1\/nodes\/(?<node>[a-z0-9][a-z0-9.-]*)(?:\?[^"]*)?","verb":"delete","user":\{"username":"(?<actor>[^"]+)"/,
      weight: 'context',
    },
    agent: {
      in: ['audit'],
      anchors: ['/api/v1/nodes/'],
      pattern:
        /"requestURI":"\/api\/v1\/nodes\/(?<node>[a-z0-9][a-z0-9.-]*)(?:\?[^"]*)?","verb":"delete".*"userAgent":"(?<agent>[^"\s]+)/,
      weight: 'context',
    },
  },
  needs: [],
  symptoms: [],
  per: ['actor'],
  withdrawnBy: ['node-registered', 'node-ready'],
  explains: ['no-reregistration-after-deletion', 'node-heartbeat-lost'],
  match: (view) => matchActor(view),
  summary: ({ node, actor, agent }) =>
    `${actor ?? 'Somebody'}${agent === undefined ? '' : ` (${agent})`} deleted the Node ${node ?? 'in question'} through the API; its kubelet does not register again before it is restarted.`,
  remedy: ({ actor }) => [
    {
      text: 'Bring the Node back if the machine shall stay.',
      command: 'sudo systemctl restart kubelet',
    },
    {
      text: 'See by which rule that user may delete Nodes, and take the verb away.',
      command: `kubectl auth can-i delete nodes --as=${actor ?? '<user>'}; kubectl get clusterrolebindings -o wide | grep ${actor ?? '<user>'}`,
    },
  ],
  decide: {
    text: 'Ask the audit log who deletes Nodes.',
    command: `aws logs filter-log-events --log-group-name /aws/eks/<cluster>/cluster --log-stream-name-prefix kube-apiserver-audit --filter-pattern '{ $.verb = "delete" && $.objectRef.resource = "nodes" }'`,
  },
  page: {
    why: 'kubectl delete node, a clean-up job or a pipeline removes the object and not the machine. The event list shows only RemovingNode, which follows every deletion.',
    prevent:
      'Drain and terminate instances instead of deleting Nodes; give `delete nodes` to controllers only; switch the audit log on.',
    notThis:
      'A DeletingNode event before RemovingNode means the cloud controller: node-deleted-as-not-in-cloud or instance-stopped-or-terminated. Deletions by eks:node-manager and Karpenter are their plan.',
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/control-plane-logs.html',
      'https://github.com/kubernetes/kubernetes/issues/71562',
    ],
  },
});

function matchActor(view: View<never, 'deletedBy' | 'agent'>): Match | null {
  const quotes = view.sign('deletedBy')?.quotes ?? [];
  const quote = quotes.find(({ captures }) => !APPOINTED.test(captures['actor'] ?? 'karpenter'));
  if (quote === undefined) return null;
  const agent = view.sign('agent')?.quotes.find((other) => other.locator === quote.locator)
    ?.captures['agent'];
  return found({ ...quote.captures, ...(agent === undefined ? {} : { agent }) }, [quote], 'likely');
}
