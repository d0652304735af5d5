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
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';
import {
  complaintOf,
  environmentOf,
  isCrashing,
  isOfDaemonSet,
  isOnNode,
  isPodReady,
  podName,
  waitingReason,
} from '../../../domain/pods/pods.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { lookedUp } from '../../../domain/planned/indexed.ts';
import { IDENTITIES } from '../../../domain/planned/lookups.ts';
import { addonIdentity, addonsOf } from '../../../domain/planned/addons.ts';
import type { Planned } from '../../../evidence/planned.ts';

const AGENT = 'eks-pod-identity-agent';

/** The agent that hands out Pod Identity credentials does not listen on its node. */
const cause = defineCause({
  id: 'pod-identity-agent-down',
  stage: 'credentialed',
  title: 'the EKS Pod Identity agent does not listen on the node',
  scope: 'machine',
  signs: {
    addressNotBound: definite(
      ['pod-identity-agent'],
      /Unable to start server: listen tcp (?<address>169\.254\.170\.23:80|\[fd00:ec2::23\]:80): (?:bind: )?(?<reason>[a-z ]{4,60})/,
    ),
    linkNotMade: likely(
      ['pod-identity-agent'],
      /Cannot setup link|Unable to create interface \S+|[Uu]nable to configure (?:required )?family|Error bringing up link|Unable to initalize (?:agent|executor)/,
      {
        anchors: [
          'Cannot setup link',
          'Unable to create interface',
          'nable to configure required family',
          'nable to configure family',
          'Error bringing up link',
          'Unable to initalize agent',
          'Unable to initalize executor',
        ],
        strict: true,
      },
    ),
    routeTaken: definite(
      ['pod-identity-agent'],
      /expected route (?<address>\S+) to be interface index \d+ but is \d+/,
    ),
    refusedToPod: likely(
      ['pod-app', 'client-output', 'csi-driver', 'event', 'journal', 'pod-identity-agent'],
      /dial tcp (?<address>169\.254\.170\.23:80|\[fd00:ec2::23\]:80): (?:connect: )?(?<reason>connection refused|no route to host|network is unreachable)|Could not connect to the endpoint URL: "http:\/\/(?<address2>169\.254\.170\.23|\[fd00:ec2::23\])\/v1\/credentials/,
      { anchors: ['169.254.170.23', 'fd00:ec2::23'] },
    ),
    ownProbeFails: likely(
      ['pod-identity-agent'],
      /Failed probe: Get "?http:\/\/(?<address>169\.254\.170\.23:80|\[fd00:ec2::23\]:80)[^"\s]*"?: (?<reason>[^"\n]{4,100})/,
    ),
    listening: withdraws(['pod-identity-agent'], /Storing creds in cache/),
    configUnread: context(['pod-identity-agent'], /Unable to initialize aws configuration/),
  },
  needs: ['kube/Pod', 'kube/DaemonSet', 'aws/addon'],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ node, instance, address, reason, agent, pod }) =>
    pod !== undefined
      ? `The pod ${pod} asks the EKS Pod Identity agent of ${node ?? 'its node'} for credentials, and ${agent ?? 'there is none'}, so it gets none.`
      : sentence`The EKS Pod Identity agent on ${node ?? instance ?? 'the node'} does not serve ${address ?? 'its link-local address'}${phrase` (${reason})`}, so pods there get no AWS credentials.`,
  remedy: () => [
    step(
      'See whether every node has a Ready agent; install the add-on where there is none.',
      'kubectl -n kube-system get pods -l app.kubernetes.io/name=eks-pod-identity-agent -o wide',
    ),
    step(
      'On nodes without IPv6, let the agent listen on IPv4 alone.',
      'aws eks update-addon --cluster-name <cluster> --addon-name eks-pod-identity-agent --configuration-values \'{"agent":{"additionalArgs":{"-b":"169.254.170.23"}}}\'',
    ),
    step(
      'With a proxy in the pods, put 169.254.170.23 into NO_PROXY.',
      'kubectl exec <pod> -- env',
    ),
  ],
  decide: step(
    'Read why the agent ends.',
    'kubectl -n kube-system logs -l app.kubernetes.io/name=eks-pod-identity-agent --prefix --tail=50',
  ),
  page: {
    why: 'Pods with an association ask http://169.254.170.23/v1/credentials, which the agent on their node serves over a link of its own. The agent ends when IPv6 is disabled and it has to bind fd00:ec2::23, when another program holds port 80 on the address or the route, or when it is not there.',
    prevent:
      'Use a recent add-on, let its DaemonSet tolerate all taints, and put the link-local address into NO_PROXY of every pod.',
    notThis:
      'An HTTP answer of 400 or 403 from the same address is pod-identity-not-authorized. Requests that the client gives up (context canceled) do not involve the agent.',
    alsoKnownAs: [
      'dial tcp 169.254.170.23:80: connect: connection refused',
      'listen tcp [fd00:ec2::23]:80: bind: cannot assign requested address',
    ],
    refs: [
      'https://github.com/aws/eks-pod-identity-agent/issues/16',
      'https://docs.aws.amazon.com/eks/latest/userguide/pod-id-agent-config-ipv6.html',
    ],
  },
});

