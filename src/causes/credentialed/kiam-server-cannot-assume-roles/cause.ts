import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, definite, withdraws } from '../../../diagnosis/sign.ts';
import { complaintOf, isCrashing, podName } from '../../../domain/pods/pods.ts';
import {
  isReadyPod,
  placeOf,
  podWords,
  stateWords,
  unreadyPods,
} from '../../../domain/pods/pods-seen.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';
import type { Seen } from '../../../evidence/fact.ts';

/** kiam's server has no credentials of its own, or STS refuses it the roles of the pods. */
const cause = defineCause({
  id: 'kiam-server-cannot-assume-roles',
  stage: 'credentialed',
  title: 'kiam’s server cannot assume the roles of pods',
  scope: 'cluster',
  signs: {
    refused: definite(
      ['kiam-server', 'kiam-agent', 'event'],
      /(?:error (?:requesting|retrieving|fetching|warming)|KiamCredentialError\b.*failed retrieving) credentials: .*?(?:AccessDenied|NoCredentialProviders)(?:.*assumed-role\/(?<server>[\w+=,.@-]+)\/\S+ is not authorized to perform: sts:AssumeRole on resource: (?<role>arn:aws[\w-]*:iam::\d+:role\/[\w+=,.@/-]+))?/,
      {
        anchors: [
          'error requesting credentials',
          'error retrieving credentials',
          'error fetching credentials',
          'error warming credentials',
          'failed retrieving credentials',
        ],
      },
    ),
    noGateway: definite(
      ['kiam-server'],
      /error using AWS STS Gateway|error detecting arn prefix: /,
    ),
    certificateExpired: context(
      ['event', 'kiam-server', 'kiam-agent'],
      /(?<expired>x509: certificate has expired)/,
    ),
    issued: withdraws(['kiam-server'], /requested new credentials/),
    cacheUnfilled: context(['kiam-server'], /error starting pod cache/),
  },
  needs: ['kube/Pod'],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: [
    'kiam-agent-undoes-redirect',
    'shallow-kiam-readiness',
    'gate-opened-too-early',
    'gate-daemonset-pod-not-ready',
  ],
  summary: ({ server, role, pod, state, victim, expired }) =>
    pod !== undefined
      ? sentence`No kiam server is Ready (${pod} ${state ?? 'does not run'}${phrase`, ${expired}`}), so nobody assumes roles, and ${victim ?? 'pods that use kiam'} gets no credentials.`
      : sentence`kiam’s server${phrase` (role ${server})`} cannot assume ${role ?? 'the roles of pods'}, so the pods that use kiam get no credentials.`,
  remedy: ({ server, role, pod, expired }) => [
    ...(pod === undefined ? [] : serverSteps(pod, expired)),
    step(
      'Let the server’s role assume the pods’ roles, and let those trust it.',
      `aws iam get-role --role-name ${role === undefined ? '<pod-role>' : role.replace(/^.*\//, '')} --query Role.AssumeRolePolicyDocument`,
    ),
    step(
      'See what the server’s own role may do.',
      `aws iam list-role-policies --role-name ${server ?? '<server-role>'}`,
    ),
    step(
      'Keep agents off the nodes of the servers: a server behind an agent’s redirect asks itself.',
      'kubectl -n kube-system get pods -l app=kiam -o wide',
    ),
  ],
  decide: step(
    'Read what STS answered the server.',
    'kubectl -n kube-system logs -l app=kiam,component=server --prefix --tail=200',
  ),
  page: {
    why: 'Only the server calls STS. Its nodes need sts:AssumeRole on the pods’ roles, and those must trust the server’s role. A server on a node with an agent is caught by the agent’s own redirect and finds no credentials at all.',
    prevent: 'Run servers on nodes of their own, on the host’s network, without agents.',
    notThis:
      'A refusal by kiam’s own policy, before STS is asked, is kiam-namespace-not-permitted. It hits all nodes alike, where a late redirect hits one.',
    alsoKnownAs: ['error requesting credentials: AccessDenied: Access denied'],
    refs: [
      'https://github.com/uswitch/kiam/issues/127',
      'https://github.com/uswitch/kiam/issues/476',
    ],
  },
});

export default matched(cause, matchServers);

type Own = ViewOf<typeof cause>;

function serverSteps(pod: string, expired: string | undefined) {
  const [namespace = '<namespace>', name = '<pod>'] = pod.split('/');
  const certificate = step(
    'Issue the server’s and the agents’ TLS certificates again, then restart both.',
    `kubectl -n ${namespace} get secrets | grep kiam`,
  );
  const log = step(
    'Read why the server does not start.',
    `kubectl -n ${namespace} logs ${name} --previous --tail=50`,
  );
  return expired === undefined ? [log] : [certificate, log];
}

const WITHOUT_IDENTITY = /NoCredentialProviders|credential|Unable to locate/i;

/** None of the servers has been Ready for minutes, and a pod that asks kiam for its role ends. */
function matchServers(view: Own): Match | null {
  const pods = view.list('kube/Pod');
  const servers = pods.filter(({ value }) => isServer(value));
  const [server] = unreadyPods(servers, view);
  if (server === undefined || servers.some(isReadyPod)) return null;
  if (view.sign('refused') !== null || view.sign('noGateway') !== null) return null;
  const victims = pods.filter(isVictim);
  const [victim] = victims;
  if (victim === undefined) return null;
  const nodes = [...new Set(victims.map(placeOf))].filter((name) => name !== null);
  const { value } = victim;
  const role = value.annotations['iam.amazonaws.com/role'] ?? '';
  const said = complaintOf(server.value);
  const expired = view.sign('certificateExpired') ?? view.clusterSign('certificateExpired');
  return found(
    {
      pod: podName(server.value),
      state: stateWords(server),
      victim: `the pod ${podName(value)}`,
      ...(expired === null ? {} : { expired: expired.last.captures['expired'] ?? '' }),
    },
    [
      view.quote(
        server,
        `${podWords(server)} ${stateWords(server)}${said === '' ? '' : `: ${said}`}`,
      ),
      ...(expired === null ? [] : [expired.last]),
      view.quote(victim, `${podWords(victim)} (role ${role}) keeps ending: ${complaintOf(value)}`),
    ],
    'definite',
    nodes,
  );
}

/** A container that runs kiam’s server, or a pod that its manifests name so. */
function isServer(pod: Pod): boolean {
  const byCommand = (pod.spec?.containers ?? []).some((container) => {
    const words = [...(container.command ?? []), ...(container.args ?? [])];
    const image = container.image ?? '';
    return words.includes('server') && /\bkiam\b/.test(image);
  });
  return byCommand || /^kiam-server-[a-z0-9-]+$/.test(pod.name);
}

function isVictim({ value }: Seen<Pod>): boolean {
  const asks = value.annotations['iam.amazonaws.com/role'] !== undefined;
  return asks && isCrashing(value) && WITHOUT_IDENTITY.test(complaintOf(value));
}
