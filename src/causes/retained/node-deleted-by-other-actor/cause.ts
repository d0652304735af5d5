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
import { isAppointedDeleter } from '../../../domain/nodes/deleters.ts';
import { isoMs, isoTime } from '../../../evidence/time.ts';

/** The audit log shows who deleted the Node: no controller that is appointed to. */
const cause = defineCause({
  id: 'node-deleted-by-other-actor',
  stage: 'retained',
  title: 'somebody deleted the Node object by hand or by script',
  scope: 'machine',
  signs: {
    deletedBy: context(
      ['audit'],
      /"requestURI":"\/api\/v1\/nodes\/(?<node>[a-z0-9][a-z0-9.-]*)(?:\?[^"]*)?","verb":"delete","user":\{"username":"(?<actor>[^"]+)"(?=.*"code":20\d\b)/,
    ),
    agent: context(
      ['audit'],
      /"requestURI":"\/api\/v1\/nodes\/(?<node>[a-z0-9][a-z0-9.-]*)(?:\?[^"]*)?","verb":"delete".*"userAgent":"(?<agent>[^"\s]+)/,
    ),
    // A row of a search in audit records: when, the verb, the Node, who, and by which program.
    deletedRow: context(
      ['client-output', 'unknown', 'audit'],
      /^\s*\|?\s*\d{4}-\d\d-\d\d[T ][\d:.]{8,15}Z?[\s|]+delete[\s|]+(?<node>(?:ip|i)-[a-z0-9][a-z0-9.-]{1,250})[\s|]+(?<actor>(?:system:serviceaccount:|arn:|[\w.-]{1,60}[:@])[\w.@:/+=-]{1,200})[\s|]+(?<agent>[\w.-]{1,60}\/\S{1,60})/,
      { anchors: ['delete'] },
    ),
    removed: context(
      ['event'],
      /\bRemovingNode\b.*Removing Node (?<node>[a-z0-9][a-z0-9.-]*) from (?:Node)?Controller/,
    ),
    byCloudController: context(
      ['event', 'cloud-controller', 'controller-manager'],
      /DeletingNode|[Dd]eleting [Nn]ode (?:\S+ because it|since it is no longer|\(no longer)/,
      { anchors: ['DeletingNode', 'Deleting Node ', 'deleting node ', 'Deleting node '] },
    ),
    vanished: context(
      ['controller-manager', 'kube-apiserver', 'kubelet'],
      /PodGC: node no longer exists|Probably Node was deleted|is forbidden: node \S{1,253} UID mismatch/i,
      {
        anchors: ['node no longer exists', 'Probably Node was deleted', 'UID mismatch'],
      },
    ),
  },
  needs: ['kube/Node', 'kube/Lease', 'kube/NodeClaim', 'aws/instance'],
  symptoms: ['machine-without-node', 'node-object-deleted'],
  per: ['actor'],
  withdrawnBy: ['node-registered', 'node-ready'],
  explains: ['no-reregistration-after-deletion', 'node-heartbeat-lost'],
  summary: ({ node, actor, agent, at }) =>
    sentence`${actor ?? 'Somebody'}${phrase` (${agent})`} deleted the Node ${node ?? 'in question'} through the API${phrase` (the event of ${at} names no cloud controller) while its instance runs`}; its kubelet does not register again before it is restarted.`,
  remedy: ({ actor }) => [
    step('Bring the Node back if the machine shall stay.', 'sudo systemctl restart kubelet'),
    step(
      'See by which rule that user may delete Nodes, and take the verb away.',
      `kubectl auth can-i delete nodes --as=${actor ?? '<user>'}; kubectl get clusterrolebindings -o wide | grep ${actor ?? '<user>'}`,
    ),
  ],
  decide: step(
    'Ask the audit log who deletes Nodes.',
    `aws logs filter-log-events --log-group-name /aws/eks/<cluster>/cluster --log-stream-name-prefix kube-apiserver-audit --filter-pattern '{ $.verb = "delete" && $.objectRef.resource = "nodes" }'`,
  ),
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

export default matched(cause, (view) => matchActor(view) ?? matchRow(view) ?? matchRemoval(view));

type Own = ViewOf<typeof cause>;

/** The event of the removal, without that of a cloud controller, while the instance still runs. */
function matchRemoval(view: Own): Match | null {
  const removed = view.sign('removed');
  const at = isoTime(removed?.last.moment.when ?? null);
  if (removed === null || at === null || !view.shows('machine-without-node')) return null;
  if (view.sign('byCloudController') !== null || view.list('kube/NodeClaim').length > 0)
    return null;
  const instance = view.list('aws/instance').find(({ value }) => value.State?.Name === 'running');
  const launched = instance?.value.LaunchTime ?? '';
  // An address is given again, and the name of a Node with it: an earlier machine's removal is none.
  if (instance === undefined || (isoMs(launched) ?? Infinity) > (isoMs(at) ?? 0)) return null;
  const id = instance.value.InstanceId ?? '';
  return found(
    { node: removed.last.captures['node'] ?? '', at },
    [removed.last, view.quote(instance, `${id} running since ${launched}, and no Node is its`)],
    'likely',
  );
}

/** A row names who asked for it, and the event says that it was done. */
function matchRow(view: Own): Match | null {
  const rows = view.sign('deletedRow') ?? view.clusterSign('deletedRow');
  const removed = view.sign('removed') ?? view.clusterSign('removed');
  if (rows === null || removed === null || view.sign('byCloudController') !== null) return null;
  const node = removed.last.captures['node'];
  const row = rows.quotes.find(
    ({ captures }) =>
      captures['node'] === node && !isAppointedDeleter(captures['actor'] ?? 'eks:unread'),
  );
  return row === undefined ? null : found(row.captures, [row, removed.last], 'likely');
}

function matchActor(view: Own): Match | null {
  const quotes = view.sign('deletedBy')?.quotes ?? [];
  const quote = quotes.find(
    ({ captures }) => !isAppointedDeleter(captures['actor'] ?? 'eks:unread'),
  );
  const isCut = (view.sign('deletedBy')?.count ?? 0) > quotes.length;
  if (quote === undefined) return quotes.length > 0 && !isCut ? clear : null;
  const agent = view.sign('agent')?.quotes.find((other) => other.locator === quote.locator)
    ?.captures['agent'];
  return found({ ...quote.captures, ...(agent === undefined ? {} : { agent }) }, [quote], 'likely');
}
