import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { clears, definite, likely } from '../../../diagnosis/sign.ts';
import { clearUnlessSeen } from '../../../diagnosis/clear-unless-seen.ts';
import { isTaggedFor } from '../../../domain/nodes/fleet.ts';
import { groupOfInstance, type Launch, launchOf } from '../../../domain/instances/launch.ts';
import { clusterGiven } from '../../../evidence/user-data.ts';
import { foreseenByMatch } from '../../../diagnosis/foresight.ts';
import { hasOwnUserData } from '../../../domain/planned/machine.ts';
import { userDataStep } from '../../../domain/planned/remedies.ts';

/** The user data names no cluster, or one that EKS does not have in this account and region. */
const cause = defineCause({
  id: 'wrong-cluster-name-in-user-data',
  stage: 'bootstrapped',
  title: 'the user data names a cluster that does not exist',
  scope: 'machine',
  signs: {
    nameMissing: definite(
      ['cloud-init', 'console'],
      /ERROR: cluster name is not defined|CLUSTER_NAME is not defined/,
    ),
    notFound: definite(
      ['cloud-init', 'console', 'nodeadm'],
      /No cluster found for name: (?<cluster>[\w-]+)/,
    ),
    plutoNotFound: definite(
      ['bottlerocket', 'console'],
      /Error describing cluster: .*ResourceNotFoundException(?:.*?No cluster found for name: (?<cluster>[\w-]+))?/,
    ),
    bootstrapDone: clears(
      ['cloud-init', 'console', 'kubelet'],
      /\[eks-bootstrap\] INFO: complete|Starting kubelet main sync loop|Observed pod startup duration/,
    ),
    nameIsOption: definite(
      ['host-file'],
      /^kubeconfig runs \S+ (?:.{0,300} )?(?:-i|--cluster-id|--cluster-name)(?:[ =](?<cluster>""|-[\w-]{1,60})(?:\s|$)|$)/,
      { strict: true, anchors: ['kubeconfig runs '] },
    ),
    toldWrong: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b(?:[Ww]rong|[Ii]ncorrect|mistyped|misspelled|[Ii]nvalid) (?:EKS )?cluster[ -]?name\b.{0,60}\b(?:user[ -_]?data|bootstrap(?:\.sh)?|NodeConfig|launch template)\b|\b(?:[Uu]ser[ -_]?data|bootstrap(?:\.sh)?|NodeConfig|[Ll]aunch template)\b.{0,60}\b(?:wrong|incorrect|mistyped|misspelled|invalid) (?:EKS )?cluster[ -]?name\b/,
      { isTold: true, anchors: ['cluster name', 'cluster-name', 'clustername'] },
    ),
  },
  needs: ['aws/instance', 'aws/image', 'aws/user-data', 'aws/cluster'],
  symptoms: ['user-data-script-failed', 'machine-without-node'],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  explains: [
    'describe-cluster-failed',
    'token-for-another-cluster',
    'failed-user-script',
    'bottlerocket-setting-generator-failed',
  ],
  summary: ({ machine, instance, cluster, wanted, consequence }) =>
    wanted !== undefined
      ? `The user data of ${instance ?? 'the machine'} names the cluster ${cluster ?? ''}, and the machine is tagged for the cluster ${wanted}; ${consequence ?? 'it does not join'}.`
      : cluster === undefined
        ? `The user data of ${machine ?? 'the machine'} names no existing cluster, so the node is not set up.`
        : `The user data of ${machine ?? 'the machine'} names the cluster ${cluster}, which EKS does not have in this account and region, so the node is not set up.`,
  remedy: ({ group }) => [
    step(
      'Compare the name in the user data with the clusters of the region.',
      'aws eks list-clusters; aws ec2 describe-instance-attribute --instance-id <instance> --attribute userData --query UserData.Value --output text | base64 -d | grep -nE "bootstrap.sh|cluster"',
    ),
    step(
      'Correct the launch template and replace the machines.',
      `aws autoscaling start-instance-refresh --auto-scaling-group-name ${group ?? '<auto-scaling-group>'}`,
    ),
  ],
  decide: step('List the clusters of the region.', 'aws eks list-clusters'),
  page: {
    why: 'bootstrap.sh and Bottlerocket look the cluster up by the name in user data. A typing error, a name of another account or region, or a template variable that stayed empty ends the setup there.',
    prevent:
      'Take the name from the resource that creates the cluster, not from a second variable.',
    notThis:
      'With endpoint and certificate given nobody looks the name up: a wrong one then fails with 401, and without the user data only token-for-another-cluster can be named. Throttled or denied calls are describe-cluster-failed.',
    alsoKnownAs: ['ResourceNotFoundException: No cluster found for name'],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
      'https://github.com/bottlerocket-os/bottlerocket-core-kit/blob/HEAD/sources/api/pluto/src/eks.rs',
    ],
  },
});

const judged = matched(cause, matchGiven);

type Own = ViewOf<typeof cause>;

/** The machine is tagged for this cluster, and its user data names another. */
function matchGiven(view: Own): Match | null {
  const launch = launchOf(view);
  const clusters = view.list('aws/cluster');
  const wanted = clusters.length > 1 ? null : (clusters[0]?.value.name ?? null);
  if (launch === null || wanted === null) return null;
  const given = clusterGiven(launch.given.value);
  const name = given?.name ?? null;
  if (name === wanted) return clearUnlessSeen(view, ['nameMissing', 'notFound', 'plutoNotFound']);
  const consequence = consequenceOf(launch, clusters[0]?.value.endpoint ?? null);
  if (name === null || consequence === null) return null;
  if (!isTaggedFor(launch.instance.value, wanted) || !view.shows('machine-without-node'))
    return null;
  const group = groupOfInstance(launch.instance.value);
  const details = { instance: launch.id, cluster: name, wanted, consequence };
  return found(group === null ? details : { ...details, group }, [
    view.quote(launch.given, `user data of ${launch.id} names the cluster ${name}`),
    view.quote(launch.instance, `${launch.id} is tagged for the cluster ${wanted}`),
  ]);
}

/**
 * What a wrong name leads to; null where an endpoint of another cluster comes with it, so that the
 * machine may join that one.
 */
function consequenceOf({ family, given }: Launch, endpoint: string | null): string | null {
  const { bootstrapCall, settings } = given.value;
  if (family === 'al2' && bootstrapCall?.isExplicit === false) return LOOKED_UP;
  if (family === 'bottlerocket' && settings?.endpoint === null) return LOOKED_UP;
  const own = clusterGiven(given.value)?.endpoint ?? null;
  return own !== null && own === endpoint ? SIGNED : null;
}

const LOOKED_UP = 'the setup asks EKS for a cluster of that name and does not join this one';
const SIGNED =
  'the kubelet signs its tokens for that name and the API server answers 401 Unauthorized';

export default foreseenByMatch(judged, hasOwnUserData, {
  remedy: () => [
    step(userDataStep('take the name from the aws_eks_cluster that the machines are meant for.')),
  ],
});
