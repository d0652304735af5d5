import { refusedName, wordsOfRefused } from '../../../domain/naming/seen-names.ts';
import { defineCause, found, type Match, type View } from '../../../diagnosis/cause.ts';
import { INITIALISED } from '../../../diagnosis/name-signs.ts';

/** The cloud controller runs, but what it asks EC2 about this Node gives no instance. */
export default defineCause({
  id: 'ccm-cannot-initialize-node',
  stage: 'registered',
  title: 'the cloud controller cannot find this Node’s instance in EC2',
  scope: 'machine',
  signs: {
    notFound: {
      in: ['cloud-controller', 'controller-manager'],
      anchors: ['failed to get provider ID for node', 'failed to get instance metadata for node'],
      pattern:
        /error syncing '(?<node>[^'\s]+)': failed to get (?:provider ID|instance metadata) for node .*(?:instance not found|no instances found)/,
      weight: 'likely',
    },
    notFoundOld: {
      in: ['cloud-controller', 'controller-manager'],
      anchors: ['failed to set node provider id', 'failed to initialize node'],
      pattern:
        /(?:failed to set node provider id|failed to initialize node (?<node>[a-z0-9][a-z0-9.-]*) at cloudprovider): failed to get instance ID from cloud provider: (?:instance not found|no instances found)/,
      weight: 'likely',
    },
    denied: {
      in: ['cloud-controller', 'controller-manager'],
      anchors: ['UnauthorizedOperation', 'AccessDenied'],
      pattern:
        /(?:error syncing '|error checking if node |failed to initialize node |getInstanceByNodeName failed for ")(?<node>[a-z0-9][a-z0-9.-]*)\b.*(?<denied>UnauthorizedOperation|AccessDenied)/,
      weight: 'definite',
    },
    startDenied: {
      in: ['cloud-controller'],
      anchors: ['could not init cloud provider', 'error finding instance'],
      pattern:
        /(?:could not init cloud provider "?aws|error finding instance i-).*(?<denied>UnauthorizedOperation|AccessDenied|not authorized to perform)/,
      weight: 'definite',
    },
    several: {
      in: ['cloud-controller', 'controller-manager'],
      anchors: ['multiple instances found for'],
      pattern: /multiple instances found for (?:name|instance): (?<several>[a-z0-9][a-z0-9.-]*)/,
      weight: 'definite',
    },
    unmappable: {
      in: ['cloud-controller', 'controller-manager'],
      anchors: ['failed to map provider ID to AWS instance ID'],
      pattern: /failed to map provider ID to AWS instance ID/,
      weight: 'definite',
    },
    foreignAddress: {
      in: ['cloud-controller', 'controller-manager'],
      anchors: ['provided node ip for node'],
      pattern: /provided node ip for node "(?<node>[^"\s]+)" is not valid/,
      weight: 'definite',
    },
    ...INITIALISED,
    synced: {
      in: ['event'],
      anchors: ['Node synced successfully'],
      pattern: /\bSynced\b.*Node synced successfully/,
      weight: 'withdraws',
    },
  },
  needs: ['kube/Node', 'aws/instance', 'kube/DaemonSet', 'kube/Deployment'],
  symptoms: ['node-uninitialized', 'instance-not-found'],
  // Older controllers leave such a Node Ready and tainted for ever.
  withdrawnBy: [],
  explains: ['no-cloud-controller-manager', 'controller-manager-not-leading'],
  match: (view) => matchFacts(view),
  summary: ({ machine, denied, several, ec2Name, node, instance }) => {
    if (denied !== undefined)
      return `The cloud controller may not ask EC2 (${denied}), so ${machine ?? 'the Node'} keeps the taint node.cloudprovider.kubernetes.io/uninitialized.`;
    if (several !== undefined)
      return `EC2 has more than one instance called ${several}, so the cloud controller initialises none of them as a Node.`;
    if (ec2Name !== undefined)
      return `The Node is called ${node ?? ''}, but EC2 calls ${instance ?? 'its instance'} ${ec2Name}, and the Node has no providerID; the cloud controller finds no instance for it and leaves it uninitialized.`;
    return `The cloud controller finds no EC2 instance for the Node ${machine ?? ''} and leaves it uninitialized: no pod is scheduled to it, and newer controllers delete it.`;
  },
  remedy: ({ denied, node }) =>
    denied === undefined
      ? [
          {
            text: 'Compare the Node’s name with what EC2 calls the instance.',
            command: `aws ec2 describe-instances --filters Name=private-dns-name,Values=${node ?? '<node>'} --query Reservations[].Instances[].[InstanceId,PrivateDnsName,State.Name]`,
          },
          {
            text: 'Give the kubelet the instance itself, which needs no name (--provider-id=aws:///<zone>/<instance>), or start it under the EC2 private DNS name; then register it again.',
            command: `kubectl delete node ${node ?? '<node>'}; sudo systemctl restart kubelet`,
          },
        ]
      : [
          {
            text: 'Give the cloud controller’s role the documented permissions: ec2:DescribeInstances, DescribeRegions, DescribeAvailabilityZones, DescribeInstanceTopology.',
            command:
              'aws iam put-role-policy --role-name <control-plane-role> --policy-name cloud-controller --policy-document file://cloud-controller-policy.json',
          },
        ],
  decide: {
    text: 'Read what the cloud controller says about this Node; nothing else tells, it writes no event.',
    command:
      'kubectl -n kube-system logs -l k8s-app=aws-cloud-controller-manager --tail=2000 | grep <node>',
  },
  page: {
    why: 'The AWS cloud controller looks an instance up by the Node’s providerID, and without one by its name, which must be the EC2 private DNS name. It retries with growing pauses and says so only in its own log; the taint is the one public trace.',
    prevent:
      'Let the kubelet set --provider-id, or make host names equal to private DNS names; give the controller its policy before nodes come.',
    notThis:
      'A name without domain is hostname-without-domain, an i-… name resource-based-name-mismatch, another domain foreign-dhcp-domain-name; without any controller it is no-cloud-controller-manager. InvalidInstanceID.NotFound is about an instance that is gone or not yet visible.',
    alsoKnownAs: [
      'node.cloudprovider.kubernetes.io/uninitialized',
      'instance not found, requeuing',
    ],
    refs: [
      'https://github.com/kubernetes/cloud-provider-aws/blob/HEAD/pkg/providers/v1/instances_v2.go',
      'https://github.com/kubernetes/cloud-provider-aws/blob/HEAD/docs/prerequisites.md',
      'https://github.com/k0sproject/k0smotron/issues/665',
    ],
  },
});

type Own = View<
  'kube/Node' | 'aws/instance' | 'kube/DaemonSet' | 'kube/Deployment',
  'denied' | 'startDenied' | 'several' | 'unmappable' | 'foreignAddress' | 'notFound'
>;

const SAID = ['denied', 'startDenied', 'several', 'unmappable', 'foreignAddress'] as const;

/** A waiting Node whose name is not EC2's, where the log gives no other reason. */
function matchFacts(view: Own): Match | null {
  if (SAID.some((name) => view.sign(name) !== null)) return null;
  const refused = refusedName({
    nodes: view.list('kube/Node'),
    instances: view.list('aws/instance'),
    workloads: [...view.list('kube/DaemonSet'), ...view.list('kube/Deployment')],
    nowMs: view.nowMs,
  });
  if (refused === null) return null;
  const { node, instance, instanceId, ec2Name } = refused;
  const [ofNode, ofInstance] = wordsOfRefused(refused);
  const said = view.sign('notFound');
  return found({ node: node.value.name, instance: instanceId, ec2Name }, [
    ...(said === null ? [] : [said.last]),
    view.quote(node, ofNode),
    view.quote(instance, ofInstance),
  ]);
}
