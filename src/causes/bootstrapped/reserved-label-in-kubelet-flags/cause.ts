import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { clears, context, definite, likely } from '../../../diagnosis/sign.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { machineOf } from '../../../domain/planned/machine.ts';
import { userDataStep } from '../../../domain/planned/remedies.ts';

/** The kubelet refuses to start with labels that it may not give itself. */
const cause = defineCause({
  id: 'reserved-label-in-kubelet-flags',
  stage: 'bootstrapped',
  title: 'a reserved label is passed with --node-labels',
  scope: 'machine',
  signs: {
    refused: definite(
      ['kubelet', 'nodeup', 'cloud-init'],
      /unknown 'kubernetes\.io' or 'k8s\.io' labels specified with --node-labels: \[(?<labels>[^\]]*)\]/,
    ),
    refusedByEksctl: definite(
      ['terraform', 'client-output'],
      /(?<before>unknown 'kubernetes\.io' or 'k8s\.io' labels were specified): \[(?<labels>[^\]]*)\]/,
    ),
    refusedByEks: definite(
      ['terraform', 'aws-message', 'client-output'],
      /(?<before>Label cannot contain reserved prefixes) \[(?<prefixes>[^\]]*)\]/i,
      { anchors: ['annot contain reserved prefixes'] },
    ),
    // Kubelets up to 1.14 say the same as a warning and go on.
    onlyWarned: clears(
      ['kubelet', 'nodeup', 'cloud-init'],
      /options\.go:\d+\] unknown 'kubernetes\.io'|in 1\.15, --node-labels in the/,
      { anchors: ['in 1.15, --node-labels', 'labels specified with --node-labels'] },
    ),
    // Node groups hand their labels to the kubelet, which starts with none of these.
    givenToGroup: context(
      ['terraform', 'client-output', 'object'],
      /^\s*["']?(?<labels>node-role\.kubernetes\.io\/[\w-]+|node\.kubernetes\.io\/role)["']?\s*[=:]/,
    ),
    // Bottlerocket hands the labels of its settings to the kubelet; far to the right stand those of a Node.
    givenInSettings: likely(
      ['user-data', 'client-output', 'unknown', 'object'],
      /^\s{0,8}"(?<labels>(?!(?:[\w-]+\.)*(?:node|kubelet)\.kubernetes\.io\/|(?:beta\.)?kubernetes\.io\/(?:hostname|arch|os|instance-type)"|(?:topology|failure-domain\.beta)\.kubernetes\.io\/)(?:[\w-]+\.)*(?:kubernetes|k8s)\.io\/[\w./-]{1,120})"\s{0,4}=\s{0,4}"(?![^"]{0,100}:(?:NoSchedule|NoExecute|PreferNoSchedule)\b)/,
      { anchors: ['kubernetes.io/', 'k8s.io/'] },
    ),
    keptAwayByLabel: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b(?:set|add|added|adding|use|used|using|give|gave|[Ww]ith) (?:the |a |this )?(?:node )?labels? .{0,12}\b(?<labels>node-role\.kubernetes\.io\/[\w-]{1,63}|node\.kubernetes\.io\/role)\b.{0,80}\b(?:(?:won't|don't|doesn't|didn't|do not|does not|did not|never|cannot|can't|fails? to|failed to) (?:join|register|come up|start)|not join(?:ing|ed)?)\b/,
      { anchors: ['node-role.kubernetes.io/', 'node.kubernetes.io/role'] },
    ),
    failedToJoin: context(
      ['terraform', 'client-output', 'aws-message'],
      /NodeCreationFailure|Instances failed to join|waiting for at least \d{1,4} node\(s\) to become ready/,
    ),
    // Karpenter refuses a pool that would give such a label to its nodes.
    refusedByKarpenter: likely(
      ['karpenter', 'node-claim', 'event', 'object', 'client-output'],
      /(?:NodePool|nodepool|[Pp]rovisioner|NodeClaim|ValidationFailed|spec\.template|invalid value|Invalid value|validation failed).{0,400}?(?:label (?<pool>[\w.-]{1,200}\/[\w.-]{1,63} )?is restricted; specify a well known label)(?:.{0,120}?\blabel=(?<pool2>[\w./-]{1,200}))?/,
      { anchors: ['is restricted; specify a well known label'] },
    ),
  },
  needs: ['aws/user-data'],
  symptoms: ['machine-without-node'],
  summary: ({ machine, labels, before, prefixes, pool, pool2 }) =>
    (pool ?? pool2) !== undefined
      ? `Karpenter refuses the node pool and launches nothing for it, because it gives nodes the reserved label ${(pool ?? pool2 ?? '').trim()}.`
      : before !== undefined
        ? `The node group is refused before anything is launched, because its labels use reserved names (${labels ?? prefixes ?? 'of kubernetes.io'}).`
        : `The kubelet of ${machine ?? 'the machine'} stops at once because --node-labels gives it reserved labels (${labels ?? 'of kubernetes.io'}).`,
  remedy: ({ labels, node }) => [
    step(
      'Take the labels out of --node-labels (user data, instance group, node template); names outside kubernetes.io and k8s.io, or below node.kubernetes.io, are allowed.',
      'systemctl cat kubelet | grep -o "node-labels=[^ ]*"; sudo grep -rn node-labels /etc/sysconfig/kubelet /etc/default/kubelet /etc/systemd/system/kubelet.service.d',
    ),
    {
      text: 'Set them from outside when the node is there.',
      command: `kubectl label node ${node ?? '<node>'} ${labels === undefined ? '<label>=<value>' : `${labels.replaceAll("'", '').split(' ').at(-1) ?? '<label>'}=`}`,
    },
  ],
  decide: step('Read the kubelet’s last words.', 'journalctl -u kubelet -n 10 --no-pager'),
  page: {
    why: 'Since Kubernetes 1.16 a kubelet may not label itself into reserved prefixes, lest a broken-into node attract control-plane pods. node-role.kubernetes.io/… in --node-labels is the usual offender.',
    prevent:
      'Label roles with a controller or after registration; let kOps and eksctl of the cluster’s version write the labels.',
    notThis:
      'Here the kubelet stops itself. Labels that the API server refuses at creation of the Node are label-refused-by-node-restriction.',
    alsoKnownAs: ["unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels"],
    refs: [
      'https://github.com/kubernetes/kubernetes/blob/HEAD/cmd/kubelet/app/options/options.go',
      'https://github.com/weaveworks/eksctl/issues/2363',
    ],
  },
});

