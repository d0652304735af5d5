import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite } from '../../../diagnosis/sign.ts';

/** The kubelet's plugin for image credentials is not where it is configured. */
export default defineCause({
  id: 'image-credential-provider-missing',
  stage: 'bootstrapped',
  title: 'the image credential provider is missing or misconfigured',
  scope: 'machine',
  signs: {
    binaryNotFound: definite(
      ['nodeadm', 'cloud-init', 'console'],
      /image credential provider binary was not found on path:? ?(?<path>\/[^\s:"]*[^\s:".])?/,
    ),
    pluginsRefused: definite(
      ['kubelet'],
      /[Ff]ailed to (?:register|load) CRI auth plugins(?:"? err="|: )?(?<reason>[^"]{0,160})/,
    ),
  },
  needs: [],
  symptoms: [],
  explains: ['selinux-or-hardening-denial'],
  summary: ({ machine, path, reason }) =>
    `The image credential provider of ${machine ?? 'the machine'} cannot be used (${path ?? (reason === undefined || reason === '' ? 'missing' : reason.trim())}), so the kubelet is not started or stops at once.`,
  remedy: () => [
    step(
      'See what is installed and what the kubelet is given.',
      'ls -l /etc/eks/image-credential-provider/; systemctl cat kubelet | grep -o "image-credential-provider[^ ]*"',
    ),
    step(
      'Install ecr-credential-provider (executable, same folder) and point both flags to it, in the image build.',
      '--image-credential-provider-bin-dir=/etc/eks/image-credential-provider --image-credential-provider-config=/etc/eks/image-credential-provider/config.json',
    ),
  ],
  decide: step(
    'See whether the provider is where the kubelet looks for it.',
    'ls -l /etc/eks/image-credential-provider/; journalctl -u kubelet --no-pager | grep -i "auth plugins" | tail -n 3',
  ),
  page: {
    why: 'Since Kubernetes 1.26 the kubelet asks a program for ECR credentials. EKS images ship it; custom AMIs, hybrid nodes and kOps hooks must put it where both flags say, or the kubelet refuses to start.',
    prevent: 'Install the provider in the same step as the kubelet, in the version of its release.',
    notThis:
      'A provider that runs and is refused by ECR shows as image pull errors on a registered node (no-ecr-pull-credentials, node-role-without-ecr-access), not at the kubelet’s start.',
    alsoKnownAs: ['Failed to register CRI auth plugins'],
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/blob/HEAD/nodeadm/internal/kubelet/image-credential-provider.go',
      'https://kubernetes.io/docs/tasks/administer-cluster/kubelet-credential-provider/',
    ],
  },
});
