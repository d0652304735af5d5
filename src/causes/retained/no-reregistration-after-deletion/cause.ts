import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
  withRepairs,
} from '../../../diagnosis/cause.ts';
import { restarting } from '../../../diagnosis/repair.ts';
import { context, likely } from '../../../diagnosis/sign.ts';
import { isNodeLease, renewedNowMs } from '../../../domain/nodes/leases.ts';
import { isoMs, isoTime } from '../../../evidence/time.ts';

/** A kubelet registers once per start; when its Node is deleted, it only asks for it, for ever. */
const cause = defineCause({
  id: 'no-reregistration-after-deletion',
  stage: 'retained',
  title: 'the Node was deleted, and a running kubelet does not register again',
  scope: 'machine',
  signs: {
    // The first try of a round asks a cache, which may not have a new Node yet.
    updateFails: likely(
      ['kubelet'],
      /Error updating node status, will retry.*(?:error getting node "(?<node>[^"\s]+)": nodes "[^"\s]+" not found|no node instance returned for "(?<node2>[^"\s]+)")/,
      { atLeast: 2 },
    ),
    updateFailsOnce: context(
      ['kubelet', 'client-output', 'unknown'],
      /Error updating node status, will retry.{0,80}error getting node \\?"(?<node>[a-z0-9.-]{1,253})\\?": nodes \\?"[a-z0-9.-]{1,253}\\?" not found/,
      { isBackground: true },
    ),
    toldGone: context(
      ['client-output', 'unknown', 'event', 'kubelet'],
      /\b(?:gone|disappeared|missing|vanished|deleted|removed) from (?:the )?[`'"]?kubectl get nodes?|\b(?:does|did|ran|runs|running|after|executed) (?:an? )?[`'"]?kubectl delete node\b|\b(?:somebody|someone|I|we|script|cron(?:job)?|autoscaler) (?:\w{1,20} ){0,2}deleted the [Nn]ode\b/,
      {
        isTold: true,
        isBackground: true,
        anchors: ['kubectl get node', 'kubectl delete node', 'deleted the '],
      },
    ),
    // It says so before its first registration too.
    asksFor: context(
      ['kubelet'],
      /"?(?:Error getting node"?,? err="node \\?"(?<node>[a-z0-9.-]{1,253})\\?" not found|Error getting node.{0,40}: node "(?<node2>[a-z0-9.-]{1,253})" not found|node "(?<node3>[a-z0-9.-]{1,253})" not found\s*$)/,
      { anchors: ['not found'], atLeast: 2 },
    ),
    // `systemctl status` of a unit that started hours, days or weeks ago.
    runsForLong: context(
      ['client-output', 'unknown', 'journal', 'kubelet', 'host-file'],
      /Active: active \(running\) since .{10,60}; (?<since>(?:\d{1,3} (?:years?|months?|weeks?|days?)|\d{1,2}h)[^;]{0,40}) ago/,
      { anchors: ['active (running) since'] },
    ),
    registered: context(
      ['kubelet'],
      /Successfully registered node|[Nn]ode was previously registered/,
      { anchors: ['registered'] },
    ),
    removed: context(
      ['event'],
      /\bRemovingNode\b.*Removing Node (?<removed>[a-z0-9][a-z0-9.-]*) from (?:Node)?Controller/,
    ),
    toldDeleted: context(
      ['client-output', 'unknown'],
      /^node "(?<node>[\w.-]{1,253})" deleted\s*$/,
      { anchors: ['deleted'] },
    ),
    toldSilent: context(
      ['client-output', 'unknown'],
      /\bkubelet\b.{0,80}\b(?:(?:is|was) (?:not able|unable) to|never|cannot|can't|does not|doesn't|did not|didn't) (?:re-?)?register\b/,
      { isTold: true, anchors: ['register'] },
    ),
    leaseWithoutOwner: context(
      ['kubelet'],
      /(?:Failed to get node "?(?:[^"\s]+)?"? ?when trying to set owner ref to the node lease|Failed to prepare lease).*not found/,
    ),
  },
  needs: ['kube/Node', 'kube/Lease', 'aws/instance'],
  symptoms: ['node-object-deleted', 'node-object-missing', 'machine-without-node'],
  withdrawnBy: ['node-registered', 'node-ready'],
  summary: ({ node, machine, renewed }) =>
    `${renewed === undefined ? '' : `The Lease ${node ?? ''} was renewed at ${renewed} by a kubelet that runs, and there is no such Node. `}Somebody deleted the Node ${node ?? machine ?? ''} while its kubelet ran on; the kubelet only updates a Node it once registered and does not create it again until it is restarted.`,
  remedy: ({ instance }) => [
    step(
      'Restart the kubelet; the Node is back within a second.',
      'sudo systemctl restart kubelet',
    ),
    step(
      'Without a shell on the machine, by SSM.',
      `aws ssm send-command --document-name AWS-RunShellScript --parameters 'commands=["systemctl restart kubelet"]' --instance-ids ${instance ?? '<instance>'}`,
    ),
    step(
      'Then find who deletes Nodes.',
      'kubectl get events -A --field-selector reason=DeletingNode',
    ),
  ],
  decide: step(
    'See whether the kubelet registered earlier in the same run and now asks in vain.',
    'journalctl -u kubelet --no-pager | grep -E "Successfully registered node|Error updating node status" | tail -n 10',
  ),
  reason: step(
    'The cloud controller says whether it deleted the Node, and why.',
    'kubectl -n kube-system logs -l k8s-app=aws-cloud-controller-manager --tail=2000',
  ),
  page: {
    why: 'Registration is done once, at the start of the kubelet process. Whoever deletes the Node later (a cloud controller, a person, a clean-up job) leaves a healthy kubelet that reports to nobody; /healthz stays ok and its pods run until they are collected.',
    prevent: 'Never delete the Node of a running machine; restrict the verb to controllers.',
    notThis:
      'This is what follows a deletion; node-deleted-as-not-in-cloud, node-deleted-by-other-actor and the others of this stage name who did it. Without an earlier success in the journal it is node-registration-disabled or a cause of a lower stage.',
    alsoKnownAs: [
      'Unable to update node status: update node status exceeds retry count',
      'nodes not found kubelet',
    ],
    refs: [
      'https://github.com/kubernetes/kubernetes/issues/71398',
      'https://github.com/kubernetes/kubernetes/pull/123535',
      'https://github.com/kubernetes/kubernetes/blob/HEAD/pkg/kubelet/kubelet_node_status.go',
    ],
  },
});

