import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, likely } from '../../../diagnosis/sign.ts';

/** Put by the handler on a Node that it drains for a mere recommendation, not an interruption. */
const TAINT = 'aws-node-termination-handler/rebalance-recommendation';
/** One drained Node is a day's event; several at once are the loop. */
const DRAINED_MIN = 2;

/** The termination handler drains spot nodes on every rebalance recommendation, and new ones come to the same fate. */
const cause = defineCause({
  id: 'termination-handler-loop',
  stage: 'retained',
  title: 'the Node Termination Handler drains node after node on rebalance recommendations',
  scope: 'group',
  signs: {
    drained: likely(
      ['pod-app', 'client-output'],
      /(?:successfully cordoned and drained|Requesting instance drain|Draining the node|Cordoning the node|Adding new event to the event store).*[Rr]ebalance recommendation|[Rr]ebalance recommendation .*"message":"(?:Node successfully cordoned and drained|Cordoning the node|Draining the node)/,
      { atLeast: 3 },
    ),
    toldLoop: likely(
      ['client-output', 'unknown'],
      /\b[Rr]ebalance (?:notification|notice|recommendation|event|signal)s?\b.{0,120}\b(?:cordon|drain|replac|terminat)\w*\b.{0,120}\b(?:and so on|over and over|again and again|the same again|time and again|without end|never ends|endless\w*|loop\w*|constantly|thrash\w*|churn\w*|keeps? (?:on )?(?:happening|repeating))\b|\b(?:thrash|churn|loop)(?:es|ing|ed)?\b(?:(?!\b(?:no|not|without|never)\b).){0,160}\b[Rr]ebalance (?:notification|notice|recommendation|event|signal)s?\b/,
      {
        isTold: true,
        anchors: [
          'ebalance notification',
          'ebalance notice',
          'ebalance recommendation',
          'ebalance event',
          'ebalance signal',
        ],
      },
    ),
    drainedOnce: context(
      ['pod-app', 'client-output'],
      /\bRebalance recommendation received\. Instance will be cordoned|\b[Kk]ind"?[=:]"?REBALANCE_RECOMMENDATION/,
      { anchors: ['Rebalance recommendation received', 'REBALANCE_RECOMMENDATION'] },
    ),
    // That nodes come and go without end, whatever the reason.
    toldTurning: context(
      ['client-output', 'unknown'],
      /\b(?:[Nn]odes?|[Ii]nstances?|[Mm]achines?|[Gg]roups?|ones?)\b(?:(?!\b(?:no|not|without|never|unless)\b)[^.!?]){0,160}\b(?:thrash(?:es|ing)|churn(?:s|ing)|over and over|again and again|time and again|one after (?:the other|another)|(?:every|after|within|than|only|for) (?:a few|\d{1,2}) minutes?)\b/,
      {
        isTold: true,
        anchors: [
          'thrashes',
          'thrashing',
          'churns',
          'churning',
          'over and over',
          'again and again',
          'time and again',
          'one after ',
          ' minute',
        ],
      },
    ),
    requested: likely(
      ['pod-app', 'client-output'],
      /Requesting instance drain.*kind=REBALANCE_RECOMMENDATION|"kind":"REBALANCE_RECOMMENDATION".*"message":"Requesting instance drain/,
      { anchors: ['REBALANCE_RECOMMENDATION'], atLeast: 3 },
    ),
  },
  needs: ['kube/Node'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['cordon-or-deliberate-taint'],
  summary: ({ nodes }) =>
    `The Node Termination Handler drains spot nodes on mere rebalance recommendations${nodes === undefined ? ', one after the other' : ` (${nodes})`}; replacements of the same types get the next recommendation, so nodes live for minutes only.`,
  remedy: () => [
    step(
      'Drain on interruption notices only.',
      'helm -n kube-system upgrade aws-node-termination-handler eks/aws-node-termination-handler --reuse-values --set enableRebalanceDraining=false --set enableRebalanceMonitoring=false',
    ),
    step(
      'With Karpenter’s own interruption handling, remove the handler altogether.',
      'helm -n kube-system uninstall aws-node-termination-handler',
    ),
    step(
      'Offer more instance types and zones to spot.',
      'aws ec2 get-spot-placement-scores --target-capacity 10 --instance-types <type> <type> <type>',
    ),
  ],
  decide: step(
    'Count what the handler drained, and why.',
    'kubectl -n kube-system logs -l app.kubernetes.io/name=aws-node-termination-handler --tail=5000 | grep -i rebalance | tail -n 20',
  ),
  page: {
    why: 'EC2 recommends to rebalance long before an interruption, and in a scarce pool it does so for new instances at once. A handler that drains on each makes the group turn without end.',
    prevent:
      'Rebalance draining only with many instance types; one tool for interruptions, not two.',
    notThis:
      'A drain on an interruption notice (SPOT_ITN) is the handler’s work; the node was lost anyway.',
    refs: [
      'https://karpenter.sh/docs/troubleshooting/',
      'https://github.com/aws/aws-node-termination-handler',
    ],
  },
});

export default matched(cause, (view) => matchTaints(view) ?? matchTold(view));

type Own = ViewOf<typeof cause>;

/** Several Nodes at once under the handler's taint for rebalance recommendations. */
function matchTaints(view: Own): Match | null {
  const drained = view
    .list('kube/Node')
    .filter(({ value }) => (value.taints ?? []).some(({ key }) => key === TAINT));
  if (drained.length < DRAINED_MIN) return null;
  const nodes = drained.map(({ value }) => value.name).join(', ');
  const proof = drained.map((node) => view.quote(node, `Node ${node.value.name} taint ${TAINT}`));
  return found({ nodes }, proof, 'likely');
}

/** One Node drained for a recommendation, by somebody who says that Nodes come and go. */
function matchTold(view: Own): Match | null {
  const drained = view.sign('drainedOnce') ?? view.clusterSign('drainedOnce');
  const turning = view.sign('toldTurning') ?? view.clusterSign('toldTurning');
  if (drained === null || turning === null) return null;
  return found({}, [turning.last, drained.last], 'likely');
}
