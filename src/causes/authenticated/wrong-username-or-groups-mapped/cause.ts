import {
  clear,
  defineCause,
  type Details,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { isSessionName, OF_EKS, REFUSED_NAMES } from '../../../diagnosis/name-signs.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, definite } from '../../../diagnosis/sign.ts';
import { clearUnlessSeen } from '../../../diagnosis/clear-unless-seen.ts';
import { idsOf, lostRoles, nodeRolesOf, withoutPath } from '../../../domain/nodes/fleet.ts';
import type { AwsAuth, AwsAuthEntry } from '../../../evidence/kinds.ts';
import { foreseenByMatch } from '../../../diagnosis/foresight.ts';
import { isByMap } from '../../../domain/planned/admission.ts';
import { awsAuthStep } from '../../../domain/planned/remedies.ts';

/** The node role is mapped, but to a user or to groups that are not a node's. */
const cause = defineCause({
  id: 'wrong-username-or-groups-mapped',
  stage: 'authenticated',
  title: 'the node role is mapped to a user name or groups that are not a node’s',
  scope: 'group',
  signs: {
    // What kubectl and programs of people are refused, on a machine of EC2 too, tells of no node.
    otherUser: context(
      ['kubelet', 'nodeadm'],
      /^(?!.{0,80}(?:Error from server \(Forbidden\)|Error: )).*\b(?<resource>nodes|leases|csinodes|csidrivers|services|pods|runtimeclasses)(?:\.[\w.]{1,40})?(?: \S{1,256})? is forbidden: User "(?<user>(?!system:)[^"]+)" cannot (?:create|list|get|watch) (?:resource "?)?\w+/,
      { anchors: ['is forbidden: User'] },
    ),
    // What only a kubelet does, in the words of its own source files.
    asKubelet: context(
      ['kubelet', 'nodeadm'],
      /\b(?:kubelet(?:_node_status)?|reflector|nodelease|csi_plugin|controller)(?:\.go:\d|\[\d)|Unable to register node with API server|[Ff]ailed to (?:ensure lease exists|ensure node lease)/,
      {
        isBackground: true,
        anchors: [
          'kubelet',
          'reflector',
          'nodelease',
          'csi_plugin',
          'controller.go',
          'Unable to register node',
          'ailed to ensure ',
        ],
      },
    ),
    outsideGroup: context(
      ['kubelet'],
      /nodes is forbidden: User "(?<user>system:node:[^"]+)" cannot create resource "nodes" in API group "" at the cluster scope(?!:)/,
    ),
    ...REFUSED_NAMES,
    ...OF_EKS,
    hybridGroup: definite(
      ['nodeadm', 'journal'],
      /node identity (?<user>\S+) for principal (?<role>\S+) (?:does not belong to the group 'system:nodes'|does not match a node identity)/,
    ),
    // A node asks for its serving certificate under the ARN where the mapping gives it no name.
    requestedByRole: context(
      ['client-output', 'unknown'],
      /Requesting User:\s{1,20}(?<user>arn:aws[\w-]*:(?:iam|sts)::\d{12}:(?:role|assumed-role)\/[\w+=,.@/-]+)/,
    ),
    forNode: context(['client-output', 'unknown'], /Common Name:\s{1,20}system:node:/),
    requestListed: definite(
      ['client-output', 'unknown'],
      /\bkubernetes\.io\/kubelet-serving\s{1,20}(?<user>arn:aws[\w-]*:(?:iam|sts)::\d{12}:(?:role|assumed-role)\/[\w+=,.@/-]+)/,
    ),
    prefixRefused: context(['authenticator'], /username must not begin with/),
  },
  needs: [
    'kube/aws-auth',
    'aws/instance',
    'aws/instance-profile',
    'kube/Node',
    'aws/cluster',
    'kube/CertificateSigningRequest',
  ],
  symptoms: ['node-forbidden'],
  summary: ({ role, user, groups, node }) =>
    node !== undefined
      ? `The IAM mapping names the kubelet ${user ?? 'after its session'}, by {{SessionName}} where {{EC2PrivateDNSName}} belongs, and it registers as ${node}; the API server lets no node touch the Node of another name.`
      : role !== undefined
        ? sentence`${role} is mapped to the user ${user ?? '(none)'}${phrase` and the groups ${groups}`}, which is not a node; the API server lets the kubelet in and forbids it everything.`
        : `The API server knows the kubelet as ${user ?? 'a user that is not a node'} outside the rights of a node; the IAM mapping gives it a wrong user name or not the group system:nodes.`,
  remedy: ({ role, user }) => [
    step(
      'Map the role as a node ({{SessionName}} instead of {{EC2PrivateDNSName}} for hybrid nodes; add eks:kube-proxy-windows for Windows).',
      `eksctl create iamidentitymapping --cluster <cluster> --arn ${role ?? '<node-role-arn>'} --group system:bootstrappers,system:nodes --username 'system:node:{{EC2PrivateDNSName}}'`,
    ),
    step(
      'Or replace the mapping by an access entry, which brings both by itself.',
      `aws eks create-access-entry --cluster-name <cluster> --principal-arn ${role ?? '<node-role-arn>'} --type ${user?.startsWith('mi-') === true ? 'HYBRID_LINUX' : 'EC2_LINUX'}`,
    ),
  ],
  decide: step(
    'Read user name and groups of the node role’s mapping.',
    'kubectl -n kube-system get configmap aws-auth -o yaml',
  ),
  page: {
    why: 'The Node authorizer answers only to users named system:node:<name> in the group system:nodes. Any other user is a stranger without rights, even if the credential is good.',
    prevent: 'Use access entries of type EC2_LINUX, EC2_WINDOWS or HYBRID_LINUX.',
    notThis:
      '401 Unauthorized means that no mapping was found. A user system:node:<other name> that is “not allowed to modify node” is one of the name causes (foreign-dhcp-domain-name, node-name-differs-from-certificate, resource-based-name-mismatch), unless that other name is the bare instance id on EKS, which a mapping with {{SessionName}} gives. With certificates instead of IAM it is kubelet-user-not-a-node.',
    refs: [
      'https://github.com/aws/eks-hybrid/blob/HEAD/internal/kubernetes/validate.go',
      'https://github.com/aws/karpenter-provider-aws/issues/6973',
      'https://github.com/aws/karpenter-provider-aws/issues/7508',
    ],
  },
});

