import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { machineOf } from '../../../domain/planned/machine.ts';

/** Minor versions a kubelet may be behind the API server (since 1.28; two before). */
const BEHIND_MAX = 3;

/** The kubelet is newer than the API server, or older than it still understands. */
const cause = defineCause({
  id: 'kubelet-version-skew',
  stage: 'registered',
  title: 'the kubelet’s version does not go with the API server’s',
  scope: 'machine',
  signs: {
    refusedByKubeadm: definite(
      ['kubeadm', 'cloud-init'],
      /the kubelet version is higher than the control plane version.*?(?:Kubelet version: "(?<kubelet>[^"]+)" Control plane version: "(?<server>[^"]+)"|$)/,
    ),
    newerThanCluster: definite(
      ['nodeadm'],
      /kubelet version (?<kubelet>\S+) is newer than kube-apiserver version (?<server>[\w.-]+)/,
    ),
    tooOldForCluster: definite(
      ['nodeadm'],
      /kubelet version (?<kubelet>\S+) is too old for kube-apiserver version (?<server>[\w.-]+);/,
    ),
    resourceUnknown: likely(
      ['kubelet'],
      /(?:\*v1(?:beta1|beta2|alpha1|alpha2)?\.(?<kind>CSINode|Lease|Node|Service)\b|CSINode|node lease|ensure lease).*the server could not find the requested resource/,
      { atLeast: 3, enoughOnce: 'end' },
    ),
    notServed: context(
      ['kubelet', 'client-output', 'unknown'],
      /the server could not find the requested resource/,
    ),
    toldVersions: context(
      ['client-output', 'unknown'],
      /\b[Kk]ubelets?\b[^"]{0,20}?\b(?<kubelet>v?1\.\d{2})(?:\.\d{1,2})?\b[^"]{0,60}?\b(?:[Cc]ontrol[ -]planes?|[Aa][Pp][Ii][ -]?[Ss]ervers?|[Mm]asters?)\b[^"]{0,20}?\b(?<server>v?1\.\d{2})\b|\b(?:[Cc]ontrol[ -]planes?|[Aa][Pp][Ii][ -]?[Ss]ervers?|[Mm]asters?)\b[^"]{0,20}?\b(?<server2>v?1\.\d{2})(?:\.\d{1,2})?\b[^"]{0,60}?\b[Kk]ubelets?\b[^"]{0,20}?\b(?<kubelet2>v?1\.\d{2})\b/,
      { isTold: true, anchors: ['ubelet'] },
    ),
    kubeadmTooNew: definite(
      ['kubeadm', 'cloud-init'],
      /this version of kubeadm only supports deploying clusters with the control plane version >= (?<least>[\w.-]+?)\. Current version: (?<server>v[\w.-]+)/,
      { anchors: ['this version of kubeadm only supports deploying clusters'] },
    ),
    // A kubelet from 1.31 on selects Services by a field that older API servers do not know.
    selectorUnknown: definite(
      ['kubelet', 'client-output'],
      /\*v1\.(?<kind>Service)\b.{0,200}"?(?<field>spec\.clusterIP)"? is not a known field selector/,
      { anchors: ['is not a known field selector'] },
    ),
  },
  needs: ['kube/Node', 'aws/cluster'],
  symptoms: ['node-object-missing'],
  // A Ready Node says nothing of what its kubelet cannot list.
  withdrawnBy: ['node-registered'],
  explains: ['kubeadm-preflight-failed'],
  summary: ({ machine, kubelet, server, kind, least, field }) =>
    field !== undefined
      ? `The kubelet of ${machine ?? 'the machine'} selects Services by ${field}, as kubelets do from 1.31 on, and the API server that answers it is older and does not know the field; pods that need Services do not start.`
      : least !== undefined
        ? `The kubeadm of ${machine ?? 'the machine'} joins control planes of ${least} and later, and the control plane is ${server ?? 'older'}.`
        : kubelet === undefined
          ? `The kubelet of ${machine ?? 'the machine'} asks for ${kind ?? 'resources'} in a version that this API server does not serve; their releases are too far apart.`
          : `The kubelet of ${machine ?? 'the machine'} is ${kubelet} and the API server ${server ?? 'of another release'}: a kubelet may not be newer, and at most ${BEHIND_MAX} minors older.`,
  remedy: () => [
    step(
      'Take the machine image of the cluster’s minor version.',
      'aws ssm get-parameter --name /aws/service/eks/optimized-ami/<cluster-minor>/amazon-linux-2023/x86_64/standard/recommended/image_id --query Parameter.Value',
    ),
    step(
      'Or upgrade the control plane first, then the nodes.',
      'aws eks update-cluster-version --name <cluster> --kubernetes-version <kubelet-minor>',
    ),
  ],
  decide: step(
    'Compare both versions.',
    'kubectl get node <node> -o json; aws eks describe-cluster --name <cluster>',
  ),
  page: {
    why: 'The API server promises to serve kubelets of its own minor and of three older ones. A newer kubelet asks for API versions the server does not have; a very old one asks for versions that were removed.',
    prevent:
      'Upgrade control plane first and pin node images to the cluster’s minor (SSM parameter, `@latest` aliases only for patches).',
    notThis:
      '`the server could not find the requested resource` for custom resources or metrics does not concern the kubelet. A flag the kubelet itself refuses is rejected-kubelet-flag-or-config.',
    alsoKnownAs: [
      'KubeletVersion preflight error',
      'the server could not find the requested resource',
    ],
    refs: [
      'https://kubernetes.io/releases/version-skew-policy/',
      'https://github.com/aws/eks-hybrid/blob/HEAD/internal/node/hybrid/versionskew_validator.go',
    ],
  },
});

