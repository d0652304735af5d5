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
import { isTaggedFor } from '../../../domain/nodes/fleet.ts';
import { clusterGiven } from '../../../evidence/user-data.ts';

/** The machine was told the endpoint of a cluster that is no more; the cluster of that name has another. */
const cause = defineCause({
  id: 'stale-cluster-endpoint',
  stage: 'reachable',
  title: 'the user data points at an endpoint that the cluster does not have any more',
  scope: 'machine',
  signs: {
    lookedUp: context(
      ['kubelet', 'cloud-init', 'bottlerocket', 'nodeadm'],
      /lookup (?<endpoint>[0-9A-Fa-f]{32})\.[\w.-]+\.eks\.amazonaws\.com\b.*no such host/,
      { anchors: ['no such host'] },
    ),
    configured: context(
      ['user-data', 'cloud-init', 'nodeadm', 'bottlerocket'],
      /(?:apiServerEndpoint|--apiserver-endpoint|\bapi-server)['"]?[:= ]{1,4}['"]?https:\/\/(?<endpoint>[0-9A-F]{32})\./,
      { strict: true },
    ),
    toldMadeAgain: context(
      ['client-output', 'unknown'],
      /\bcluster\b.{0,60}\b(?:re-?created|created again|recreating|rebuilt|deleted and (?:made|created)|destroyed and (?:made|created|applied))\b|\b(?:re-?created|rebuilt|(?:deleted|destroyed) and (?:re-?)?created)\b.{0,40}\bcluster\b|\b(?:old|former|previous|stale) (?:cluster'?s? |API )?endpoint\b/i,
      { isTold: true, isBackground: true, anchors: ['cluster', 'Cluster', 'endpoint'] },
    ),
    refused: context(
      ['kubelet', 'bottlerocket'],
      /Unable to register node.*(?:no such host|i\/o timeout|Client\.Timeout exceeded|x509:|TLS handshake timeout)/,
    ),
  },
  needs: ['aws/cluster', 'aws/user-data', 'aws/instance'],
  symptoms: ['machine-without-node'],
  withdrawnBy: ['api-answered', 'node-registered', 'node-ready'],
  explains: ['api-name-unresolvable', 'untrusted-api-certificate'],
  summary: ({ endpoint, current, machine }) =>
    `${machine ?? 'The machine'} is configured to use the endpoint ${endpoint ?? ''}${endpoint?.startsWith('https:') === true ? '' : '…'}, but the cluster’s is ${current ?? 'another'}: its user data is of a cluster that was replaced.`,
  remedy: () => [
    step(
      'Take endpoint and authority of today, together.',
      'aws eks describe-cluster --name <cluster> --query cluster.[endpoint,certificateAuthority.data]',
    ),
    step(
      'Write both into the launch template (or restart Karpenter, which reads the endpoint when it starts), and replace the machines.',
      'kubectl -n kube-system rollout restart deployment karpenter',
    ),
  ],
  decide: step(
    'Compare the endpoint on the machine with the cluster’s.',
    'sudo grep server: /var/lib/kubelet/kubeconfig; aws eks describe-cluster --name <cluster> --query cluster.endpoint --output text',
  ),
  page: {
    why: 'A cluster that is deleted and made again under the same name has a new endpoint and a new authority. Launch templates, images and a running Karpenter keep the old ones.',
    prevent:
      'Render endpoint and authority into templates from the cluster’s outputs, and restart controllers after a rebuild.',
    notThis:
      'Where the name is the cluster’s present one and still unknown, it is api-name-unresolvable. Where the old endpoint still answers with another authority, untrusted-api-certificate.',
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
      'https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html',
    ],
  },
});

export default matched(
  cause,
  (view) => matchEndpoint(view) ?? matchUserData(view) ?? matchTold(view),
);

type Own = ViewOf<typeof cause>;

/** A machine without a Node, tagged for a cluster whose endpoint its user data does not name. */
function matchUserData(view: Own): Match | null {
  const clusters = view.list('aws/cluster');
  const [cluster] = clusters;
  const userData = view.read('aws/user-data');
  if (cluster === undefined || clusters.length > 1 || userData.state !== 'seen') return null;
  const given = clusterGiven(userData.value)?.endpoint ?? null;
  const current = cluster.value.endpoint ?? null;
  if (given === null || current === null || !/^https:\/\/[\w.:-]+\/?$/.test(given)) return null;
  if (plain(given) === plain(current)) return clear;
  const name = cluster.value.name ?? '';
  const isMeant = view
    .list('aws/instance')
    .some(({ value }) => value.InstanceId === view.instanceId && isTaggedFor(value, name));
  if (!isMeant || !view.shows('machine-without-node')) return null;
  return found({ endpoint: given, current }, [
    view.quote(userData, `user data of ${view.instanceId ?? ''}: endpoint ${given}`),
    view.quote(cluster, `cluster ${name} endpoint ${current}`),
  ]);
}

function plain(url: string): string {
  return url.toLowerCase().replace(/\/$/, '').replace(/:443$/, '');
}

function matchEndpoint(view: Own): Match | null {
  const lookedUp = view.sign('lookedUp');
  // An endpoint that is only configured may be another cluster's, and well: the kubelet has to fail.
  const sighting = lookedUp ?? (view.sign('refused') === null ? null : view.sign('configured'));
  const clusters = view.list('aws/cluster');
  const [cluster] = clusters;
  const endpoint = sighting?.last.captures['endpoint']?.toUpperCase();
  if (sighting === null || endpoint === undefined || cluster === undefined) return null;
  const endpoints = clusters
    .map((entry) => entry.value.endpoint?.toUpperCase() ?? '')
    .filter((url) => url !== '');
  if (endpoints.length === 0) return null;
  if (endpoints.some((url) => url.includes(endpoint))) return clear;
  const current = cluster.value.endpoint ?? '';
  return found(
    { endpoint, current },
    [
      sighting.first,
      view.quote(cluster, `cluster ${cluster.value.name ?? ''} endpoint ${current}`),
    ],
    lookedUp === null ? 'likely' : 'definite',
  );
}

/** The name of an endpoint goes with its cluster, and somebody says that the cluster is another one now. */
function matchTold(view: Own): Match | null {
  const [lookedUp, told] = [view.sign('lookedUp'), view.sign('toldMadeAgain')];
  if (lookedUp === null || told === null || view.list('aws/cluster').length > 0) return null;
  const endpoint = lookedUp.last.captures['endpoint'] ?? '';
  return found({ endpoint }, [lookedUp.first, told.first], 'likely');
}
