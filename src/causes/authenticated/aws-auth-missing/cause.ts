import {
  cannotSay,
  clear,
  defineCause,
  found,
  foundBefore,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { foreseen, plannedDetails } from '../../../diagnosis/foresight.ts';
import type { PlanView } from '../../../diagnosis/plan-view.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, likely } from '../../../diagnosis/sign.ts';
import { type Absent, seen } from '../../../evidence/fact.ts';
import { admissionOf } from '../../../domain/planned/admission.ts';
import type { PlannedGroup } from '../../../domain/planned/groups.ts';
import { accessEntryStep, awsAuthStep } from '../../../domain/planned/remedies.ts';
import {
  fadingNodes,
  idsOf,
  isConfigMapOnly,
  type NodeRole,
  nodeRolesOf,
  shutOutRoles,
} from '../../../domain/nodes/fleet.ts';
import type { Quote } from '../../../evidence/sighting.ts';

/** Nobody created the aws-auth ConfigMap, and no access entry maps the node role either. */
const cause = defineCause({
  id: 'aws-auth-missing',
  stage: 'authenticated',
  title: 'the cluster has no aws-auth ConfigMap and no access entry for the node role',
  scope: 'cluster',
  signs: {
    configMapNotFound: likely(
      ['client-output', 'kube-apiserver', 'controller-manager', 'cloud-init', 'terraform'],
      /configmaps? "?aws-auth"? (?:not found|does not exist)/,
      { anchors: ['aws-auth'] },
    ),
    roleNotMapped: context(['authenticator'], /access denied.*(?:ARN|[Ii]dentity) is not mapped/),
    // A cluster of access entries alone has no ConfigMap either.
    mapGone: context(
      ['authenticator'],
      /not found map aws-auth|Unable to re-establish watch: configmaps .{0,2}aws-auth/,
    ),
    // A provider without a kubeconfig writes the map to nobody.
    writtenToNobody: context(
      ['terraform', 'client-output'],
      /https?:\/\/(?:localhost|127\.0\.0\.1)(?::\d+)?\/api\/v1\/namespaces\/kube-system\/configmaps\/aws-auth/,
    ),
  },
  needs: [
    'kube/aws-auth',
    'kube/Node',
    'aws/access-entry-list',
    'aws/cluster',
    'aws/instance',
    'aws/instance-profile',
  ],
  symptoms: ['kubelet-unauthorized', 'boot-verdict'],
  withdrawnBy: [],
  summary: ({ role, cluster, count, still, planned }) => {
    if (planned !== undefined)
      return sentence`Nothing in this plan maps the node role ${role} of ${planned}: cluster ${cluster} gets no aws-auth ConfigMap and no access entry for it, so the API server will answer its kubelets with 401 Unauthorized and no machine will become a node.`;
    const missing = sentence`The ConfigMap kube-system/aws-auth does not exist${phrase` in cluster ${cluster}`} and no access entry maps ${role ?? 'the node role'}`;
    const whom = count === undefined ? 'every kubelet' : `the kubelets of its ${count}`;
    return still === undefined
      ? `${missing}, so the API server answers ${whom} with 401 Unauthorized.`
      : `${missing}; within minutes the API server forgets its earlier answer and refuses ${whom}, which still run, with 401 Unauthorized.`;
  },
  remedy: ({ cluster, role, planned, principal }) => {
    if (planned !== undefined)
      return [
        step(accessEntryStep(principal)),
        step(`Or, in the modes that read it: ${awsAuthStep(principal)}`),
      ];
    return [
      step(
        'Let the node role in with an access entry (authentication mode API or API_AND_CONFIG_MAP).',
        `aws eks create-access-entry --cluster-name ${cluster ?? '<cluster>'} --principal-arn ${role ?? '<node-role-arn>'} --type EC2_LINUX`,
      ),
      step(
        'Or, in authentication mode CONFIG_MAP, map the role in aws-auth.',
        `eksctl create iamidentitymapping --cluster ${cluster ?? '<cluster>'} --arn ${role ?? '<node-role-arn>'} --group system:bootstrappers,system:nodes --username 'system:node:{{EC2PrivateDNSName}}'`,
      ),
    ];
  },
  decide: step(
    'See whether the ConfigMap exists and which role it maps.',
    'kubectl -n kube-system get configmap aws-auth -o yaml',
  ),
  page: {
    why: 'EKS lets a kubelet in only when its IAM role is mapped to system:nodes. eksctl and managed node groups write that mapping themselves; plain Terraform or CloudFormation for self-managed nodes does not, and nothing warns about it.',
    prevent:
      'Create the access entry (type EC2_LINUX) or the ConfigMap after the cluster and before the nodes, in the same Terraform configuration.',
    notThis:
      '401 means that the identity is unknown; 403 forbidden means that it is known under a wrong name or group. Where the ConfigMap exists without the role it is node-role-not-in-aws-auth; in mode API without entry, access-entry-missing. The CNI complaint of the kubelet is a consequence.',
    alsoKnownAs: ['kubelet Unauthorized', 'You must be logged in to the server'],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
      'https://github.com/terraform-aws-modules/terraform-aws-eks/issues/2009',
    ],
  },
});

