import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context } from '../../../diagnosis/sign.ts';
import type { Quote } from '../../../evidence/sighting.ts';
import type { Insight } from '../../../evidence/aws/groups.ts';

/** Minor versions that a kubelet may be behind its API server, from Kubernetes 1.28 on. */
const SKEW_MAX = 3;
/** The first minor version whose kubelets probe by grpc unless that is turned off. */
const GRPC_PROBES_SINCE = 24;

/** A kubelet that is further behind the control plane than Kubernetes supports. */
const cause = defineCause({
  id: 'outdated-node-version',
  stage: 'usable',
  title: 'the kubelet is too old for the control plane',
  scope: 'group',
  signs: {
    serverVersion: context(
      ['client-output', 'terraform', 'object'],
      /Server Version: (?:version\.Info\{Major:"1", Minor:"|v1\.)(?<minor>\d+)/,
    ),
    // What a kubelet says of a probe whose kind is newer than it, such as grpc.
    probeUnknown: context(
      ['event', 'kubelet', 'client-output'],
      /missing probe handler for (?<pod>[a-z0-9][\w.-]{0,252})_[\w.-]{1,63}\(/,
    ),
  },
  needs: ['kube/Node', 'kube/Pod', 'aws/cluster', 'aws/insight'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ outdated, version, server, pod }) =>
    pod !== undefined
      ? `The kubelet of ${outdated ?? 'a node'} is ${version ?? 'too old'} and does not know the kind of probe that the pod ${pod} has, which ${server ?? 'a newer one'} knows, so the pod is never Ready there.`
      : `The kubelet of ${outdated ?? 'a node'} is ${version ?? 'several minor versions old'} under a control plane of ${server ?? 'a newer one'}, more than ${SKEW_MAX} minor versions apart, so add-ons and new fields fail on it.`,
  remedy: ({ server }) => [
    step(
      'Bring managed nodes to the control plane’s version.',
      `aws eks update-nodegroup-version --cluster-name <cluster> --nodegroup-name <node-group> --kubernetes-version ${server ?? '<version>'}`,
    ),
    step(
      'Give self-managed nodes the current AMI; Amazon Linux 2 has none from 1.33 on.',
      `aws ssm get-parameter --name /aws/service/eks/optimized-ami/${server ?? '<version>'}/amazon-linux-2023/x86_64/standard/recommended/image_id --query Parameter.Value --output text`,
    ),
  ],
  decide: step(
    'Compare the versions of nodes and control plane.',
    'kubectl version; kubectl get nodes',
  ),
  page: {
    why: 'The control plane was upgraded several times and the nodes were not. Registration still works, so nothing fails at once: add-ons that need newer fields crash on old nodes alone.',
    prevent: 'Upgrade nodes with the control plane, before it is upgraded again.',
    notThis:
      'A kubelet that the API server refuses is kubelet-version-skew. A kubelet newer than the API server is not supported either, but is another matter.',
    alsoKnownAs: ['kubelet version skew', 'missing probe handler for'],
    refs: [
      'https://kubernetes.io/releases/version-skew-policy/',
      'https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html',
    ],
  },
});

export default matched(cause, (view) => matchProbe(view) ?? matchSkew(view));

type Own = ViewOf<typeof cause>;

/** An API server kept a probe of a kind that a kubelet of one of its Nodes does not know yet. */
function matchProbe(view: Own): Match | null {
  const errored = view.sign('probeUnknown') ?? view.clusterSign('probeUnknown');
  const pod = errored?.last.captures['pod'];
  if (errored === null || pod === undefined) return null;
  const nodes = view.everywhere('kube/Node');
  const on = view.everywhere('kube/Pod').find(({ value }) => value.name === pod)?.value
    .spec?.nodeName;
  const minors = nodes.map(({ value }) => minorOf(value.kubeletVersion) ?? 0);
  const newest = Math.max(serverMinor(view) ?? 0, ...minors);
  const old = nodes.filter(({ value }, index) => {
    const minor = minors[index] ?? 0;
    return minor > 0 && minor < GRPC_PROBES_SINCE && (on ?? value.name) === value.name;
  });
  const [first] = old;
  if (first === undefined || newest < GRPC_PROBES_SINCE) return null;
  const version = first.value.kubeletVersion ?? '';
  const names = old.map(({ value }) => value.name);
  return found(
    { outdated: first.value.name, version, server: `1.${newest}`, pod },
    [errored.first, view.quote(first, `Node ${first.value.name} version ${version}`)],
    'likely',
    names,
  );
}

function serverMinor(view: Own): number | null {
  const said = view.sign('serverVersion') ?? view.clusterSign('serverVersion');
  const cluster = view.read('aws/cluster');
  const described = cluster.state === 'seen' ? minorOf(cluster.value.version ?? null) : null;
  return described ?? minorOf(`1.${said?.last.captures['minor'] ?? ''}`);
}

function matchSkew(view: Own): Match | null {
  const said = view.sign('serverVersion');
  const cluster = view.read('aws/cluster');
  const described = cluster.state === 'seen' ? minorOf(cluster.value.version ?? null) : null;
  const server = serverMinor(view);
  if (server === null) return null;
  const known = view
    .list('kube/Node')
    .filter(({ value }) => minorOf(value.kubeletVersion) !== null);
  const outdated = known.filter(
    ({ value }) => server - (minorOf(value.kubeletVersion) ?? server) > SKEW_MAX,
  );
  const [old] = outdated;
  if (old === undefined) return known.length > 0 ? clear : null;
  const version = old.value.kubeletVersion ?? '';
  const quote = view.quote(old, `Node ${old.value.name} version ${version}`);
  const details = { outdated: old.value.name, version, server: `1.${server}` };
  const told = said === null ? [] : [said.first];
  const asked =
    cluster.state === 'seen' && described !== null
      ? [view.quote(cluster, `cluster ${cluster.value.name ?? ''} version 1.${server}`)]
      : [];
  const names = outdated.map(({ value }) => value.name);
  return found(details, [quote, ...asked, ...told, ...insightsOf(view)], 'definite', names);
}

/** EKS checks the kubelets' versions itself, and names the Nodes that it means. */
function insightsOf(view: Own): readonly Quote[] {
  const own = view
    .list('aws/insight')
    .filter(({ value }) => /kubelet/i.test(value.name ?? ''))
    .filter(({ value }) => value.insightStatus?.status === 'ERROR')
    .toSorted((a, b) => countOf(b.value) - countOf(a.value));
  return own.slice(0, 1).map((insight) => {
    const { name, insightStatus } = insight.value;
    const count = countOf(insight.value);
    const of = count === 0 ? '' : ` of ${count} Nodes`;
    return view.quote(
      insight,
      `EKS insight ${name ?? ''}: ERROR${of} ${insightStatus?.reason ?? ''}`.trim(),
    );
  });
}

/** The list of insights names no resources; the description of one does. */
function countOf(insight: Insight): number {
  return (insight.resources ?? []).length;
}

function minorOf(version: string | null): number | null {
  const minor = /^v?1\.(\d+)/.exec(version ?? '')?.[1];
  return minor === undefined ? null : Number(minor);
}
