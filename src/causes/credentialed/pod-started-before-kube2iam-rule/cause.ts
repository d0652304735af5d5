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
import {
  askerWords,
  HELD_FOR_MS,
  identityAgent,
  isFirstRun,
  longLivedAskers,
  utcText,
} from '../../../domain/nodes/first-opening.ts';
import { isOfDaemonSet, isPodReady, podName, runningSinceMs } from '../../../domain/pods/pods.ts';

/** An agent that came this long after its Node is another one than the Node started with. */
const FIRST_AGENT_MS = 15 * 60_000;

/** The pod asked instance metadata before kube2iam had its rule, and was given the node's role. */
const cause = defineCause({
  id: 'pod-started-before-kube2iam-rule',
  stage: 'credentialed',
  title: 'the pod started before kube2iam’s rule and holds the node’s role',
  scope: 'machine',
  signs: {
    nodeRoleUsed: context(
      ['pod-app', 'client-output', 'aws-message', 'journal'],
      /assumed-role\/(?<role>[\w+=,.@-]+)\/(?<instance>i-[0-9a-f]{8,17}) is not authorized to perform: (?!sts:AssumeRole)/,
    ),
    nodeRoleUsedSomewhere: context(
      ['pod-app', 'client-output', 'aws-message', 'journal'],
      /assumed-role\/(?<role>[\w+=,.@-]+)\/(?<session>i-[0-9a-f]{8,17}) is not authorized to perform: (?!sts:AssumeRole)/,
    ),
    listening: context(
      ['kube2iam'],
      /\bmsg"?[:=]\s*"?(?:Listening on port 8181|Using instance IAMRole)/,
    ),
    // Only a client that learned a name before the rule was there asks for another role than its own.
    heldRoleAsked: likely(
      ['kube2iam'],
      /Invalid role[^"]{0,120}does not match annotated role(?:.*params\.iam\.role="?(?<role>[^\s"]+))?/,
    ),
    toldOrder: likely(
      ['client-output', 'unknown'],
      /(?:\b(?:[Ii]f|[Ww]hen(?:ever)?) (?:an? |the |any |our )?(?:\w+ )?pods?\b[^.,;]{0,60})?\b(?:starts?|started|(?:is|are|was|were|gets?|got) (?:started|scheduled)|comes? up|came up|(?:is|was|were) running)\b[^.,;]{0,20}\b(?:before|earlier than|ahead of) [`'"]?(?:the )?kube2iam\b[^.]{0,100}\b(?:can(?:not|'t)|could(?: not|n't)|do(?:es)?(?: not|n't)|did(?: not|n't)|never) (?:gets?|got|obtains?|receives?|have|assumes?|uses?)\b|\bkube2iam\b[^.]{0,40}\b(?:starts?|started|comes? up|came up|(?:is|was) ready) (?:only )?(?:after|later than) (?:the |our |my )?(?:[\w-]+ )?pods?\b[^.]{0,100}\b(?:credentials?|roles?)\b/,
      { isTold: true },
    ),
    toldFirst: likely(
      ['client-output', 'unknown'],
      /\bpods?\b.{0,80}\b(?:began|begin|started?|come up|came up|run|ran|are first)\b.{0,20}\b(?:prior to|before|earlier than) (?:the )?kube2iam\b|\b(?:starts?|started|comes? up|came up|(?:is|was) up) (?:earlier|sooner) than (?:the )?kube2iam\b|\bkube2iam\b.{0,40}\b(?:came|comes|starts?|started|gets? started) (?:up )?(?:last|later|after the)\b.{0,160}\b(?:role|permissions?|credentials)\b/,
      { isTold: true, anchors: ['kube2iam'] },
    ),
    toldAgent: context(['client-output', 'unknown'], /\bkube2iam\b/, {
      isTold: true,
      isBackground: true,
    }),
    toldFresh: context(
      ['client-output', 'unknown'],
      /\b(?:[Ss]cale[ -]?(?:up|out)\b|[Ss]cale[sd] (?:up|out)\b|[Ss]caling[ -](?:up|out)\b|[Ff]reshly \w{1,20} (?:nodes?|machines?|workers?|instances?)|(?:new|fresh|young|started|launched) (?:nodes?|machines?|workers?|instances?)\b)/,
      {
        isTold: true,
        isBackground: true,
        anchors: [
          'cale up',
          'cale-up',
          'caleup',
          'cale out',
          'cale-out',
          'caleout',
          'cales up',
          'cales out',
          'caled up',
          'caled out',
          'caling',
          'w node',
          'h node',
          'g node',
          'd node',
          ' nodes',
          ' machine',
          ' worker',
          ' instance',
        ],
      },
    ),
    // A new pod is served right: what was wrong with the old one came before it asked.
    toldHelps: context(
      ['client-output', 'unknown'],
      /\b(?:[Dd]elete[sd]?|[Dd]eleting|[Rr]estart(?:s|ed|ing)?|[Rr]ecreate[sd]?|[Rr]ecreating|[Rr]eplace[sd]?|[Rr]eplacing)\b[^.]{0,40}\b(?:pods?|it|them)\b[^.]{0,40}\b(?:helps?|helped|cures?|cured|fix(?:es|ed)?|solves?|solved|resolves?|resolved|makes? it work|gets? (?:the|its) (?:right|own) role)\b|\buntil (?:it|they|the pods?) (?:is|are|was|were|gets?|got) (?:restarted|deleted|recreated|replaced)\b|\b[Dd]elete the pod\b.{0,60}\b(?:replacement|new one|next one)\b.{0,60}\bgets?\b/,
      {
        isTold: true,
        isBackground: true,
        anchors: [
          'delete',
          'Delete',
          'eleting',
          'restart',
          'Restart',
          'recreat',
          'Recreat',
          'eplace',
          'eplacing',
          'eleted',
        ],
      },
    ),
    nodeIdentity: context(
      ['pod-app', 'client-output', 'aws-message', 'journal', 'unknown'],
      /assumed-role\/(?<role>[\w+=,.@-]+)\/(?<instance>i-[0-9a-f]{4,17})/,
      { isBackground: true },
    ),
  },
  needs: ['kube/Node', 'kube/Pod'],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ node, instance, role, pod }) =>
    sentence`${pod === undefined ? 'A pod' : `The pod ${pod}`} on ${node ?? instance ?? 'the node'} asked for credentials before kube2iam listened, so it works with the node’s role${phrase` ${role}`} until it is started again.`,
  remedy: ({ pod }) => [
    step(
      'Start the pod again; SDKs keep the credentials they were given.',
      `kubectl -n ${pod?.split('/')[0] ?? '<namespace>'} delete pod ${pod?.split('/')[1] ?? '<pod>'}`,
    ),
    step(
      'Fail closed: add the rule in user data, before the kubelet starts, instead of with --iptables.',
      'sudo iptables -t nat -A PREROUTING -p tcp -d 169.254.169.254 --dport 80 ! -i eth0 -j DNAT --to-destination <node-address>:8181',
    ),
  ],
  decide: step(
    'Compare the start of the pod with the start of kube2iam on its node.',
    'kubectl get pods -A -o wide --field-selector spec.nodeName=<node>',
  ),
  page: {
    why: 'With --iptables, kube2iam adds its own rule when it starts. Pods that start earlier on a new node reach the real instance metadata and get the node’s role.',
    prevent:
      'Add the rule before the kubelet starts, keep the node’s role poor, or move to IRSA or Pod Identity.',
    notThis:
      'AccessDenied for assumed-role/…/i-… long after kube2iam listens is not this race: see metadata-redirect-on-wrong-interface, or pods on the host’s network, which the rule never catches.',
    alsoKnownAs: ['kube2iam node role assumed-role i- is not authorized'],
    refs: [
      'https://github.com/jtblin/kube2iam/issues/170',
      'https://github.com/jtblin/kube2iam/issues/19',
      'https://github.com/zalando-incubator/kubernetes-on-aws/pull/293',
    ],
  },
});

export default matched(cause, (view) => {
  const raced = matchTimes(view) ?? matchToldRace(view);
  if (raced !== null) return raced;
  const used = view.sign('nodeRoleUsed') ?? view.sign('nodeRoleUsedSomewhere');
  const start = view.sign('listening') ?? view.clusterSign('listening');
  if (used === null || start === null) return null;
  const [usedAt, startAt] = [used.first.moment.when, start.first.moment.when];
  // A refusal long after kube2iam listened has another reason, such as a rule on a wrong interface.
  if (usedAt === null || startAt === null) return null;
  if (usedAt.ms - startAt.ms > HELD_FOR_MS) return clear;
  if (usedAt.ms > startAt.ms) return null;
  return found(used.last.captures, [used.first, start.first], 'likely');
});

type Own = ViewOf<typeof cause>;

/** People tell of pods of new nodes that have the node's role until they are started again. */
function matchToldRace(view: Own): Match | null {
  const agent = view.sign('toldAgent') ?? view.clusterSign('toldAgent');
  const fresh = view.sign('toldFresh') ?? view.clusterSign('toldFresh');
  const helps = view.sign('toldHelps') ?? view.clusterSign('toldHelps');
  const identity = view.sign('nodeIdentity') ?? view.clusterSign('nodeIdentity');
  if (agent === null || fresh === null || helps === null || identity === null) return null;
  return found(identity.last.captures, [identity.first, fresh.first, helps.first], 'likely');
}

/** The Node's first agent began after a pod that asks it for a role and works with the node's. */
function matchTimes(view: Own): Match | null {
  const node = view.read('kube/Node');
  const used = view.sign('nodeRoleUsed');
  if (node.state !== 'seen' || used === null) return null;
  const { name, createdMs } = node.value;
  const pods = view.list('kube/Pod');
  const agent = identityAgent(pods, name);
  const agentMs = agent === null ? null : runningSinceMs(agent.value);
  if (agent === null || agentMs === null || createdMs === null) return null;
  if (!isOfDaemonSet(agent.value, 'kube2iam') || !isPodReady(agent.value)) return null;
  if (!isFirstRun(agent) || agentMs - createdMs > FIRST_AGENT_MS) return null;
  const early = longLivedAskers(pods, name, view.nowMs).find(
    ({ value }) => (runningSinceMs(value) ?? agentMs) < agentMs,
  );
  if (early === undefined) return null;
  return found(
    { ...used.last.captures, node: name, pod: podName(early.value) },
    [
      view.quote(early, askerWords(early)),
      view.quote(agent, `Pod ${podName(agent.value)} runs since ${utcText(agentMs)}, 0 restarts`),
      used.last,
    ],
    'likely',
  );
}
