import { defineCause, step } from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** The manifest comes from ECR, and the layers, which lie in S3, do not. */
export default defineCause({
  id: 'ecr-layer-download-blocked',
  stage: 'networked',
  title: 'the subnet does not get ECR’s image layers from S3',
  scope: 'group',
  signs: {
    refused: definite(
      ['containerd', 'kubelet', 'event', 'pod-status'],
      /prod-(?<region>[a-z]{2}-[a-z-]+-\d)-starport-layer-bucket.*(?:403 Forbidden|AccessDenied|StatusCode: 403)/,
    ),
    silent: likely(
      ['containerd', 'kubelet', 'event', 'pod-status'],
      /prod-(?<region>[a-z]{2}-[a-z-]+-\d)-starport-layer-bucket.*(?:i\/o timeout|connection reset|context deadline exceeded|no route to host)/,
      { atLeast: 3, enoughOnce: 'alone' },
    ),
    // containerd names the address that it asked first, ECR's, although the bucket answered.
    refusedBehindRegistry: likely(
      ['containerd', 'kubelet', 'event', 'pod-status'],
      /httpReadSeeker: failed open: unexpected status (?:code|from GET request to) https:\/\/\d{12}\.dkr\.ecr(?:-fips)?\.(?<region>[a-z]{2}-[a-z-]{1,20}-\d)\.amazonaws\.com(?:\.cn)?\/v2\/[\w./-]{1,300}\/blobs\/sha256:[0-9a-f]{1,64}: 403 Forbidden/,
    ),
    // CRI-O and Podman name the image, and what it was that they fetched.
    refusedOfBlob: likely(
      ['containerd', 'kubelet', 'event', 'pod-status', 'journal'],
      /\d{12}\.dkr\.ecr(?:-fips)?\.(?<region>[a-z]{2}-[a-z-]{1,20}-\d)\.amazonaws\.com.{0,600}fetching blob: (?:received unexpected HTTP status: 403 Forbidden|StatusCode: 403, )/,
      { anchors: ['fetching blob: '] },
    ),
    // Docker prints the answer of S3, which names its host, and not the address it asked.
    refusedByBucket: likely(
      ['containerd', 'kubelet', 'event', 'pod-status'],
      /^(?!.*\b(?:quay\.io|docker\.io|gcr\.io|ghcr\.io|registry\.k8s\.io|public\.ecr\.aws)\b).*error parsing HTTP 403 response body.{0,200}<Error>(?:<Code>)?AccessDenied(?:<\/Code>)?<Message>.{0,200}<HostId>/,
      { anchors: ['error parsing HTTP 403 response body'] },
    ),
    pulled: withdraws(
      ['event', 'kubelet', 'containerd'],
      /Successfully pulled image|PullImage .{0,300}returns image reference/,
      { anchors: ['Successfully pulled image', 'PullImage'] },
    ),
    stalled: context(
      ['containerd', 'kubelet', 'event'],
      /cancel pulling image .{0,300}because of no progress/,
    ),
  },
  needs: [],
  symptoms: ['image-not-pulled'],
  withdrawnBy: [],
  explains: ['pause-image-pull-failed', 'cni-image-pull-failed', 'cni-configuration-missing'],
  summary: ({ region }) =>
    sentence`The nodes’ subnet does not get ECR’s image layers from S3${phrase` in ${region}`} although manifests come, so no image is complete.`,
  remedy: ({ region }) => [
    step(
      `Let the policy of the S3 endpoint allow s3:GetObject on arn:aws:s3:::prod-${region ?? '<region>'}-starport-layer-bucket/*.`,
      "aws ec2 describe-vpc-endpoints --filters 'Name=service-name,Values=*.s3' --query 'VpcEndpoints[].[VpcEndpointId,RouteTableIds,PolicyDocument]'",
    ),
    step(
      'Associate the endpoint with the route tables of the node subnets.',
      'aws ec2 modify-vpc-endpoint --vpc-endpoint-id <s3-endpoint> --add-route-table-ids <route-table>',
    ),
    step('Let the nodes’ security groups out to the S3 prefix list on 443.'),
  ],
  decide: step(
    'Ask the bucket from the node: any answer but a timeout or AccessDenied is well.',
    'curl -sS -m 10 -o /dev/null -w "%{http_code}\\n" https://prod-<region>-starport-layer-bucket.s3.<region>.amazonaws.com/',
  ),
  page: {
    why: 'ECR keeps layers in a bucket of AWS’s own in each region and redirects there. An S3 endpoint whose policy names only one’s own buckets, or which the subnet’s route table does not have, cuts off just this part.',
    prevent: 'Allow the starport bucket in every S3 endpoint policy.',
    notThis:
      'An image that times out once and is pulled at the next try is not a fault. When token or manifest fail too it is no-nat-or-vpc-endpoints or ecr-api-endpoint-missing. 403 for a manifest is no-ecr-pull-credentials; that of a blob comes from the bucket, also where the address is the registry’s.',
    alsoKnownAs: [
      'starport-layer-bucket 403 Forbidden',
      'failed to copy: httpReadSeeker: failed open: unexpected status code',
    ],
    refs: [
      'https://docs.aws.amazon.com/AmazonECR/latest/userguide/vpc-endpoints.html',
      'https://docs.aws.amazon.com/eks/latest/userguide/private-clusters.html',
    ],
  },
});
