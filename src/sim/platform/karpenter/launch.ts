import { type JsonObject, listAt, textAt } from '../../../evidence/json.ts';
import type { AwsCloud, AwsIdentity, AwsRefusal } from '../../aws/contract.ts';
import { labelsOf, nameOf } from '../objects/meta.ts';
import { NODEPOOL_LABEL } from './kinds.ts';

export interface LaunchParts {
  readonly aws: AwsCloud;
  readonly identity: AwsIdentity;
  readonly clusterName: string;
}

export type Launched =
  | { readonly ok: true; readonly instance: JsonObject }
  | { readonly ok: false; readonly refusal: AwsRefusal };

function tag(Key: string, Value: string): JsonObject {
  return { Key, Value };
}

/** What the EC2NodeClass and the claim ask for, as EC2 takes it; subnets are tried in turn. */
export function launchInput(
  { clusterName }: LaunchParts,
  claim: JsonObject,
  nodeClass: JsonObject,
  subnetId: string,
  userData: string,
): JsonObject {
  const pool = nodePoolOf(claim);
  const profile = textAt(nodeClass, 'spec.instanceProfile') ?? textAt(nodeClass, 'spec.role');
  const groups = idsOf(nodeClass, 'spec.securityGroupSelectorTerms');
  return {
    ImageId: idsOf(nodeClass, 'spec.amiSelectorTerms')[0] ?? '',
    InstanceType: instanceTypeOf(claim),
    SubnetId: subnetId,
    MinCount: 1,
    MaxCount: 1,
    UserData: userData,
    ...(groups.length === 0 ? {} : { SecurityGroupIds: groups }),
    ...(profile === null ? {} : { IamInstanceProfile: { Name: profile } }),
    ...(isSpot(claim) ? { InstanceMarketOptions: { MarketType: 'spot' } } : {}),
    TagSpecifications: [
      {
        ResourceType: 'instance',
        Tags: [
          tag('Name', pool),
          tag(`kubernetes.io/cluster/${clusterName}`, 'owned'),
          tag('eks:eks-cluster-name', clusterName),
          tag(NODEPOOL_LABEL, pool),
          tag('karpenter.sh/nodeclaim', nameOf(claim)),
        ],
      },
    ],
  };
}

export function nodePoolOf(claim: JsonObject): string {
  return labelsOf(claim)[NODEPOOL_LABEL] ?? '';
}

/** Ids in `…SelectorTerms`; terms by tag or alias are not looked up here. */
export function idsOf(nodeClass: JsonObject, path: string): readonly string[] {
  return listAt(nodeClass, path).flatMap((term) => {
    const id = textAt(term, 'id');
    return id === null ? [] : [id];
  });
}

export function requirementValues(
  object: JsonObject,
  path: string,
  key: string,
): readonly string[] {
  const found = listAt(object, path).find((entry) => textAt(entry, 'key') === key);
  return listAt(found, 'values').filter((value) => typeof value === 'string');
}

const TYPE_DEFAULT = 'm6i.large';

export function instanceTypeOf(claim: JsonObject): string {
  const key = 'node.kubernetes.io/instance-type';
  return requirementValues(claim, 'spec.requirements', key)[0] ?? TYPE_DEFAULT;
}

function isSpot(claim: JsonObject): boolean {
  const types = requirementValues(claim, 'spec.requirements', 'karpenter.sh/capacity-type');
  return types.includes('spot');
}

/** One try in each subnet, as a fleet of type `instant` does with its overrides. */
export function launch(
  parts: LaunchParts,
  claim: JsonObject,
  nodeClass: JsonObject,
  userData: string,
): Launched {
  let last: AwsRefusal = {
    code: 'InvalidParameterValue',
    message: 'no subnets exist given constraints',
    status: 400,
  };
  for (const subnetId of idsOf(nodeClass, 'spec.subnetSelectorTerms')) {
    const input = launchInput(parts, claim, nodeClass, subnetId, userData);
    const call = { service: 'ec2', operation: 'RunInstances', input } as const;
    const answer = parts.aws.answer(parts.identity, call);
    const [instance] = answer.ok ? listAt(answer.output, 'Instances') : [];
    if (instance !== undefined) return { ok: true, instance: instance as JsonObject };
    if (!answer.ok) last = answer.refusal;
  }
  return { ok: false, refusal: last };
}

export function terminate(parts: LaunchParts, instanceId: string): void {
  const input = { InstanceIds: [instanceId] };
  parts.aws.answer(parts.identity, { service: 'ec2', operation: 'TerminateInstances', input });
}