export default matched(
  cause,
  (view) => matchTold(view) ?? matchLease(view) ?? matchAsks(view) ?? matchShown(view),
);

type Own = ViewOf<typeof cause>;

/** Somebody deleted the Node, and says that its kubelet does not come back. */
function matchTold(view: Own): Match | null {
  const [deleted, silent] = [
    view.sign('toldDeleted'),
    view.sign('toldSilent') ?? view.clusterSign('toldSilent'),
  ];
  if (deleted === null || silent === null) return matchGone(view);
  return found(deleted.last.captures, [deleted.last, silent.last], 'likely');
}

/** A kubelet updates the status only of a Node that it had, and somebody says that it is gone. */
function matchGone(view: Own): Match | null {
  const fails = view.sign('updateFailsOnce') ?? view.clusterSign('updateFailsOnce');
  const gone = view.sign('toldGone');
  if (fails === null || gone === null || view.isLive) return null;
  return found(fails.last.captures, [fails.last, gone.last], 'likely');
}

/**
 * The event or the answer to a deletion names the Node for which a kubelet asks that has run for
 * long, or once registered: one that starts asks in the same words.
 */
function matchShown(view: Own): Match | null {
  const seen = (name: 'asksFor' | 'removed' | 'toldDeleted' | 'registered' | 'runsForLong') =>
    (view.sign(name) ?? view.clusterSign(name))?.last;
  const [asks, before] = [seen('asksFor'), seen('registered') ?? seen('runsForLong')];
  const gone = seen('removed') ?? seen('toldDeleted');
  if (view.isLive || asks === undefined || gone === undefined || before === undefined) return null;
  const node = asks.captures['node'];
  const named = gone.captures['removed'] ?? gone.captures['node'];
  return node === undefined || named !== node
    ? null
    : found({ node }, [gone, asks, before], 'likely');
}

/** A look at the cluster shows all Nodes, and none of this machine. */
function hasNoNode(view: Own): boolean {
  if (!view.isLive || !view.shows('machine-without-node')) return false;
  return view.read('kube/Node').state === 'absent';
}

/** A kubelet asks for its Node every 10 s; clocks of machines differ by some seconds. */
const ASKS_MAX_MS = 60_000;

/**
 * A kubelet that had its Node, and asks for it now. It asks for one that it never made too, where
 * it may not register.
 */
function matchAsks(view: Own): Match | null {
  const asks = view.sign('updateFails')?.last;
  const had = view.sign('registered')?.last ?? view.sign('removed')?.last;
  const at = isoTime(asks?.moment.when ?? null);
  if (asks === undefined || had === undefined || at === null || !hasNoNode(view)) return null;
  const agoMs = (view.nowMs ?? 0) - (isoMs(at) ?? 0);
  const node = asks.captures['node'];
  if (node === undefined || Math.abs(agoMs) > ASKS_MAX_MS) return null;
  const says = `the kubelet asked for the Node ${node} at ${at}, and there is no such Node`;
  const match = found({ node }, [asks, had]);
  return withRepairs(match, restarting(view.instanceId, node, says));
}

/** A Lease is made for a registered Node only; renewed without one, it shows a kubelet that stayed. */
function matchLease(view: Own): Match | null {
  if (!hasNoNode(view)) return null;
  for (const lease of view.list('kube/Lease')) {
    if (!isNodeLease(lease.value) || renewedNowMs(lease.value, view.nowMs ?? 0) === null) continue;
    const renewed = lease.value.spec?.renewTime ?? '';
    const node = lease.value.name;
    const words = `Lease kube-node-lease/${node} spec.renewTime ${renewed}, and no Node ${node} in the list of all Nodes`;
    const said = view.sign('updateFails');
    const match = found({ node, renewed }, [
      view.quote(lease, words),
      ...(said === null ? [] : [said.last]),
    ]);
    const says = `the Lease ${node} was renewed at ${renewed}, and there is no such Node`;
    return withRepairs(match, restarting(view.instanceId, node, says));
  }
  return null;
}
