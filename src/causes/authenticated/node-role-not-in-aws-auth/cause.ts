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
import { sentence } from '../../../diagnosis/sentence.ts';
import { context, likely } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import { admissionOf } from '../../../domain/planned/admission.ts';
import type { PlannedGroup } from '../../../domain/planned/groups.ts';
import { awsAuthStep } from '../../../domain/planned/remedies.ts';
import {
  fadingNodes,
  idsOf,
  isConfigMapOnly,
  type NodeRole,
  nodeRolesOf,
  shutOutRoles,
  withoutPath,
} from '../../../domain/nodes/fleet.ts';
import type { AwsAuth } from '../../../evidence/kinds.ts';
import type { Quote } from '../../../evidence/sighting.ts';

/** The aws-auth ConfigMap is there, but the role of these nodes is not in it. */
const cause = defineCause({
  id: 'node-role-not-in-aws-auth',
  stage: 'authenticated',
  title: 'aws-auth does not map the role of these nodes',
  scope: 'group',
  signs: {
    refused: context(
      ['kubelet', 'bottlerocket'],
      /(?:register node|[Ff]ailed to (?:list|watch|ensure|contact)).*\bUnauthorized\b/,
    ),
    denied: context(
      ['authenticator'],
      /access denied.*?\barn="?(?<role>arn:aws[\w-]*:iam::\d+:role\/[^"\s]+).*(?:ARN|[Ii]dentity) is not mapped/,
      { strict: true },
    ),
    planned: context(
      ['terraform', 'client-output', 'kubelet'],
      /aws_auth\S* (?:will be updated in-place|must be replaced|will be destroyed)/,
      { anchors: ['aws_auth'] },
    ),
    roleRemoved: context(
      ['terraform', 'client-output', 'kubelet'],
      /^\s*-\s+(?:(?:- |\s{2})"?rolearn"?: |rolearn\s+= )"?(?<role>arn:[^"\s]+)/,
    ),
    nodeRemoved: context(
      ['terraform', 'client-output', 'kubelet'],
      /^\s*-\s+(?:(?:- |\s{2})(?:"?username"?: "?system:node:|- "?system:nodes"?|.*- system:nodes)|username\s+= "system:node:)/,
    ),
    roleAdded: context(
      ['terraform', 'client-output', 'kubelet'],
      /^\s*\+\s+(?:(?:- |\s{2})"?rolearn"?: |rolearn\s+= )"?(?<role>arn:[^"\s]+)/,
    ),
    toldUnmapped: likely(
      ['client-output', 'unknown'],
      /\broles?\b.{0,60}\b(?:nodes?|workers?)\b.{0,40}\b(?:is|are) not mapped\b|\bnode roles? (?:is|are) not (?:mapped|in (?:the )?aws-auth)\b/,
      { isTold: true },
    ),
    toldForgotten: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b[Nn]ode (?:IAM |instance |group )?[Rr]oles?\b.{0,20}\b(?:is|are|was|were)(?: not|n't) (?:added|present|listed|included|in|part of|mapped)\b.{0,30}\baws-auth\b|\baws-auth\b.{0,40}\b(?:missing|did(?: not|n't) (?:have|contain|include)|lack(?:s|ed|ing)?)\b.{0,30}\bnode (?:IAM |instance |group )?roles?\b|\b[Aa]dd(?:ed|ing) (?:the )?(?:worker )?node.{0,30}\brole\b.{0,10}\bto (?:the )?aws-auth\b.{0,60}\b(?:fix|solv|resolv|help|work|join)\w{0,4}/,
      { isTold: true, anchors: ['aws-auth'] },
    ),
    toldOverwritten: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b(?:[Oo]verwr\w{2,5}|[Rr]eplaced|[Ee]dited|[Rr]eset)\b.{0,40}\baws-auth\b.{0,80}\b(?:node|worker|role)\w{0,3}\b|\baws-auth\b.{0,40}\b(?:was|got|is|were) (?:overwritten|replaced|reset)\b.{0,80}\b(?:node|worker|role)\w{0,3}\b/,
      { isTold: true, anchors: ['aws-auth'] },
    ),
    toldArn: context(
      ['client-output', 'unknown', 'authenticator'],
      /\b(?:ARN|[Ii]dentity|[Rr]ole) (?:is|was) not mapped\b.{0,100}\b(?<told>\w{0,64}[Rr]ole\w{0,64})\b/,
      { isTold: true, anchors: [' not mapped'] },
    ),
    toldNodes: context(
      ['client-output', 'unknown'],
      /\b[Nn]odes?\b.{0,40}\b(?:go|goes|went|become|became|turn|turned|are|is) (?:to )?(?:Not ?Ready|unauthorized|Unauthorized)\b|\bkubelet\b.{0,60}\b(?:[Uu]nauthorized|authori[sz]ation failures)\b|\bnodes?\b.{0,30}\b(?:not|never|n't|fail\w* to|cannot|can't) join/,
      {
        isTold: true,
        isBackground: true,
        anchors: [
          'NotReady',
          'Not Ready',
          'nauthorized',
          'uthorization failures',
          'uthorisation failures',
          ' join',
        ],
      },
    ),
  },
  needs: [
    'kube/aws-auth',
    'aws/node-group',
    'aws/instance-profile',
    'aws/access-entry-list',
    'aws/cluster',
    'aws/instance',
    'kube/Node',
  ],
  symptoms: ['kubelet-unauthorized', 'boot-verdict'],
  summary: ({ role, planned, still, group, cluster }) => {
    if (group !== undefined)
      return sentence`The aws-auth ConfigMap that cluster ${cluster} will have does not map the node role ${role} of ${group}, so the API server will answer its kubelets with 401 Unauthorized.`;
    if (planned !== undefined)
      return `A Terraform plan takes ${role ?? 'the node role'} out of aws-auth; once applied, the API server answers the kubelets of that role with 401 Unauthorized.`;
    if (still !== undefined)
      return `aws-auth does not map ${role ?? 'the role'}, by which ${still} still run; within minutes the API server forgets its earlier answer and refuses their kubelets with 401 Unauthorized.`;
    return `aws-auth does not map ${role ?? 'any role to system:nodes'}, so the API server answers ${role === undefined ? 'every kubelet' : 'the kubelets of that role'} with 401 Unauthorized.`;
  },
  remedy: ({ role, planned, group, principal }) => {
    if (group !== undefined) return [step(awsAuthStep(principal))];
    return [
      step(
        'Map the role.',
        `eksctl create iamidentitymapping --cluster <cluster> --arn ${role ?? '<node-role-arn>'} --group system:bootstrappers,system:nodes --username 'system:node:{{EC2PrivateDNSName}}'`,
      ),
      planned === undefined
        ? step(
            'See which client wrote the ConfigMap last.',
            'kubectl -n kube-system get configmap aws-auth -o yaml --show-managed-fields',
          )
        : step(
            'Let Terraform keep the entries that node groups write, or move to access entries.',
            'terraform plan',
          ),
    ];
  },
  decide: step(
    'Compare the roles in aws-auth with the role of the node group.',
    'kubectl -n kube-system get configmap aws-auth -o yaml | grep rolearn; aws eks describe-nodegroup --cluster-name <cluster> --nodegroup-name <node-group> --query nodegroup.nodeRole',
  ),
  page: {
    why: 'Managed node groups and eksctl add their role to aws-auth when they are created. Whoever later applies the ConfigMap as a whole (Terraform, a pipeline, kubectl replace) takes entries out that are not in the file; the nodes keep running until their next token.',
    prevent: 'One owner for aws-auth, or access entries, which are separate objects.',
    notThis:
      'Without the ConfigMap it is aws-auth-missing. A role that is there in a form that never matches is role-path-in-aws-auth, instance-profile-arn-in-aws-auth or wrong-account-in-aws-auth. On a cluster in mode API the ConfigMap is not read: access-entry-missing.',
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
      'https://github.com/pulumi/pulumi-eks/issues/883',
    ],
  },
});

