import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite, withdraws } from '../../../diagnosis/sign.ts';

/** kiam's server has not seen the pod that asks; its watch lags behind the pod's start. */
export default defineCause({
  id: 'kiam-pod-not-yet-known',
  stage: 'credentialed',
  title: 'kiam does not know the asking pod yet',
  scope: 'machine',
  signs: {
    unknownToServer: definite(
      ['kiam-server', 'kiam-agent'],
      /error finding (?:role for )?pod: (?:rpc error: [^"]{0,60})?(?:no pod found|pod not found|multiple running pods found)(?:.*"pod\.ip":\s*"(?<address>[\d.]+)")?/,
      { anchors: ['error finding pod', 'error finding role for pod'] },
    ),
    refusedByAgent: definite(
      ['kiam-agent', 'kiam-server'],
      /(?:"addr":\s*"(?<address>[\d.]+):\d+".*)?error processing request: [^"]{0,120}(?:no pod found|pod not found)/,
    ),
    served: withdraws(
      ['kiam-agent', 'kiam-server'],
      /"addr":\s*"(?<address>[\d.]+):\d+".*"processed request".*\/iam\/security-credentials\/[\w+=,.@-]+",\s*"status":\s*200/,
    ),
  },
  needs: [],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  per: ['address'],
  blocksAbove: false,
  summary: ({ address }) =>
    `kiam’s server does not know the pod ${address === undefined ? 'that asks' : `with address ${address}`} yet and answers 500, so an application that asks once at its start stays without credentials.`,
  remedy: () => [
    step(
      'Let the application ask longer: several attempts with a second or two each.',
      'kubectl -n <namespace> set env deployment/<deployment> AWS_METADATA_SERVICE_NUM_ATTEMPTS=20 AWS_METADATA_SERVICE_TIMEOUT=5',
    ),
    step(
      'Pods on the host’s network are never known to kiam by address: give those another way to credentials.',
      'kubectl get pods -A -o wide --field-selector spec.hostNetwork=true',
    ),
  ],
  decide: step(
    'See whether the same address is served some seconds later.',
    'kubectl -n kube-system logs -l app=kiam,component=agent --prefix --tail=200',
  ),
  page: {
    why: 'The server finds pods by address in a cache that a watch fills. A container that asks in its first second can be faster than the watch; SDKs that try once remember the failure.',
    prevent:
      'Use a kiam release that waits for the pod, raise the SDK’s attempts, or move to IRSA or Pod Identity.',
    notThis:
      'The redirect works here, the request reached the agent: with the node’s role it would be pod-started-before-kiam-redirect. A refusal by policy is kiam-namespace-not-permitted.',
    alsoKnownAs: ['error processing request: rpc error: code = Unknown desc = pod not found'],
    refs: [
      'https://github.com/uswitch/kiam/issues/46',
      'https://github.com/uswitch/kiam/issues/47',
      'https://github.com/uswitch/kiam/blob/HEAD/pkg/k8s/pod_cache.go',
    ],
  },
});