const judged = matched(
  cause,
  (view) =>
    matchLost(view) ??
    matchEntry(view) ??
    matchRequest(view) ??
    matchUser(view) ??
    matchSessionName(view) ??
    matchWhole(view),
);

type Own = ViewOf<typeof cause>;

/** The only user name by which a node of EC2 is known as itself. */
const NODE_USER = 'system:node:{{EC2PrivateDNSName}}';

/** The entry that counts for a role of which no machine joined: of several, the last one. */
function matchLost(view: Own): Match | null {
  const auth = view.read('kube/aws-auth');
  const fleet = nodeRolesOf(view);
  if (auth.state !== 'seen' || fleet === null || isApiOnly(view)) return null;
  for (const role of lostRoles(fleet)) {
    const arn = withoutPath(role.arn).toLowerCase();
    const entry = auth.value.roles.findLast((one) => one.arn.toLowerCase() === arn);
    if (entry === undefined || isNode(entry)) continue;
    const machines = idsOf(role.lost);
    const ran = `machines ${machines.join(', ')} run with the role ${role.arn} and have no Node`;
    return found(
      detailsOf(entry),
      [view.quote(auth, textOf(entry)), view.quote(role.profile, ran)],
      'definite',
      machines,
    );
  }
  const signs = (['otherUser', 'outsideGroup', 'hybridGroup'] as const).map((name) =>
    view.sign(name),
  );
  return signs.every((sign) => sign === null) ? clear : null;
}

function isApiOnly(view: Own): boolean {
  return view
    .list('aws/cluster')
    .some(({ value }) => value.accessConfig?.authenticationMode === 'API');
}

function isNode(entry: AwsAuthEntry): boolean {
  return entry.username === NODE_USER && entry.groups.includes('system:nodes');
}

