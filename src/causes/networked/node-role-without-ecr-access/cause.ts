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
import { sentence } from '../../../diagnosis/sentence.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';
import { placeOf, podWords } from '../../../domain/pods/pods-seen.ts';
import { ecrImageWaiting } from '../../../domain/pods/pulls.ts';
import type { PlannedGroup } from '../../../domain/planned/groups.ts';
import { policyStep } from '../../../domain/planned/remedies.ts';
import { plannedRight } from '../../../domain/planned/rights.ts';
import { RIGHTS_KINDS, rightOf, type WantedRight } from '../../../domain/instances/role-rights.ts';
import type { Quote } from '../../../evidence/sighting.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';

/** The node role may not ask ECR for a registry token, so every ECR image is pulled anonymously. */
const cause = defineCause({
  id: 'node-role-without-ecr-access',
  stage: 'networked',
  title: 'the node role may not read ECR',
  scope: 'group',
  signs: {
    tokenRefused: definite(
      ['kubelet', 'containerd', 'event', 'journal', 'pod-status', 'cloud-init'],
      // A controller that writes JSON asks for tokens with a role of its own.
      /^(?!.{0,600}"logger":").*?(?:assumed-role\/(?<role>[\w+=,.@-]+)\/\S* )?is not authorized to perform: ecr:GetAuthorizationToken/,
    ),
    pullRefused: definite(
      ['kubelet', 'containerd', 'event', 'pod-status'],
      /assumed-role\/(?<role>[\w+=,.@-]+)\/i-\S* is not authorized to perform: ecr:(?:BatchGetImage|GetDownloadUrlForLayer|BatchCheckLayerAvailability).*(?:no identity-based policy allows|with an explicit deny in an identity-based policy)/,
    ),
    anonymous: context(
      ['kubelet', 'containerd', 'event', 'pod-status'],
      /dkr\.ecr\.[a-z0-9-]+\.amazonaws\.com.*no basic auth credentials/,
    ),
    toldUnattached: likely(
      ['client-output', 'unknown', 'terraform'],
      /\bAmazonEC2ContainerRegistry(?:ReadOnly|PullOnly)\b.{0,40}\b(?:was|is|were)(?: not|n't) (?:attached|added|there|in)\b|\b(?:missing|[Ww]ithout(?: the)?|[Ff]orgot(?: to (?:attach|add))?(?: the)?|lack(?:s|ed|ing)?(?: the)?|(?:did|do|does)(?: not|n't) have(?: the)?)\s`?(?:\w+ ){0,2}`?AmazonEC2ContainerRegistry(?:ReadOnly|PullOnly)\b|\b[Aa]ttach(?:ed|ing)\b.{0,30}\bAmazonEC2ContainerRegistry(?:ReadOnly|PullOnly)\b.{0,60}\b(?:fix|solv|resolv|help|work|join)\w{0,4}/,
      { isTold: true, anchors: ['AmazonEC2ContainerRegistry'] },
    ),
  },
  needs: [
    'kube/Node',
    'kube/Pod',
    'aws/instance',
    'aws/instance-profile',
    'aws/registry-authorization',
    ...RIGHTS_KINDS,
  ],
  symptoms: ['image-not-pulled'],
  withdrawnBy: [],
  explains: [
    'pause-image-pull-failed',
    'no-ecr-pull-credentials',
    'cni-image-pull-failed',
    'cni-configuration-missing',
    'ecr-api-endpoint-missing',
  ],
  summary: ({ role, planned }) =>
    planned !== undefined
      ? sentence`The node role ${role} of ${planned} will have no policy that lets it read ECR, so its machines will get no registry token and will pull neither pause nor CNI nor kube-proxy images.`
      : sentence`The node role ${role} may not read ECR, so its nodes get no registry token and pull neither pause nor CNI nor kube-proxy images.`,
  remedy: ({ role, planned, address }) => [
    planned !== undefined
      ? step(policyStep('AmazonEC2ContainerRegistryPullOnly', address))
      : step(
          'Let the role pull from ECR.',
          `aws iam attach-role-policy --role-name ${role ?? '<node-role>'} --policy-arn arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryPullOnly`,
        ),
    ...(planned !== undefined
      ? []
      : [
          step(
            'Replace the node, or restart its services.',
            'sudo systemctl restart containerd kubelet',
          ),
        ]),
  ],
  decide: step(
    'See whether the node role has an ECR policy.',
    'aws iam list-attached-role-policies --role-name <node-role>',
  ),
  page: {
    why: 'The kubelet (or the machine image’s own script for the pause image) asks ECR for a registry token with the instance’s role. Without the permission it continues without a token and the registry answers 401.',
    prevent:
      'Create node roles with the three policies: worker node, CNI (unless it has its own role) and registry pull.',
    notThis:
      '“no basic auth credentials” alone does not say why: a subnet without the ecr.api endpoint looks the same (ecr-api-endpoint-missing), and so does a collected pause image on an older machine (pause-image-garbage-collected). A repository of another account that refuses this role is a matter of its repository policy.',
    alsoKnownAs: [
      'no basic auth credentials pause image',
      'is not authorized to perform: ecr:GetAuthorizationToken',
    ],
    refs: [
      'https://github.com/aws/amazon-vpc-cni-k8s/issues/529',
      'https://docs.aws.amazon.com/eks/latest/userguide/create-node-role.html',
    ],
  },
});

