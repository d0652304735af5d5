import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { podName } from '../../../domain/pods/pods.ts';
import { context, likely } from '../../../diagnosis/sign.ts';

/** An address was reused and the metadata proxy still gives the role of the pod that had it before. */
const cause = defineCause({
  id: 'stale-pod-ip-role-cache',
  stage: 'credentialed',
  title: 'a pod gets the role of the pod that had its address before',
  scope: 'machine',
  signs: {
    notSettled: likely(
      ['kube2iam'],
      /resolveDuplicatedIP: Error (?:retriving|retrieving) the pod with IP:? ?"?(?<address>[\d.]+)?/,
    ),
    // Read from the output of `kubectl exec … -- curl` of instance metadata.
    roleGiven: context(
      ['client-output'],
      /^Pod (?<pod>\S{1,317}) is given the role (?<role>[\w+=,.@-]{1,64}) by instance metadata$/,
    ),
    // Read from rows of `kubectl get pods -o wide`.
    addressReused: context(
      ['client-output'],
      /^Pod (?<pod>\S{1,317}) has the address (?<address>[\d.]{7,15}), which Pod (?<ended>\S{1,317}) had that has ended$/,
    ),
    otherRoleHeld: context(['kube2iam'], /Invalid role[^"]{0,120}does not match annotated role/),
  },
  needs: ['kube/Pod'],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['kube2iam-cannot-map-caller'],
  summary: ({ address, pod, role, given, ended }) =>
    pod !== undefined
      ? `The pod ${pod} asks for the role ${role ?? ''} and is given ${given ?? 'another'}: its address ${address ?? ''} was that of the pod ${ended ?? ''}, whose role is still kept for it.`
      : `kube2iam cannot tell which pod has ${address ?? 'a reused address'} now, so a pod may be given the role of the one that had it before.`,
  remedy: () => [
    step('See which pods claim the address, finished ones too.', 'kubectl get pods -A -o wide'),
    step(
      'Let kube2iam read the pods of its node and settle duplicates, then start the affected pods again.',
      'kubectl -n kube-system edit daemonset kube2iam',
    ),
  ],
  decide: step(
    'Read which addresses kube2iam could not settle.',
    'kubectl -n kube-system logs -l app=kube2iam --prefix --tail=500',
  ),
  page: {
    why: 'kube2iam keeps roles by address. Finished pods of jobs keep theirs in the API while the CNI gives it to the next pod; with two pods of one address it must ask the API, and where that fails it may answer from the older one.',
    prevent:
      'Upgrade kube2iam, use --resolve-duplicate-cache-ips and --node, delete finished pods.',
    notThis:
      'assumed-role/…/i-… is the node’s role and no other pod’s: pod-started-before-kube2iam-rule. No answer at all is kube2iam-cannot-map-caller.',
    alsoKnownAs: ['pod got role from another pod'],
    refs: [
      'https://github.com/jtblin/kube2iam/issues/215',
      'https://github.com/jtblin/kube2iam/issues/17',
      'https://github.com/jtblin/kube2iam/blob/HEAD/k8s/k8s.go',
    ],
  },
});

export default matched(cause, matchGiven);

type Own = ViewOf<typeof cause>;

const ROLE = 'iam.amazonaws.com/role';

/** The name of a role, without the path or the account before it. */
function roleName(role: string): string {
  return role.split('/').at(-1) ?? role;
}

/** A pod is given another role than it is annotated with, and its address was another pod’s. */
function matchGiven(view: Own): Match | null {
  const given = (view.sign('roleGiven') ?? view.clusterSign('roleGiven'))?.last;
  const reused = view.sign('addressReused') ?? view.clusterSign('addressReused');
  const name = given?.captures['pod'];
  if (given === undefined || reused === null || name === undefined) return null;
  const isAsker = (one: string | undefined): boolean =>
    one === name || one?.endsWith(`/${name}`) === true;
  const pod = view.everywhere('kube/Pod').find(({ value }) => isAsker(podName(value)));
  const role = pod?.value.annotations[ROLE];
  const quote = reused.quotes.find(({ captures }) => isAsker(captures['pod']));
  const other = given.captures['role'] ?? '';
  if (pod === undefined || role === undefined || quote === undefined) return null;
  if (roleName(role) === other) return null;
  const { address, ended } = quote.captures;
  const details = { pod: podName(pod.value), role, given: other };
  return found(
    {
      ...details,
      ...(address === undefined ? {} : { address }),
      ...(ended === undefined ? {} : { ended }),
    },
    [given, view.quote(pod, `Pod ${details.pod} ${ROLE}: ${role}`), quote],
    'likely',
  );
}
