import type { MachineToReplace } from '../../../diagnosis/repair.ts';
import { at, isObject, type JsonObject, listAt, textAt } from '../../../evidence/json.ts';
import { instanceIdIn } from '../../../evidence/names.ts';
import type { AwsApi } from '../../../ports/aws-api.ts';
import type { KubeApi, KubeResource } from '../../../ports/kube-api.ts';
import { PortError } from '../../../ports/port-error.ts';
import { PODS } from '../../gate/daemon-pods.ts';
import { selectorText } from '../../gate/workloads.ts';
import { readAll } from '../../slip-ins/live.ts';
import { type PodFacts, readPod } from '../../slip-ins/pod.ts';
import { NODE_CLAIMS } from '../../spot/actions.ts';
import { askForAll, askOnce, instanceStates } from '../aws-read.ts';
import { boundPods } from '../bound-pods.ts';
import { standingOf } from '../name/node-standing.ts';
import type { BudgetFacts, ClaimFacts, MemberFacts, ReplaceSeen } from './decide-replace.ts';

export const BUDGETS: KubeResource = {
  group: 'policy',
  version: 'v1',
  plural: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  isNamespaced: true,
};

/** @throws PortError where any part of it cannot be read */
export async function replaceSights(
  { instanceId, node: name }: MachineToReplace,
  aws: AwsApi,
  kube: KubeApi,
): Promise<ReplaceSeen> {
  const pods = name === null ? [] : await boundPods(kube, name);
  const budgets = await budgetsOf(kube, pods);
  const claim = await claimOf(kube, instanceId);
  const member = claim === null ? await memberOf(aws, instanceId) : null;
  const states = await instanceStates(aws, [instanceId]);
  const node = name === null ? null : await standingOf(kube, name);
  return { state: states.get(instanceId) ?? null, node, pods, budgets, claim, member };
}

/** Only a Pod that is Ready counts for a budget. */
async function budgetsOf(
  kube: KubeApi,
  pods: readonly PodFacts[],
): Promise<readonly BudgetFacts[]> {
  const ready = new Set(pods.filter(({ isReady }) => isReady).map(({ uid }) => uid));
  const namespaces = new Set(pods.map(({ namespace }) => namespace));
  const found: BudgetFacts[] = [];
  for (const namespace of namespaces)
    for (const budget of await readAll(kube, BUDGETS, { namespace }, (object) => object)) {
      const covered = await coveredBy(kube, budget, namespace);
      const name = `${namespace}/${textAt(budget, 'metadata.name') ?? ''}`;
      const allowed = Number(textAt(budget, 'status.disruptionsAllowed') ?? 0);
      found.push({ name, allowed, covered: covered.filter(({ uid }) => ready.has(uid)) });
    }
  return found;
}

/** A selector without terms selects all; one that cannot be read covers all, to be safe. */
async function coveredBy(
  kube: KubeApi,
  budget: JsonObject,
  namespace: string,
): Promise<readonly PodFacts[]> {
  const selector = at(budget, 'spec.selector');
  if (!isObject(selector)) return [];
  const labelSelector = selectorText(selector) ?? '';
  return await readAll(kube, PODS, { namespace, labelSelector }, readPod);
}

/** The NodeClaim of an instance; null where there is none, or no Karpenter. @throws PortError */
export async function claimOf(kube: KubeApi, instanceId: string): Promise<ClaimFacts | null> {
  try {
    const claims = await readAll(kube, NODE_CLAIMS, {}, (claim) => readClaim(claim, instanceId));
    return claims[0] ?? null;
  } catch (error) {
    const isWithout =
      error instanceof PortError && ['unsupported', 'not-found'].includes(error.failure);
    if (isWithout) return null;
    throw error;
  }
}

function readClaim(claim: JsonObject, instanceId: string): ClaimFacts | null {
  const [name, uid, resourceVersion] = ['name', 'uid', 'resourceVersion'].map((field) =>
    textAt(claim, `metadata.${field}`),
  );
  if (instanceIdIn(textAt(claim, 'status.providerID') ?? '') !== instanceId) return null;
  if (!name || !uid || !resourceVersion) return null;
  const isLeaving = textAt(claim, 'metadata.deletionTimestamp') !== null;
  return { name, uid, resourceVersion, isLeaving };
}

async function memberOf(aws: AwsApi, instanceId: string): Promise<MemberFacts | null> {
  const input = { InstanceIds: [instanceId] };
  const call = {
    service: 'autoscaling',
    operation: 'DescribeAutoScalingInstances',
    input,
  } as const;
  const [member] = await askForAll(aws, call, 'AutoScalingInstances');
  const name = textAt(member, 'AutoScalingGroupName');
  if (name === null) return null;
  const group = await groupNamed(aws, name);
  return {
    group: name,
    state: textAt(member, 'LifecycleState') ?? '',
    isProtected: at(member, 'ProtectedFromScaleIn') === true,
    suspended: listAt(group, 'SuspendedProcesses').map((one) => textAt(one, 'ProcessName') ?? ''),
  };
}

async function groupNamed(aws: AwsApi, name: string): Promise<JsonObject> {
  const input = { AutoScalingGroupNames: [name] };
  const call = { service: 'autoscaling', operation: 'DescribeAutoScalingGroups', input } as const;
  const [group] = listAt(await askOnce(aws, call), 'AutoScalingGroups');
  return isObject(group) ? group : {};
}

/** The instances of a group as they are now. @throws PortError */
export async function instancesIn(aws: AwsApi, group: string): Promise<ReadonlySet<string>> {
  const members = listAt(await groupNamed(aws, group), 'Instances');
  return new Set(members.map((one) => textAt(one, 'InstanceId') ?? ''));
}