export default foreseen(
  matched(cause, (view) => matchConfigMap(view) ?? matchPlan(view) ?? matchTold(view)),
  foresee,
);

type Own = ViewOf<typeof cause>;

/** Nodes that are let in no more, and the refusal of a role, as somebody tells of both. */
function matchTold(view: Own): Match | null {
  const [arn, nodes] = [view.sign('toldArn'), view.sign('toldNodes')];
  if (view.isLive || arn === null || nodes === null) return null;
  return found({}, [arn.first, nodes.first], 'likely');
}

function matchConfigMap(view: Own): Match | null {
  const auth = view.read('kube/aws-auth');
  if (auth.state !== 'seen' || auth.value.malformed !== null) return null;
  if (isApiOnly(view)) return clear;
  const fleet = nodeRolesOf(view);
  if (fleet?.length === 0) return matchNobody(view, auth);
  if (fleet !== null) return matchFleet(view, auth, fleet);
  const known = nodeRoles(view);
  const missing = known.find((role) => !isMapped(role, auth.value) && !isAdmitted(role, view));
  const proof = quoteRoles(view, auth);
  const refused = view.sign('refused');
  // Since access entries exist, a role may be let in without being in the ConfigMap.
  const isKept = refused !== null || view.sign('denied') !== null || readsConfigMapOnly(view);
  if (missing !== undefined && isKept) return found({ role: missing }, [proof]);
  if (known.length > 0) return missing === undefined ? clear : null;
  if (refused === null || hasNodeEntry(auth.value)) return null;
  return found({}, [proof, refused.first], 'likely');
}

