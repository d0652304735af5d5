import type { AccessEntry, AccessPolicies } from '../../../evidence/aws/iam.ts';
import {
  cannotSay,
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { foreseen, plannedDetails } from '../../../diagnosis/foresight.ts';
import type { PlanView } from '../../../diagnosis/plan-view.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { definite, likely } from '../../../diagnosis/sign.ts';
import { admissionOf } from '../../../domain/planned/admission.ts';
import type { PlannedGroup } from '../../../domain/planned/groups.ts';
import { idsOf, lostRoles, nodeRolesOf } from '../../../domain/nodes/fleet.ts';
import type { Seen } from '../../../evidence/fact.ts';

/** The node role has an access entry, but of a type that makes it no node. */
const cause = defineCause({
  id: 'wrong-access-entry-type',
  stage: 'authenticated',
  title: 'the node role’s access entry has the wrong type',
  scope: 'cluster',
  signs: {
    hybridEntryMissing: definite(
      ['kubelet', 'nodeadm'],
      /missing access entry of type HYBRID_LINUX/,
    ),
    systemGroupRefused: likely(
      ['aws-message', 'client-output', 'terraform'],
      /kubernetes group name (?<group>system:\S+) is invalid, it cannot start with system:/i,
      { anchors: ['it cannot start with system:'] },
    ),
    toldWrong: likely(
      ['client-output', 'unknown', 'terraform'],
      /\baccess entry\b.{0,60}\b(?:(?:was|is|were|are)|has|had|with)\b.{0,20}\btype `?"?STANDARD\b|\baccess entry\b.{0,60}\b(?:wrong|incorrect) type\b|\b(?:wrong|incorrect) type of (?:the )?access entry\b|\bEC2_(?:LINUX|WINDOWS)\b.{0,10}\binstead of\b.{0,10}\bSTANDARD\b|\bSTANDARD\b.{0,10}\binstead of\b.{0,10}\bEC2_(?:LINUX|WINDOWS)\b/,
      { isTold: true, anchors: ['access entry', 'STANDARD'] },
    ),
  },
  needs: [
    'aws/access-entry',
    'aws/access-policies',
    'aws/instance',
    'aws/instance-profile',
    'kube/Node',
    'aws/cluster',
  ],
  symptoms: ['kubelet-unauthorized', 'boot-verdict', 'node-object-missing'],
  summary: ({ role, cluster, type, policies, planned }) =>
    planned !== undefined
      ? sentence`This plan gives the node role ${role} of ${planned} an access entry of type ${type} in cluster ${cluster}; such an entry cannot be in system:nodes, so the API server will refuse its kubelets.`
      : sentence`The access entry of ${role ?? 'the node role'} in cluster ${cluster ?? '<cluster>'} ${type === undefined ? 'is not of a node type' : `is of type ${type}`}${phrase` (with ${policies}, which gives no node’s rights)`}; such an entry cannot be in system:nodes, so the kubelet is refused.`,
  remedy: ({ role, cluster, planned, entry }) => [
    planned !== undefined
      ? step(
          `Set type = "EC2_LINUX" in ${entry ?? 'the access entry'} (EC2_WINDOWS for Windows) and leave its kubernetes_groups and user_name out.`,
        )
      : step(
          'The type of an entry cannot be changed: delete it and create it as a node’s (EC2_WINDOWS for Windows, HYBRID_LINUX for hybrid nodes).',
          `aws eks delete-access-entry --cluster-name ${cluster ?? '<cluster>'} --principal-arn ${role ?? '<node-role-arn>'} && aws eks create-access-entry --cluster-name ${cluster ?? '<cluster>'} --principal-arn ${role ?? '<node-role-arn>'} --type EC2_LINUX`,
        ),
  ],
  decide: step(
    'Read the type of the node role’s access entry.',
    'aws eks describe-access-entry --cluster-name <cluster> --principal-arn <node-role-arn> --query accessEntry.type',
  ),
  page: {
    why: 'An access entry of type STANDARD is for people: it may not name groups that begin with system:, so a kubelet that comes through it has an identity but no right to be a node. Tools that create entries for any role make exactly this one.',
    prevent:
      'Create entries for node roles with --type EC2_LINUX, EC2_WINDOWS or HYBRID_LINUX, or let the managed node group do it.',
    notThis:
      'An entry of type STANDARD with AmazonEKSClusterAdminPolicy for the whole cluster lets a kubelet in all the same, and more than that. Without any entry it is access-entry-missing; on a cluster in mode CONFIG_MAP creating one is refused (access-entry-on-configmap-cluster). Windows nodes with an EC2_LINUX entry join and then lack DNS.',
    refs: [
      'https://github.com/aws/karpenter-provider-aws/issues/7558',
      'https://github.com/terraform-aws-modules/terraform-aws-eks/issues/3286',
    ],
  },
});

export default foreseen(
  matched(cause, (view) => matchLost(view) ?? matchTypes(view)),
  foresee,
);

type Own = ViewOf<typeof cause>;

/** Entries for people are STANDARD too; a node's is known by its name or by what it was meant to be. */
function isNodeRole(entry: AccessEntry): boolean {
  const { principalArn: arn = '' } = entry;
  const groups = entry.kubernetesGroups ?? [];
  const username = entry.username ?? '';
  const isNamedSo =
    /node(?!-?js)|karpenter|worker|instance/i.test(arn) &&
    !/admin|controller|deploy|pipeline/i.test(arn);
  return isNamedSo || groups.includes('system:nodes') || username.startsWith('system:node:');
}

/** Types by which a machine of EC2 becomes a node. */
const NODE_TYPES: readonly string[] = ['EC2_LINUX', 'EC2_WINDOWS', 'EC2'];

/** The entry of a role of which no machine joined; null where nobody can say who joined. */
function matchLost(view: Own): Match | null {
  const fleet = nodeRolesOf(view);
  const entries = view.list('aws/access-entry');
  if (fleet === null || entries.length === 0) return null;
  for (const role of lostRoles(fleet)) {
    const entry = entries.find(({ value }) => value.principalArn === role.arn);
    const type = entry?.value.type ?? null;
    if (entry === undefined || type === null || NODE_TYPES.includes(type)) continue;
    const held = policiesOf(view, role.arn);
    if (held?.isEnough === true) continue;
    const cluster = entry.value.clusterName ?? '';
    const machines = idsOf(role.lost);
    const ran = `machines ${machines.join(', ')} run with the role ${role.arn} and have no Node`;
    const policies = held === null ? {} : { policies: held.names };
    const told =
      held === null ? [] : [view.quote(held.fact, `access policies of ${role.arn}: ${held.names}`)];
    return found(
      { role: role.arn, cluster, type, ...policies },
      [
        view.quote(entry, `accessEntry ${role.arn} type ${type}`),
        view.quote(role.profile, ran),
        ...told,
      ],
      'definite',
      machines,
    );
  }
  return clear;
}

interface HeldPolicies {
  readonly fact: Seen<AccessPolicies>;
  /** Names of the policies, for sentences. */
  readonly names: string;
  /** True where they let a kubelet do all that it does, whatever the type of its entry. */
  readonly isEnough: boolean;
}

/** What access policies an entry has; null where they were not read. */
function policiesOf(view: Own, role: string): HeldPolicies | null {
  const fact = view.list('aws/access-policies').find(({ value }) => value.principalArn === role);
  if (fact === undefined) return null;
  const policies = fact.value.associatedAccessPolicies ?? [];
  const names = policies.map(({ policyArn }) => policyArn?.split('/').at(-1) ?? '');
  const isEnough = policies.some(
    ({ accessScope }, index) =>
      names[index] === 'AmazonEKSClusterAdminPolicy' && accessScope?.type === 'cluster',
  );
  return { fact, names: names.join(', ') || 'no policy', isEnough };
}

function matchTypes(view: Own): Match | null {
  const entries = view.list('aws/access-entry');
  const standard = entries.find(
    (entry) =>
      entry.value.type === 'STANDARD' &&
      isNodeRole(entry.value) &&
      policiesOf(view, entry.value.principalArn ?? '')?.isEnough !== true,
  );
  if (standard !== undefined) {
    const role = standard.value.principalArn ?? '';
    const cluster = standard.value.clusterName ?? '';
    return found({ role, cluster, type: 'STANDARD' }, [
      view.quote(standard, `accessEntry ${role} type STANDARD`),
    ]);
  }
  const isLinux = entries.some((entry) => entry.value.type === 'EC2_LINUX');
  return isLinux ? clear : null;
}

/** Entries cannot be changed into another type, so that what is planned is what will be. */
function foresee(plan: PlanView, group: PlannedGroup): Match {
  const admission = admissionOf(plan, group);
  if (admission.kind === 'unknown') return cannotSay(admission.why);
  if (admission.kind !== 'wrong-entry') return clear;
  const { entry } = admission;
  const type = entry.value.type ?? '';
  return found({ ...plannedDetails(group), type, entry: entry.address }, [
    plan.quote(entry, `access entry of ${group.role?.name ?? ''} type ${type}`),
    plan.quote(group.fact, `${group.name} runs with the role ${group.role?.name ?? ''}`),
  ]);
}
