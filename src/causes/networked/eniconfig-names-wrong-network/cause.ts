import type { SecurityGroup, Subnet } from '../../../evidence/aws/network.ts';
import { cniVariable, networkModeOf } from '../../../capacity/cni-settings.ts';
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
import type { Seen } from '../../../evidence/fact.ts';
import type { KubeNode } from '../../../evidence/kinds.ts';
import { networkTrouble } from '../../../domain/nodes/network-trouble.ts';
import type { DaemonSet } from '../../../evidence/kube/workloads.ts';
import type { EniConfig } from '../../../evidence/kube/network.ts';

/** The ENIConfig of the node names a subnet or security group that cannot be used there. */
const cause = defineCause({
  id: 'eniconfig-names-wrong-network',
  stage: 'networked',
  title: 'the ENIConfig of the node names a subnet or security group that does not fit',
  scope: 'machine',
  signs: {
    subnetGone: definite(
      ['ipamd', 'aws-node'],
      /InvalidSubnetID\.NotFound: The subnet ID '(?<subnet>subnet-[0-9a-f]+)' does not exist/,
      { strict: true },
    ),
    groupGone: definite(
      ['ipamd', 'aws-node'],
      /Invalid(?:Group|SecurityGroupID)\.NotFound: The security group '(?<group>sg-[0-9a-f]+)' does not exist/,
      { strict: true },
    ),
    otherNetwork: likely(
      ['ipamd', 'aws-node'],
      /(?:instance and the interface|interface and the subnet|You have specified two resources that) (?:must )?belong to (?:the same|different) networks?/,
      { anchors: ['interface and the subnet must be in the same', 'must belong to the same'] },
    ),
    attachedAfterAll: withdraws(['ipamd'], /Successfully created and attached a new ENI/),
    subnetForeign: context(['ipamd', 'aws-node'], /IsSubnetExcluded: subnet \S+ not found in VPC/),
  },
  needs: [
    'kube/Node',
    'kube/Pod',
    'kube/DaemonSet',
    'kube/ENIConfig',
    'aws/subnet',
    'aws/security-group',
  ],
  symptoms: ['sandbox-not-created', 'cni-daemon-silent', 'cni-uninitialized'],
  withdrawnBy: [],
  explains: ['cni-configuration-missing', 'cni-killed-by-own-probes'],
  summary: ({ eniconfig, subnet, group, reason, machine }) =>
    `The ENIConfig ${eniconfig ?? 'of the node'} names ${subnet ?? group ?? 'a network'}${reason === undefined ? ', which EC2 does not take' : `, ${reason}`}, so ${machine ?? 'the node'} attaches no interface for pods.`,
  remedy: ({ eniconfig, zone }) => [
    step(
      'Name a pod subnet of the node’s own zone and security groups of its VPC.',
      `kubectl patch eniconfig ${eniconfig ?? '<eniconfig>'} --type merge -p '{"spec":{"subnet":"<pod-subnet-in-${zone ?? 'the-zone'}>","securityGroups":["<security-group>"]}}'`,
    ),
    step(
      'Restart the CNI on the node.',
      'kubectl -n kube-system delete pod -l k8s-app=aws-node --field-selector spec.nodeName=<node>',
    ),
  ],
  decide: step(
    'Compare the ENIConfigs with the zones and the VPC of the subnets that they name.',
    "kubectl get eniconfigs -o custom-columns='NAME:.metadata.name,SUBNET:.spec.subnet,GROUPS:.spec.securityGroups'; aws ec2 describe-subnets --query 'Subnets[].[SubnetId,VpcId,AvailabilityZone]' --output text",
  ),
  page: {
    why: 'An interface can only be attached to an instance of its own zone and VPC. ENIConfigs are written by hand or by a template, once for each zone, and subnets are replaced later.',
    prevent: 'Write ENIConfigs and subnets from the same values.',
    notThis:
      'An ENIConfig that does not exist is eniconfig-missing, one that may not be read eniconfig-not-readable. A subnet that fits and is full is subnet-out-of-pod-addresses.',
    alsoKnownAs: ['ENIConfig wrong subnet', 'InvalidSubnetID.NotFound aws-node'],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/cni-custom-network.html',
      'https://github.com/aws/amazon-vpc-cni-k8s/blob/HEAD/pkg/eniconfig/eniconfig.go',
    ],
  },
});

