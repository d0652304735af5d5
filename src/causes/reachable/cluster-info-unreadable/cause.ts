import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, withdraws } from '../../../diagnosis/sign.ts';
import { hasNeverJoined, idsOf, instancesWithoutNode } from '../../../domain/nodes/fleet.ts';

/** The API server answers kubeadm, but does not give it the cluster-info ConfigMap. */
const cause = defineCause({
  id: 'cluster-info-unreadable',
  stage: 'reachable',
  title: 'kubeadm cannot read the ConfigMap cluster-info',
  scope: 'cluster',
  signs: {
    refused: definite(
      ['kubeadm', 'cloud-init'],
      /configmaps "cluster-info" (?<why>is forbidden|not found)/,
      { anchors: ['cluster-info'], atLeast: 2, enoughOnce: 'end' },
    ),
    unauthorized: definite(
      ['kubeadm', 'cloud-init'],
      /(?:failed to request (?:the )?cluster-info(?: ConfigMap)?|Failed to request cluster-info, will try again): (?<why>Unauthorized)\b/,
      { anchors: ['cluster-info'] },
    ),
    ended: definite(
      ['kubeadm', 'cloud-init'],
      /(?:couldn't validate the identity of the API Server|failed to request the cluster-info ConfigMap).*configmaps "cluster-info" (?<why>is forbidden|not found)/,
    ),
    validated: withdraws(
      ['kubeadm', 'cloud-init'],
      /Cluster info signature and contents are valid|Requesting info from ".*" again to validate/,
    ),
    contentUnusable: definite(
      ['kubeadm', 'cloud-init'],
      /(?<why>failed to parse cluster CA from the cluster-info|no kubeconfig key in the cluster-info ConfigMap|couldn't parse the kubeconfig file in the cluster-info)/,
      {
        anchors: [
          'failed to parse cluster CA from the cluster-info',
          'no kubeconfig key in the cluster-info',
          'parse the kubeconfig file in the cluster-info',
        ],
      },
    ),
    secondDiffers: context(
      ['kubeadm', 'cloud-init'],
      /the second kubeconfig from the cluster-info ConfigMap|trying to fetch discovery kubeconfig over HTTPS/,
    ),
  },
  needs: ['kube/cluster-info', 'aws/user-data', 'aws/instance', 'aws/cluster', 'kube/Node'],
  symptoms: ['machine-without-node'],
  withdrawnBy: ['joined', 'node-registered', 'node-ready'],
  explains: ['failed-user-script'],
  summary: ({ why, token }) =>
    token !== undefined
      ? `The cluster has no ConfigMap kube-public/cluster-info, from which machines that join with the token ${token} learn whom to trust, so their join ends at discovery.`
      : `kubeadm reaches the API server but may not read the ConfigMap kube-public/cluster-info (${why ?? 'refused'}), so the join ends at discovery.`,
  remedy: () => [
    step(
      'See whether the ConfigMap is there and who may read it.',
      'kubectl -n kube-public get configmap,role,rolebinding',
    ),
    step(
      'Make ConfigMap and role again on a control-plane machine; the API server needs anonymous requests for it (no --anonymous-auth=false).',
      'sudo kubeadm init phase bootstrap-token',
    ),
    step(
      'Where anonymous requests stay off, join with a discovery file instead of a token.',
      'sudo kubeadm join --discovery-file /etc/kubernetes/discovery.conf --tls-bootstrap-token <token>',
    ),
  ],
  decide: step(
    'Ask for it as kubeadm does, without credentials.',
    'curl -sk https://<control-plane-address>:6443/api/v1/namespaces/kube-public/configmaps/cluster-info',
  ),
  page: {
    why: 'Discovery by token starts with an anonymous request for kube-public/cluster-info. Hardening switches anonymous requests off, and control planes not made by kubeadm, or cleaned up, lack the ConfigMap or its role.',
    prevent: 'Join by discovery file where anonymous requests are off.',
    notThis:
      'No answer at all is api-port-blocked or control-plane-down; a certificate is untrusted-api-certificate; a token without signature in the ConfigMap is expired-bootstrap-token; a pin is ca-pin-mismatch.',
    alsoKnownAs: ['failed to request the cluster-info ConfigMap'],
    refs: [
      'https://github.com/kubernetes/kubernetes/blob/HEAD/cmd/kubeadm/app/discovery/token/token.go',
      'https://kubernetes.io/docs/reference/setup-tools/kubeadm/kubeadm-join/',
    ],
  },
});

export default matched(cause, matchAbsent);

type Own = ViewOf<typeof cause>;

/** Machines without Node join by a token, and a complete list of kube-public lacks the ConfigMap. */
function matchAbsent(view: Own): Match | null {
  if (view.read('kube/cluster-info').state !== 'absent') return null;
  const lost = (instancesWithoutNode(view) ?? []).filter(({ value }) =>
    hasNeverJoined(value, view.nowMs),
  );
  const joining = lost.flatMap((machine) => {
    const id = machine.value.InstanceId ?? null;
    const given = view.list('aws/user-data').find(({ value }) => value.instanceId === id);
    const token = given?.value.joinTokenId ?? null;
    return given === undefined || token === null ? [] : [{ machine, given, token }];
  });
  const [first] = joining;
  if (first === undefined) return null;
  const ids = idsOf(joining.map(({ machine }) => machine));
  const who = `machines ${ids.join(', ')} run without Node and join with the token id ${first.token}`;
  const proof = [view.quote(first.given, `${who}; the list of kube-public has no cluster-info`)];
  return found({ token: first.token, why: 'not found' }, proof, 'definite', ids);
}
