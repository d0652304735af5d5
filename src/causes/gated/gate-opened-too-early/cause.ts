import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { context } from '../../../diagnosis/sign.ts';
import {
  askerWords,
  FIRST_OPENING,
  firstOpeningMs,
  identityAgent,
  isFirstRun,
  longLivedAskers,
  placedMs,
  utcText,
} from '../../../domain/nodes/first-opening.ts';
import { podName, runningSinceMs } from '../../../domain/pods/pods.ts';
import type { Quote, Sighting } from '../../../evidence/sighting.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';

/** Failures that begin later than this after the opening have another reason. */
const AFTER_OPENING_MAX_MS = 180_000;
/** A gate that closes again this soon had opened on the word of a pod that was merely bound. */
const CLOSED_AGAIN_MAX_MS = 30_000;

/** The gate took the agents' word for being ready; what they are for did not work yet. */
const cause = defineCause({
  id: 'gate-opened-too-early',
  stage: 'gated',
  title: 'the gate opened before the agents it waits for did their work',
  scope: 'machine',
  signs: {
    opened: context(
      ['event', 'nidhogg', 'kiam-agent', 'calico-node'],
      /Taints removed: \[(?<taint>[^\]\s]+)(?:\s[^\]]*)?\], TaintLess: true/,
    ),
    openedInLog: context(
      ['nidhogg', 'kiam-agent', 'calico-node'],
      /Updating Node taints(?:",|\s+\{)"instance":\s*"(?<node>[^"]+)",\s*"taints added":\s*(?:null|\[\]),\s*"taints removed":\s*\["(?<taint>[^"]+)".*"taint-?less":\s*true/i,
      { anchors: ['Updating Node taints'] },
    ),
    closedAgain: context(
      ['event', 'nidhogg', 'kiam-agent', 'calico-node'],
      /Taints added: \[(?<missed>[^\]\s]+)(?:\s[^\]]*)?\], Taints removed: \[\], TaintLess: false, FirstTimeReady: "2|Updating Node taints(?:",|\s+\{)"instance":\s*"(?<node>[^"]+)",\s*"taints added":\s*\["(?<missed2>[^"]+)".*"taint-?less":\s*false,\s*"firstTimeReady":\s*"2/i,
      { anchors: ['Taints added: ', 'Updating Node taints'] },
    ),
    // Cilium's agent is Ready while it still has to write what makes pods its own.
    workUndone: context(['cilium'], /Failed to write CNI config(?:uration)? file \(will retry\)/),
    toldOpened: context(
      ['client-output', 'unknown', 'cilium'],
      /\btaint (?:\S+ )?(?:is|was|gets|got|has been) (?:already )?(?:removed|lifted|gone)\b|\bremov(?:es|ed) (?:its|the|their) (?:\S+ )?taint\b/,
      {
        isTold: true,
        isBackground: true,
        anchors: ['removed', 'lifted', 'is gone', 'removes ', 'was gone'],
      },
    ),
    // Agents of the node itself (CNI, kubelet) use its role rightly; what they ask for is left out.
    nodeRoleUsed: context(
      ['pod-app'],
      /User: arn:aws[\w-]*:sts::\d{12}:assumed-role\/(?<role>[^/\s]+)\/(?<instance>i-[0-9a-f]{8,17}) is not authorized to perform: (?<action>(?!ec2:|eks:|ecr:|ssm:|autoscaling:)[a-z0-9-]+:\w+)/,
      { anchors: [':assumed-role/'] },
    ),
    toldWindow: context(
      ['client-output', 'unknown'],
      /\btaint\b.{0,20}\b(?:removed|lifted|taken off|gone) (?:too early|too soon|before)\b.{0,80}\b[Pp]ods?\b.{0,80}\b(?:no|without|not|before|fail)\w{0,3}\b.{0,30}\b(?:datapath|networks?|networking|connectivity|ready|routes?|DNS|identity|credentials|role)\b|\b(?:window|gap|race|moment|seconds?)\b.{0,40}\b(?:after|between|when|once)\b.{0,80}\btaint\b.{0,30}\b(?:remov|lift|gone)\w*\b.{0,60}\b[Pp]ods? (?:\w+ ){0,3}?(?:scheduled|started?|placed|land|run)\b.{0,60}\b(?:no|without|not|before)\b.{0,30}\b(?:datapath|networks?|networking|connectivity|ready|routes?|polic(?:y|ies)|programmed|identity|credentials|role)\b/,
      {
        isTold: true,
        anchors: ['taint remov', 'taint is ', 'taint was ', 'taint gets ', 'taint lift'],
      },
    ),
  },
  needs: ['kube/Node', 'kube/Pod'],
  symptoms: [],
  explains: ['pod-started-before-kiam-redirect', 'flapping-gate'],
  summary: ({ machine, node, taint, role, action, gapS, missed, agent, pod, undone, window }) =>
    window !== undefined
      ? 'The start-up taint goes while the agent that it waits for still has work to do, so pods that start in between have no working network.'
      : undone !== undefined
        ? `The taint was taken off ${machine ?? 'the node'} while cilium had not written its CNI configuration, so pods that started then have another network, or none.`
        : agent !== undefined
          ? `The gate opened ${node ?? 'the node'} ${gapS ?? 'some'} seconds before ${agent}, for which it waits, had started: the pod ${pod ?? ''} slipped in and ${role === undefined ? 'has no role' : `works with the node’s role ${role}`} until it is started again.`
          : missed !== undefined
            ? `The gate opened ${machine ?? 'the node'} and closed it again ${gapS ?? 'a few'} seconds later for ${missed}: it had taken a pod that was only bound for a ready one, and pods could slip in between.`
            : sentence`The gate opened ${machine ?? 'the node'} (${taint ?? 'last taint'} removed), and ${gapS ?? 'a few'} seconds later a pod asked for ${action ?? 'AWS'} with the node’s own role ${role}: the identity agent was called ready before it handed out roles.`,
  remedy: ({ node, pod }) => [
    {
      text: 'Restart the pods that started in the gap; SDKs keep wrong credentials for hours.',
      command:
        pod === undefined
          ? `kubectl get pods -A --field-selector spec.nodeName=${node ?? '<node>'} --sort-by=.status.startTime`
          : `kubectl -n ${pod.split('/')[0] ?? '<namespace>'} delete pod ${pod.split('/')[1] ?? '<pod>'}`,
    },
    step(
      'Give every gated DaemonSet a readiness probe that tries its function; for kiam the deep one.',
      "kubectl -n kube-system get daemonsets -o custom-columns='NAME:.metadata.name,PROBE:.spec.template.spec.containers[*].readinessProbe.httpGet.path'",
    ),
    step(
      'Let the gate wait a while after Ready, and check again before it opens.',
      'kubectl -n <namespace> get configmap -o yaml | grep -n taintRemovalDelayInSeconds',
    ),
  ],
  decide: step(
    'Put the removal of the taint beside the first failures of pods on that node.',
    'kubectl get events -A --field-selector reason=TaintsChanged -o json',
  ),
  page: {
    why: 'Ready means what the readiness probe tests. kiam’s agent has none by default, calico’s ignores services, and nidhogg 0.4 takes a pod without any container status for ready. The gate opens, pods start, and for a minute they get the node’s identity or no network.',
    prevent:
      'Deep probes (kiam /health?deep=1, a ClusterIP dialled from a pod’s network), a dwell that is checked again, and a look back at pods that slipped in.',
    notThis:
      'Failures that begin before the taint goes are gate-taint-added-too-late; failures that never end are the agent’s own cause (kiam-server-cannot-assume-roles, metadata-redirect-on-wrong-interface).',
    alsoKnownAs: ['pod uses node role', 'assumed-role i- is not authorized to perform'],
    refs: [
      'https://github.com/uswitch/nidhogg/issues/24',
      'https://github.com/uswitch/kiam/issues/395',
      'https://github.com/projectcalico/calico/issues/7788',
    ],
  },
});

