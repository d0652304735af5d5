import { defineCause, step } from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** The route controller cannot enter the node’s pod range into the VPC’s route table. */
export default defineCause({
  id: 'pod-route-not-created',
  stage: 'networked',
  title: 'the route to the node’s pod range is not created',
  scope: 'cluster',
  signs: {
    event: definite(
      ['event'],
      /FailedToCreateRoute(?:.*[Cc]ould not create route \S+ (?<range>\S+) for node (?<nodeName>[^\s:]+))?(?:.*(?<reason>UnauthorizedOperation|RouteLimitExceeded|unable to find route table|found multiple))?/,
    ),
    logged: definite(
      ['controller-manager', 'cloud-controller'],
      /[Cc]ould not create route \S+ (?<range>\S+) for node (?<nodeName>[^\s:]+)(?:.*(?<reason>UnauthorizedOperation|RouteLimitExceeded|unable to find route table|found multiple))?/,
    ),
    // Before Kubernetes 1.9 the line did not name the node.
    loggedBefore: definite(
      ['controller-manager', 'cloud-controller'],
      /Could not create route \S+ (?<range>\d[\d.]{6,14}\/\d+): error creating AWS route(?:.*(?<reason>UnauthorizedOperation|RouteLimitExceeded))?/,
    ),
    refusedByEc2: definite(
      ['controller-manager', 'cloud-controller'],
      /error creating AWS route \((?<range>[\d.]+\/\d+)\): "?(?:.*(?<reason>UnauthorizedOperation|RouteLimitExceeded))?/,
    ),
    noTable: definite(
      ['controller-manager', 'cloud-controller'],
      /(?<reason>unable to find route table for AWS cluster|found multiple matching AWS route tables)/,
    ),
    condition: likely(
      ['node-status', 'client-output', 'event'],
      /(?:^Node (?<nodeName>\S+) condition NetworkUnavailable=True|\bNetworkUnavailable\s+True\b.{0,90}) NoRouteCreated\s+RouteController failed to create a route/,
    ),
    notListed: likely(
      ['controller-manager', 'cloud-controller'],
      /reconcile node routes: error listing routes: (?<reason>node with instanceID "i-[0-9a-f]{8,17}" not found)/,
    ),
    created: withdraws(
      ['controller-manager', 'cloud-controller', 'node-status'],
      /Created route for node "?(?<nodeName>[\w.-]+)|^Node (?<nodeName2>\S+) condition NetworkUnavailable=False .*RouteController created a route/,
      { anchors: ['Created route for node', 'RouteController created a route'] },
    ),
    tableUnread: context(
      ['cloud-controller', 'controller-manager'],
      /Couldn't reconcile node routes/,
    ),
    // A Node that is a minute old says that it was created without a route, and means no harm.
    conditionInYaml: likely(
      ['client-output', 'object', 'unknown'],
      /^\s*(?:-\s+)?"?message"?: "?RouteController failed to create a route|\b(?:because of|due to|stuck (?:in|at|with)) ["'`]{0,3}NoRouteCreated\b/,
      { anchors: ['failed to create a route', 'NoRouteCreated'] },
    ),
  },
  needs: [],
  symptoms: [],
  per: ['nodeName'],
  withdrawnBy: [],
  explains: ['cni-configuration-missing'],
  summary: ({ nodeName, range, reason }) =>
    sentence`The route to the pod range ${range} of ${nodeName ?? 'the node'} is not created${phrase` (${reason})`}, so its Node stays NetworkUnavailable and pods on it are not reached.`,
  remedy: ({ reason }) => [
    reason === 'RouteLimitExceeded'
      ? step(
          'A route table holds 50 routes: raise the quota, or use a CNI that needs no VPC routes.',
          'aws service-quotas request-service-quota-increase --service-code vpc --quota-code L-93826ACB --desired-value <number>',
        )
      : step(
          'Tag exactly one route table of the node subnets for the cluster; the controller’s role may usually change only tagged ones.',
          'aws ec2 create-tags --resources <route-table> --tags Key=kubernetes.io/cluster/<cluster>,Value=owned Key=KubernetesCluster,Value=<cluster>',
        ),
    step(
      'When another CNI does the routing, turn this controller off: --configure-cloud-routes=false.',
    ),
  ],
  decide: step(
    'Read what EC2 answers.',
    'kubectl get events -A --field-selector reason=FailedToCreateRoute',
  ),
  page: {
    why: 'With kubenet the cloud provider writes one VPC route a node. It looks for a table by the cluster’s tag and needs ec2:CreateRoute on it, and tables are limited to 50 routes.',
    prevent:
      'Tag tables that were made outside the cluster’s own tool; use a real CNI beyond some dozens of nodes.',
    notThis:
      '“Node created without a route” in the first minute is the normal start. CalicoIsDown as reason of the same condition is Calico’s own shutdown.',
    alsoKnownAs: ['FailedToCreateRoute', 'NoRouteCreated', 'NetworkUnavailable'],
    refs: [
      'https://github.com/kubernetes/kops/issues/3551',
      'https://github.com/kubernetes/cloud-provider-aws/blob/HEAD/pkg/providers/v1/aws_routes.go',
    ],
  },
});
