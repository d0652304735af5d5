import type { Instance } from '../evidence/aws/instance.ts';
import { factValues } from '../evidence/fact-values.ts';
import type { DetailTarget, LogTarget } from '../evidence/detail-target.ts';
import type { Observations } from '../evidence/observations.ts';
import { environmentOf, isPodReady } from '../domain/pods/pods.ts';
import type { DiagnosisDocument, SubjectReport } from './document.ts';
import { identityTarget, NO_IDENTITY } from './identity-target.ts';
import type { Pod } from '../evidence/kube/pod.ts';
import { compareNaturally } from './roll-call/order.ts';

/** Machines asked one by one: so many of those that stand at the same stage, and in all. */
const PER_STAGE_MAX = 3;
const ALL_MAX = 40;
const PODS_OF_NODE_MAX = 12;
const CONTROLLERS_MAX = 8;
const ROLES_MAX = 20;

/** Programs of a node that say why it does not work. */
const NODE_PROGRAMS =
  /^(?:aws-node|calico-node|cilium|kiam-agent|kube2iam|ebs-csi-node|efs-csi-node|eks-pod-identity-agent|kube-proxy|coredns|nvidia-device-plugin|rollcall-agent-machine)(?:-|$)/;
/** Programs of the cluster that make, initialise or delete Nodes. */
const CONTROLLERS =
  /^(?:aws-cloud-controller-manager|cloud-controller-manager|karpenter|kiam-server|nidhogg|kops-controller|pod-identity-webhook)(?:-|$)/;

const VPCS_MAX = 3;
const TRAILS_MAX = 5;

export const NOTHING_ASKED: DetailTarget = {
  instanceIds: [],
  logs: [],
  roleNames: [],
  vpcIds: [],
  identity: NO_IDENTITY,
  trailIds: [],
  isDiscoveryRead: false,
};

interface PlacedPod {
  readonly pod: Pod;
  readonly node: string | null;
}

function podsOf(observations: Observations): readonly PlacedPod[] {
  const pods = factValues(observations, 'kube/Pod');
  return pods.map((pod) => ({ pod, node: pod.spec?.nodeName ?? null }));
}

/** Each container's log, and that of its last run where it has crashed. */
function logsOf({ pod, node }: PlacedPod): readonly LogTarget[] {
  return (pod.status?.containerStatuses ?? []).flatMap((status) => {
    const container = status.name ?? null;
    if (container === null) return [];
    const of = { namespace: pod.namespace ?? 'default', pod: pod.name, container, node };
    const crashed = (status.lastState?.terminated ?? undefined) !== undefined;
    const runs = (status.state?.running?.startedAt ?? null) !== null;
    return [
      ...(runs || !crashed ? [{ ...of, previous: false }] : []),
      ...(crashed ? [{ ...of, previous: true }] : []),
    ];
  });
}

/** Logs of the programs of one Node. */
export function logsOfNode(observations: Observations, node: string): readonly LogTarget[] {
  return podsOf(observations)
    .filter((placed) => placed.node === node && NODE_PROGRAMS.test(placed.pod.name))
    .slice(0, PODS_OF_NODE_MAX)
    .flatMap(logsOf);
}

function chosen(
  { subjects }: DiagnosisDocument,
  observations: Observations,
  isDeep: boolean,
): readonly SubjectReport[] {
  const machines = subjects.filter(
    ({ kind, verdict }) => kind === 'Machine' && verdict !== 'usable',
  );
  const sorted = byId(machines);
  if (isDeep) return sorted;
  const groups = groupsOf(sorted, observations);
  const alike = Map.groupBy(sorted, (one) => `${groups.get(one.instanceId) ?? ''} ${one.stage}`);
  return [...alike.values()].flatMap((some) => some.slice(0, PER_STAGE_MAX)).slice(0, ALL_MAX);
}

/** Subjects stand in the order in which answers came, which says nothing and is another each time. */
function byId(machines: readonly SubjectReport[]): readonly SubjectReport[] {
  const idOf = ({ instanceId, node, name }: SubjectReport): string => instanceId ?? node ?? name;
  return machines.toSorted((one, other) => compareNaturally(idOf(one), idOf(other)));
}

/** Tags that name the group which an instance was made for, the first that it has counts. */
const GROUP_TAGS = ['aws:autoscaling:groupName', 'eks:nodegroup-name', 'karpenter.sh/nodepool'];