export default matched(cause, (view) => matchTimeline(view) ?? matchAgent(view) ?? matchTold(view));

type Own = ViewOf<typeof cause>;

/** Somebody saw the taint go while the agent's own log says that its work is not done. */
function matchTold(view: Own): Match | null {
  const window = view.sign('toldWindow');
  if (window !== null) return found({ window: 'yes' }, [window.first], 'likely');
  const undone = view.sign('workUndone');
  const told = view.sign('toldOpened') ?? view.clusterSign('toldOpened');
  if (undone === null || told === null) return null;
  return found({ undone: 'yes' }, [undone.first, told.first], 'likely');
}

function matchTimeline(view: Own): Match | null {
  const opened = view.sign('opened') ?? view.sign('openedInLog');
  if (opened === null) return null;
  const role = follower(opened, view.sign('nodeRoleUsed'), AFTER_OPENING_MAX_MS);
  const closed = follower(opened, view.sign('closedAgain'), CLOSED_AGAIN_MAX_MS);
  const next = role ?? closed;
  if (next === null) return null;
  const details = { ...next.before.captures, ...next.after.captures, gapS: next.gapS };
  return found(details, [next.before, next.after], 'likely');
}

/**
 * The agent was on the Node, but its container came after the first opening; a pod that began between
 * the two fails for want of its role.
 */