function detailsOf({ arn, username, groups }: AwsAuthEntry): Details {
  return { role: arn, user: username ?? '(none)', groups: groups.join(',') || '(none)' };
}

function textOf({ arn, username, groups }: AwsAuthEntry): string {
  return `rolearn: ${arn} username: ${username ?? 'none'} groups: ${groups.join(',') || 'none'}`;
}

function matchEntry(view: Own): Match | null {
  const auth = view.read('kube/aws-auth');
  const wrong = auth.state === 'seen' ? halfNode(auth.value) : undefined;
  if (auth.state !== 'seen' || wrong === undefined) return null;
  return found(detailsOf(wrong), [view.quote(auth, textOf(wrong))]);
}

/** An entry that is a node's by one half only; another, whole entry of the same role makes it good. */
function halfNode(auth: AwsAuth): AwsAuthEntry | undefined {
  const candidates = auth.roles.filter((entry) => !entry.groups.includes('system:masters'));
  const whole = auth.roles.filter(
    (entry) => isNodeUser(entry) && entry.groups.includes('system:nodes'),
  );
  return candidates.find(
    (entry) =>
      isNodeUser(entry) !== entry.groups.includes('system:nodes') &&
      !whole.some((good) => good.arn === entry.arn),
  );
}

function isNodeUser(entry: AwsAuthEntry): boolean {
  return entry.username?.startsWith('system:node:') === true;
}

/** A node asks for its own certificate under the ARN of its role. */
function matchRequest(view: Own): Match | null {
  const described = view.sign('requestedByRole');
  const node = view.sign('forNode');
  if (described !== null && node !== null)
    return found(described.first.captures, [described.first, node.first]);
  const request = view
    .list('kube/CertificateSigningRequest')
    .find(
      ({ value }) =>
        value.spec?.signerName === 'kubernetes.io/kubelet-serving' &&
        value.spec.username?.startsWith('arn:aws') === true,
    );
  if (request === undefined) return null;
  const user = request.value.spec?.username ?? '';
  const words = `CertificateSigningRequest ${request.value.name} for kubernetes.io/kubelet-serving, username ${user}`;
  return found({ user }, [view.quote(request, words)]);
}

/** A user that only an IAM mapping makes: an ARN or session, or any on an EKS machine. */
function matchUser(view: Own): Match | null {
  const outside = view.sign('outsideGroup');
  const isEks = view.sign('onEks') !== null;
  if (outside !== null && isEks)
    return found({ user: outside.first.captures['user'] ?? '' }, [outside.first]);
  const other = view.sign('otherUser');
  const user = other?.first.captures['user'] ?? '';
  if (other === null || view.sign('asKubelet') === null) return null;
  if (!(isEks || user.startsWith('arn:aws') || /\bi-[0-9a-f]{8,17}$/.test(user))) return null;
  return found({ user }, [other.first]);
}

/** The mapping takes the name of the session, which is the instance id, for the Node's. */
function matchSessionName(view: Own): Match | null {
  const refused = view.sign('refusedName') ?? view.sign('refusedObject');
  const { credential = '', node = '' } = refused?.first.captures ?? {};
  if (refused === null || !isSessionName(credential, node)) return null;
  const isEks =
    view.sign('onEks') ?? view.clusterSign('onEks') ?? view.clusterSign('onBottlerocket');
  if (isEks === null) return null;
  return found({ user: `system:node:${credential}`, node }, [refused.first]);
}

/** Every entry of a node is whole, and no machine is known by another name. */
function matchWhole(view: Own): Match | null {
  const auth = view.read('kube/aws-auth');
  if (auth.state !== 'seen' || auth.value.malformed !== null) return null;
  const hasNodes = auth.value.roles.some(
    (entry) => isNodeUser(entry) && entry.groups.includes('system:nodes'),
  );
  if (!hasNodes || view.shows('node-forbidden')) return null;
  return clearUnlessSeen(view, ['otherUser', 'outsideGroup', 'hybridGroup']);
}

export default foreseenByMatch(judged, isByMap, {
  remedy: ({ role }) => [step(awsAuthStep(role))],
});
