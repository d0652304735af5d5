import { defineCause } from '../../../diagnosis/cause.ts';

/** An admission webhook stands between every new node and the API server, and does not let it in. */
export default defineCause({
  id: 'webhook-blocks-node-registration',
  stage: 'registered',
  title: 'an admission webhook refuses or does not answer for new Nodes',
  scope: 'cluster',
  signs: {
    webhookSilent: {
      in: ['kubelet', 'kubeadm'],
      anchors: ['failed calling webhook', 'failed calling admission webhook'],
      pattern:
        /(?:register node|ensure (?:node )?lease|CSINode).*failed calling (?:admission )?webhook "(?<webhook>[^"\s]+)"(?:: (?<why>[^\n]{0,200}))?/i,
      weight: 'definite',
    },
    webhookRefuses: {
      in: ['kubelet', 'kubeadm'],
      anchors: ['admission webhook'],
      pattern:
        /(?:register node|ensure (?:node )?lease|CSINode).*admission webhook "(?<webhook>[^"\s]+)" denied the request/i,
      weight: 'definite',
    },
    webhookInAudit: {
      in: ['audit', 'kube-apiserver'],
      anchors: ['failed calling webhook'],
      pattern: /"resource":"nodes".*failed calling webhook "(?<webhook>[^"\s]+)"/,
      weight: 'definite',
    },
  },
  needs: [],
  symptoms: ['node-object-missing'],
  summary: ({ webhook, why }) =>
    `The admission webhook ${webhook ?? 'in the way'} ${why === undefined ? 'does not let new Nodes in' : 'does not answer the API server'}, so no new kubelet can create its Node; if its pods need such a node, nothing will ever answer.`,
  remedy: ({ webhook }) => [
    {
      text: 'Find the configuration of the webhook and see which resources it claims and its failurePolicy.',
      command: `kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o yaml | grep -n -B40 -A25 ${webhook ?? '<webhook>'}`,
    },
    {
      text: 'Let nodes, leases and CSINodes pass: failurePolicy Ignore for now, rules without these resources for good.',
      command:
        'kubectl patch validatingwebhookconfiguration <configuration> --type=json -p \'[{"op":"replace","path":"/webhooks/0/failurePolicy","value":"Ignore"}]\'',
    },
    {
      text: 'Then bring its pods back.',
      command: 'kubectl get endpointslices -A | grep <webhook-service>',
    },
  ],
  decide: {
    text: 'See which webhooks claim nodes or everything, and whether they may fail.',
    command: "journalctl -u kubelet --no-pager | grep 'Unable to register node' | tail -n 5",
  },
  page: {
    why: 'A webhook with failurePolicy Fail and rules on `*` or `nodes` must answer before a Node can be created. When its pods run on nodes that are gone, the API server asks nobody, and no node can come to run them.',
    prevent:
      'Never let a policy webhook claim nodes, leases and csinodes; exempt kube-system; run it on nodes that do not depend on it.',
    notThis:
      'The same words for pods of the CNI are webhook-blocks-system-pods. `i/o timeout` to the webhook from a healthy cluster is often node-ports-closed-to-control-plane, whose remedy is a security group.',
    alsoKnownAs: [
      'Internal error occurred: failed calling webhook',
      'no endpoints available for service',
    ],
    refs: [
      'https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/',
      'https://github.com/microsoft/pai/issues/4629',
    ],
  },
});