export default matched(cause, matchConfig);

type Own = ViewOf<typeof cause>;

const DEFAULT_KEY = 'k8s.amazonaws.com/eniConfig';
const ZONE = 'topology.kubernetes.io/zone';

function configOf(
  view: Own,
  node: KubeNode,
  daemonSet: Seen<DaemonSet>,
): Seen<EniConfig> | undefined {
  const label = cniVariable(daemonSet.value, 'ENI_CONFIG_LABEL_DEF') ?? DEFAULT_KEY;
  const annotation = cniVariable(daemonSet.value, 'ENI_CONFIG_ANNOTATION_DEF') ?? DEFAULT_KEY;
  const name = node.annotations[annotation] ?? node.labels[label] ?? 'default';
  return view.list('kube/ENIConfig').find(({ value }) => value.name === name);
}

interface Fault {
  readonly fact: Seen<Subnet | SecurityGroup> | null;
  readonly details: Readonly<Record<string, string>>;
}

function matchConfig(view: Own): Match | null {
  const node = view.read('kube/Node');
  const daemonSet = view.list('kube/DaemonSet').find(({ value }) => value.name === 'aws-node');
  if (node.state !== 'seen' || daemonSet === undefined) return null;
  if (!networkModeOf(daemonSet.value).customNetworking) return null;
  const config = configOf(view, node.value, daemonSet);
  const trouble = networkTrouble(view, 'aws-node');
  if (config === undefined || trouble === null) return null;
  const zone = node.value.labels[ZONE] ?? '';
  const fault = subnetFault(view, config, zone) ?? groupFault(view, config);
  if (fault === null) return clear;
  const details: Readonly<Record<string, string>> = {
    eniconfig: config.value.name,
    zone,
    ...fault.details,
  };
  const words = `ENIConfig ${config.value.name} names ${details['subnet'] ?? details['group'] ?? ''}, ${details['reason'] ?? ''}`;
  return found(details, [
    view.quote(config, words),
    ...(fault.fact === null ? [] : [view.quote(fault.fact, wordsOf(fault.fact.value))]),
    view.quote(trouble.fact, trouble.words),
  ]);
}

function wordsOf(item: Subnet | SecurityGroup): string {
  const isSubnet = 'SubnetId' in item;
  const id = isSubnet ? item.SubnetId : item.GroupId;
  const zone = isSubnet ? (item.AvailabilityZone ?? '') : '';
  return `${id ?? ''} VpcId ${item.VpcId ?? ''} ${zone}`.trim();
}

/** Every subnet of the cluster's VPC is listed, so one that is not there is of another or gone. */
function subnetFault(view: Own, config: Seen<EniConfig>, zone: string): Fault | null {
  const subnet = config.value.spec?.subnet ?? '';
  const listed = view.list('aws/subnet');
  if (listed.length === 0 || subnet === '') return null;
  const fact = listed.find(({ value }) => value.SubnetId === subnet);
  if (fact === undefined)
    return {
      fact: null,
      details: { subnet, reason: 'which the VPC of the cluster does not have' },
    };
  const other = fact.value.AvailabilityZone ?? zone;
  if (zone === '' || other === zone) return null;
  return { fact, details: { subnet, reason: `which is in ${other} while the node is in ${zone}` } };
}

function groupFault(view: Own, config: Seen<EniConfig>): Fault | null {
  const listed = view.list('aws/security-group').map(({ value }) => value.GroupId ?? null);
  if (listed.length === 0) return null;
  const named = config.value.spec?.securityGroups ?? [];
  const group = named.find((id) => !listed.includes(id));
  if (group === undefined) return null;
  return { fact: null, details: { group, reason: 'which the VPC of the cluster does not have' } };
}
