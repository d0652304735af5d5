import { defineCause } from '../../../diagnosis/cause.ts';

/** The node role may not ask ECR for a registry token, so every ECR image is pulled anonymously. */
export default defineCause({
  id: 'node-role-without-ecr-access',
  stage: 'networked',
  title: 'the node role may not read ECR',
  scope: 'group',
  signs: {
    tokenRefused: {
      in: ['kubelet', 'containerd', 'event', 'journal', 'pod-status', 'cloud-init'],
      anchors: [
        'is not authorized to perform: ecr:GetAuthorizationToken',
        'perform: ecr:GetAuthorizationToken',
      ],
      pattern:
        /(?:assumed-role\/(?<role>[\w+=,.@-]+)\/\S* )?is not authorized to perform: ecr:GetAuthorizationToken/,
      weight: 'definite',
    },
    pullRefused: {
      in: ['kubelet', 'containerd', 'event', 'pod-status'],
      anchors: ['is not authorized to perform: ecr:'],
      pattern:
        /assumed-role\/(?<role>[\w+=,.@-]+)\/i-\S* is not authorized to perform: ecr:(?:BatchGetImage|GetDownloadUrlForLayer|BatchCheckLayerAvailability).*(?:no identity-based policy allows|with an explicit deny in an identity-based policy)/,
      weight: 'definite',
    },
    anonymous: {
      in: ['kubelet', 'containerd', 'event', 'pod-status'],
      anchors: ['no basic auth credentials'],
      pattern: /dkr\.ecr\.[a-z0-9-]+\.amazonaws\.com.*no basic auth credentials/,
      weight: 'context',
    },
  },
  needs: [],
  symptoms: ['image-not-pulled'],
  withdrawnBy: [],
  explains: [
    'pause-image-pull-failed',
    'cni-image-pull-failed',
    'cni-configuration-missing',
    'ecr-api-endpoint-missing',
  ],
  summary: ({ role }) =>
    `The node role ${role ?? ''} may not read ECR, so its nodes get no registry token and pull neither pause nor CNI nor kube-proxy images.`.replace(
      '  ',
      ' ',
    ),
  remedy: ({ role }) => [
    {
      text: 'Let the role pull from ECR.',
      command: `aws iam attach-role-policy --role-name ${role ?? '<node-role>'} --policy-arn arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryPullOnly`,
    },
    {
      text: 'Replace the node, or restart its services.',
      command: 'sudo systemctl restart containerd kubelet',
    },
  ],
  decide: {
    text: 'See whether the node role has an ECR policy.',
    command: 'aws iam list-attached-role-policies --role-name <node-role>',
  },
  page: {
    why: 'The kubelet (or the machine image’s own script for the pause image) asks ECR for a registry token with the instance’s role. Without the right it goes on without a token and the registry answers 401.',
    prevent:
      'Create node roles with the three policies: worker node, CNI (unless it has its own role) and registry pull.',
    notThis:
      '“no basic auth credentials” alone does not say why: a subnet without the ecr.api endpoint looks the same (ecr-api-endpoint-missing), and so does a collected pause image on an older machine (pause-image-garbage-collected). A repository of another account that refuses this role is a matter of its repository policy.',
    alsoKnownAs: [
      'no basic auth credentials pause image',
      'is not authorized to perform: ecr:GetAuthorizationToken',
    ],
    refs: [
      'https://github.com/aws/amazon-vpc-cni-k8s/issues/529',
      'https://docs.aws.amazon.com/eks/latest/userguide/create-node-role.html',
    ],
  },
});
