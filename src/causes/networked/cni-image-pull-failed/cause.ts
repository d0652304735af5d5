import { defineCause, step } from '../../../diagnosis/cause.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { context, definite, withdraws } from '../../../diagnosis/sign.ts';

/** The registry answers that the CNI image is not there, or not for this caller. */
export default defineCause({
  id: 'cni-image-pull-failed',
  stage: 'networked',
  title: 'the CNI’s image is not in the registry it is asked from',
  scope: 'cluster',
  signs: {
    notThere: definite(
      ['event', 'containerd', 'kubelet', 'pod-status'],
      /(?:[Ff]ailed to pull image|PullImage)(?=.{0,1000}(?:not found|unknown|toomanyrequests|no match|does not exist)).{0,200}?"(?<image>[^"\s]{0,120}(?:amazon-k8s-cni|amazon-vpc-cni|aws-network-policy-agent|calico\/(?:cni|node|typha)|cilium\/(?:cilium|operator)|flannel)[^"\s]*)".*(?<reason>: not found|manifest unknown|name unknown|toomanyrequests|no match for platform in manifest|does not exist in the registry)/,
      {
        anchors: [
          'amazon-k8s-cni',
          'amazon-vpc-cni',
          'aws-network-policy-agent',
          'calico/',
          'cilium/',
          'flannel',
        ],
      },
    ),
    pulled: withdraws(
      ['event'],
      /(?:Successfully pulled image|Container image) "(?<image>[^"\s]+)"/,
      { anchors: ['Successfully pulled image', 'already present on machine'] },
    ),
    imageUnusable: context(
      ['containerd', 'event', 'kubelet'],
      /media type \S+ is no longer supported since containerd|failed to decode hosts\.toml/,
    ),
  },
  needs: [],
  symptoms: ['image-not-pulled', 'cni-uninitialized'],
  per: ['image'],
  withdrawnBy: [],
  explains: ['cni-configuration-missing'],
  summary: ({ image, reason }) =>
    sentence`The CNI image ${image} cannot be pulled${reason === undefined ? '' : ` (${reason.replace(/^: /, '')})`}, so new nodes get no pod network.`,
  remedy: () => [
    step(
      'See which registry and tag the daemon set names, and compare with the region’s registry.',
      "kubectl -n kube-system get daemonset aws-node -o jsonpath='{..image}'",
    ),
    step(
      'Let the managed add-on set image and registry.',
      'aws eks update-addon --cluster-name <cluster> --addon-name vpc-cni --resolve-conflicts OVERWRITE',
    ),
  ],
  decide: step(
    'Read the innermost reason of the pull.',
    'kubectl -n kube-system get events --field-selector reason=Failed',
  ),
  page: {
    why: 'Add-on images lie in one registry account per region. A manifest copied from another region or partition, a tag that was never published, a mirror without the image, or Docker Hub’s limit for Calico images end in a refusal by the registry itself.',
    prevent: 'Use the managed add-on, or mirror images before nodes need them.',
    notThis:
      'The registry’s 401, 403 or “no basic auth credentials” are of the node’s rights (node-role-without-ecr-access) or endpoints (ecr-api-endpoint-missing); time-outs are of the network (no-nat-or-vpc-endpoints); layers alone are ecr-layer-download-blocked.',
    alsoKnownAs: ['amazon-k8s-cni ImagePullBackOff', 'calico toomanyrequests'],
    refs: [
      'https://github.com/aws/amazon-vpc-cni-k8s/issues/30',
      'https://docs.aws.amazon.com/eks/latest/userguide/add-ons-images.html',
    ],
  },
});
