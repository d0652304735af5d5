import { defineCause, step } from '../../../diagnosis/cause.ts';
import { context, likely } from '../../../diagnosis/sign.ts';

/** An address was reused and the metadata proxy still gives the role of the pod that had it before. */
export default defineCause({
  id: 'stale-pod-ip-role-cache',
  stage: 'credentialed',
  title: 'a pod gets the role of the pod that had its address before',
  scope: 'machine',
  signs: {
    notSettled: likely(
      ['kube2iam'],
      /resolveDuplicatedIP: Error (?:retriving|retrieving) the pod with IP:? ?"?(?<address>[\d.]+)?/,
    ),
    otherRoleHeld: context(['kube2iam'], /Invalid role[^"]{0,120}does not match annotated role/),
  },
  needs: [],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['kube2iam-cannot-map-caller'],
  summary: ({ address }) =>
    `kube2iam cannot tell which pod has ${address ?? 'a reused address'} now, so a pod may be given the role of the one that had it before.`,
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