function groupsOf(
  machines: readonly SubjectReport[],
  observations: Observations,
): ReadonlyMap<string | null, string> {
  const named = instancesOf(machines, observations).map((instance): [string | null, string] => {
    const tags = instance.Tags ?? [];
    const group = GROUP_TAGS.map((key) => tags.find((tag) => tag.Key === key)).find(
      (tag) => tag !== undefined,
    );
    return [instance.InstanceId ?? null, group?.Value ?? ''];
  });
  return new Map(named);
}

/** Which machines, pods and controllers are asked one by one, after the first look at everything. */
export function representatives(
  document: DiagnosisDocument,
  observations: Observations,
  isDeep: boolean,
): DetailTarget {
  const machines = chosen(document, observations, isDeep);
  if (machines.length === 0 && !document.subjects.some(({ kind }) => kind === 'Cluster'))
    return NOTHING_ASKED;
  const pods = podsOf(observations);
  const nodes = new Set(machines.map(({ node }) => node).filter((node) => node !== null));
  const onNodes = [...nodes].flatMap((node) =>
    pods
      .filter((placed) => placed.node === node)
      .filter(({ pod }) => NODE_PROGRAMS.test(pod.name) || !isPodReady(pod))
      .slice(0, PODS_OF_NODE_MAX),
  );
  const controllers = pods
    .filter(({ pod }) => CONTROLLERS.test(pod.name))
    .slice(0, CONTROLLERS_MAX);
  return {
    instanceIds: machines.map(({ instanceId }) => instanceId).filter((id) => id !== null),
    logs: [...new Set([...onNodes, ...controllers])].flatMap(logsOf),
    roleNames: rolesOf(onNodes),
    vpcIds: vpcsOf(machines, observations),
    identity: identityTarget(
      { instances: instancesOf(machines, observations), pods: onNodes.map(({ pod }) => pod) },
      observations,
    ),
    trailIds: isDeep ? endedOf(machines, observations) : [],
    isDiscoveryRead: mayJoinByKubeadm(machines, observations),
  };
}

/** Names of the roles that pods which do not work are to take by their service accounts. */
function rolesOf(placed: readonly PlacedPod[]): readonly string[] {
  const names = placed
    .filter(({ pod }) => !isPodReady(pod))
    .map(({ pod }) => environmentOf(pod, 'AWS_ROLE_ARN')?.split('/').at(-1) ?? '');
  return [...new Set(names)].filter((name) => name !== '').slice(0, ROLES_MAX);
}

/** The instances behind machines, by their ids. */
function instancesOf(
  machines: readonly SubjectReport[],
  observations: Observations,
): readonly Instance[] {
  const ids = new Set(machines.map(({ instanceId }) => instanceId));
  return factValues(observations, 'aws/instance').filter(({ InstanceId: id }) =>
    ids.has(id ?? null),
  );
}

/** VPCs of machines without Node, where only hosted zones of the VPC know the API server's name. */
function vpcsOf(machines: readonly SubjectReport[], observations: Observations): readonly string[] {
  const isPrivate = factValues(observations, 'aws/cluster').some(
    ({ resourcesVpcConfig }) => resourcesVpcConfig?.endpointPrivateAccess === true,
  );
  const lonely = isPrivate ? machines.filter(({ node }) => node === null) : [];
  const vpcs = instancesOf(lonely, observations).map((one) => one.VpcId ?? '');
  return [...new Set(vpcs)].filter((vpc) => vpc !== '').slice(0, VPCS_MAX);
}

function endedOf(
  machines: readonly SubjectReport[],
  observations: Observations,
): readonly string[] {
  const ended = instancesOf(machines, observations).filter((one) =>
    /^(?:stopp|terminated|shutting)/.test(one.State?.Name ?? ''),
  );
  const ids = ended.map((one) => one.InstanceId ?? '');
  return [...new Set(ids)].slice(0, TRAILS_MAX);
}

/** True for machines without Node on a cluster that no EKS answers for. */
function mayJoinByKubeadm(machines: readonly SubjectReport[], { facts }: Observations): boolean {
  const isEks = facts.some(({ kind }) => kind === 'aws/cluster');
  return !isEks && machines.some(({ node, instanceId }) => node === null && instanceId !== null);
}
