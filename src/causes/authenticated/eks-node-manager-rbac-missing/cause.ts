import { defineCause, found, matched, step } from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';

/** EKS lost its own rights in the cluster by which it looks after managed nodes. */
const cause = defineCause({
  id: 'eks-node-manager-rbac-missing',
  stage: 'authenticated',
  title: 'EKS lost its Kubernetes rights for managed nodes (eks:node-manager)',
  scope: 'cluster',
  signs: {
    forbidden: definite(
      ['aws-message', 'kube-apiserver', 'audit', 'client-output', 'terraform', 'event'],
      /(?:User "eks:node-manager" cannot |no rules authorize user "eks:node-manager" .{0,80}to ")(?<verb>\w+)"? resource "(?<resource>[\w/]+)"/,
      { anchors: ['eks:node-manager'] },
    ),
    roleNotFound: definite(
      ['client-output', 'kube-apiserver', 'audit'],
      /(?:clusterroles?|clusterrolebindings?)\.rbac\.authorization\.k8s\.io "eks:node-manager" not found/,
      { anchors: ['eks:node-manager'] },
    ),
    // What EKS says of a node group whether itself or a node of it is refused.
    refusedByCluster: context(
      ['aws-message', 'client-output', 'terraform', 'unknown'],
      /Amazon EKS or one or more of your managed nodes is failing to authenticate or authorize with your Kubernetes cluster API server/,
    ),
    ownRole: context(
      ['aws-message', 'client-output', 'terraform', 'unknown'],
      /\bassumed-role\/AWSServiceRoleForAmazonEKSNodegroup\/EKS\b/,
    ),
    toldGone: likely(
      ['client-output', 'unknown', 'terraform'],
      /\beks:node-manager`?\b.{0,40}\b(?:(?:is|was|are|were|went) (?:missing|gone|deleted|removed|lost)|(?:has|had|have) been (?:deleted|removed)|(?:does not|doesn't|no longer) exists?)\b|\b(?:deleted|removed|lost)\b.{0,30}\beks:node-manager\b/,
      { isTold: true, anchors: ['eks:node-manager'] },
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ verb, resource }) =>
    `EKS itself is not allowed to look after managed nodes${verb === undefined || resource === undefined ? '' : ` (eks:node-manager cannot ${verb} ${resource})`}; upgrades, labels and taints of node groups are not carried out.`,
  remedy: () => [
    step(
      'Create the role again.',
      'kubectl create clusterrole eks:node-manager --verb=get,list,watch,patch --resource=nodes && kubectl patch clusterrole eks:node-manager --type=json -p \'[{"op":"add","path":"/rules/-","value":{"apiGroups":[""],"resources":["pods"],"verbs":["get","list","watch","delete"]}},{"op":"add","path":"/rules/-","value":{"apiGroups":[""],"resources":["pods/eviction"],"verbs":["create"]}}]\'',
    ),
    step(
      'And its binding.',
      'kubectl create clusterrolebinding eks:node-manager --clusterrole=eks:node-manager --user=eks:node-manager',
    ),
  ],
  decide: step(
    'See whether role and binding exist.',
    'kubectl get clusterrole,clusterrolebinding eks:node-manager',
  ),
  page: {
    why: 'EKS acts in the cluster as the user eks:node-manager. Clean-up scripts and restored backups take its cluster role or binding away.',
    prevent: 'Leave objects alone whose names begin with eks:.',
    notThis:
      'Nodes may well be Ready here. A node group that is AccessDenied over ec2: or iam: actions lacks IAM rights instead.',
    refs: ['https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html'],
  },
});

/** The health of a node group names the role by which EKS itself looks after it. */
export default matched(cause, (view) => {
  const refused = view.sign('refusedByCluster') ?? view.clusterSign('refusedByCluster');
  const own = view.sign('ownRole') ?? view.clusterSign('ownRole');
  if (view.anySign('forbidden', 'roleNotFound') || refused === null || own === null) return null;
  return found({}, [refused.last, own.last], 'likely');
});
