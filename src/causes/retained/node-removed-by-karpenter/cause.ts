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
import { context, likely } from '../../../diagnosis/sign.ts';
import { isTerminated } from '../../../domain/nodes/fleet.ts';
import type { Sighting } from '../../../evidence/sighting.ts';

/** Karpenter took the node away: because it lost sight of its instance, or by a planned disruption. */
const cause = defineCause({
  id: 'node-removed-by-karpenter',
  stage: 'retained',
  title: 'Karpenter removed the node',
  scope: 'machine',
  signs: {
    garbage: likely(
      ['karpenter'],
      /garbage collecting (?:nodeclaim|machine) with no cloudprovider representation(?:.*"(?:NodeClaim|nodeclaim|machine)":\s*(?:\{\s*"name":\s*)?"(?<claim>[^"]+)")?(?:.*"(?:Node|node)":\s*(?:\{\s*"name":\s*)?"(?<node>[^"]+)")?(?:.*"provider-id":\s*"aws:\/\/\/[\w-]{1,40}\/(?<instance>i-[0-9a-f]{8,17})")?/,
    ),
    disrupted: context(
      ['karpenter'],
      /(?:disrupting node(?:\(s\)|claim\(s\))|tainted node).*?"Node":\s*\{\s*"name":\s*"(?<node>[^"]+)"|(?:disrupting|deprovisioning) via (?<why>\w+) (?:delete|replace), (?:terminating|replacing) \d+ (?:nodes|machines|candidates)[^/]{0,40}? (?<node2>[a-z0-9][\w.-]*)\//,
      {
        anchors: [
          'disrupting node',
          'karpenter.sh/disrupted',
          'disrupting via ',
          'deprovisioning via ',
        ],
      },
    ),
    disruptedEvent: context(['event'], /Disrupting Node: (?<why>\w+)/),
    kubeletLostNode: context(
      ['kubelet'],
      /Error updating node status, will retry.*error getting node "(?<node>[^"\s]+)".*not found/,
    ),
    interrupted: likely(
      ['event'],
      /\b(?:SpotInterrupted|TerminatingOnInterruption|CapacityReservationInstanceInterrupted)\b.{0,300}(?:[Ii]nterruption warning was triggered|triggered termination)/,
      { anchors: ['nterruption warning was triggered', 'nterruption triggered termination'] },
    ),
    // Karpenter as it prints to a terminal: 1.0 and later, before it, and before 0.33.
    disruptedVia: context(
      ['karpenter'],
      /(?:(?:disrupting|deprovisioning) via (?<why>[\w ]{3,40}?) (?:replace|delete)|disrupting node(?:claim)?\(s\) via (?:replace|delete)), (?:terminating|replacing) \d+ (?:nodes?|machines?|candidates?)\b.{0,30}? (?<node>[a-z0-9][\w-]*\.[\w.-]+)\//,
      { anchors: ['disrupting via ', 'deprovisioning via ', 'disrupting node'] },
    ),
    deleted: context(
      ['karpenter'],
      /\bdeleted node\b.{0,200}?\b(?:[Nn]ode)"?[:=]\s{0,3}(?:\{\s{0,3}"name":\s{0,3})?"?(?<node>[a-z0-9][\w.-]{3,250})/,
      { isBackground: true },
    ),
    lookedFor: context(['client-output'], /^asked about (?<name>ip-\S{1,120})$/, {
      isBackground: true,
    }),
    toldGone: context(
      ['client-output', 'unknown'],
      /\b[Kk]arpenter (?:\w+ ){0,2}(?:delet|remov|terminat|destroy|kill|replac)(?:es?|ed|s|ing)?\b|\b(?:nodes?|instances?) (?:\w+ ){0,2}(?:is|are|was|were|gets?|got|being|been) (?:\w+ )?(?:deleted|removed|terminated|destroyed|killed|replaced)\b|\b(?:[Ww]e|[Ii]) (?:have |keep |suddenly )?(?:lost|losing|lose) (?:\w+ ){0,3}(?:of |our )?(?:\w+ ){0,3}nodes?\b|\bnodes? (?:\w+ ){0,2}(?:disappear|vanish)(?:s|ed)?\b|\b[Nn]odes? (?:turn over|churn)|\bwhy (?:do|did|are|is|does) (?:\w+ ){1,3}(?:go(?:ne)?|going) away\b/,
      {
        isTold: true,
        anchors: [
          'arpenter ',
          'deleted',
          'removed',
          'terminated',
          'destroyed',
          'killed',
          'replaced',
          ' lost ',
          ' losing ',
          ' lose ',
          'disappear',
          ' vanish',
          'odes turn over',
          'ode turn over',
          'odes churn',
          'ode churn',
          ' away',
        ],
      },
    ),
  },
  needs: ['kube/Node', 'aws/instance'],
  symptoms: [],
  withdrawnBy: ['node-ready'],
  explains: [
    'no-reregistration-after-deletion',
    'node-deleted-as-not-in-cloud',
    'instance-stopped-or-terminated',
  ],
  summary: ({ node, claim, why, planned }) =>
    planned === undefined
      ? sentence`Karpenter deleted the NodeClaim ${claim} because EC2 lists no instance for it any more: it was terminated from outside or lost its karpenter.sh tags.`
      : sentence`Karpenter removed the node ${node ?? 'in question'} by plan${phrase` (${why})`}; its kubelet runs on for a while without a Node.`,
  remedy: ({ planned }) =>
    planned === undefined
      ? [
          step(
            'See who terminated the instance or took its tags.',
            "aws cloudtrail lookup-events --lookup-attributes AttributeKey=ResourceName,AttributeValue=<instance> --query 'Events[].[EventTime,EventName,Username]'",
          ),
          step(
            'Keep the tags karpenter.sh/nodepool and kubernetes.io/cluster/… on its instances.',
            'aws ec2 describe-tags --filters Name=resource-id,Values=<instance>',
          ),
        ]
      : [
          step('Read why.', 'kubectl get events -A --field-selector reason=DisruptionTerminating'),
          step(
            'Limit it by budgets, or exempt a node.',
            'kubectl annotate node <node> karpenter.sh/do-not-disrupt=true',
          ),
        ],
  decide: step(
    'Read Karpenter’s own words on the node.',
    'kubectl -n kube-system logs -l app.kubernetes.io/name=karpenter --tail=5000 | grep -E "disrupting|garbage collecting|deleted (node|nodeclaim)"',
  ),
  page: {
    why: 'Karpenter replaces nodes that drifted, expired or are not worth their price, and forgets claims whose instance EC2 does not list.',
    prevent:
      'Disruption budgets in NodePools; no other tool that terminates or retags Karpenter’s instances.',
    notThis:
      'Planned removals have a replacement or no need for one. A claim deleted after 15 minutes without a Node is a verdict: look for the cause on the machine.',
    refs: [
      'https://karpenter.sh/docs/concepts/disruption/',
      'https://github.com/kubernetes-sigs/karpenter/blob/HEAD/pkg/controllers/nodeclaim/garbagecollection/controller.go',
    ],
  },
});