/** Roles that neither the ConfigMap nor an entry maps: first those whose machines are lost by it. */
function matchFleet(view: Own, auth: Seen<AwsAuth>, fleet: readonly NodeRole[]): Match {
  const unmapped = fleet.filter(({ arn }) => !isMapped(arn, auth.value) && !isAdmitted(arn, view));
  const lost = shutOutRoles(unmapped)[0];
  const role = lost ?? (isOfEks(view) ? unmapped.find(({ ready }) => ready.length > 0) : undefined);
  if (role === undefined) return clear;
  if (readsEntries(view) && view.read('aws/access-entry-list').state !== 'seen') return unlisted;
  return lost === undefined ? stillRunning(view, auth, role) : shutOut(view, auth, role);
}

function quoteRoles(view: Own, auth: Seen<AwsAuth>): Quote {
  const arns = auth.value.roles.map(({ arn }) => arn).join(', ');
  return view.quote(auth, `mapRoles: ${arns || 'empty'}`);
}

function shutOut(view: Own, auth: Seen<AwsAuth>, { arn, lost, profile }: NodeRole): Match {
  const machines = idsOf(lost);
  const ran = `machines ${machines.join(', ')} run with the role ${arn} and are not heard`;
  const proof = [quoteRoles(view, auth), view.quote(profile, ran)];
  return found({ role: withoutPath(arn) }, proof, 'definite', machines);
}

/**
 * Machines that are let in by an answer of before. They work yet, so that it is said of none of them,
 * and that something else lets them in cannot be ruled out.
 */
function stillRunning(view: Own, auth: Seen<AwsAuth>, { arn, ready, profile }: NodeRole): Match {
  const machines = idsOf(ready);
  const runs = `machines ${machines.join(', ')} run with the role ${arn}, and their Nodes are Ready`;
  const still = machines.length === 1 ? `machine ${machines[0]}` : `${machines.length} machines`;
  const proof = [quoteRoles(view, auth), view.quote(profile, runs)];
  return foundBefore(found({ role: withoutPath(arn), still }, proof, 'likely'), machines);
}

/** EC2 was not read, so that nobody knows the roles; a map without any node lets none of them in. */
function matchNobody(view: Own, auth: Seen<AwsAuth>): Match {
  const silent = fadingNodes(view);
  const [first] = silent;
  if (first === undefined || hasNodeEntry(auth.value)) return clear;
  if (!isConfigMapOnly(view)) return unlisted;
  const names = silent.map(({ value }) => value.name);
  return found(
    {},
    [quoteRoles(view, auth), view.quote(first, `fell silent: Node ${names.join(', ')}`)],
    'definite',
    names,
  );
}

const unlisted = cannotSay({
  reason: 'not-collected',
  detail: 'whether an access entry lets the node role in',
  collect: 'aws eks list-access-entries --cluster-name <cluster>',
});

