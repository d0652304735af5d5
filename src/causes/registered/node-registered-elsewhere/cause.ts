import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { context } from '../../../diagnosis/sign.ts';
import { isAfter } from '../../../evidence/time.ts';

/** The kubelet is well and registered, in another cluster than the one that is looked at. */
const cause = defineCause({
  id: 'node-registered-elsewhere',
  stage: 'registered',
  title: 'the machine joined another cluster than intended',
  scope: 'machine',
  signs: {
    registered: context(['kubelet'], /Successfully registered node|was previously registered/),
    server: context(
      ['kubelet', 'cloud-init', 'nodeadm', 'user-data', 'host-file', 'bottlerocket'],
      /https:\/\/(?<server>[0-9A-Fa-f]{8,32}\.[a-z0-9.-]+\.eks\.amazonaws\.com(?:\.cn)?)/,
      { strict: true },
    ),
    notRegistered: context(['kubelet'], /Unable to register node/),
  },
  needs: ['aws/cluster'],
  symptoms: [],
  // A kubelet that registered did reach its server: the endpoint is another cluster's, not a dead one.
  explains: ['stale-cluster-endpoint'],
  // Its registration is the very thing that is wrong.
  withdrawnBy: [],
  summary: ({ machine, server, cluster, endpoint }) =>
    sentence`The kubelet of ${machine ?? 'the machine'} registered at ${server ?? 'another API server'}, which is not the cluster ${cluster} (${endpoint ?? 'another endpoint'}); there no Node will appear.`,
  remedy: ({ cluster }) => [
    step(
      'Correct endpoint, CA and name in the launch template or NodeConfig, then replace the instance.',
      `aws eks describe-cluster --name ${cluster ?? '<cluster>'} --query 'cluster.[endpoint,certificateAuthority.data]'`,
    ),
    step(
      'Remove the Node from the cluster that it joined by mistake.',
      'kubectl --context <other-cluster> delete node <node>',
    ),
  ],
  decide: step(
    'Compare the kubelet’s server with the cluster’s endpoint.',
    "journalctl -u kubelet --no-pager | grep -E 'Successfully registered node|eks.amazonaws.com' | tail -n 20; aws eks describe-cluster --name <cluster>",
  ),
  page: {
    why: 'User data copied from another cluster, or a launch template shared by two, carries a complete and working endpoint, CA and role mapping. The kubelet joins and everything looks healthy on the machine.',
    prevent:
      'Render user data from the cluster’s own outputs, and map each node role in one cluster only.',
    notThis:
      'A kubelet that gets no answer from an old endpoint is stale-cluster-endpoint. One that registered here and lost its Node is no-reregistration-after-deletion.',
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
      'https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html',
    ],
  },
});

export default matched(cause, matchServers);

type Own = ViewOf<typeof cause>;

function matchServers(view: Own): Match | null {
  const registered = view.sign('registered');
  const refused = view.sign('notRegistered');
  const server = view.sign('server');
  const clusters = view.list('aws/cluster');
  const [cluster] = clusters;
  if (registered === null || server === null || cluster === undefined || clusters.length > 1)
    return null;
  // It registered once; what it cannot reach since is not where it is registered.
  if (refused !== null && !isAfter(registered.last.moment, refused.last.moment)) return null;
  const endpoint = cluster.value.endpoint?.replace(/^https:\/\//, '') ?? null;
  const own = server.last.captures['server'];
  if (endpoint === null || own === undefined) return null;
  if (endpoint.toLowerCase() === own.toLowerCase()) return clear;
  const name = cluster.value.name ?? '<cluster>';
  return found({ server: own, endpoint, cluster: name }, [
    registered.last,
    server.last,
    view.quote(cluster, `cluster ${name} endpoint ${endpoint}`),
  ]);
}
