import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
  withRepairs,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { replacing } from '../../../diagnosis/repair.ts';
import { context } from '../../../diagnosis/sign.ts';
import {
  complaintOf,
  isOfDaemonSet,
  isOnNode,
  podName,
  runningSinceMs,
} from '../../../domain/pods/pods.ts';
import { isoTime, isoMs } from '../../../evidence/time.ts';

const AGENT = 'kiam-agent';
const ROLE = 'iam.amazonaws.com/role';
const NODE_ROLE = /assumed-role\/(?<role>[\w+=,.@-]+)\/i-[0-9a-f]{8,17} is not authorized/;

/** The pod asked instance metadata before the agent's redirect was there, and was given the node's role. */
const cause = defineCause({
  id: 'pod-started-before-kiam-redirect',
  stage: 'credentialed',
  title: 'the pod started before kiam’s redirect and holds the node’s role',
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
    redirectMade: context(['kiam-agent', 'kiam-server'], /\bmsg"?[:=]\s*"configuring iptables"/),
    serverGivenUp: context(['kiam-agent', 'kiam-server'], /error creating server gateway: /),
    gateOpened: context(
      ['event', 'nidhogg'],
      /(?:node\/(?<node>[\w.-]+)\s+.*)?Taints removed: \[[^\]]*nidhogg[^\]]*kiam-agent/,
      { anchors: ['kiam-agent'] },
    ),
    toldOrder: context(
      ['client-output', 'unknown'],
      /\b(?:up|running|starts?|started|created|scheduled|applied|deployed|comes? up|came up)\b.{0,20}\b(?:before|earlier than|ahead of)\b.{0,10}\bkiam\b|\bkiam(?:[ -]agent)?\b.{0,20}\b(?:is|was|gets?) (?:applied|deployed|started|installed) first\b/,
      { isTold: true, anchors: [' kiam', 'kiam ', 'kiam-'] },
    ),
  },
  needs: ['kube/Pod'],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ node, instance, role, pod }) =>
    sentence`${pod === undefined ? 'A pod' : `The pod ${pod}`} on ${node ?? instance ?? 'the node'} asked for credentials before the kiam agent had its redirect, so it works with the node’s role${phrase` ${role}`} until it is started again.`,
  remedy: ({ pod }) => [
    step(
      'Start the pod again; SDKs keep the credentials they were given.',
      `kubectl -n ${pod?.split('/')[0] ?? '<namespace>'} delete pod ${pod?.split('/')[1] ?? '<pod>'}`,
    ),
    step(
      'Register nodes with a taint that is removed only when the agent answers /health?deep=1 and the rule is there.',
      'sudo iptables -t nat -vnL PREROUTING | grep 169.254.169.254',
    ),
  ],
  decide: step(
    'Compare the start of the pod with the start of the agent on its node.',
    'kubectl get pods -A -o wide --field-selector spec.nodeName=<node>',
  ),
  page: {
    why: 'Pods and the kiam agent start on a new node at the same time. Until the agent has added its DNAT rule, 169.254.169.254 is the real instance metadata, which hands out the node’s role to whoever asks.',
    prevent:
      'Fail closed: drop metadata from pods in user data before the kubelet starts, keep the node’s role poor, or move to IRSA or Pod Identity.',
    notThis:
      'AccessDenied for assumed-role/…/i-… alone proves no race: the pod may have no role at all (irsa-webhook-did-not-mutate), or the rule binds the wrong interface (metadata-redirect-on-wrong-interface). An agent that ends and undoes its rule is kiam-agent-undoes-redirect.',
    alsoKnownAs: ['AccessDenied assumed-role/nodes i- is not authorized kiam'],
    refs: [
      'https://github.com/uswitch/kiam/issues/395',
      'https://github.com/uswitch/kiam/issues/203',
      'https://github.com/uswitch/kiam/blob/HEAD/cmd/kiam/iptables.go',
    ],
  },
});

export default matched(cause, (view) => {
  const raced = matchTimes(view);
  if (raced !== null) return raced;
  const used = view.sign('nodeRoleUsed') ?? view.sign('nodeRoleUsedSomewhere');
  const agent = view.sign('redirectMade') ?? view.sign('gateOpened') ?? view.sign('toldOrder');
  if (used === null || agent === null || view.sign('serverGivenUp') !== null) return null;
  return found(used.last.captures, [used.first, agent.first], 'likely');
});

type Own = ViewOf<typeof cause>;

/** The pod says that it has the node's role, and it started before the agent that now runs. */
function matchTimes(view: Own): Match | null {
  const here = view.list('kube/Pod').filter(({ value }) => isOnNode(value, view.node ?? ''));
  const agent = here.find(({ value }) => isOfDaemonSet(value, AGENT));
  const agentMs = agent === undefined ? null : runningSinceMs(agent.value);
  if (agent === undefined || agentMs === null || view.sign('serverGivenUp') !== null) return null;
  for (const pod of here) {
    const asked = pod.value.annotations[ROLE];
    const startedMs = isoMs(pod.value.status?.startTime);
    if (asked === undefined || startedMs === null || startedMs >= agentMs) continue;
    const log = view.sign('nodeRoleUsed');
    const role = NODE_ROLE.exec(complaintOf(pod.value))?.groups?.['role'];
    const used = role ?? log?.last.captures['role'];
    if (used === undefined) continue;
    const started = pod.value.status?.startTime ?? '';
    const since = isoTime({ ms: agentMs, yearless: false, clock: 'utc' }) ?? '';
    const match = found({ pod: podName(pod.value), role: used }, [
      view.quote(
        pod,
        `Pod ${podName(pod.value)} (${ROLE} ${asked}) started ${started}: ${complaintOf(pod.value)}`,
      ),
      view.quote(agent, `Pod ${podName(agent.value)} runs since ${since}`),
      ...(log === null ? [] : [log.last]),
    ]);
    const says = `it started ${started} and kiam's agent runs since ${since}, so it holds the role ${used}`;
    return withRepairs(match, replacing(pod.value, 'new-start', says));
  }
  return null;
}
