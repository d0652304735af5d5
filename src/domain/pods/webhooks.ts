import type { Seen } from '../../evidence/fact.ts';
import type { FactTypes } from '../../evidence/kinds.ts';
import { selects, selectsAll } from './label-selector.ts';
import { endpointsOf, type ServiceEndpoints, type ServiceName } from './services.ts';
import type { Told } from '../../evidence/shape.ts';
import type { Webhook, WebhookConfiguration, WebhookRule } from '../../evidence/kube/admission.ts';

type Labels = Readonly<Record<string, string>>;

/** The kinds of facts that show a webhook which nothing answers; causes that ask need them. */
export const WEBHOOK_KINDS = [
  'kube/ValidatingWebhookConfiguration',
  'kube/MutatingWebhookConfiguration',
  'kube/EndpointSlice',
] as const;

type Kind = (typeof WEBHOOK_KINDS)[number];

/** Whatever gives the facts of a whole cluster, as a cause's view does. */
export interface WebhookFacts {
  isComplete(kind: Kind): boolean;
  list<N extends Kind>(kind: N): readonly Seen<FactTypes[N]>[];
}

/** A webhook that the API server must ask, and whose Service has no endpoint that is ready. */
export interface SilentWebhook {
  readonly name: string;
  readonly configuration: Seen<WebhookConfiguration>;
  /** Its place in the configuration's list, which a patch needs. */
  readonly index: number;
  readonly service: ServiceName;
  readonly endpoints: ServiceEndpoints;
}

/** What an object to be created is to admission. */
export interface Admitted {
  readonly group: string;
  readonly resource: string;
  /** Labels of its namespace, null for an object of the cluster, which no selector leaves out. */
  readonly namespaceLabels: Labels | null;
  /** Its own labels, null where they are not known. */
  readonly labels: Labels | null;
}

function names(list: Told<readonly string[]>, value: string): boolean {
  return (list ?? []).some((entry) => entry === '*' || entry === value);
}

/** `*` means all resources without their subresources, and a star over a star those too. */
function rulesOn(rule: WebhookRule, { group, resource, namespaceLabels }: Admitted): boolean {
  const scope = rule.scope ?? '*';
  const isCluster = namespaceLabels === null;
  return (
    names(rule.operations, 'CREATE') &&
    names(rule.apiGroups, group) &&
    (names(rule.resources, resource) || names(rule.resources, '*/*')) &&
    (scope === '*' || scope === (isCluster ? 'Cluster' : 'Namespaced'))
  );
}

/** Selectors of namespaces leave out nothing that is of the cluster. */
function isAround(webhook: Webhook, { namespaceLabels }: Admitted): boolean {
  return namespaceLabels === null || selects(webhook.namespaceSelector, namespaceLabels);
}

function isAsked(webhook: Webhook, object: Admitted): boolean {
  const own = webhook.objectSelector;
  const { labels } = object;
  if (webhook.failurePolicy === 'Ignore') return false;
  // Conditions are programs, which are not run here.
  if ((webhook.matchConditions ?? []).length > 0) return false;
  if (labels === null ? !selectsAll(own) : !selects(own, labels)) return false;
  if (!isAround(webhook, object)) return false;
  return (webhook.rules ?? []).some((rule) => rulesOn(rule, object));
}

function serviceOf(webhook: Webhook): ServiceName | null {
  const name = webhook.clientConfig?.service?.name ?? null;
  const namespace = webhook.clientConfig?.service?.namespace ?? null;
  return name === null || namespace === null ? null : { name, namespace };
}

function configurationsOf(facts: WebhookFacts): readonly Seen<WebhookConfiguration>[] {
  return [
    ...facts.list('kube/ValidatingWebhookConfiguration'),
    ...facts.list('kube/MutatingWebhookConfiguration'),
  ];
}

interface Asked {
  readonly configuration: Seen<WebhookConfiguration>;
  readonly webhook: Webhook;
  readonly index: number;
  readonly service: ServiceName;
}