export default matched(cause, matchDisruption);

type Own = ViewOf<typeof cause>;

/** Karpenter took the Node because nothing ran on it, so that nobody misses it. */

function wasEmpty(view: Own): boolean {
  const event = view.sign('disruptedEvent');
  const reasons = (event?.quotes ?? []).map(({ captures }) => captures['why']);
  const isWhole = event !== null && event.count <= event.quotes.length;
  return view.sign('garbage') === null && isWhole && reasons.every((why) => why === 'Empty');
}

/** A disruption alone is Karpenter's daily work; it counts where a kubelet misses its Node. */
function matchDisruption(view: Own): Match | null {
  const planned =
    view.sign('disrupted') ?? view.sign('disruptedEvent') ?? view.sign('disruptedVia');
  const lost = view.sign('kubeletLostNode');
  if (lost === null && wasEmpty(view)) return clear;
  if (planned === null) return null;
  if (lost === null)
    return matchTold(view, planned) ?? matchLookedFor(view, planned) ?? matchEnded(view, planned);
  return found(
    { ...lost.last.captures, ...planned.last.captures, planned: 'yes' },
    [planned.last, lost.last],
    'likely',
  );
}

/** A person misses the node, and Karpenter says that it took it. */
function matchTold(view: Own, planned: Sighting): Match | null {
  const told = view.sign('toldGone') ?? view.clusterSign('toldGone');
  if (told === null) return null;
  return found({ ...planned.last.captures, planned: 'yes' }, [planned.last, told.first], 'likely');
}

/** A person searches Karpenter's log for one node, and there it is planned and done. */
function matchLookedFor(view: Own, planned: Sighting): Match | null {
  const deleted = view.sign('deleted') ?? view.clusterSign('deleted');
  const name = (view.sign('lookedFor') ?? view.clusterSign('lookedFor'))?.last.captures['name'];
  if (deleted === null || name === undefined) return null;
  const { node, node2 } = planned.last.captures;
  const isIt = [node ?? node2, deleted.last.captures['node']].every(
    (one) => one?.startsWith(name) === true && !/^\d/.test(one.slice(name.length)),
  );
  if (!isIt) return null;
  return found(
    { ...planned.last.captures, planned: 'yes' },
    [planned.last, deleted.last],
    'likely',
  );
}

/** The list of all Nodes lacks the one that was disrupted, and its instance has ended. */
function matchEnded(view: Own, planned: Sighting): Match | null {
  if (view.read('kube/Node').state !== 'absent') return null;
  const ended = view.list('aws/instance').find(({ value }) => isTerminated(value));
  if (ended === undefined || (ended.value.InstanceId ?? null) !== view.instanceId) return null;
  const words = `${view.instanceId ?? ''} ${ended.value.State?.Name ?? ''}`;
  const details = { ...planned.last.captures, planned: 'yes' };
  return found(
    details,
    [planned.last, view.quote(ended, `${words}, and it has no Node`)],
    'likely',
  );
}
