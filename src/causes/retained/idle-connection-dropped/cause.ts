import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context } from '../../../diagnosis/sign.ts';

/** A connection that only looks alive: the kubelet writes its heartbeats into it until a time-out. */
const cause = defineCause({
  id: 'idle-connection-dropped',
  stage: 'retained',
  title: 'the connection to the API server was dropped silently, so heartbeats stalled',
  scope: 'machine',
  signs: {
    deadConnection: context(
      ['kubelet'],
      /(?:Error updating node status, will retry.*error getting node "(?<node>[^"\s]+)"|[Ff]ailed to update (?:node )?lease).*(?<words>use of closed network connection|http2: client connection lost)/,
      { atLeast: 2 },
    ),
    // A read that fails on a connection which has long been open.
    watchDied: context(
      ['kubelet'],
      /[Uu]nable to decode an event from the watch stream.{0,300}(?<words>read: (?:no route to host|connection timed out)|http2: client connection lost)/,
    ),
    statusTimedOut: context(
      ['kubelet'],
      /Error updating node status, will retry.{0,600}Client\.Timeout exceeded while awaiting headers/,
    ),
    // Linux gives up an unanswered connection after 924 seconds.
    toldQuarter: context(
      ['client-output', 'unknown'],
      /\b(?:[Nn]odes?|[Ww]orkers?|[Aa]gents?|[Mm]achines?)\b.{0,80}\b[Nn]ot ?[Rr]eady\b.{0,40}\b(?:for|about|after|around|some)\b.{0,20}\b(?:a quarter of an hour|(?:15|16)\s?(?:minutes|mins?|m)\b|fifteen minutes)/,
      { isTold: true, anchors: ['NotReady', 'Not Ready', 'not ready', 'notReady'] },
    ),
    // What was sent and sent again, and nobody acknowledged.
    unanswered: context(
      ['client-output', 'unknown'],
      /\bESTAB\s+\d+\s+[1-9]\d*\s+\S{3,50}\s+\S{3,50}:6?443\s.{0,120}\btimer:\(on,[^,)]{1,20},(?:[5-9]|1\d)\)/,
      { anchors: ['timer:(on,'] },
    ),
    notReady: context(
      ['event', 'controller-manager'],
      /Node (?<node>[a-z0-9][a-z0-9.-]*) status is now: NodeNotReady/,
    ),
    silent: context(['node-status'], /^Node (?<node>\S+) condition Ready=Unknown/, {
      strict: true,
    }),
    deadOnce: context(
      ['kubelet'],
      /Error updating node status, will retry.*error getting node "(?<node>[^"\s]+)".*(?<words>use of closed network connection|http2: client connection lost)/,
    ),
    toldNotReady: context(
      ['client-output', 'unknown'],
      /\b(?:[Nn]odes?|[Ww]orkers?)\b.{0,20}\b(?:becomes?|became|went|goes|go|turns?|turned|stays?|stayed|is|are|was|were) (?:\w+ )?(?:Not ?Ready|not ready)\b/,
      { isTold: true, isBackground: true, anchors: ['NotReady', 'Not Ready', 'not ready'] },
    ),
  },
  needs: [],
  symptoms: [],
  explains: ['node-heartbeat-lost'],
  summary: ({ machine, words }) =>
    `The connection of ${machine ?? 'the machine'} to the API server was dead without either side knowing (${words ?? 'closed'}); heartbeats stalled until it timed out, and the Node was taken for NotReady.`,
  remedy: () => [
    step('At once: a restart opens new connections.', 'sudo systemctl restart kubelet'),
    step(
      'Use a current kubelet (it checks HTTP/2 connections by itself), and reach the endpoint inside the VPC instead of through NAT.',
      'aws eks update-cluster-config --name <cluster> --resources-vpc-config endpointPrivateAccess=true',
    ),
    step(
      'Keep TCP keep-alive below the 350 seconds after which NAT gateways and network load balancers forget a connection.',
      'sudo sysctl -w net.ipv4.tcp_keepalive_time=120 net.ipv4.tcp_keepalive_intvl=30',
    ),
  ],
  decide: step(
    'See how the heartbeats ended and when they came back.',
    'journalctl -u kubelet --no-pager | grep -E "closed network connection|client connection lost|update lease" | tail -n 20',
  ),
  page: {
    why: 'NAT gateways and network load balancers drop idle connections after 350 seconds without telling, and a replaced API server behind one leaves connections half open. A client that does not probe keeps writing into them for up to 15 minutes.',
    prevent:
      'Kubelets from 1.20 on, private endpoint access, deregistration delay on load balancers in front of own API servers.',
    notThis:
      'The Node recovers by itself, often many at once behind one NAT. Silence of a single machine under load is node-heartbeat-lost; a time-out of new connections is a reachable-stage cause. One such line at a control-plane upgrade is normal.',
    alsoKnownAs: ['use of closed network connection', 'http2: client connection lost'],
    refs: [
      'https://github.com/kubernetes/kubernetes/issues/87615',
      'https://docs.aws.amazon.com/vpc/latest/userguide/nat-gateway-troubleshooting.html',
    ],
  },
});

export default matched(cause, matchStall);

type Own = ViewOf<typeof cause>;

function matchStall(view: Own): Match | null {
  const told = view.sign('toldNotReady') ?? view.clusterSign('toldNotReady');
  const once = told === null ? null : view.sign('deadOnce');
  const dead = view.sign('deadConnection') ?? view.sign('watchDied') ?? once;
  const quarter = view.sign('toldQuarter');
  const effect =
    view.sign('notReady') ?? view.sign('silent') ?? quarter ?? (once === null ? null : told);
  if (dead === null || effect === null) return matchQuarter(view);
  return found(
    { ...effect.last.captures, ...dead.last.captures },
    [dead.first, effect.last],
    'likely',
  );
}

/** Requests that time out for as long as the kernel waits for a connection that nobody answers. */
function matchQuarter(view: Own): Match | null {
  const silent = view.sign('statusTimedOut');
  const quarter =
    view.sign('toldQuarter') ?? view.sign('unanswered') ?? view.clusterSign('unanswered');
  if (silent === null || quarter === null) return null;
  return found(silent.last.captures, [silent.first, quarter.first], 'likely');
}
