import {
  cannotSay,
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { definite, likely } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import { idsOf, instancesWithoutNode } from '../../../domain/nodes/fleet.ts';
import { isoMs } from '../../../evidence/time.ts';
import { endpointWords } from '../../../domain/pods/services.ts';
import {
  mayBeAsked,
  openingSteps,
  openingCommand,
  type SilentWebhook,
  silentWebhooks,
  WEBHOOK_KINDS,
  webhookWords,
} from '../../../domain/pods/webhooks.ts';
import type { Instance } from '../../../evidence/aws/instance.ts';

const OPEN =
  'Let nodes, leases and CSINodes pass: failurePolicy Ignore for now, rules without these resources for good.';

/** An admission webhook stands between every new node and the API server, and does not let it in. */
const cause = defineCause({
  id: 'webhook-blocks-node-registration',
  stage: 'registered',
  title: 'an admission webhook refuses or does not answer for new Nodes',
  scope: 'cluster',
  signs: {
    webhookSilent: definite(
      ['kubelet', 'kubeadm'],
      /(?:register node|ensure (?:node )?lease|CSINode).*failed calling (?:admission )?webhook "(?<webhook>[\w.-]+)"(?:: (?<why>[^\n]{0,200}))?/i,
      { anchors: ['failed calling webhook', 'failed calling admission webhook'] },
    ),
    webhookRefuses: definite(
      ['kubelet', 'kubeadm'],
      /(?:register node|ensure (?:node )?lease|CSINode).*admission webhook "(?<webhook>[\w.-]+)" denied the request/i,
      { anchors: ['admission webhook'] },
    ),
    webhookInAudit: definite(
      ['audit', 'kube-apiserver'],
      /"resource":"nodes".*failed calling webhook "(?<webhook>[\w.-]+)"/,
    ),
    toldCalled: likely(
      ['client-output', 'unknown'],
      /\bnew nodes?\b.{0,60}\bcalls? (?:to )?(?:that|the|this|its) (?:\w+ )?webhook\b.{0,40}\bfails?\b|\bwebhook\b.{0,80}\b(?:for|on|of) nodes\b.{0,80}\b(?:blocks?|prevents?|rejects?|keeps?)\b.{0,40}\b(?:new )?nodes?\b.{0,30}\b(?:join|register)\w{0,3}\b/,
      { isTold: true, anchors: ['webhook'] },
    ),
  },
  needs: [...WEBHOOK_KINDS, 'kube/Node', 'aws/instance', 'aws/cluster'],
  symptoms: ['node-object-missing', 'machine-without-node'],
  explains: ['controller-manager-not-leading'],
  summary: ({ webhook, why, service }) =>
    service !== undefined
      ? `The API server asks the webhook ${webhook ?? ''} before it creates a Node, and its Service ${service} has no endpoint that is ready, so no new kubelet can register.`
      : `The admission webhook ${webhook ?? 'in the way'} ${why === undefined ? 'does not let new Nodes in' : 'does not answer the API server'}, so no new kubelet can create its Node; if its pods need such a node, nothing will ever answer.`,
  remedy: ({ webhook, kind, configuration, index, service }) => [
    ...(kind === undefined || configuration === undefined
      ? openingSteps(OPEN, webhook)
      : [{ text: OPEN, command: openingCommand(kind, configuration, index ?? '0') }]),
    step(
      'Then bring its pods back.',
      `kubectl get endpointslices -A | grep ${service?.split('/')[1] ?? '<webhook-service>'}`,
    ),
  ],
  decide: step(
    'See which webhooks claim nodes or everything, and whether they may fail.',
    "journalctl -u kubelet --no-pager | grep 'Unable to register node' | tail -n 5",
  ),
  page: {
    why: 'A webhook with failurePolicy Fail and rules on `*` or `nodes` must answer before a Node can be created. When its pods run on nodes that are gone, the API server asks nobody, and no node can appear to run them.',
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

export default matched(cause, matchWebhook);

type Own = ViewOf<typeof cause>;

/** Machines that run without a Node, while a webhook nobody answers for is asked about every Node. */
function matchWebhook(view: Own): Match | null {
  const lost = unregistered(view);
  if (lost.length === 0) return null;
  const silent = silentWebhooks(view, NODE);
  if (silent === 'unlisted') return unlisted;
  const [first] = silent;
  if (first !== undefined) return foundSilent(view, first, lost);
  return mayBeAsked(view, NODE) ? null : clear;
}

const NODE = { group: '', resource: 'nodes', namespaceLabels: null, labels: null } as const;

const unlisted = cannotSay({
  reason: 'not-collected',
  detail: 'whether the Service of a webhook on nodes has endpoints',
  collect: 'kubectl get endpointslices -A',
});

/** Running machines without a Node, launched after the last Node that the API server let in. */
function unregistered(view: Own): readonly Seen<Instance>[] {
  const admittedMs = Math.max(
    Number.NEGATIVE_INFINITY,
    ...view.list('kube/Node').map(({ value }) => value.createdMs ?? Number.NEGATIVE_INFINITY),
  );
  return (instancesWithoutNode(view) ?? []).filter(
    ({ value }) => (isoMs(value.LaunchTime ?? '') ?? 0) > admittedMs,
  );
}

function foundSilent(view: Own, silent: SilentWebhook, lost: readonly Seen<Instance>[]): Match {
  const { configuration, service, endpoints } = silent;
  const [slice] = endpoints.slices;
  const machines = idsOf(lost);
  const details = {
    webhook: silent.name,
    service: `${service.namespace}/${service.name}`,
    kind: configuration.value.kind,
    configuration: configuration.value.name,
    index: String(silent.index),
  };
  const proof = [
    view.quote(configuration, webhookWords(silent)),
    view.quote(slice ?? configuration, endpointWords(service, endpoints)),
    ...lost.slice(0, 1).map((one) => {
      return view.quote(one, `machines ${machines.join(', ')} run and have no Node`);
    }),
  ];
  return found(details, proof, 'definite', machines);
}
