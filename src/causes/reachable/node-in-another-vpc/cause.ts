import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { context } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { Instance } from '../../../evidence/aws/instance.ts';
import type { Quote } from '../../../evidence/sighting.ts';
import { foreseenByMatch } from '../../../diagnosis/foresight.ts';
import { machineOf } from '../../../domain/planned/machine.ts';

/** The machine stands in another VPC than the cluster. */
const cause = defineCause({
  id: 'node-in-another-vpc',
  stage: 'reachable',
  title: 'the machine was launched in another VPC than the cluster',
  scope: 'machine',
  signs: {
    timedOut: context(
      ['kubelet', 'cloud-init', 'bottlerocket'],
      /(?:Unable to register node|[Ff]ailed to (?:list|watch) \*v1|[Ff]ailed to ensure lease).*(?:i\/o timeout|Client\.Timeout exceeded|no such host)/,
      { anchors: ['i/o timeout', 'Client.Timeout exceeded', 'no such host'] },
    ),
  },
  needs: ['aws/instance', 'aws/subnet', 'aws/cluster', 'kube/Node'],
  symptoms: ['api-silent'],
  withdrawnBy: ['api-answered', 'node-registered', 'node-ready'],
  explains: ['api-name-unresolvable', 'api-port-blocked'],
  summary: ({ instance, vpc, clusterVpc, cluster }) =>
    sentence`Instance ${instance} is in ${vpc ?? 'another VPC'}, the cluster ${cluster} in ${clusterVpc ?? 'its own'}; a node has to be in the cluster’s VPC.`,
  remedy: ({ clusterVpc }) => [
    step(
      'Find the subnets of the cluster’s VPC, and launch there.',
      `aws ec2 describe-subnets --filters Name=vpc-id,Values=${clusterVpc ?? '<cluster-vpc>'} --query Subnets[].[SubnetId,AvailabilityZone,AvailableIpAddressCount]`,
    ),
    step(
      'Where machines outside are meant (hybrid nodes), give the cluster their network and the VPC a route.',
      'aws eks describe-cluster --name <cluster> --query cluster.remoteNetworkConfig',
    ),
  ],
  decide: step(
    'Compare the two VPCs.',
    'aws ec2 describe-instances --instance-ids <instance> --query Reservations[].Instances[].VpcId; aws eks describe-cluster --name <cluster> --query cluster.resourcesVpcConfig.vpcId',
  ),
  page: {
    why: 'Subnet ids come from another environment’s variables, or Karpenter’s selector matches subnets of two VPCs. EKS gives the API server interfaces in one VPC only, and pods of another VPC cannot be reached.',
    prevent: 'Tag subnets with the cluster’s name, and select by that tag.',
    notThis:
      'Security groups of another VPC refuse the launch (invalid-subnet-or-security-group). In the right VPC a time-out is api-port-blocked or no-nat-or-vpc-endpoints.',
    refs: [
      'https://repost.aws/knowledge-center/eks-worker-nodes-cluster',
      'https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html',
    ],
  },
});

const judged = matched(cause, matchVpc);

type Own = ViewOf<typeof cause>;

function matchVpc(view: Own): Match | null {
  const instance = view
    .list('aws/instance')
    .find((entry) => entry.value.InstanceId === view.instanceId);
  const clusters = view.list('aws/cluster');
  const [cluster] = clusters;
  if (instance === undefined || cluster === undefined || clusters.length > 1) return null;
  const shown = vpcOf(view, instance);
  const clusterVpc = cluster.value.resourcesVpcConfig?.vpcId ?? null;
  if (shown === null || clusterVpc === null) return null;
  const { vpc, proof } = shown;
  if (vpc === clusterVpc || view.read('kube/Node').state === 'seen') return clear;
  const name = cluster.value.name ?? '';
  const timedOut = view.sign('timedOut');
  // Accounts have many instances: only one that is meant for this cluster counts.
  if (timedOut === null && !isMeantFor(instance.value, name) && !isChosen(view, instance.value))
    return clear;
  const quotes = [proof, view.quote(cluster, `cluster ${name} vpcId ${clusterVpc}`)];
  return found(
    { instance: view.instanceId ?? '', vpc, clusterVpc, cluster: name },
    timedOut === null ? quotes : [timedOut.first, ...quotes],
  );
}

/** The VPC of an instance; where its own answer does not show it, that of its subnet. */
function vpcOf(
  view: Own,
  instance: Seen<Instance>,
): { readonly vpc: string; readonly proof: Quote } | null {
  const { VpcId: own, SubnetId: subnetId } = instance.value;
  if (own)
    return {
      vpc: own,
      proof: view.quote(instance, `Instance ${view.instanceId ?? ''} VpcId ${own}`),
    };
  const subnet = view
    .everywhere('aws/subnet')
    .find(({ value }) => (value.SubnetId ?? '') === (subnetId ?? null));
  const vpc = subnet?.value.VpcId ?? null;
  if (subnet === undefined || vpc === null) return null;
  const words = `subnet ${subnetId ?? ''} of the instance VpcId ${vpc}`;
  return { vpc, proof: view.quote(subnet, words) };
}

/** Who asks for the VPC of one instance and little else has a machine of the cluster in mind. */
function isChosen(view: Own, { Tags: tags, LaunchTime: launched }: Instance): boolean {
  const isPart = (tags ?? null) === null && (launched ?? null) === null;
  return isPart && !view.isLive && view.everywhere('aws/instance').length === 1;
}

function isMeantFor(instance: Instance, cluster: string): boolean {
  return (instance.Tags ?? []).some((tag) => {
    const key = tag.Key ?? null;
    return (
      key === `kubernetes.io/cluster/${cluster}` ||
      (key?.endsWith('eks:cluster-name') === true && tag.Value === cluster)
    );
  });
}

export default foreseenByMatch(
  judged,
  (plan, group) => {
    const vpc = group.cluster?.value.resourcesVpcConfig?.vpcId ?? null;
    return vpc === null || machineOf(plan, group).vpc === null ? null : true;
  },
  {
    remedy: ({ clusterVpc }) => [
      step(`Give the group subnets of ${clusterVpc ?? 'the cluster’s VPC'}.`),
    ],
  },
);
