import { defineCause } from '../../../diagnosis/cause.ts';

/** EKS Auth answered the agent and refused: no association, no permission or no trust. */
export default defineCause({
  id: 'pod-identity-not-authorized',
  stage: 'credentialed',
  title: 'EKS Auth refuses Pod Identity credentials',
  scope: 'cluster',
  signs: {
    refusedToAgent: {
      in: ['pod-identity-agent'],
      anchors: ['Error fetching credentials', 'AssumeRoleForPodIdentity'],
      pattern:
        /(?:Error fetching credentials|AssumeRoleForPodIdentity)\b.*(?<reason>AccessDeniedException|ResourceNotFoundException|InvalidTokenException|ExpiredTokenException)/,
      weight: 'definite',
    },
    nodeRoleRefused: {
      in: ['pod-app', 'client-output', 'csi-driver', 'event', 'journal', 'pod-identity-agent'],
      anchors: ['eks-auth:AssumeRoleForPodIdentity'],
      pattern:
        /assumed-role\/(?<role>[\w+=,.@-]+)\/\S+ is not authorized to perform: eks-auth:AssumeRoleForPodIdentity/,
      weight: 'definite',
    },
    trustMissing: {
      in: ['pod-app', 'client-output', 'csi-driver', 'event', 'journal', 'pod-identity-agent'],
      anchors: ['EKS does not have permissions to assume the associated role'],
      pattern: /EKS does not have permissions to assume the associated role/,
      weight: 'definite',
    },
    associationMissing: {
      in: ['pod-app', 'client-output', 'csi-driver', 'event', 'journal', 'pod-identity-agent'],
      anchors: ['No Pod Identity Association', 'no pod identity association'],
      pattern: /ResourceNotFoundException.*[Nn]o [Pp]od [Ii]dentity [Aa]ssociation/,
      weight: 'definite',
    },
  },
  needs: [],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['pod-identity-agent-down'],
  summary: ({ role, reason }) =>
    role === undefined
      ? `EKS Auth refuses Pod Identity credentials${reason === undefined ? '' : ` with ${reason}`}, so the pods of that service account have no AWS credentials.`
      : `The node role ${role} may not call eks-auth:AssumeRoleForPodIdentity, so no pod on its nodes gets Pod Identity credentials.`,
  remedy: ({ role }) => [
    {
      text: 'Let the node role ask EKS Auth: AmazonEKSWorkerNodePolicy has the permission.',
      command: `aws iam attach-role-policy --role-name ${role ?? '<node-role>'} --policy-arn arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy`,
    },
    {
      text: 'Let pods.eks.amazonaws.com assume the pod’s role with sts:AssumeRole and sts:TagSession.',
      command: 'aws iam get-role --role-name <pod-role> --query Role.AssumeRolePolicyDocument',
    },
    {
      text: 'Associate the service account with its role, then start the pods again.',
      command:
        'aws eks create-pod-identity-association --cluster-name <cluster> --namespace <namespace> --service-account <service-account> --role-arn <role-arn>',
    },
  ],
  decide: {
    text: 'Read what EKS Auth answered.',
    command:
      'kubectl -n kube-system logs -l app.kubernetes.io/name=eks-pod-identity-agent --prefix --tail=200',
  },
  page: {
    why: 'The agent asks EKS Auth with the node’s credentials for the role that is associated with the pod’s service account. The node role needs eks-auth:AssumeRoleForPodIdentity, the association must exist, and the pod’s role must trust pods.eks.amazonaws.com for sts:AssumeRole and sts:TagSession.',
    prevent: 'Create role, trust and association together, and the workload after them.',
    notThis:
      'Throttling and requests that the client cancels pass and are no refusal. A connection that is refused at 169.254.170.23 is pod-identity-agent-down. Refused in the VPC CNI itself it is cni-role-not-assumable.',
    alsoKnownAs: [
      'AccessDeniedException: Unauthorized Exception! EKS does not have permissions to assume the associated role.',
    ],
    refs: [
      'https://github.com/aws/eks-pod-identity-agent/blob/HEAD/pkg/errors/errors.go',
      'https://docs.aws.amazon.com/eks/latest/userguide/pod-identities.html',
      'https://github.com/aws/eks-pod-identity-agent/issues/139',
    ],
  },
});
