import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, likely, withdraws } from '../../../diagnosis/sign.ts';
import type { DaemonSet } from '../../../evidence/kube/workloads.ts';
import type { Sighting } from '../../../evidence/sighting.ts';

/** The agent listens and is called Ready, while every request that needs its server fails. */
const cause = defineCause({
  id: 'shallow-kiam-readiness',
  stage: 'credentialed',
  title: 'the kiam agent is Ready without reaching its server',
  scope: 'machine',
  signs: {
    serverSilent: likely(
      ['kiam-agent', 'kiam-server'],
      /error processing request: [^"]{0,120}rpc error: code = (?<reason>Unavailable|DeadlineExceeded)/,
      { anchors: ['error processing request'], atLeast: 2 },
    ),
    failedOnce: context(
      ['kiam-agent', 'kiam-server'],
      /error processing request: [^"]{0,120}rpc error: code = (?<reason>Unavailable|DeadlineExceeded)/,
      { anchors: ['error processing request'] },
    ),
    agentReady: context(
      ['client-output', 'pod-status', 'unknown'],
      /\bkiam-agent-[a-z0-9]{5}\s{1,20}1\/1\s{1,20}Running\b/,
      { isBackground: true },
    ),
    served: withdraws(
      ['kiam-agent', 'kiam-server'],
      /processed request".*\/iam\/security-credentials\/.*"status":\s*200/,
    ),
    serverLost: context(
      ['kiam-agent'],
      /error finding role for pod: .{0,80}there is no (?:connection|address) available/,
      { anchors: ['error finding role for pod'] },
    ),
  },
  needs: ['kube/DaemonSet'],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ node, instance, reason }) =>
    `The kiam agent on ${node ?? instance ?? 'the node'} listens but does not reach its server (${reason ?? 'no answer'}), so pods that were let in because it is Ready get no credentials.`,
  remedy: () => [
    step(
      'Let readiness ask the server: GET /health?deep=1.',
      'kubectl -n kube-system patch daemonset kiam-agent --type=json -p \'[{"op":"add","path":"/spec/template/spec/containers/0/readinessProbe","value":{"httpGet":{"path":"/health?deep=1","port":8181}}}]\'',
    ),
    step(
      'Find out why the server is silent: its endpoints, its certificate, the routes of the pod network.',
      'kubectl -n kube-system get endpoints kiam-server -o wide',
    ),
  ],
  decide: step(
    'See which probes the agent has.',
    'kubectl -n kube-system get daemonset kiam-agent -o yaml',
  ),
  page: {
    why: 'The shipped DaemonSet has only a liveness probe on /ping, and /health without deep=1 reads the instance id from the host, which always works. Neither asks the server, so a taint controller that trusts Ready opens the node while the server is out of reach.',
    prevent: 'Use the deep readiness probe and gate the node on it.',
    notThis:
      'pod not found means that the server answered: kiam-pod-not-yet-known. An agent that ends because it does not reach the server is kiam-agent-undoes-redirect.',
    alsoKnownAs: [
      'error processing request: rpc error: code = DeadlineExceeded desc = context deadline exceeded',
    ],
    refs: [
      'https://github.com/uswitch/kiam/blob/HEAD/pkg/aws/metadata/handler_health.go',
      'https://github.com/uswitch/kiam/blob/HEAD/deploy/agent.yaml',
      'https://github.com/uswitch/kiam/issues/217',
    ],
  },
});

export default matched(cause, matchSilence);

type Own = ViewOf<typeof cause>;

function matchSilence(view: Own): Match | null {
  const silent = view.sign('serverSilent') ?? failedBoth(view);
  if (silent === null) return null;
  const unprobed = view.list('kube/DaemonSet').find((fact) => isUnprobedAgent(fact.value));
  if (unprobed === undefined) return found(silent.last.captures, [silent.first], 'likely');
  const quote = view.quote(unprobed, `DaemonSet ${unprobed.value.name} has no readinessProbe`);
  return found(silent.last.captures, [silent.first, quote]);
}

function isUnprobedAgent(daemonSet: DaemonSet): boolean {
  return (daemonSet.spec?.template?.spec?.containers ?? []).some((container) => {
    const words = [...(container.command ?? []), ...(container.args ?? [])];
    const isAgent = words.includes('agent') && container.image?.includes('kiam') === true;
    return isAgent && (container.readinessProbe ?? undefined) === undefined;
  });
}

/** A request that failed once, and the lookup behind it that found no server, or an agent that is Ready. */
function failedBoth(view: Own): Sighting | null {
  const isReady = view.sign('agentReady') ?? view.clusterSign('agentReady');
  return view.sign('serverLost') === null && isReady === null ? null : view.sign('failedOnce');
}
