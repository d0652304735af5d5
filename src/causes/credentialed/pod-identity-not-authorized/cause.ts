import {
  clear,
  cannotSay,
  defineCause,
  found,
  type Match,
  type View,
} from '../../../diagnosis/cause.ts';
import type { Seen } from '../../../evidence/fact.ts';
import { type Json, textAt } from '../../../evidence/json.ts';
import type { KubeObject } from '../../../evidence/kinds.ts';
import {
  complaintOf,
  environmentOf,
  isCrashing,
  isOnNode,
  podName,
  serviceAccountOf,
} from '../../../evidence/pods.ts';

/** EKS Auth answered the agent and refused: no association, no permission or no trust. */
export default defineCause({
  id: 'pod-identity-not-authorized',
  stage: 'credentialed',
  title: 'EKS Auth refuses Pod Identity credentials',
  scope: 'machine',
  signs: {
    refusedToAgent: {
      in: ['pod-identity-agent'],
      anchors: ['Error fetching credentials', 'AssumeRoleForPodIdentity'],
      pattern:
        /(?:Error fetching credentials|AssumeRoleForPodIdentity)\b.*(?<reason>AccessDeniedException|ResourceNotFoundException|InvalidTokenException|ExpiredTokenException)/,
      weight: 'definite',
    },
    nodeRoleRefused: {
      in: ['pod-app', 'client-output', 'csi-driver', 'event', 'journal', 'pod-identity-agent'],
      anchors: ['eks-auth:AssumeRoleForPodIdentity'],
      pattern:
        /assumed-role\/(?<role>[\w+=,.@-]+)\/\S+ is not authorized to perform: eks-auth:AssumeRoleForPodIdentity/,
      weight: 'definite',
    },
    trustMissing: {
      in: ['pod-app', 'client-output', 'csi-driver', 'event', 'journal', 'pod-identity-agent'],
      anchors: ['EKS does not have permissions to assume the associated role'],
      pattern: /EKS does not have permissions to assume the associated role/,
      weight: 'definite',
    },
    associationMissing: {
      in: ['pod-app', 'client-output', 'csi-driver', 'event', 'journal', 'pod-identity-agent'],
      anchors: ['No Pod Identity Association', 'no pod identity association'],
      pattern: /ResourceNotFoundException.*[Nn]o [Pp]od [Ii]dentity [Aa]ssociation/,
      weight: 'definite',
    },
  },
  needs: ['kube/Pod', 'aws/pod-identity-association'],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['pod-identity-agent-down'],
  match: (view) => matchAssociation(view),
  summary: ({ role, reason, pod, account, elsewhere }) =>
    pod !== undefined
      ? `No Pod Identity association is for the service account ${account ?? ''} of the pod ${pod}${elsewhere === undefined ? '' : ` (one is for ${elsewhere})`}, so EKS Auth gives it no credentials.`
      : role === undefined
        ? `EKS Auth refuses Pod Identity credentials${reason === undefined ? '' : ` with ${reason}`}, so the pods of that service account have no AWS credentials.`
        : `The node role ${role} may not call eks-auth:AssumeRoleForPodIdentity, so no pod on its nodes gets Pod Identity credentials.`,
  remedy: ({ role, account, cluster }) => [
    {
      text: 'Let the node role ask EKS Auth: AmazonEKSWorkerNodePolicy has the permission.',
      command: `aws iam attach-role-policy --role-name ${role ?? '<node-role>'} --policy-arn arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy`,
    },
    {
      text: 'Let pods.eks.amazonaws.com assume the pod’s role with sts:AssumeRole and sts:TagSession.',
      command: 'aws iam get-role --role-name <pod-role> --query Role.AssumeRolePolicyDocument',
    },
    {
      text: 'Associate the service account with its role, then start the pods again.',
      command: `aws eks create-pod-identity-association --cluster-name ${cluster ?? '<cluster>'} --namespace ${account?.split('/')[0] ?? '<namespace>'} --service-account ${account?.split('/')[1] ?? '<service-account>'} --role-arn <role-arn>`,
    },
  ],
  decide: {
    text: 'Read what EKS Auth answered.',
    command:
      'kubectl -n kube-system logs -l app.kubernetes.io/name=eks-pod-identity-agent --prefix --tail=200',
  },
  page: {
    why: 'The agent asks EKS Auth with the node’s credentials for the role that is associated with the pod’s service account. The node role needs eks-auth:AssumeRoleForPodIdentity, the association must exist, and the pod’s role must trust pods.eks.amazonaws.com for sts:AssumeRole and sts:TagSession.',
    prevent: 'Create role, trust and association together, and the workload after them.',
    notThis:
      'Throttling and requests that the client cancels pass and are no refusal. A connection that is refused at 169.254.170.23 is pod-identity-agent-down. Refused in the VPC CNI itself it is cni-role-not-assumable.',
    alsoKnownAs: [
      'AccessDeniedException: Unauthorized Exception! EKS does not have permissions to assume the associated role.',
    ],
    refs: [
      'https://github.com/aws/eks-pod-identity-agent/blob/HEAD/pkg/errors/errors.go',
      'https://docs.aws.amazon.com/eks/latest/userguide/pod-identities.html',
      'https://github.com/aws/eks-pod-identity-agent/issues/139',
    ],
  },
});