export default foreseen(matched(cause, matchPolicies), foresee);

type Own = ViewOf<typeof cause>;

/** What the kubelet asks ECR with before it pulls. */
const TOKEN: WantedRight = {
  action: 'ecr:GetAuthorizationToken',
  given: /ContainerRegistry/,
  without:
    /^(?:AmazonEKSWorkerNode\w*Policy|AmazonEKS_CNI_Policy|AmazonSSMManagedInstanceCore|CloudWatchAgentServerPolicy|AmazonEBSCSIDriverPolicy)$/,
};
const REFUSED = /no basic auth credentials|401 Unauthorized|403 Forbidden|not authorized/;

/** A container that waits for an ECR image which the registry refused, in the kubelet's words. */
function refusalOf({ value }: Seen<Pod>): string | null {
  const waiting = ecrImageWaiting(value);
  return waiting === null ? null : `${waiting.image}: ${waiting.message}`;
}

function roleOn(view: Own, nodeName: string): string | null {
  const node = view.list('kube/Node').find(({ value }) => value.name === nodeName);
  const id = node?.value.providerId?.split('/').at(-1);
  const instance = view
    .list('aws/instance')
    .find(({ value }) => id !== undefined && value.InstanceId === id);
  const arn = instance?.value.IamInstanceProfile?.Arn ?? null;
  const profile = view
    .list('aws/instance-profile')
    .find(({ value }) => arn !== null && value.Arn === arn);
  return (profile?.value.Roles ?? [])[0]?.RoleName ?? null;
}

/** The registry refuses a pull, and no policy of the node role lets it read ECR. */
function matchPolicies(view: Own): Match | null {
  if (view.sign('tokenRefused') !== null || view.sign('pullRefused') !== null) return null;
  const refused = view.list('kube/Pod').filter((pod) => refusalOf(pod) !== null);
  const anonymous = view.sign('anonymous') ?? view.clusterSign('anonymous');
  const pod = refused.find((one) => anonymous !== null || REFUSED.test(refusalOf(one) ?? ''));
  const role = pod === undefined ? null : roleOn(view, placeOf(pod) ?? '');
  const held = role === null ? null : rightOf(view, role, TOKEN);
  if (pod === undefined || role === null || held === null) return null;
  if (held.right === 'given') return clear;
  if (held.right === 'unknown') return cannotSay(held.why);
  const machines = refused.map(placeOf).filter((place) => place !== null);
  const proof = [
    view.quote(held.attached, `role ${role} has the policies ${held.names}`),
    view.quote(pod, `${podWords(pod)} ${refusalOf(pod) ?? ''}`),
    ...answersOf(view),
  ];
  return found({ role }, proof, 'likely', machines);
}

/** ECR gives somebody else a token, so that the registry is there and the role is what it refuses. */
function answersOf(view: Own): readonly Quote[] {
  return view.list('aws/registry-authorization').map((granted) => {
    const registry = granted.value.proxyEndpoint ?? '';
    return view.quote(granted, `ECR gave the identity that asked a token for ${registry}`);
  });
}

/** A plan that makes the role without a policy for ECR; another stack may attach one. */
function foresee(plan: PlanView, group: PlannedGroup): Match {
  const right = plannedRight(plan, group, TOKEN);
  if (right.kind === 'unknown') return cannotSay(right.why);
  if (right.kind === 'given') return clear;
  const name = group.role?.name ?? '';
  return found(
    plannedDetails(group),
    [plan.quote(group.fact, `role ${name} has the policies ${right.held.names}`)],
    'likely',
  );
}
