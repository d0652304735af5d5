import { clear, defineCause, found, matched, step, type ViewOf } from '../../../diagnosis/cause.ts';
import { context } from '../../../diagnosis/sign.ts';
import type { Quote } from '../../../evidence/sighting.ts';
import type { Insight } from '../../../evidence/aws/groups.ts';

/** Minor versions that a kubelet may be behind its API server, from Kubernetes 1.28 on. */
const SKEW_MAX = 3;

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
  },
  needs: ['kube/Node', 'aws/cluster', 'aws/insight'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ outdated, version, server }) =>
    `The kubelet of ${outdated ?? 'a node'} is ${version ?? 'several minor versions old'} under a control plane of ${server ?? 'a newer one'}, more than ${SKEW_MAX} minor versions apart, so add-ons and new fields fail on it.`,
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
    alsoKnownAs: ['kubelet version skew'],
    refs: [
      'https://kubernetes.io/releases/version-skew-policy/',
      'https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html',
    ],
  },
});

export default matched(cause, (view) => {
  const said = view.sign('serverVersion');
  const cluster = view.read('aws/cluster');
  const described = cluster.state === 'seen' ? minorOf(cluster.value.version ?? null) : null;
  const server = described ?? minorOf(`1.${said?.last.captures['minor'] ?? ''}`);
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
});

type Own = ViewOf<typeof cause>;

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
