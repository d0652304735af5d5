import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite, likely } from '../../../diagnosis/sign.ts';

/** The token helper asks, or signs for, a region in which the cluster is not. */
export default defineCause({
  id: 'kubeconfig-for-another-region',
  stage: 'authenticated',
  title: 'the token helper of the kubelet names another region or a Local Zone',
  scope: 'group',
  signs: {
    zoneForRegion: definite(
      ['kubelet', 'cloud-init', 'console', 'journal', 'containerd', 'nodeadm'],
      /https:\/\/(?:[a-z.]{2,12})\.(?<region>[a-z]{2}(?:-[a-z]+)+-\d(?:-[a-z]{3,4}-\d[a-z]?|[a-f]))\.amazonaws\.com/,
    ),
    notOfRegionForm: definite(
      ['kubelet', 'cloud-init', 'console', 'journal', 'client-output'],
      /Provided region_name '(?<region>[^']{0,60})' doesn't match a supported format|Invalid endpoint: https:\/\/(?:sts|eks)\.(?<region2>[\w-]{0,60})\.amazonaws\.com/,
    ),
    unexpectedHost: likely(
      ['authenticator', 'kube-apiserver'],
      /unexpected hostname "+(?<host>sts\.[\w.-]{4,100})"+ in pre-signed URL/,
    ),
    pluginRegion: definite(
      ['host-file'],
      /^kubeconfig runs \S+ (?:.{0,300} )?--region[ =](?<region>[a-z]{2}(?:-[a-z]+)+-\d(?:-[a-z]{3,4}-\d[a-z]?|[a-f]))(?:\s|$)/,
      { strict: true },
    ),
  },
  needs: [],
  symptoms: ['kubelet-unauthorized'],
  explains: [
    'sts-endpoint-unavailable',
    'no-nat-or-vpc-endpoints',
    'describe-cluster-failed',
    'no-aws-credentials',
    'pause-image-pull-failed',
  ],
  summary: ({ machine, region, region2, host }) =>
    host === undefined
      ? `${machine ?? 'The machine'} asks AWS in ${region ?? region2 ?? 'a region that does not exist'}, which is not a region but a zone or a mistake, so the kubelet gets no token.`
      : `The token of a kubelet is signed for ${host}, which the cluster’s region does not take, so the API server answers 401 Unauthorized.`,
  remedy: ({ region }) => [
    step(
      'See which region the kubelet’s kubeconfig and the machine’s AWS settings name.',
      'sudo grep -n -A16 "exec:" /var/lib/kubelet/kubeconfig; sudo grep -rn region ~root/.aws /etc/eks 2>/dev/null',
    ),
    step(
      'Write the cluster’s own region there, as metadata has it (placement/region, not the zone with its last letter cut off), and restart the kubelet.',
      `sudo sed -i 's/${region ?? '<wrong-region>'}/<region>/' /var/lib/kubelet/kubeconfig && sudo systemctl restart kubelet`,
    ),
    step(
      'Then correct the template: a current EKS AMI asks metadata for the region.',
      'aws ssm get-parameter --name /aws/service/eks/optimized-ami/<version>/amazon-linux-2023/x86_64/standard/recommended/image_id --query Parameter.Value --output text',
    ),
  ],
  decide: step(
    'Read the arguments of the token helper.',
    'sudo grep -n -A16 "exec:" /var/lib/kubelet/kubeconfig',
  ),
  page: {
    why: 'The region is often made from the zone’s name by cutting off its last letter. In a Local Zone (us-west-2-lax-1a) that leaves us-west-2-lax-1, which is not a region and has no endpoints. A kubeconfig that was copied from another region signs tokens that this cluster’s authenticator does not take.',
    prevent:
      'Take the region from metadata (placement/region), and the cluster’s name and region from one place in the template.',
    notThis:
      'A real endpoint that does not answer is sts-endpoint-unavailable or no-nat-or-vpc-endpoints. A right region with a wrong cluster name is token-for-another-cluster.',
    alsoKnownAs: [
      'Could not connect to the endpoint URL: "https://sts.us-west-2-lax-1.amazonaws.com/"',
      'unexpected hostname in pre-signed URL',
    ],
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/issues/1639',
      'https://github.com/kubernetes-sigs/aws-iam-authenticator/blob/HEAD/pkg/token/token.go',
      'https://docs.aws.amazon.com/local-zones/latest/ug/available-local-zones.html',
    ],
  },
});
