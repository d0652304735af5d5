import { defineCause, found, matched, step } from '../../../diagnosis/cause.ts';
import { context, likely, withdraws } from '../../../diagnosis/sign.ts';

/** ECR knows who asks and does not let the image of a workload out. */
const cause = defineCause({
  id: 'no-ecr-pull-credentials',
  stage: 'credentialed',
  title: 'ECR refuses the node an image of a workload',
  scope: 'cluster',
  signs: {
    repositoryRefuses: context(
      ['event', 'kubelet', 'containerd', 'pod-status'],
      /sts::(?<own>\d+):assumed-role\/(?<role>[\w+=,.@-]+)\/\S+ is not authorized to perform: ecr:(?:BatchGetImage|GetDownloadUrlForLayer|BatchCheckLayerAvailability) on resource: arn:aws[\w-]*:ecr:(?<region>[\w-]+):(?<account>\d+):repository\/(?<repository>[\w./-]+)(?!.*identity-based policy)(?:.*(?<policy>resource-based policy))?/,
    ),
    forbidden: likely(
      ['event', 'kubelet', 'containerd', 'pod-status'],
      /(?<account>\d{12})\.dkr\.ecr\.(?<region>[\w-]+)\.amazonaws\.com(?:\.cn)?\/(?:v2\/)?(?<repository>[\w./-]+?)(?:\/manifests\/|:)(?!.*(?:pause|amazon-k8s-cni|eks\/(?:kube-proxy|coredns)|starport|\.s3[.-]|fetching blob: |httpReadSeeker.{0,300}\/blobs\/)).*403 Forbidden/,
      { anchors: ['.dkr.ecr.'] },
    ),
    // Asked without any token; why none was sent, the registry does not know.
    withoutToken: likely(
      ['event', 'kubelet', 'containerd', 'pod-status'],
      /(?<registry>[\w<> -]{1,24})\.dkr\.ecr\.(?<region>[\w-]+)\.amazonaws\.com(?:\.cn)?\/(?:v2\/)?(?!\S{0,80}(?:pause|amazon-k8s-cni|kube-proxy|coredns))(?<repository>[\w./-]{1,200}?)(?:\/manifests\/|:).{0,600}(?<token>no basic auth credentials)/,
      { anchors: ['.dkr.ecr.'] },
    ),
    providerFails: context(
      ['kubelet'],
      /Failed getting credential from external registry credential provider/,
    ),
    pulled: withdraws(
      ['event', 'kubelet', 'containerd'],
      /Successfully pulled image "(?<account>\d{12})\.dkr\.ecr\.(?<region>[\w-]+)\.amazonaws\.com(?:\.cn)?\/(?<repository>[\w./-]+?)[:@"]/,
    ),
    pullOf: context(
      ['event', 'kubelet', 'containerd', 'pod-status', 'client-output', 'unknown'],
      /[Ff]ailed to pull image "?(?<registry>[\w<> -]{1,24})\.dkr\.ecr\.(?<region>[\w-]{1,40})\.amazonaws\.com(?:\.cn)?\/(?!\S{0,80}(?:pause|amazon-k8s-cni|kube-proxy|coredns))(?<repository>[\w./-]{1,200}?)[:@"]/,
      { anchors: ['.dkr.ecr.'], isBackground: true },
    ),
    unauthorized: context(
      ['event', 'kubelet', 'containerd', 'pod-status', 'client-output', 'unknown'],
      /unexpected status code (?:\S{1,300} )?(?<token>401 Unauthorized)|failed to authorize: .{0,200}(?<token2>401 Unauthorized)/,
    ),
  },
  needs: [],
  symptoms: ['image-not-pulled'],
  withdrawnBy: [],
  per: ['account', 'repository'],
  blocksAbove: false,
  summary: ({ role, account, region, repository, token }) =>
    token !== undefined
      ? `The node asks ECR for ${repository ?? 'an image'} without credentials (${token}), so it is refused and pods with that image do not start.`
      : `ECR does not let ${role === undefined ? 'the nodes' : `the node role ${role}`} pull ${repository ?? 'an image'} of account ${account ?? '?'} in ${region ?? 'its region'}, so pods with that image do not start.`,
  remedy: ({ role, account, region, repository, token }) => [
    ...(token === undefined
      ? []
      : [
          step(
            'Read on the machine why the kubelet had no token: its provider, its role, or the way to the ECR API.',
            'journalctl -u kubelet --no-pager | grep -iE "credential|ecr" | tail -n 20',
          ),
        ]),
    step(
      'Read the repository’s policy; one of another account must allow this account or role.',
      `aws ecr get-repository-policy --registry-id ${account ?? '<account>'} --region ${region ?? '<region>'} --repository-name ${repository ?? '<repository>'}`,
    ),
    step(
      'Let the node role pull.',
      `aws iam attach-role-policy --role-name ${role ?? '<node-role>'} --policy-arn arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryPullOnly`,
    ),
  ],
  decide: step(
    'Read what the registry answered.',
    'kubectl get events -A --field-selector reason=Failed',
  ),
  page: {
    why: 'The kubelet’s credential provider got a token with the node’s role, and ECR refused the image: the repository belongs to another account whose policy does not name this one, or a policy denies it.',
    prevent:
      'Give shared repositories a policy for the organization, and nodes AmazonEC2ContainerRegistryPullOnly.',
    notThis:
      '“no basic auth credentials” and 401 mean that no token was sent; where the evidence shows why, that is named instead: node-role-without-ecr-access, ecr-api-endpoint-missing or image-credential-provider-missing. With “no identity-based policy allows” it is the role. 403 from the S3 bucket of layers, or for a blob whose manifest came, is ecr-layer-download-blocked.',
    alsoKnownAs: ['pulling from host dkr.ecr failed with status code 403 Forbidden'],
    refs: [
      'https://docs.aws.amazon.com/AmazonECR/latest/userguide/repository-policies.html',
      'https://docs.aws.amazon.com/eks/latest/userguide/create-node-role.html',
    ],
  },
});

export default matched(cause, (view) => {
  const refused = view.sign('repositoryRefuses');
  const { own, account, policy } = refused?.last.captures ?? {};
  // Within one account the role's own policy is as likely, and the message does not say.
  const isRepository = policy !== undefined || own !== account;
  if (refused !== null && isRepository) return found(refused.last.captures, [refused.first]);
  const [pull, anonymous] = [view.sign('pullOf'), view.sign('unauthorized')];
  if (pull === null || anonymous === null) return null;
  const details = { ...pull.last.captures, ...anonymous.last.captures };
  return found(details, [pull.last, anonymous.last], 'likely');
});
