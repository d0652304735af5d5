import { defineCause, found, matched, step } from '../../../diagnosis/cause.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';

const AGENT = ['cilium', 'pod-app', 'pod-status', 'client-output'] as const;

/** The Cilium agent asks the API server through the service address, which does not answer. */
const cause = defineCause({
  id: 'service-ip-unreachable-for-cilium',
  stage: 'networked',
  title: 'the Cilium agent does not reach the API server through the service address',
  scope: 'machine',
  signs: {
    notContacted: definite(
      AGENT,
      /Unable to contact k8s api-server.*dial tcp (?<address>\d+\.\d+\.\d+\.\d+|\[[\da-f:]+\]|<[\w -]{1,40}>):443: (?:i\/o timeout|connect: |operation was canceled)/,
    ),
    notStarted: definite(
      AGENT,
      /(?:failed to start|Start hook failed|Start failed|Unable to initialize Kubernetes subsystem|unable to create k8s client).{0,160}https:\/\/(?<address>\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[[\da-f:]{2,40}\]|<[\w -]{1,40}>):443\/.{0,160}(?:i\/o timeout|connect: |context deadline exceeded)/,
    ),
    alone: likely(
      AGENT,
      /Unable to contact k8s api-server(?!.*(?:https:\/\/[a-zA-Z]|:6443|x509|Unauthorized|[Ff]orbidden|certificate|no such host))/,
    ),
    connected: withdraws(
      AGENT,
      /msg="?(?:Connected to (?:apiserver|k8s api-server)|Re(?:ceived own|trieved) node information from (?:API server|cilium node|kubernetes)|Daemon initialization completed)/,
    ),
    toldCutOff: context(
      ['client-output', 'unknown'],
      /\b[Cc]ilium(?:'s)? (?:\w+ )?(?:agents?|pods?|config|init)\b.{0,60}\b(?:cannot|can ?not|can't|could not|couldn't|unable to|(?:does|do|did)(?: not|n't)|fails? to|failed to) (?:reach|connect to|contact|access|talk to)\b.{0,30}\b(?:API|api|kube-apiserver|kubernetes service)\b/,
      { isTold: true, anchors: ['ilium '] },
    ),
    toldWithoutProxy: context(
      ['client-output', 'unknown', 'terraform'],
      /\bkube-?[Pp]roxy-?[Rr]eplacement\b["'`]?\s{0,4}[=:]?\s{0,4}["'`]?(?:true|strict)\b|\b(?:deleted|removed|without|replac(?:es?|ed|ing|ement for)|disabled) (?:the )?[Kk]ube[- ]?proxy\b|\b[Kk]ube[- ]?proxy[- ][Rr]eplacement\b|\b[Kk]ube[- ]?proxy (?:is|was|has been) (?:deleted|removed|disabled|replaced)\b/,
      {
        isTold: true,
        anchors: [
          'roxyReplacement',
          'roxy-replacement',
          'kube-proxy',
          'Kube-proxy',
          'Kube proxy',
          'kube proxy',
        ],
      },
    ),
  },
  needs: [],
  symptoms: ['cni-uninitialized'],
  withdrawnBy: ['node-ready'],
  explains: ['cni-configuration-missing', 'service-ip-unreachable-for-cni'],
  summary: ({ address, machine }) =>
    `The Cilium agent on ${machine ?? 'the node'} gets no answer from ${address ?? 'the API server’s service address'}, so it does not start and pods get no network there.`,
  remedy: () => [
    step(
      'Where kube-proxy is meant to run, see that it does: it makes the service address.',
      'kubectl -n kube-system get pods -l k8s-app=kube-proxy -o wide; kubectl -n kube-system logs -l k8s-app=kube-proxy --tail=30',
    ),
    step(
      'Without kube-proxy, give Cilium the API server’s own name and port.',
      'helm -n kube-system upgrade cilium cilium/cilium --reuse-values --set kubeProxyReplacement=true --set k8sServiceHost=<api-host> --set k8sServicePort=443',
    ),
    step(
      'On hybrid nodes, see that the cluster knows the remote node network, and that its routes and security group let it in.',
      'aws eks describe-cluster --name <cluster> --query cluster.remoteNetworkConfig',
    ),
  ],
  decide: step(
    'See where the agent looks for the API server, and try that address from the node.',
    'curl -sk -m 5 https://$(kubectl get service kubernetes -o jsonpath={.spec.clusterIP})/version',
  ),
  page: {
    why: 'The agent starts on the host’s network and asks the service kubernetes before anything else. That address exists only while kube-proxy, or an earlier agent, has written its rules. After a reboot without kube-proxy, or with rules that another proxy mode left, nothing answers.',
    prevent:
      'k8sServiceHost and k8sServicePort wherever kube-proxy is replaced; for hybrid nodes, remote networks that are routed and let in.',
    notThis:
      'A host name or port 6443 in the message means that Cilium was given an endpoint of its own, which does not answer: api-name-unresolvable where its name does not resolve. Unauthorized or x509 is another matter. A kube-proxy whose log says why is kube-proxy-not-working; the same for the VPC CNI is service-ip-unreachable-for-cni, for Calico service-ip-unreachable-for-calico.',
    alsoKnownAs: [
      'Unable to contact k8s api-server',
      'failed to start: Get "https://10.96.0.1:443/api/v1/namespaces/kube-system": dial tcp i/o timeout',
    ],
    refs: [
      'https://github.com/cilium/cilium/issues/20679',
      'https://github.com/cilium/cilium/issues/29094',
      'https://docs.aws.amazon.com/eks/latest/userguide/hybrid-nodes-troubleshooting.html#hybrid-nodes-troubleshooting-cni',
    ],
  },
});

/** Nobody but the agent makes the service's address, and it asks there before it made it. */
export default matched(cause, (view) => {
  const [silent, alone] = [view.sign('toldCutOff'), view.sign('toldWithoutProxy')];
  return silent === null || alone === null
    ? null
    : found({}, [silent.first, alone.first], 'likely');
});