const judged = matched(cause, matchGiven);

type Own = ViewOf<typeof cause>;

/** User data passes labels with which no kubelet starts, and the machine has no Node. */
function matchGiven(view: Own): Match | null {
  if (view.sign('refused') !== null) return null;
  const [labelled, failed] = [view.sign('givenToGroup'), view.sign('failedToJoin')];
  if (labelled !== null && failed !== null)
    return found(labelled.first.captures, [labelled.first, failed.first], 'likely');
  if (!view.shows('machine-without-node')) return null;
  const given = view
    .list('aws/user-data')
    .find(({ value }) => value.instanceId === view.instanceId && value.reservedLabels.length > 0);
  if (given === undefined) return null;
  const labels = given.value.reservedLabels.join(' ');
  const words = `the user data of ${given.value.instanceId} passes --node-labels with ${labels}`;
  return found({ labels }, [view.quote(given, words)]);
}

export default foreseen(
  judged,
  (plan, group) => {
    const { userData } = machineOf(plan, group);
    if (userData === null) return NOT_SHOWN;
    const labels = userData.value.reservedLabels.join(' ');
    if (labels === '') return clear;
    const words = `the user data of ${group.name} passes --node-labels with ${labels}`;
    return found({ labels, machine: group.name }, [plan.quote(userData, words)]);
  },
  {
    remedy: ({ labels }) => [
      step(
        userDataStep(
          `take ${labels ?? 'the labels'} out of --node-labels; kubelets may not give themselves such labels.`,
        ),
      ),
    ],
  },
);
