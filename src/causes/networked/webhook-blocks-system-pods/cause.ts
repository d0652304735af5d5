import { defineCause } from '../../../diagnosis/cause.ts';

/** A fail-closed webhook without running pods refuses the pods that a new node needs first. */
export default defineCause({
  id: 'webhook-blocks-system-pods',
  stage: 'networked',
  title: 'a fail-closed admission webhook without endpoints refuses system pods',
  scope: 'cluster',
  signs: {
    daemonSetRefused: {
      in: ['event', 'object', 'pod-identity-webhook'],
      anchors: ['failed calling webhook'],
      pattern:
        /FailedCreate\s[^"]{0,80}\bdaemonset\S*\s.*failed calling webhook "+(?<webhook>[\w.-]+)"+.*(?:no endpoints available for service "+(?<service>[\w.-]+)"*|connect: connection refused)/,
      weight: 'definite',
    },
    noEndpoints: {
      in: ['kube-apiserver', 'controller-manager', 'event', 'client-output'],
      anchors: ['no endpoints available for service'],
      pattern:
        /^(?!.{0,200}\b(?:replicaset|statefulset|job|cronjob)[/-]).*?(?:failing closed|Error creating:|Internal error occurred:).{0,300}failed calling webhook "+(?<webhook>[\w.-]+)"+.*no endpoints available for service "+(?<service>[\w.-]+)/,
      weight: 'likely',
      atLeast: 2,
    },
    podsCreated: {
      in: ['event'],
      anchors: ['SuccessfulCreate'],
      pattern:
        /SuccessfulCreate\s+(?:daemonset|daemonset-controller)\S*\s.*Created pod: (?:aws-node|calico-node|cilium|kube-proxy)/,
      weight: 'withdraws',
    },
  },
  needs: [],
  symptoms: ['cni-uninitialized'],
  withdrawnBy: [],
  explains: [
    'cni-configuration-missing',
    'cni-pod-not-scheduled',
    'service-ip-unreachable-for-cni',
  ],
  summary: ({ webhook, service }) =>
    `The webhook ${webhook ?? 'of an admission controller'} fails closed and its service ${service ?? ''} has no endpoints, so the API server refuses system pods and new nodes get no network.`.replace(
      '  ',
      ' ',
    ),
  remedy: ({ webhook }) => [
    {
      text: 'Find the configuration that holds this webhook.',
      command: `kubectl get mutatingwebhookconfigurations,validatingwebhookconfigurations -o name | xargs -I{} sh -c 'kubectl get {} -o yaml | grep -q ${webhook ?? '<webhook>'} && echo {}'`,
    },
    {
      text: 'Break the deadlock: delete it (its controller makes it again) or set failurePolicy to Ignore.',
      command: 'kubectl delete mutatingwebhookconfiguration <name>',
    },
    {
      text: 'Then exclude kube-system with a namespaceSelector and run the webhook in several replicas.',
      command: null,
    },
  ],
  decide: {
    text: 'See whether the daemon sets of kube-system are refused their pods.',
    command: 'kubectl -n kube-system get events --field-selector reason=FailedCreate',
  },
  page: {
    why: 'The webhook’s pods need a node with network, and the node needs the CNI pod that the webhook refuses while it is down. After all nodes were replaced at once nobody can start first.',
    prevent:
      'failurePolicy Ignore or a namespaceSelector that leaves kube-system out; several replicas on stable nodes with a disruption budget.',
    notThis:
      'When Node objects themselves are refused it is webhook-blocks-node-registration. Endpoints that exist and time out are node-ports-closed-to-control-plane. A refused ReplicaSet of an application during its own roll-out is no cause for a node.',
    alsoKnownAs: [
      'failed calling webhook no endpoints available for service',
      'kyverno-svc',
      'Failed calling webhook, failing closed',
    ],
    refs: [
      'https://github.com/kyverno/kyverno/issues/4686',
      'https://github.com/sagikazarmark/helm-charts/issues/154',
    ],
  },
});