function matchAgent(view: Own): Match | null {
  const node = view.read('kube/Node');
  const openedMs = node.state === 'seen' ? firstOpeningMs(node.value) : null;
  if (node.state !== 'seen' || openedMs === null) return null;
  const { name } = node.value;
  const agent = identityAgent(view.list('kube/Pod'), name);
  const agentMs = agent === null ? null : startedAfter(agent, openedMs);
  if (agent === null || agentMs === null)
    return agent !== null && ranBefore(agent, openedMs) && view.sign('opened') === null
      ? clear
      : null;
  const early = longLivedAskers(view.list('kube/Pod'), name, view.nowMs).find((pod) =>
    isBetween(pod, openedMs, agentMs),
  );
  const used = view.sign('nodeRoleUsed');
  if (early === undefined || (used === null && !view.shows('pod-without-identity'))) return null;
  const agentName = podName(agent.value);
  const opened = node.value.annotations[FIRST_OPENING] ?? '';
  const gapS = String(Math.round((agentMs - openedMs) / 1000));
  return found(
    { ...used?.last.captures, node: name, agent: agentName, pod: podName(early.value), gapS },
    [
      view.quote(node, `Node ${name} ${FIRST_OPENING}: ${opened}`),
      view.quote(agent, `Pod ${agentName} runs since ${utcText(agentMs)}, 0 restarts`),
      view.quote(early, askerWords(early)),
      ...(used === null ? [] : [used.last]),
    ],
    'likely',
  );
}

/** When the first run of an agent that was already placed began, if that was after the opening. */
function startedAfter(agent: Seen<Pod>, openedMs: number): number | null {
  const [placed, startedMs] = [placedMs(agent), runningSinceMs(agent.value)];
  if (placed === null || startedMs === null || !isFirstRun(agent)) return null;
  return placed <= openedMs && startedMs > openedMs ? startedMs : null;
}

/** The one run of the agent had begun when the gate opened. */
function ranBefore(agent: Seen<Pod>, openedMs: number): boolean {
  const startedMs = runningSinceMs(agent.value);
  return startedMs !== null && startedMs <= openedMs && isFirstRun(agent);
}

function isBetween(pod: Seen<Pod>, openedMs: number, agentMs: number): boolean {
  const startedMs = runningSinceMs(pod.value) ?? agentMs;
  return (placedMs(pod) ?? 0) >= openedMs && startedMs < agentMs;
}

interface Pair {
  readonly before: Quote;
  readonly after: Quote;
  readonly gapS: string;
}

/** The first opening that something follows within the given time. */
function follower(opened: Sighting, later: Sighting | null, withinMs: number): Pair | null {
  for (const before of opened.quotes) {
    for (const after of later?.quotes ?? []) {
      const gapMs = gapOf(before, after);
      if (gapMs === null || gapMs <= 0 || gapMs > withinMs) continue;
      return { before, after, gapS: (gapMs / 1000).toFixed(gapMs < 10_000 ? 1 : 0) };
    }
  }
  return null;
}

function gapOf(before: Quote, after: Quote): number | null {
  const [a, b] = [before.moment.when, after.moment.when];
  if (a === null || b === null || a.clock !== b.clock || a.yearless !== b.yearless) return null;
  return b.ms - a.ms;
}