const judged = matched(cause, matchAgent);

type Own = ViewOf<typeof cause>;

/** A crashing pod is told to ask the agent, and no agent on its node is Ready. */
function matchAgent(view: Own): Match | null {
  const node = view.node ?? '';
  const here = view.list('kube/Pod').filter(({ value }) => isOnNode(value, node));
  const asking = here.find(({ value }) => {
    const url = environmentOf(value, 'AWS_CONTAINER_CREDENTIALS_FULL_URI') ?? '';
    return /169\.254\.170\.23|fd00:ec2::23/.test(url) && isCrashing(value);
  });
  const agents = here.filter(({ value }) => isOfDaemonSet(value, AGENT));
  if (asking === undefined || agents.some(({ value }) => isPodReady(value))) return null;
  const [agent] = agents;
  const set = view.list('kube/DaemonSet').find(({ value }) => value.name === AGENT);
  // Without a list of DaemonSets the agent may merely not have been collected.
  if (agent === undefined && set === undefined && view.read('kube/DaemonSet').state === 'unknown')
    return null;
  const state =
    agent !== undefined
      ? `its agent ${podName(agent.value)} is not Ready (${waitingReason(agent.value) ?? 'not Ready'})`
      : set === undefined
        ? `the cluster has no DaemonSet ${AGENT}`
        : `the DaemonSet ${AGENT} has no pod there`;
  const witness = agent ?? set;
  const addon = view.list('aws/addon').find(({ value }) => value.addonName === AGENT);
  return found({ node, pod: podName(asking.value), agent: state }, [
    view.quote(
      asking,
      `Pod ${podName(asking.value)} AWS_CONTAINER_CREDENTIALS_FULL_URI ${environmentOf(asking.value, 'AWS_CONTAINER_CREDENTIALS_FULL_URI') ?? ''} on ${node}, where ${state}: ${complaintOf(asking.value)}`,
    ),
    ...(addon === undefined
      ? []
      : [view.quote(addon, `add-on ${AGENT} status ${addon.value.status ?? ''}`)]),
    ...(witness === undefined ? [] : [view.quote(witness, `${AGENT} on ${node}: ${state}`)]),
  ]);
}

export default foreseen(
  judged,
  (plan, group) => {
    const { cluster, clusterName } = group;
    const addons = addonsOf(plan, group);
    const asking: Planned | undefined =
      lookedUp(plan, IDENTITIES, clusterName)[0] ??
      addons.find((addon) => addonIdentity(plan, addon) === 'other');
    if (cluster?.change !== 'create') return NOT_SHOWN;
    const isThere = addons.some(({ value }) => value.addonName === AGENT);
    const isAuto = cluster.value.computeConfig?.enabled === true;
    if (asking === undefined || isThere || isAuto) return clear;
    return found(
      { pod: asking.address },
      [
        plan.quote(asking, 'gets its role by EKS Pod Identity'),
        plan.quote(cluster, `cluster ${clusterName ?? ''} gets no add-on ${AGENT}`),
      ],
      'likely',
    );
  },
  {
    summary: ({ pod, cluster }) =>
      `${pod ?? 'A pod'} gets its role by EKS Pod Identity, and nothing in this plan installs the add-on ${AGENT} in cluster ${cluster ?? ''}, so its pods will get no credentials.`,
    remedy: () => [step(`Add an aws_eks_addon with addon_name = "${AGENT}".`)],
  },
);