function isOfEks(view: Own): boolean {
  return view.list('aws/cluster').length > 0;
}

function readsEntries(view: Own): boolean {
  const clusters = view.list('aws/cluster');
  if (clusters.length === 0) return true;
  return clusters.some(
    ({ value }) => value.accessConfig?.authenticationMode === 'API_AND_CONFIG_MAP',
  );
}

/** ARNs known to be a node's: of node groups, of instance profiles, and of denied callers named so. */
function nodeRoles(view: Own): readonly string[] {
  const groups = view.list('aws/node-group').map((group) => group.value.nodeRole ?? null);
  const profiles = view
    .list('aws/instance-profile')
    .flatMap((profile) => (profile.value.Roles ?? []).map((role) => role.Arn ?? null));
  const denied = (view.sign('denied')?.quotes ?? [])
    .map((quote) => quote.captures['role'] ?? '')
    .filter((role) => /node|worker|karpenter|instance/i.test(role));
  return [...groups, ...profiles, ...denied].filter(
    (role) => role !== null && role !== '',
  ) as readonly string[];
}

function nameOf(arn: string): string {
  return (arn.split('/').at(-1) ?? arn).toLowerCase();
}

function isMapped(role: string, auth: AwsAuth): boolean {
  return auth.roles.some((entry) => nameOf(entry.arn) === nameOf(role));
}

function isAdmitted(role: string, view: Own): boolean {
  const entries = view.read('aws/access-entry-list');
  return (
    entries.state === 'seen' &&
    JSON.stringify(entries.value)
      .toLowerCase()
      .includes(`/${nameOf(role)}"`)
  );
}

function isApiOnly(view: Own): boolean {
  return view
    .list('aws/cluster')
    .some((cluster) => cluster.value.accessConfig?.authenticationMode === 'API');
}

/** True when the mode or the list of entries shows that no access entry lets the role in. */
function readsConfigMapOnly(view: Own): boolean {
  const modes = view
    .list('aws/cluster')
    .map((cluster) => cluster.value.accessConfig?.authenticationMode ?? null);
  return modes.includes('CONFIG_MAP') || view.read('aws/access-entry-list').state === 'seen';
}

function hasNodeEntry(auth: AwsAuth): boolean {
  return auth.roles.some(
    (entry) =>
      entry.groups.includes('system:nodes') || entry.username?.startsWith('system:node:') === true,
  );
}

/** A plan that removes a node's mapping and does not write the same role again. */
function matchPlan(view: Own): Match | null {
  const planned = view.sign('planned');
  const removed = view.sign('roleRemoved');
  const added = view.sign('roleAdded');
  if (planned === null || removed === null || view.sign('nodeRemoved') === null) return null;
  const kept = (added?.quotes ?? []).map((quote) => quote.captures['role']);
  const gone = removed.quotes.find((quote) => !kept.includes(quote.captures['role']));
  const isCut = [removed, added].some((seen) => seen !== null && seen.count > seen.quotes.length);
  if (gone === undefined && !isCut && view.sign('refused') === null) return clear;
  if (gone === undefined || (added !== null && added.count > added.quotes.length)) return null;
  return found(
    { role: gone.captures['role'] ?? '', planned: 'true' },
    [planned.first, gone],
    'likely',
  );
}

/** The map of the plan, or the one that EKS writes for managed groups, lacks the role. */
function foresee(plan: PlanView, group: PlannedGroup): Match {
  const admission = admissionOf(plan, group);
  if (admission.kind === 'unknown') return cannotSay(admission.why);
  if (admission.kind !== 'not-in-map') return clear;
  const { map, cluster } = admission;
  const { planned: name = '', ...details } = plannedDetails(group);
  const arns = map?.value.roles.map(({ arn }) => arn).join(', ') ?? '';
  const lacking =
    map === null
      ? plan.quote(cluster, 'aws-auth has the roles of managed node groups alone')
      : plan.quote(map, `mapRoles: ${arns === '' ? 'empty' : arns}`);
  const runs = plan.quote(group.fact, `${group.name} runs with the role ${group.role?.name ?? ''}`);
  return found({ ...details, group: name }, [lacking, runs], 'likely');
}
