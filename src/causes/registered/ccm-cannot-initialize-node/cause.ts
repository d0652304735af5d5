import { refusedName, wordsOfRefused } from '../../../domain/naming/seen-names.ts';
import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';
import { INITIALISED } from '../../../diagnosis/name-signs.ts';
import { foreseenByKubeadm } from '../../../diagnosis/foreseen-kubeadm.ts';
import { NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { cloudControllerOf, kubeletFlag } from '../../../domain/planned/kubeadm.ts';

/** The cloud controller runs, but what it asks EC2 about this Node gives no instance. */
const cause = defineCause({
  id: 'ccm-cannot-initialize-node',
  stage: 'registered',
  title: 'the cloud controller cannot find this Node’s instance in EC2',
  scope: 'machine',
  signs: {
    notFound: likely(
      ['cloud-controller', 'controller-manager'],
      /error syncing '(?<node>[^'\s]+)': failed to get (?:provider ID|instance metadata) for node .*(?:instance not found|no instances found)/,
    ),
    notFoundOld: likely(
      ['cloud-controller', 'controller-manager'],
      /(?:failed to set node provider id|failed to initialize node (?<node>[a-z0-9][a-z0-9.-]*) at cloudprovider): failed to get instance ID from cloud provider: (?:instance not found|no instances found)/,
      { anchors: ['failed to set node provider id', 'failed to initialize node'] },
    ),
    denied: definite(
      ['cloud-controller', 'controller-manager'],
      /(?:error syncing '|error checking if node |failed to initialize node |failed to get instance metadata for node |getInstanceByNodeName failed for ")(?<node>[a-z0-9][a-z0-9.-]*)\b.*(?<denied>UnauthorizedOperation|AccessDenied)/,
      { anchors: ['UnauthorizedOperation', 'AccessDenied'] },
    ),
    startDenied: definite(
      ['cloud-controller'],
      /(?:could not init cloud provider "?aws|error finding instance i-).*(?<denied>UnauthorizedOperation|AccessDenied|not authorized to perform)/,
    ),
    // A call that is throttled or ends in the network passes at the next attempt.
    topologyFails: likely(
      ['cloud-controller', 'controller-manager'],
      /Failed to get node topology for instance type (?<type>\S+) and one is expected .*?(?<topology>retry quota exceeded|api error (?!RequestLimitExceeded)\w+)/,
    ),
    several: definite(
      ['cloud-controller', 'controller-manager'],
      /multiple instances found for (?:name|instance): (?<several>[a-z0-9][a-z0-9.-]*)/,
    ),
    unmappable: definite(
      ['cloud-controller', 'controller-manager'],
      /failed to map provider ID to AWS instance ID/,
    ),
    foreignAddress: definite(
      ['cloud-controller', 'controller-manager'],
      /provided node ip for node "(?<node>[^"\s]+)" is not valid/,
    ),
    ...INITIALISED,
    synced: withdraws(['event'], /\bSynced\b.*Node synced successfully/),
    topologyDenied: context(
      ['cloud-controller', 'controller-manager'],
      /ec2:DescribeInstanceTopology, permission missing|Failed to get node topology for instance type|Error describing instance topology/,
    ),
    toldDenied: likely(
      ['client-output', 'unknown'],
      /\bcloud-controller-manager\b.{0,120}\b(?<denied2>UnauthorizedOperation|AccessDenied)\b/,
      { isTold: true },
    ),
  },
  needs: ['kube/Node', 'aws/instance', 'kube/DaemonSet', 'kube/Deployment', 'kube/Pod'],
  symptoms: ['node-uninitialized', 'instance-not-found'],
  // Older controllers leave such a Node Ready and tainted for ever.
  withdrawnBy: [],
  explains: ['no-cloud-controller-manager', 'controller-manager-not-leading'],
  summary: ({ machine, denied, several, ec2Name, node, instance, type, topology }) => {
    if (topology !== undefined)
      return `The cloud controller does not initialize ${type ?? 'the instance'} because EC2 does not answer DescribeInstanceTopology for it, which it expects of this type; the Node keeps the taint node.cloudprovider.kubernetes.io/uninitialized.`;
    if (denied !== undefined)
      return `The cloud controller may not ask EC2 (${denied}), so ${machine ?? 'the Node'} keeps the taint node.cloudprovider.kubernetes.io/uninitialized.`;
    if (several !== undefined)
      return `EC2 has more than one instance called ${several}, so the cloud controller initializes none of them as a Node.`;
    if (ec2Name !== undefined)
      return `The Node is called ${node ?? ''}, but EC2 calls ${instance ?? 'its instance'} ${ec2Name}, and the Node has no providerID; the cloud controller finds no instance for it and leaves it uninitialized.`;
    return `The cloud controller finds no EC2 instance for the Node ${machine ?? ''} and leaves it uninitialized: no pod is scheduled to it, and newer controllers delete it.`;
  },
  remedy: ({ denied, node }) =>
    denied === undefined
      ? [
          step(
            'Compare the Node’s name with what EC2 calls the instance.',
            `aws ec2 describe-instances --filters Name=private-dns-name,Values=${node ?? '<node>'} --query Reservations[].Instances[].[InstanceId,PrivateDnsName,State.Name]`,
          ),
          step(
            'Give the kubelet the instance itself, which needs no name (--provider-id=aws:///<zone>/<instance>), or start it under the EC2 private DNS name; then register it again.',
            `kubectl delete node ${node ?? '<node>'}; sudo systemctl restart kubelet`,
          ),
        ]
      : [
          step(
            'Give the cloud controller’s role the documented permissions: ec2:DescribeInstances, DescribeRegions, DescribeAvailabilityZones, DescribeInstanceTopology.',
            'aws iam put-role-policy --role-name <control-plane-role> --policy-name cloud-controller --policy-document file://cloud-controller-policy.json',
          ),
        ],
  decide: step(
    'Read what the cloud controller says about this Node; nothing else tells, it writes no event.',
    'kubectl -n kube-system logs -l k8s-app=aws-cloud-controller-manager --tail=2000 | grep <node>',
  ),
  reason: step(
    'Compare the Node’s name with the one that EC2 has.',
    'aws ec2 describe-instances --instance-ids <instance>',
  ),
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

const judged = matched(cause, matchFacts);

type Own = ViewOf<typeof cause>;

const SAID = ['denied', 'startDenied', 'several', 'unmappable', 'foreignAddress'] as const;

/** A waiting Node whose name is not EC2's, where the log gives no other reason. */
function matchFacts(view: Own): Match | null {
  if (view.anySign(...SAID)) return null;
  const refused = refusedName({
    nodes: view.list('kube/Node'),
    instances: view.list('aws/instance'),
    workloads: [...view.list('kube/DaemonSet'), ...view.list('kube/Deployment')],
    pods: view.everywhere('kube/Pod'),
    time: view,
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

/** Names by which EC2 knows an instance. */
const OF_EC2 =
  /^(?:ip-\d{1,3}(?:-\d{1,3}){3}|i-[0-9a-f]{8,17})\.(?:ec2|[a-z0-9-]+\.compute)\.internal$|^i-[0-9a-f]{8,17}$/;

export default foreseenByKubeadm(
  judged,
  (plan, { fact, own }) => {
    const controller = cloudControllerOf(plan);
    const isExternal = kubeletFlag(own, 'cloud-provider') === 'external';
    if (controller === null || !isExternal) return NOT_SHOWN;
    if (kubeletFlag(own, 'provider-id') !== null) return clear;
    const named = own.registrations.find(({ name }) => name !== null);
    const name = kubeletFlag(own, 'hostname-override') ?? named?.name;
    if (typeof name !== 'string') return NOT_SHOWN;
    if (OF_EC2.test(name)) return clear;
    return found(
      { node: name },
      [
        plan.quote(fact, `${named?.of ?? 'JoinConfiguration'} nodeRegistration.name ${name}`),
        plan.quote(
          controller,
          `${controller.value.name} finds instances by the names that EC2 gives`,
        ),
      ],
      'likely',
    );
  },
  {
    summary: ({ node }) =>
      `The Node will be called ${node ?? 'otherwise'}, by which EC2 knows no instance, and the kubelet gets no provider-id, so the cloud controller will find no instance for it.`,
    remedy: () => [
      step(
        'Give the kubelet provider-id aws:///<zone>/<instance> in kubeletExtraArgs, or take the name out and let the host be called as EC2 calls it.',
      ),
    ],
  },
);