export default foreseen(matched(cause, matchMapping), foresee);

type Own = ViewOf<typeof cause>;

function matchMapping(view: Own): Match | null {
  const configMap = view.read('kube/aws-auth');
  const mode = view
    .list('aws/cluster')
    .map((cluster) => cluster.value.accessConfig?.authenticationMode ?? null);
  if (configMap.state === 'seen' || mode.includes('API')) return clear;
  const roles = configMap.state === 'absent' && mode.length === 1 ? nodeRolesOf(view) : null;
  if (configMap.state === 'absent' && roles?.length === 0 && isConfigMapOnly(view))
    return matchSilent(view, configMap);
  if (roles !== null && configMap.state === 'absent')
    return matchRoles(view, configMap, roles, mode.includes('API_AND_CONFIG_MAP'));
  // Ready nodes mean that somebody is mapped.
  if (view.list('kube/Node').some((node) => node.value.ready === true)) return clear;
  return matchAnswer(view);
}

/**
 * The list of ConfigMaps lacks it: first the roles whose machines have stayed without a Node, then
 * those whose machines run by an answer of before.
 */
function matchRoles(
  view: Own,
  configMap: Absent,
  roles: readonly NodeRole[],
  readsEntries: boolean,
): Match {
  const lost = shutOutRoles(roles);
  const inQuestion = [...lost, ...roles.filter(({ ready }) => ready.length > 0)];
  if (inQuestion.length === 0) return clear;
  const entries = view.read('aws/access-entry-list');
  if (readsEntries && entries.state !== 'seen') return unknownEntries;
  const listed = entries.state === 'seen' ? entries.value : [];
  const role = inQuestion.find(({ arn }) => !listed.includes(arn));
  if (role === undefined) return clear;
  const none = listed.length === 0 ? 'no access entry' : `access entries: ${listed.join(', ')}`;
  const listing = entries.state === 'seen' ? [view.quote(entries, none)] : [];
  return foundRole(view, configMap, { role, isLost: lost.includes(role), listing });
}

interface Unmapped {
  readonly role: NodeRole;
  /** False while its machines run by an answer of before, so that it is said of none of them. */
  readonly isLost: boolean;
  readonly listing: readonly Quote[];
}

function foundRole(
  view: Own,
  configMap: Absent,
  { role: { arn, profile, lost, ready }, isLost, listing }: Unmapped,
): Match {
  const cluster = view.list('aws/cluster')[0]?.value.name ?? '';
  const machines = idsOf(isLost ? lost : ready);
  const count = machines.length === 1 ? 'machine' : `${machines.length} machines`;
  const run = `machines ${machines.join(', ')} run with the role ${arn}`;
  const words = isLost ? run : `${run}, and their Nodes are Ready`;
  const proof = [quoteAbsence(view, configMap), view.quote(profile, words), ...listing];
  const details = { cluster, role: arn, count };
  return isLost
    ? found(details, proof, 'definite', machines)
    : foundBefore(found({ ...details, still: 'true' }, proof, 'likely'), machines);
}

function quoteAbsence(view: Own, { by }: Absent): Quote {
  const gone = seen(null, by, by);
  return view.quote(gone, 'ConfigMap aws-auth is not in the list of all ConfigMaps of kube-system');
}

/** EC2 was not read; without the only map there is, no Node can be let in again. */
function matchSilent(view: Own, configMap: Absent): Match {
  const silent = fadingNodes(view);
  const [first] = silent;
  if (first === undefined) return clear;
  const names = silent.map(({ value }) => value.name);
  const fell = view.quote(first, `fell silent: Node ${names.join(', ')}`);
  return found(
    { cluster: view.list('aws/cluster')[0]?.value.name ?? '' },
    [quoteAbsence(view, configMap), fell],
    'definite',
    names,
  );
}

const unknownEntries = cannotSay({
  reason: 'not-collected',
  detail: 'whether an access entry lets the node role in',
  collect: 'aws eks list-access-entries --cluster-name <cluster>',
});

/** Some client was told that the ConfigMap is not there. */
function matchAnswer(view: Own): Match {
  const notFound = view.sign('configMapNotFound');
  if (notFound === null) {
    return cannotSay({
      reason: 'not-collected',
      detail: 'whether the ConfigMap aws-auth exists',
      collect: 'kubectl -n kube-system get configmap aws-auth -o yaml',
    });
  }
  const entries = view.read('aws/access-entry-list');
  const maps = entries.state === 'seen' && entries.value.some((arn) => arn.includes(':role/'));
  return maps ? clear : found(notFound.first.captures, [notFound.first], 'likely');
}

/** A plan whose cluster is made without anything that maps the role. */
function foresee(plan: PlanView, group: PlannedGroup): Match {
  const admission = admissionOf(plan, group);
  if (admission.kind === 'unknown') return cannotSay(admission.why);
  if (admission.kind !== 'no-map') return clear;
  const { cluster, mode } = admission;
  return found(
    plannedDetails(group),
    [
      plan.quote(group.fact, `${group.name} runs with the role ${group.role?.name ?? ''}`),
      plan.quote(cluster, `cluster ${cluster.value.name ?? ''} authentication_mode ${mode}`),
    ],
    'likely',
  );
}
