import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite } from '../../../diagnosis/sign.ts';

/** The Node is registered, but its heartbeat or its CSINode may not be written under its own name. */
const cause = defineCause({
  id: 'lease-or-csinode-publishing-failed',
  stage: 'registered',
  title: 'a registered kubelet cannot write its lease or CSINode',
  scope: 'machine',
  signs: {
    leaseNamespaceGone: definite(
      ['kubelet'],
      /namespaces "kube-node-lease" (?<gone>not found)|unable to create new content in namespace kube-node-lease because it is (?<gone2>being terminated)/,
      { atLeast: 2, enoughOnce: 'end' },
    ),
    refused: context(
      ['kubelet'],
      /(?<resource>leases\.coordination|csinodes\.storage)\.k8s\.io "(?<node>[^"\s]+)" is forbidden: User "system:node:(?<credential>[^"\s]+)" cannot (?<verb>\w+) resource/,
      { atLeast: 3 },
    ),
    registered: context(['kubelet'], /Successfully registered node|was previously registered/),
    csiNodeNotWritten: context(
      ['kubelet'],
      /Failed to initialize CSINode (?:after retrying|while waiting for API server)/,
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: ['node-ready'],
  summary: ({ machine, resource, gone }) =>
    gone === undefined
      ? `The kubelet of ${machine ?? 'the machine'} has registered its Node but may not write its own ${resource?.startsWith('csi') === true ? 'CSINode, so no volume can be attached' : 'lease, so the Node turns NotReady after 40 seconds'}.`
      : `The namespace kube-node-lease is ${gone === 'not found' ? 'missing' : gone}, so no kubelet can renew its lease and every Node turns NotReady.`,
  remedy: ({ gone }) => [
    gone === undefined
      ? step(
          'See whether the role of the node authorizer or a custom binding was changed, and restore the defaults.',
          'kubectl auth can-i create leases -n kube-node-lease --as=system:node:<node> --as-group=system:nodes',
        )
      : step('Create the namespace again.', 'kubectl create namespace kube-node-lease'),
    step('Then restart the kubelet.', 'sudo systemctl restart kubelet'),
  ],
  decide: step(
    'Read the reason the kubelet quotes.',
    'journalctl -u kubelet --no-pager | grep -E "ensure (node )?lease|CSINode" | tail -n 5',
  ),
  page: {
    why: 'A kubelet proves that it lives by renewing a Lease in kube-node-lease, and announces volume drivers in its CSINode. Both are refused when the namespace is gone or the node authorizer’s rules were replaced.',
    prevent:
      'Keep kube-node-lease out of clean-up jobs and start the API server with the Node authorizer.',
    notThis:
      'Look at the quoted reason: Unauthorized is an authenticated-stage cause, another name in the refusal is node-name-differs-from-certificate, a timeout is a reachable-stage cause. One refusal before the Node exists is normal.',
    refs: [
      'https://kubernetes.io/docs/concepts/architecture/leases/#node-heart-beats',
      'https://github.com/awslabs/amazon-eks-ami/issues/1837',
    ],
  },
});

export default matched(cause, matchRefusal);

type Own = ViewOf<typeof cause>;

function matchRefusal(view: Own): Match | null {
  const refused = view.sign('refused');
  if (
    view.sign('leaseNamespaceGone') !== null ||
    refused === null ||
    view.sign('registered') === null
  )
    return null;
  // A foreign name in the refusal is a matter of names, not of rights.
  const own = refused.quotes.find(({ captures }) => captures['node'] === captures['credential']);
  return own === undefined ? null : found(own.captures, [own], 'likely');
}
