import { defineCause, found, type Match, type View } from '../../../diagnosis/cause.ts';
import { clearUnlessSeen } from '../../../diagnosis/clear-unless-seen.ts';
import { type Launch, launchOf } from '../../../evidence/launch.ts';
import { clusterGiven } from '../../../evidence/user-data.ts';
import { textAt } from '../../../evidence/json.ts';

/** The user data names no cluster, or one that EKS does not have in this account and region. */
export default defineCause({
  id: 'wrong-cluster-name-in-user-data',
  stage: 'bootstrapped',
  title: 'the user data names a cluster that does not exist',
  scope: 'machine',
  signs: {
    nameMissing: {
      in: ['cloud-init', 'console'],
      anchors: ['cluster name is not defined', 'CLUSTER_NAME is not defined'],
      pattern: /ERROR: cluster name is not defined|CLUSTER_NAME is not defined/,
      weight: 'definite',
    },
    notFound: {
      in: ['cloud-init', 'console'],
      anchors: ['No cluster found for name'],
      pattern: /No cluster found for name: (?<cluster>[\w-]+)/,
      weight: 'definite',
    },
    plutoNotFound: {
      in: ['bottlerocket', 'console'],
      anchors: ['Error describing cluster'],
      pattern:
        /Error describing cluster: .*ResourceNotFoundException(?:.*?No cluster found for name: (?<cluster>[\w-]+))?/,
      weight: 'definite',
    },
    bootstrapDone: {
      in: ['cloud-init', 'console', 'kubelet'],
      anchors: [
        '[eks-bootstrap] INFO: complete',
        'Starting kubelet main sync loop',
        'Observed pod startup duration',
      ],
      pattern:
        /\[eks-bootstrap\] INFO: complete|Starting kubelet main sync loop|Observed pod startup duration/,
      weight: 'clears',
    },
  },
  needs: ['aws/instance', 'aws/image', 'aws/user-data', 'aws/cluster'],
  symptoms: ['user-data-script-failed', 'machine-without-node'],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  explains: [
    'describe-cluster-failed',
    'failed-user-script',
    'bottlerocket-setting-generator-failed',
  ],
  match: (view) => matchGiven(view),
  summary: ({ machine, instance, cluster, wanted }) =>
    wanted !== undefined
      ? `The user data of ${instance ?? 'the machine'} names the cluster ${cluster ?? ''}, and the machine belongs to the cluster ${wanted}, so it does not join ${wanted}.`
      : cluster === undefined
        ? `The user data of ${machine ?? 'the machine'} names no existing cluster, so the node is not set up.`
        : `The user data of ${machine ?? 'the machine'} names the cluster ${cluster}, which EKS does not have in this account and region, so the node is not set up.`,
  remedy: () => [
    {
      text: 'Compare the name in the user data with the clusters of the region.',
      command:
        'aws eks list-clusters; aws ec2 describe-instance-attribute --instance-id <instance> --attribute userData --query UserData.Value --output text | base64 -d | grep -nE "bootstrap.sh|cluster"',
    },
    {
      text: 'Correct the launch template and replace the machines.',
      command:
        'aws autoscaling start-instance-refresh --auto-scaling-group-name <auto-scaling-group>',
    },
  ],
  decide: {
    text: 'List the clusters of the region.',
    command: 'aws eks list-clusters',
  },
  page: {
    why: 'bootstrap.sh and Bottlerocket look the cluster up by the name in user data. A typing error, a name of another account or region, or a template variable that stayed empty ends the setup there.',
    prevent:
      'Take the name from the resource that creates the cluster, not from a second variable.',
    notThis:
      'With endpoint and certificate given nobody looks the name up: a wrong one then fails as token-for-another-cluster (401). Throttled or denied calls are describe-cluster-failed.',
    alsoKnownAs: ['ResourceNotFoundException: No cluster found for name'],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
      'https://github.com/bottlerocket-os/bottlerocket-core-kit/blob/HEAD/sources/api/pluto/src/eks.rs',
    ],
  },
});

type Kinds = 'aws/instance' | 'aws/image' | 'aws/user-data' | 'aws/cluster';
type Signs = 'nameMissing' | 'notFound' | 'plutoNotFound' | 'bootstrapDone';

/** The name decides only where it is looked up: where user data gives no endpoint of its own. */
function matchGiven(view: View<Kinds, Signs>): Match | null {
  const launch = launchOf(view);
  const clusters = view.list('aws/cluster');
  const [cluster] = clusters;
  const wanted = textAt(cluster?.value, 'name');
  if (launch === null || cluster === undefined || clusters.length > 1 || wanted === null)
    return null;
  const name = nameLookedUp(launch);
  const given = clusterGiven(launch.given.value)?.name ?? null;
  if (given === wanted) return clearUnlessSeen(view, ['nameMissing', 'notFound', 'plutoNotFound']);
  if (name === null || !view.shows('machine-without-node')) return null;
  return found({ instance: launch.id, cluster: name, wanted }, [
    view.quote(launch.given, `user data of ${launch.id} names the cluster ${name}`),
    view.quote(cluster, `cluster ${wanted} is the one that the machine is tagged for`),
  ]);
}

function nameLookedUp({ family, given }: Launch): string | null {
  const { bootstrapCall, settings } = given.value;
  if (family === 'al2' && bootstrapCall?.isExplicit === false) return bootstrapCall.cluster;
  return family === 'bottlerocket' && settings?.endpoint === null ? settings.name : null;
}
