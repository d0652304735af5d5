import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { definite } from '../../../diagnosis/sign.ts';
import { complaintOf, isCrashing, isOnNode, podName } from '../../../domain/pods/pods.ts';

const PERMITTED = 'iam.amazonaws.com/permitted';
const ROLE = 'iam.amazonaws.com/role';

/** kiam knows the pod and refuses the role that it is annotated with. */
const cause = defineCause({
  id: 'kiam-namespace-not-permitted',
  stage: 'credentialed',
  title: 'kiam’s policy does not permit the role in the pod’s namespace',
  scope: 'machine',
  signs: {
    namespaceRefuses: definite(
      ['kiam-server', 'kiam-agent', 'event'],
      /namespace policy expression '(?<expression>[^']*)' forbids role '(?<role>[^']+)'/,
    ),
    requestRefused: definite(
      ['kiam-agent', 'kiam-server'],
      /error processing request: [^"]*(?:forbidden by policy|assume role forbidden)/,
    ),
    denied: definite(
      ['kiam-server', 'kiam-agent'],
      /"?msg"?[:=]\s*"pod denied by policy.*?"pod\.iam\.(?:requestedRole|role)":\s*"(?<role>[^"]+)"(?:.*"pod\.namespace":\s*"(?<namespace>[^"]+)")?/,
    ),
    reported: definite(
      ['event'],
      /KiamRoleForbidden\b.*failed assuming role:? "?(?<role>[^\s":]+)/,
      { anchors: ['KiamRoleForbidden'] },
    ),
  },
  needs: ['kube/Pod', 'kube/Namespace', 'kube/DaemonSet'],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ role, namespace, expression }) =>
    `kiam does not permit the role ${role ?? 'of the pod'} in ${namespace === undefined ? 'its namespace' : `the namespace ${namespace}`}${expression === '(empty)' ? ', which has no iam.amazonaws.com/permitted annotation' : ''}, so the pod gets no credentials.`,
  remedy: ({ role, namespace }) => [
    step(
      'Permit the role in the namespace; the annotation is a regular expression over the whole name or ARN.',
      `kubectl annotate namespace ${namespace ?? '<namespace>'} --overwrite iam.amazonaws.com/permitted='^${(role ?? '<role>').replaceAll("'", '')}$'`,
    ),
  ],
  decide: step(
    'Compare the namespace’s expression with the pod’s role.',
    'kubectl get namespace <namespace> -o yaml',
  ),
  page: {
    why: 'kiam hands a role out only where the namespace’s annotation iam.amazonaws.com/permitted matches it. A namespace without the annotation permits nothing, and the expression is compared with what the pod’s annotation says, name or ARN.',
    prevent: 'Create namespaces with the annotation from the template that creates the roles.',
    notThis:
      'Refused by policy it stays refused for every pod of the namespace. A 500 with pod not found heals within seconds: kiam-pod-not-yet-known. AccessDenied from STS is kiam-server-cannot-assume-roles.',
    alsoKnownAs: ["namespace policy expression '(empty)' forbids role", 'forbidden by policy'],
    refs: [
      'https://github.com/uswitch/kiam/blob/HEAD/pkg/server/errors.go',
      'https://github.com/uswitch/kiam/issues/129',
    ],
  },
});

export default matched(cause, matchNamespace);

type Own = ViewOf<typeof cause>;

/** kiam is there, a crashing pod asks for a role, and its namespace permits nothing at all. */
function matchNamespace(view: Own): Match | null {
  const hasKiam = view.list('kube/DaemonSet').some(({ value }) => value.name.startsWith('kiam'));
  if (!hasKiam) return null;
  for (const pod of view.list('kube/Pod')) {
    const role = pod.value.annotations[ROLE];
    if (role === undefined || !isOnNode(pod.value, view.node ?? '')) continue;
    const namespace = view
      .list('kube/Namespace')
      .find(({ value }) => value.name === pod.value.namespace);
    const permitted = namespace?.value.annotations[PERMITTED] ?? '';
    if (namespace === undefined || permitted !== '' || !isCrashing(pod.value)) continue;
    const name = namespace.value.name;
    return found({ role, namespace: name, expression: '(empty)' }, [
      view.quote(namespace, `Namespace ${name} has no annotation ${PERMITTED}`),
      view.quote(
        pod,
        `Pod ${podName(pod.value)} asks for ${ROLE} ${role} and keeps ending: ${complaintOf(pod.value)}`,
      ),
    ]);
  }
  return null;
}
