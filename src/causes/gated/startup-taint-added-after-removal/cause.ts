import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { context, likely } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { KubeNode } from '../../../evidence/kinds.ts';
import {
  isOfDaemonSet,
  isOnNode,
  isPodReady,
  podName,
  runningSinceMs,
} from '../../../domain/pods/pods.ts';
import { isoTime } from '../../../evidence/time.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';
import type { CsiNode } from '../../../evidence/kube/storage.ts';
import type { NodeGroup } from '../../../evidence/aws/groups.ts';

const TAINT = /^(?:ebs|efs|fsx|s3)\.csi\.aws\.com\/agent-not-ready$/;

/** Somebody else put the start-up taint on the Node after its driver had looked and found nothing to remove. */
const cause = defineCause({
  id: 'startup-taint-added-after-removal',
  stage: 'gated',
  title: 'the start-up taint came after the driver had done its one removal',
  scope: 'machine',
  signs: {
    registered: context(
      ['csi-driver'],
      /CSINode Allocatable value is set"? nodeName="(?<node>[^"]+)"/,
    ),
    removed: context(['csi-driver'], /Removed taint\(s\) from local node/),
    nothingToRemove: context(['csi-driver'], /No taints to remove on node/),
    toldStays: context(
      ['client-output', 'unknown', 'csi-driver'],
      /\btaint (?<taint>[\w.-]{1,80}\/agent-not-ready)\b.{0,20}\b(?:stays|remains|is still|was still|never (?:goes|went))\b/,
      { isTold: true, anchors: ['agent-not-ready'] },
    ),
    toldAgain: likely(
      ['client-output', 'unknown'],
      /\b(?:[Kk]arpenter|node ?group|EKS)\b.{0,120}\b(?<taint>[\w.-]{1,80}\/agent-not-ready)\b.{0,40}\b(?:again|back|re-?added|added anew)\b/,
      { isTold: true, anchors: ['agent-not-ready'] },
    ),
    taintNamed: context(
      ['client-output', 'unknown'],
      /(?<![\w./-])(?<taint>[\w.-]{1,80}\/agent-not-ready)\b/,
      { isTold: true, isBackground: true },
    ),
    // The same taint stays on new nodes when the agent itself has a fault.
    toldKept: context(
      ['client-output', 'unknown'],
      /\b(?:on|to|onto) (?:\w+ ){0,2}?(?:nodes? (?:that|which) (?:were|was|are|had been|have been) (?:\w+ )?(?:there|running|part|up)\b|(?:existing|running|old(?:er)?|present) nodes?\b)(?:(?!\b(?:no|new|none)\b).){0,160}?\b(?:(?:does(?: not|n't)|do(?: not|n't)|did(?: not|n't)|never|not|won't) (?:go(?:es)? away|(?:get |gets |got |been )?removed|disappears?|come off|removes? it|takes? it off)\b|(?:stays|remains|is still) (?:there|on)\b|restart\w*\b[^.]{0,80}\b(?:gets rid|removes?|removed|takes? it off|took it off|clears?|cleared)\b)/,
      {
        isTold: true,
        anchors: [
          'node that ',
          'nodes that ',
          'node which ',
          'nodes which ',
          'existing node',
          'running node',
          'old node',
          'older node',
          'present node',
        ],
      },
    ),
    toldApplied: context(
      ['client-output', 'unknown'],
      /\b(?:applied|adds?|added|sets?|put|puts) (?:the |this |that )?taint\b.{0,80}\b(?:existing|running) nodes?\b/,
      { isTold: true, anchors: ['existing node', 'running node'] },
    ),
    rejected: context(
      ['csi-driver'],
      /(?:remove agent-not-ready taint|attempting to remove node taint).*(?:the server rejected our request|is forbidden)/,
    ),
    toldRestored: likely(
      ['client-output', 'unknown'],
      /\b(?:[Kk]arpenter|[Nn]ode ?group|EKS|eks-node-manager|controller)\b.{0,40}\b(?:restores?|restored|re-?adds?|re-?added|re-?appl(?:y|ies|ied)|puts? back|adds? back|added back)\b.{0,30}(?:\bstart-?up ?[Tt]aints?\b|\/agent-not-ready\b)|\/agent-not-ready\b.{0,60}\b(?:[Kk]arpenter|[Nn]ode ?group|EKS|eks-node-manager)\b.{0,20}\b(?:restores?|restored|re-?adds?|re-?added|(?:adds?|puts?) (?:it|them) (?:back|again)|added (?:it|them) (?:back|again))\b/,
      {
        isTold: true,
        anchors: ['tartupTaint', 'tartup taint', 'tart-up taint', 'agent-not-ready'],
      },
    ),
  },
  needs: ['kube/Node', 'kube/Pod', 'kube/CSINode', 'aws/node-group'],
  symptoms: ['pod-not-scheduled'],
  explains: ['startup-taint-not-removed', 'csi-driver-not-ready'],
  summary: ({ node, taint, group, writer }) =>
    sentence`The node ${node} carries ${taint ?? 'the start-up taint'} although its driver started well: ${group === undefined ? (writer ?? 'somebody') : `the node group ${group}`} put it there after the driver had looked, and the driver looks only once.`,
  remedy: ({ node, taint, pod }) => {
    const driver = taint?.split('.')[0] ?? 'ebs';
    const [namespace = 'kube-system', name] = pod?.split('/') ?? [];
    return [
      {
        text: 'Start the driver’s pod on this node again; it looks once more.',
        command:
          name === undefined
            ? `kubectl -n kube-system delete pod -l app=${driver}-csi-node --field-selector spec.nodeName=${node ?? '<node>'}`
            : `kubectl -n ${namespace} delete pod ${name}`,
      },
      step(
        'Let the kubelet register the taint (registerWithTaints in the NodeConfig) instead of the node group, which adds it seconds later.',
        'aws eks describe-nodegroup --cluster-name <cluster> --nodegroup-name <node-group> --query nodegroup.taints',
      ),
    ];
  },
  decide: step(
    'Read who wrote the taint, and when.',
    'kubectl get node <node> -o json; aws eks describe-nodegroup --cluster-name <cluster> --nodegroup-name <node-group>',
  ),
  page: {
    why: 'Taints of a managed node group are put on the Node by eks:node-manager after the registration. A driver that is up before that finds no taint, and older releases never look again.',
    prevent: 'Taints from the kubelet’s own configuration; driver releases that keep watching.',
    notThis:
      'A rejected patch in the driver’s log is startup-taint-removal-lost; a driver that is missing in CSINode is csi-driver-not-ready. The log alone shows a healthy start and decides nothing.',
    refs: ['https://github.com/kubernetes-sigs/aws-ebs-csi-driver/issues/2447'],
  },
});

export default matched(cause, matchLateTaint);

type Own = ViewOf<typeof cause>;

/** Managers that write taints late on every healthy node, or that only take taints off. */
const ORDINARY = /^(?:kubelet|kube-controller-manager|.*cloud-controller-manager|.*csi.*)$/;
/** What puts a managed node group's taints on a Node. */
const NODE_GROUPS = 'eks-node-manager';

function matchLateTaint(view: Own): Match | null {
  return matchTold(view) ?? matchNode(view);
}

/** The driver found no taint, and a person finds it there afterwards. */
function matchTold(view: Own): Match | null {
  if (view.sign('rejected') !== null) return null;
  const [none, stays] = [view.sign('nothingToRemove'), view.sign('toldStays')];
  if (none === null || stays === null) return matchRunning(view);
  return found(stays.last.captures, [none.last, stays.last], 'likely');
}

/** Somebody put the taint on nodes that ran, whose agents had looked long before. */
function matchRunning(view: Own): Match | null {
  const named = view.sign('taintNamed');
  const kept = view.sign('toldKept') ?? view.sign('toldApplied');
  if (named === null || kept === null) return null;
  return found(named.last.captures, [named.last, kept.last], 'likely');
}

function matchNode(view: Own): Match | null {
  const node = view.read('kube/Node');
  if (node.state !== 'seen' || view.sign('rejected') !== null) return null;
  const taint = (node.value.taints ?? []).map(({ key }) => key).find((key) => TAINT.test(key));
  if (taint === undefined) return null;
  return byWriter(view, node, taint) ?? byLog(view, node, taint);
}

/** The Node's own fields say who wrote its taints last, and when: after the driver was running. */
function byWriter(view: Own, node: Seen<KubeNode>, taint: string): Match | null {
  const driver = taint.slice(0, taint.indexOf('/'));
  const csi = view.list('kube/CSINode').find(({ value }) => value.name === node.value.name);
  const pod = view.list('kube/Pod').find(({ value }) => isDriver(value, driver, node.value.name));
  const startedMs = pod === undefined ? null : runningSinceMs(pod.value);
  const late = node.value.taintWriters.find(
    ({ manager, atMs }) => !ORDINARY.test(manager) && isLater(atMs, startedMs),
  );
  if (csi === undefined || pod === undefined || late === undefined) return null;
  if (!has(csi.value, driver) || !isPodReady(pod.value)) return null;
  const { manager, atMs } = late;
  const [written, started] = [clock(atMs), clock(startedMs)];
  const group = view.list('aws/node-group').find((entry) => sets(entry, taint));
  return found(
    {
      node: node.value.name,
      taint,
      writer: manager,
      pod: podName(pod.value),
      ...(group === undefined ? {} : { group: group.value.nodegroupName ?? '' }),
    },
    [
      view.quote(
        node,
        `Node ${node.value.name} taint ${taint}; managedFields: ${manager} wrote spec.taints at ${written}`,
      ),
      view.quote(pod, `Pod ${podName(pod.value)} is Ready and runs since ${started}`),
      view.quote(csi, `CSINode ${csi.value.name} has the driver ${driver}`),
    ],
    manager === NODE_GROUPS ? 'definite' : 'likely',
  );
}

function isLater(atMs: number | null, startedMs: number | null): boolean {
  return atMs !== null && startedMs !== null && atMs > startedMs;
}

function isDriver(pod: Pod, driver: string, node: string): boolean {
  const name = `${driver.split('.')[0] ?? ''}-csi-node`;
  return isOnNode(pod, node) && (isOfDaemonSet(pod, name) || pod.name.startsWith(`${name}-`));
}

function has(csi: CsiNode, driver: string): boolean {
  return (csi.spec?.drivers ?? []).some((entry) => entry.name === driver);
}

function clock(ms: number | null): string {
  return (ms === null ? null : isoTime({ ms, yearless: false, clock: 'utc' })) ?? 'an unknown time';
}

function byLog(view: Own, node: Seen<KubeNode>, taint: string): Match | null {
  const registered = view.sign('registered');
  // Older drivers say that they took the taint off, and nothing of their registration.
  const settled = registered ?? view.sign('removed');
  if (settled === null) return null;
  const proof = [settled.last, view.quote(node, `Node ${node.value.name} taint ${taint}`)];
  const group = view.list('aws/node-group').find((entry) => sets(entry, taint));
  if (group !== undefined) {
    return found({ node: node.value.name, taint, group: group.value.nodegroupName ?? '' }, [
      ...proof,
      view.quote(group, `node group taint ${taint}`),
    ]);
  }
  // After a removal in the log the taint may also be one that was never truly gone.
  return view.sign('removed') === null
    ? found({ node: node.value.name, taint }, proof, 'likely')
    : null;
}

function sets({ value }: Seen<NodeGroup>, taint: string): boolean {
  return (value.taints ?? []).some((entry) => entry.key === taint);
}
