import {
  cannotSay,
  clear,
  defineCause,
  type Details,
  found,
  foundInShown,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { foreseen, plannedDetails } from '../../../diagnosis/foresight.ts';
import type { PlanView } from '../../../diagnosis/plan-view.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { context, likely } from '../../../diagnosis/sign.ts';
import { admissionOf } from '../../../domain/planned/admission.ts';
import type { PlannedGroup } from '../../../domain/planned/groups.ts';
import { accessEntryStep } from '../../../domain/planned/remedies.ts';
import { idsOf, lostRoles, type NodeRole, nodeRolesOf } from '../../../domain/nodes/fleet.ts';
import type { Quote } from '../../../evidence/sighting.ts';

/** On a cluster in mode API only access entries count, and the node role has none. */
const cause = defineCause({
  id: 'access-entry-missing',
  stage: 'authenticated',
  title: 'the cluster reads access entries only, and the node role has none',
  scope: 'group',
  signs: {
    toldCured: likely(
      ['client-output', 'unknown'],
      /\b(?:had to|needed to|have to|forgot to|have forgotten to|did not|didn't) (?:manually )?(?:create|add) (?:the|an) (?:EKS )?access entry (?:for|of) (?:the |our |my )?(?:\w+ ){0,2}?(?:node|worker|instance)\b|\b(?:once|after|when|as soon as) (?:I|we) (?:manually |then )?(?:create|add|created|added|creating|adding)d? (?:the|an) (?:EKS )?access entry\b.{0,60}\b(?:joins?|joined|come in|came in|register|works?|worked)\b|\b(?:workaround|work-around|fix|solution|remedy|what (?:helps|helped|works|worked|fixed it))\b[^.]{0,60}[\s:`](?:aws_eks_access_entry|access[ _]entry)\b[^.]{0,80}\b(?:node|worker|instance|EC2|EC2_LINUX|EC2_WINDOWS|HYBRID_LINUX)(?:\b|_)/i,
      { isTold: true, anchors: ['access entry', 'access_entry'] },
    ),
    listedEntry: context(
      ['client-output', 'unknown', 'aws-message'],
      /^(?:ACCESSENTRIES\s{1,8}|\s{0,12}["-] ?"?)(?<entry>arn:aws[\w-]{0,12}:iam::[\dxX*]{12}:(?:role|user)\/[\w+=,.@/-]{1,128})/,
      { anchors: [':role/', ':user/'], isBackground: true },
    ),
    mappedRole: context(
      ['client-output', 'unknown', 'object'],
      /^\s{0,8}(?:- )?rolearn: ?["']?(?<role>arn:aws[\w-]{0,12}:iam::[\dxX*]{12}:role\/[\w+=,.@/-]{1,128})/,
      { anchors: ['rolearn:'], isBackground: true },
    ),
    mappedAsNode: context(
      ['client-output', 'unknown', 'object'],
      /^\s{0,8}(?:- )?username: ?["']?system:node:\{\{/,
      { anchors: ['system:node:{{'], isBackground: true },
    ),
    entryNotFound: context(
      ['client-output', 'aws-message', 'terraform'],
      /when calling the DescribeAccessEntry operation: The specified principalArn could not be found/,
    ),
    toldMissing: likely(
      ['client-output', 'unknown'],
      /\b(?:no|neither an?|without an?|(?:not?|never) (?:have|has|had|contains?|creates?|created) an?|n't (?:have|create) an?|lacks? an?|missing(?: an?)?|nor (?:adds?|creates?|makes?|has|have) an?) (?:EKS )?(?:aws_eks_access_entry|[Aa]ccess [Ee]ntry)(?: of type \w{1,20}| for (?:(?:the|its|their|this|our|my) )?(?:\w{1,20} ){0,2}?(?:node|worker|role|IAM|instance)\w{0,10}| for it\b| exists\b)/,
      { isTold: true, anchors: ['aws_eks_access_entry', 'access entry', 'Access Entry'] },
    ),
  },
  needs: [
    'aws/cluster',
    'aws/access-entry-list',
    'aws/access-entry',
    'aws/node-group',
    'aws/instance-profile',
    'aws/instance',
    'kube/Node',
  ],
  symptoms: ['kubelet-unauthorized', 'boot-verdict'],
  withdrawnBy: [],
  explains: ['aws-auth-missing', 'node-role-not-in-aws-auth'],
  summary: ({ role, cluster, planned }) =>
    planned !== undefined
      ? sentence`The cluster ${cluster} will read access entries only, and this plan makes none for the node role ${role} of ${planned}; the API server will answer its kubelets with 401 Unauthorized.`
      : sentence`The cluster ${cluster} is in authentication mode API, where aws-auth is not read, and ${role ?? 'the node role'} has no access entry; its kubelets get 401 Unauthorized.`,
  remedy: ({ role, cluster, planned, principal }) => [
    planned !== undefined
      ? step(accessEntryStep(principal))
      : step(
          'Give the node role an access entry (EC2_WINDOWS for Windows, HYBRID_LINUX for hybrid nodes).',
          `aws eks create-access-entry --cluster-name ${cluster ?? '<cluster>'} --principal-arn ${role ?? '<node-role-arn>'} --type EC2_LINUX`,
        ),
  ],
  decide: step(
    'See the authentication mode and which roles have an entry.',
    'aws eks describe-cluster --name <cluster> --query cluster.accessConfig; aws eks list-access-entries --cluster-name <cluster>',
  ),
  page: {
    why: 'When a cluster is switched to mode API, only managed node groups and Fargate profiles get their entries by themselves. Roles of self-managed and Karpenter nodes that lived in aws-auth are left outside, though the ConfigMap looks perfect.',
    prevent: 'Create the entries in mode API_AND_CONFIG_MAP first, then switch.',
    notThis:
      'With an entry of the wrong type it is wrong-access-entry-type; in the modes that read aws-auth, node-role-not-in-aws-auth or aws-auth-missing.',
    refs: [
      'https://github.com/aws/containers-roadmap/issues/185',
      'https://docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html',
    ],
  },
});

export default foreseen(matched(cause, matchEntries), foresee);

type Own = ViewOf<typeof cause>;

/** aws-auth maps the only node role that is shown, and the entries, which alone count, do not have it. */
function matchMapped(view: Own): Match | null {
  const seen = (name: 'listedEntry' | 'mappedRole' | 'mappedAsNode') =>
    view.sign(name) ?? view.clusterSign(name);
  const [listed, mapped] = [seen('listedEntry'), seen('mappedRole')];
  if (view.isLive || seen('mappedAsNode') === null) return null;
  if (listed === null || mapped === null || mapped.count > 1) return null;
  const role = mapped.last.captures['role'] ?? '';
  // Of a long list not every row is kept.
  const isKept = listed.quotes.length === listed.count;
  if (!isKept || listed.quotes.some(({ captures }) => captures['entry'] === role)) return null;
  return foundInShown(found({ role }, [mapped.last, listed.first], 'likely'));
}

function matchEntries(view: Own): Match | null {
  const clusters = view.list('aws/cluster');
  const cluster = clusters.find((fact) => fact.value.accessConfig?.authenticationMode === 'API');
  if (cluster === undefined) return clusters.length === 0 ? null : clear;
  const name = cluster.value.name ?? null;
  const details = name === null ? {} : { cluster: name };
  const mode = view.quote(cluster, `cluster ${name ?? ''} accessConfig.authenticationMode API`);
  const entries = view.read('aws/access-entry-list');
  const listed = entries.state === 'seen' ? entries.value : null;
  const onlyMapped = listed === null ? matchMapped(view) : null;
  if (onlyMapped !== null) return onlyMapped;
  const fleet = nodeRolesOf(view);
  if (fleet !== null)
    return listed === null ? unlisted : matchLost(view, lostRoles(fleet), listed, details, mode);
  const missing = nodeRoles(view).find((role) => listed?.includes(role) === false);
  if (missing !== undefined) return found({ ...details, role: missing }, [mode]);
  const notFound = view.sign('entryNotFound');
  if (notFound !== null) return found(details, [mode, notFound.first]);
  const hasNodeLike =
    listed?.some((arn) => arn.includes(':role/') && /node|worker|karpenter|instance/i.test(arn)) !==
    false;
  return hasNodeLike || nodeRoles(view).length > 0 ? clear : found(details, [mode], 'likely');
}

const unlisted = cannotSay({
  reason: 'not-collected',
  detail: 'which roles have an access entry',
  collect: 'aws eks list-access-entries --cluster-name <cluster>',
});

/** Machines of a role without an entry, of which none has joined. */
function matchLost(
  view: Own,
  lost: readonly NodeRole[],
  listed: readonly string[],
  details: Details,
  mode: Quote,
): Match {
  const role = lost.find(({ arn }) => !listed.includes(arn));
  if (role === undefined) return clear;
  const entries = view.list('aws/access-entry-list').map((fact) => {
    return view.quote(fact, `access entries: ${listed.join(', ') || 'none'}`);
  });
  const machines = idsOf(role.lost);
  const ran = `machines ${machines.join(', ')} run with the role ${role.arn} and have no Node`;
  const proof = [mode, view.quote(role.profile, ran), ...entries.slice(0, 1)];
  return found({ ...details, role: role.arn }, proof, 'definite', machines);
}

function nodeRoles(view: Own): readonly string[] {
  const groups = view.list('aws/node-group').map((group) => group.value.nodeRole ?? null);
  const profiles = view
    .list('aws/instance-profile')
    .flatMap((profile) => (profile.value.Roles ?? []).map((role) => role.Arn ?? null));
  return [...groups, ...profiles].filter((role) => role !== null);
}

/** A plan that makes a cluster in mode API, and no entry for the role. */
function foresee(plan: PlanView, group: PlannedGroup): Match {
  const admission = admissionOf(plan, group);
  if (admission.kind === 'unknown') return cannotSay(admission.why);
  if (admission.kind !== 'no-entry') return clear;
  const { cluster } = admission;
  return found(
    plannedDetails(group),
    [
      plan.quote(group.fact, `${group.name} runs with the role ${group.role?.name ?? ''}`),
      plan.quote(cluster, `cluster ${cluster.value.name ?? ''} authentication_mode API`),
    ],
    'likely',
  );
}
