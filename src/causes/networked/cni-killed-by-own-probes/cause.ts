import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context } from '../../../diagnosis/sign.ts';

/** ipamd answers too slowly for its own probes, and the kubelet kills it. */
const cause = defineCause({
  id: 'cni-killed-by-own-probes',
  stage: 'networked',
  title: 'aws-node is killed by its own probes while it works, only slowly',
  scope: 'machine',
  signs: {
    probeSlow: context(
      ['event', 'kubelet'],
      /Liveness probe failed:.*(?:command "?\/app\/grpc-health-probe[^"]*"? timed out|timeout: health rpc did not complete)/,
      { anchors: ['grpc-health-probe', 'health rpc'] },
    ),
    probeSlowInLog: context(
      ['kubelet'],
      /Probe (?:errored|failed).{0,100}Liveness.{0,400}grpc-health-probe.{0,200}timed out/,
    ),
    killed: context(
      ['event', 'kubelet'],
      /Container aws-node failed liveness probe, will be restarted|Killing container with id \S+:\/\/aws-node:Container failed liveness probe/,
    ),
    connectSlow: context(
      ['event', 'kubelet'],
      /Liveness probe failed:.{0,300}timeout: failed to connect service .{0,4}:50051.{0,4} within 1s/,
    ),
    killedTold: context(
      ['client-output', 'unknown'],
      /\b[Ee]xit(?:ed|s)?(?: with)? (?:code|status|Code):?\s{0,12}(?:is |of )?137\b/,
      {
        isTold: true,
        anchors: ['exit code', 'Exit Code', 'exit status', 'xited with', 'exits with'],
      },
    ),
    outOfMemory: context(['client-output', 'unknown', 'pod-status', 'event'], /\bOOM[Kk]ill/),
    daemonSilent: context(
      ['ipamd', 'aws-node', 'cni-plugin', 'event', 'node-status'],
      /Failed to wait for IPAM daemon|[Ff]ailed to connect to (?:backend server|network policy agent)|Failed to setup default network policy|\b(?:IPAMDNotRunning|IPAMDRepeatedlyRestart|NPANotRunning)\b/,
      {
        anchors: [
          'wait for IPAM daemon',
          'ailed to connect to backend server',
          'ailed to connect to network policy',
          'setup default network policy',
          'IPAMDNotRunning',
          'IPAMDRepeatedlyRestart',
          'NPANotRunning',
        ],
      },
    ),
  },
  needs: [],
  symptoms: ['sandbox-not-created'],
  withdrawnBy: [],
  explains: ['cni-configuration-missing'],
  summary: ({ machine }) =>
    `The kubelet of ${machine ?? 'the node'} kills aws-node because its health probe runs into its time limit, not because ipamd is down; the node lacks CPU for it.`,
  remedy: () => [
    step(
      'Give aws-node CPU of its own and its probes more time.',
      'kubectl -n kube-system patch daemonset aws-node --patch \'{"spec":{"template":{"spec":{"containers":[{"name":"aws-node","resources":{"requests":{"cpu":"100m"}},"livenessProbe":{"timeoutSeconds":30},"readinessProbe":{"timeoutSeconds":30}}]}}}}\'',
    ),
    step(
      'Use larger types, or set requests on what fills the node at start.',
      'kubectl top node <node>',
    ),
  ],
  decide: step(
    'See whether probes time out or find nobody listening.',
    'kubectl -n kube-system get events --field-selector reason=Unhealthy | grep aws-node',
  ),
  page: {
    why: 'The probe starts a program in the container each time. On a small node where many pods start at once it does not get its turn; since Kubernetes 1.20 the time limit of such probes is enforced.',
    prevent: 'CPU requests for aws-node and longer timeouts in the add-on’s configuration.',
    notThis:
      '“failed to connect service :50051” says that ipamd is not listening: then its own log has the cause. Probes that fail a few times at start are normal.',
    alsoKnownAs: [
      'grpc-health-probe timed out',
      'Container aws-node failed liveness probe, will be restarted',
    ],
    refs: [
      'https://github.com/aws/amazon-vpc-cni-k8s/issues/1425',
      'https://github.com/aws/amazon-vpc-cni-k8s/blob/HEAD/cmd/aws-vpc-cni/main.go',
    ],
  },
});

export default matched(cause, (view) => {
  const slow = view.sign('probeSlow') ?? view.sign('probeSlowInLog');
  const killed = view.sign('killed');
  if (slow === null || killed === null) return matchShortLimit(view);
  return {
    verdict: 'found',
    confidence: 'likely',
    details: {},
    proof: [slow.first, killed.first],
  };
});

/** A probe that waits one second for a connection, of a container that is killed and not for memory. */
function matchShortLimit(view: ViewOf<typeof cause>): Match | null {
  const [slow, killed] = [
    view.sign('connectSlow'),
    view.sign('killed') ?? view.sign('killedTold') ?? view.clusterSign('killedTold'),
  ];
  if (slow === null || killed === null || view.sign('outOfMemory') !== null) return null;
  return found({}, [slow.first, killed.first], 'likely');
}
