import {
  defineCause,
  found,
  matched,
  step,
  type ViewOf,
  withRepairs,
} from '../../../diagnosis/cause.ts';
import { type Repair, replacing } from '../../../diagnosis/repair.ts';
import { context, likely, withdraws } from '../../../diagnosis/sign.ts';
import { isOfDaemonSet, isOnNode, isPodReady, runningSinceMs } from '../../../domain/pods/pods.ts';
import { isoTime } from '../../../evidence/time.ts';

const AGENT = 'kiam-agent';
const ROLE = 'iam.amazonaws.com/role';

/** The agent gives its server up at once and takes its redirect away as it ends. */
const cause = defineCause({
  id: 'kiam-agent-undoes-redirect',
  stage: 'credentialed',
  title: 'the kiam agent ends without its server and opens instance metadata to pods',
  scope: 'machine',
  signs: {
    serverGivenUp: likely(
      ['kiam-agent', 'kiam-server'],
      /error creating server gateway: (?<reason>[^"]{4,120})/,
    ),
    redirectUndone: context(['kiam-agent', 'kiam-server'], /undoing iptables changes/),
    nodeRoleUsed: context(
      ['pod-app', 'client-output', 'aws-message', 'journal'],
      /assumed-role\/(?<role>[\w+=,.@-]+)\/(?<instance>i-[0-9a-f]{8,17}) is not authorized to perform: (?!sts:AssumeRole)/,
    ),
    nodeRoleUsedSomewhere: context(
      ['pod-app', 'client-output', 'aws-message', 'journal'],
      /assumed-role\/(?<role>[\w+=,.@-]+)\/(?<session>i-[0-9a-f]{8,17}) is not authorized to perform: (?!sts:AssumeRole)/,
    ),
    served: withdraws(
      ['kiam-agent', 'kiam-server'],
      /processed request".*\/iam\/security-credentials\/.*"status":\s*200/,
    ),
    notInterceptedTold: context(
      ['client-output', 'unknown'],
      /\bcalls (?:were|are|is|was) (?:not|no longer) (?:being )?(?:intercepted|redirected) by (?:the )?kiam\b/,
      { isTold: true },
    ),
    agentReplacedTold: context(
      ['client-output', 'unknown'],
      /\b(?:rotate|restart|upgrade|rotating|restarting|upgrading)(?:d|ed)? (?:the )?kiam agents?\b|\bkiam (?:upgrade|restart|rollout)\b|\bnew (?:kiam )?agent pod\b/,
      {
        isTold: true,
        anchors: ['kiam agent', 'kiam upgrade', 'kiam restart', 'kiam rollout', 'new agent pod'],
      },
    ),
  },
  needs: ['kube/Pod'],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: [
    'pod-started-before-kiam-redirect',
    'shallow-kiam-readiness',
    'gate-opened-too-early',
    'flapping-gate',
  ],
  summary: ({ node, instance, reason, role }) =>
    reason === undefined
      ? 'The kiam agents were replaced and took their redirect away, so calls of running pods go to instance metadata and are answered with the role of the node.'
      : `The kiam agent on ${node ?? instance ?? 'the node'} gives up its server (${reason}), ends and takes its redirect away, so ${role === undefined ? 'pods that start meanwhile reach instance metadata and get the node’s role' : `pods got the node’s role ${role} instead of their own`}.`,
  remedy: () => [
    step(
      'Let the agent wait for its server and keep its redirect: add --gateway-timeout-creation=30s and --no-iptables-remove to its arguments.',
      'kubectl -n kube-system edit daemonset kiam-agent',
    ),
    step(
      'Give it a readiness probe that asks the server: GET /health?deep=1 on the agent’s port.',
      'kubectl -n kube-system get daemonset kiam-agent -o jsonpath={.spec.template.spec.containers[0].readinessProbe}',
    ),
    step(
      'Start the pods again that hold the node’s role: the SDK keeps the credentials it has.',
      'kubectl -n <namespace> delete pod <pod>',
    ),
  ],
  decide: step(
    'Read how the agent’s last run ended, and why the server did not answer.',
    'kubectl -n kube-system logs <kiam-agent-pod> --previous --tail=30',
  ),
  page: {
    why: 'The agent adds its DNAT rule first and dials the server afterwards, for one second by default. On a new node the cluster’s DNS, kube-proxy or the pod network are often later than that. The agent then ends, removes the rule (--iptables-remove is on by default) and is started again. A shallow readiness check calls each of these runs ready, which lets pods start in between.',
    prevent:
      'Keep the rule across restarts, let the agent wait, and open the node to pods only after a deep check.',
    notThis:
      'Where the agent ran all the time and only came later than the pod, it is pod-started-before-kiam-redirect. A 500 with pod not found is kiam-pod-not-yet-known: the redirect works there.',
    alsoKnownAs: [
      'error creating server gateway: error dialing grpc server: context deadline exceeded',
    ],
    refs: [
      'https://github.com/uswitch/kiam/blob/HEAD/cmd/kiam/agent.go',
      'https://github.com/uswitch/kiam/issues/358',
      'https://github.com/uswitch/kiam/issues/210',
    ],
  },
});

export default matched(cause, (view) => {
  const lost = view.sign('serverGivenUp');
  if (lost === null) {
    const told = view.sign('notInterceptedTold');
    const replaced = view.sign('agentReplacedTold');
    return told === null || replaced === null
      ? null
      : found({}, [replaced.first, told.first], 'likely');
  }
  const used = view.sign('nodeRoleUsed') ?? view.sign('nodeRoleUsedSomewhere');
  const undone = view.sign('redirectUndone');
  const proof = [lost, undone, used].flatMap((sign) => (sign === null ? [] : [sign.last]));
  const details = { ...used?.last.captures, ...lost.last.captures };
  const match = found(details, proof, proof.length > 1 ? 'definite' : 'likely');
  return withRepairs(match, undone === null ? [] : heldRoles(view));
});

/**
 * Pods that ask for a role and run since before the agent's present run, which alone kept its
 * redirect; none while no agent is ready, as another Pod would get the node's role again.
 */
function heldRoles(view: ViewOf<typeof cause>): readonly Repair[] {
  const here = view.list('kube/Pod').filter(({ value }) => isOnNode(value, view.node ?? ''));
  const agent = here.find(({ value }) => isOfDaemonSet(value, AGENT) && isPodReady(value));
  const agentMs = agent === undefined ? null : runningSinceMs(agent.value);
  if (agentMs === null) return [];
  const kept = isoTime({ ms: agentMs, yearless: false, clock: 'utc' }) ?? '';
  return here.flatMap(({ value }) => {
    const sinceMs = runningSinceMs(value);
    if (value.annotations[ROLE] === undefined || sinceMs === null || sinceMs >= agentMs) return [];
    const since = isoTime({ ms: sinceMs, yearless: false, clock: 'utc' }) ?? '';
    const says = `it runs since ${since}, when kiam's agent had taken its redirect away, which is there since ${kept}`;
    return replacing(value, 'new-start', says);
  });
}
