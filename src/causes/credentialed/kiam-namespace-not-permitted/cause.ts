import { defineCause, found, type Match, type View } from '../../../diagnosis/cause.ts';
import { complaintOf, isCrashing, isOnNode, podName } from '../../../domain/pods/pods.ts';

const PERMITTED = 'iam.amazonaws.com/permitted';
const ROLE = 'iam.amazonaws.com/role';

/** kiam knows the pod and refuses the role that it is annotated with. */
export default defineCause({
  id: 'kiam-namespace-not-permitted',
  stage: 'credentialed',
  title: 'kiam’s policy does not permit the role in the pod’s namespace',
  scope: 'machine',
  signs: {
    namespaceRefuses: {
      in: ['kiam-server', 'kiam-agent', 'event'],
      anchors: ['namespace policy expression'],
      pattern: /namespace policy expression '(?<expression>[^']*)' forbids role '(?<role>[^']+)'/,
      weight: 'definite',
    },
    requestRefused: {
      in: ['kiam-agent', 'kiam-server'],
      anchors: ['error processing request', 'KiamRoleForbidden'],
      pattern: /error processing request: [^"]*(?:forbidden by policy|assume role forbidden)/,
      weight: 'definite',
    },
    denied: {
      in: ['kiam-server', 'kiam-agent'],
      anchors: ['pod denied by policy'],
      pattern:
        /"?msg"?[:=]\s*"pod denied by policy.*?"pod\.iam\.(?:requestedRole|role)":\s*"(?<role>[^"]+)"(?:.*"pod\.namespace":\s*"(?<namespace>[^"]+)")?/,
      weight: 'definite',
    },
    reported: {
      in: ['event'],
      anchors: ['KiamRoleForbidden'],
      pattern: /KiamRoleForbidden\b.*failed assuming role:? "?(?<role>[^\s":]+)/,
      weight: 'definite',
    },
  },
  needs: ['kube/Pod', 'kube/Namespace', 'kube/DaemonSet'],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  match: (view) => matchNamespace(view),
  summary: ({ role, namespace, expression }) =>
    `kiam does not permit the role ${role ?? 'of the pod'} in ${namespace === undefined ? 'its namespace' : `the namespace ${namespace}`}${expression === '(empty)' ? ', which has no iam.amazonaws.com/permitted annotation' : ''}, so the pod gets no credentials.`,
  remedy: ({ role, namespace }) => [
    {
      text: 'Permit the role in the namespace; the annotation is a regular expression over the whole name or ARN.',
      command: `kubectl annotate namespace ${namespace ?? '<namespace>'} --overwrite iam.amazonaws.com/permitted='^${(role ?? '<role>').replaceAll("'", '')}$'`,
    },
  ],
  decide: {
    text: 'Compare the namespace’s expression with the pod’s role.',
    command: 'kubectl get namespace <namespace> -o yaml',
  },
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

/** kiam is there, a crashing pod asks for a role, and its namespace permits nothing at all. */
function matchNamespace(
  view: View<'kube/Pod' | 'kube/Namespace' | 'kube/DaemonSet', string>,
): Match | null {
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