type Own = View<'kube/Pod' | 'aws/pod-identity-association', string>;

/** A crashing pod has the variables of Pod Identity, and the whole list has none for its account. */
function matchAssociation(view: Own): Match | null {
  const node = view.node ?? '';
  const asking = view.list('kube/Pod').find(({ value }) => isAsking(value, node));
  if (asking === undefined) return null;
  const all = view.list('aws/pod-identity-association');
  const isKnown = all.length > 0 || view.read('aws/pod-identity-association').state === 'absent';
  const hasSigns = ['refusedToAgent', 'nodeRoleRefused', 'trustMissing', 'associationMissing'].some(
    (name) => view.sign(name) !== null,
  );
  if (!isKnown && !hasSigns)
    return cannotSay({
      reason: 'not-collected',
      detail: 'the Pod Identity associations are not in this evidence',
      collect: 'aws eks list-pod-identity-associations --cluster-name <cluster>',
    });
  if (!isKnown) return null;
  if (all.some(({ value }) => isFor(value, asking.value))) return hasSigns ? null : clear;
  const account = serviceAccountOf(asking.value);
  const other = all.find(({ value }) => textAt(value, 'serviceAccount') === account);
  return foundWithout(view, asking, other);
}

function isAsking(pod: KubeObject, node: string): boolean {
  const url = environmentOf(pod, 'AWS_CONTAINER_CREDENTIALS_FULL_URI') ?? '';
  return isOnNode(pod, node) && /169\.254\.170\.23|fd00:ec2::23/.test(url) && isCrashing(pod);
}

function isFor(association: Json, pod: KubeObject): boolean {
  const isAccount = textAt(association, 'serviceAccount') === serviceAccountOf(pod);
  return isAccount && textAt(association, 'namespace') === pod.namespace;
}

function foundWithout(view: Own, pod: Seen<KubeObject>, other: Seen<Json> | undefined): Match {
  const name = podName(pod.value);
  const account = `${pod.value.namespace ?? ''}/${serviceAccountOf(pod.value)}`;
  const elsewhere =
    other === undefined
      ? {}
      : {
          elsewhere: `${textAt(other.value, 'namespace') ?? ''}/${textAt(other.value, 'serviceAccount') ?? ''}`,
        };
  const words = `Pod ${name} (service account ${account}) has the variables of Pod Identity and keeps ending`;
  return found({ pod: name, account, ...elsewhere }, [
    view.quote(pod, `${words}: ${complaintOf(pod.value)}`),
    ...(other === undefined
      ? []
      : [view.quote(other, `Pod Identity association for ${elsewhere.elsewhere ?? ''}`)]),
  ]);
}