const judged = matched(cause, (view) => matchVersions(view) ?? matchTold(view));

type Own = ViewOf<typeof cause>;

function minorOf(version: string | null): number | null {
  const minor = /^v?1\.(\d+)/.exec(version ?? '')?.[1];
  return minor === undefined ? null : Number(minor);
}

/** A Node that is there and not Ready, beside the cluster's own version. */
function matchVersions(view: Own): Match | null {
  const node = view.read('kube/Node');
  const cluster = view.read('aws/cluster');
  if (node.state !== 'seen' || cluster.state !== 'seen') return null;
  const kubelet = node.value.kubeletVersion;
  const server = cluster.value.version ?? null;
  const [own, ofServer] = [minorOf(kubelet), minorOf(server)];
  if (own === null || ofServer === null || kubelet === null || server === null) return null;
  const fits = own <= ofServer && ofServer - own <= BEHIND_MAX;
  if (fits) return view.sign('resourceUnknown') === null ? null : clear;
  if (node.value.ready === true) return null;
  return found(
    { kubelet, server },
    [view.quote(node, `Node ${node.value.name} kubeletVersion ${kubelet}`)],
    'likely',
  );
}

/** People tell both versions, and the API server does not serve what was asked for. */
function matchTold(view: Own): Match | null {
  const refused = view.sign('notServed') ?? view.clusterSign('notServed');
  const told = view.sign('toldVersions') ?? view.clusterSign('toldVersions');
  if (view.isLive || refused === null || told === null) return null;
  const { captures } = told.last;
  const kubelet = captures['kubelet'] ?? captures['kubelet2'] ?? '';
  const server = captures['server'] ?? captures['server2'] ?? '';
  const [own, ofServer] = [minorOf(kubelet), minorOf(server)];
  const isTooFar =
    own !== null && ofServer !== null && (own > ofServer || ofServer - own > BEHIND_MAX);
  return isTooFar ? found({ kubelet, server }, [refused.last, told.last], 'likely') : null;
}

/** The release in the name of an image that EKS publishes. */
function releaseOf(imageName: string): string | null {
  return /-(1\.\d{2})(?:-|$)/.exec(imageName)?.[1] ?? null;
}

export default foreseen(
  judged,
  (plan, group) => {
    const { image } = machineOf(plan, group);
    const server = group.cluster?.value.version ?? null;
    const kubelet = image === null ? null : releaseOf(image.value.Name ?? '');
    const [own, ofServer] = [minorOf(kubelet), minorOf(server)];
    if (image === null || own === null || ofServer === null) return NOT_SHOWN;
    if (own <= ofServer && ofServer - own <= BEHIND_MAX) return clear;
    return found(
      { kubelet: kubelet ?? '', server: server ?? '', machine: group.name },
      [
        plan.quote(image, `image ${image.value.Name ?? ''}`),
        plan.quote(
          group.cluster ?? group.fact,
          `cluster ${group.clusterName ?? ''} version ${server ?? ''}`,
        ),
      ],
      'likely',
    );
  },
  {
    remedy: ({ server }) => [
      step(
        `Take the image of Kubernetes ${server ?? 'the cluster’s version'}; let its data source use the version of the aws_eks_cluster.`,
      ),
    ],
  },
);