function askedFor(facts: WebhookFacts, object: Admitted): readonly Asked[] {
  return configurationsOf(facts).flatMap((configuration) =>
    (configuration.value.webhooks ?? []).flatMap((webhook, index) => {
      const service = serviceOf(webhook);
      if (service === null || !isAsked(webhook, object)) return [];
      return [{ configuration, webhook, index, service }];
    }),
  );
}

/** False where complete lists show that no webhook at all is asked before such an object is created. */
export function mayBeAsked(facts: WebhookFacts, object: Admitted): boolean {
  const kinds = [
    'kube/ValidatingWebhookConfiguration',
    'kube/MutatingWebhookConfiguration',
  ] as const;
  if (!kinds.every((kind) => facts.isComplete(kind))) return true;
  return configurationsOf(facts).some(({ value }) =>
    (value.webhooks ?? []).some(
      (webhook) =>
        isAround(webhook, object) && (webhook.rules ?? []).some((rule) => rulesOn(rule, object)),
    ),
  );
}

/**
 * Webhooks that fail closed, are asked before such an object is created, and have nobody behind
 * their Service; `unlisted` when there are such webhooks and no endpoints were read.
 */
export function silentWebhooks(
  facts: WebhookFacts,
  object: Admitted,
): readonly SilentWebhook[] | 'unlisted' {
  const asked = askedFor(facts, object);
  const slices = facts.list('kube/EndpointSlice');
  const isWhole = facts.isComplete('kube/EndpointSlice');
  if (asked.length > 0 && slices.length === 0 && !isWhole) return 'unlisted';
  return asked.flatMap(({ configuration, webhook, index, service }) => {
    const endpoints = endpointsOf(service, slices);
    const isSilent = endpoints.ready === 0 && (isWhole || endpoints.slices.length > 0);
    const name = webhook.name ?? configuration.value.name;
    return isSilent ? [{ name, configuration, index, service, endpoints }] : [];
  });
}

/** `ValidatingWebhookConfiguration NAME: webhook X fails closed and asks the Service NS/NAME`. */
export function webhookWords({ configuration, name, service }: SilentWebhook): string {
  const { kind, name: holder } = configuration.value;
  const asks = `asks the Service ${service.namespace}/${service.name}`;
  return `${kind} ${holder}: webhook ${name}, failurePolicy Fail, ${asks}`;
}

/** Events name a webhook, and not what holds it: one of two kinds, by a name of its own. */
function holderCommand(webhook: string): string {
  return `kubectl get mutatingwebhookconfigurations,validatingwebhookconfigurations -o name | xargs -I{} sh -c 'kubectl get {} -o yaml | grep -q ${webhook} && echo {}'`;
}

/** The same change for what `holderCommand` prints; lists of webhooks are merged by their names. */
function openingByNameCommand(webhook: string): string {
  const change = `{"webhooks":[{"name":"${webhook}","failurePolicy":"Ignore"}]}`;
  return `kubectl patch <kind>/<configuration> -p '${change}'`;
}

/** How to let objects pass a webhook of which only the name is known; `why` ends with a full stop. */
export function openingSteps(
  why: string,
  webhook = '<webhook>',
): readonly { readonly text: string; readonly command: string }[] {
  return [
    { text: 'Find what holds this webhook, of either kind.', command: holderCommand(webhook) },
    {
      text: `${why} The first word is what the search prints, kind and name in one.`,
      command: openingByNameCommand(webhook),
    },
  ];
}

/** The one command that lets objects pass a webhook which nobody answers for. */
export function openingCommand(kind: string, configuration: string, index: string): string {
  const change = `[{"op":"replace","path":"/webhooks/${index}/failurePolicy","value":"Ignore"}]`;
  return `kubectl patch ${kind.toLowerCase()} ${configuration} --type=json -p '${change}'`;
}
